package top

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

// metadataKeys says which keys metadata has, where the rows could be made of the values of one.
func metadataKeys(r *analysis.Recording, g holders.Grouping) string {
	if g.By != holders.ByMetadata {
		return ""
	}
	keys := r.Notes().Keys()
	if len(keys) == 0 || slices.Contains(keys, g.Key) {
		return ""
	}
	seen := map[string]bool{}
	for _, key := range keys {
		seen[key] = true
	}
	return "The metadata is dicts; --key makes a row of each value of one key: " + phrase.QuotedNames(seen,
		func(bool) string { return "" }) + "."
}

// rowKey is how the keys of rows are shown.
type rowKey struct {
	none   string               // in place of an empty key
	show   func(key string) any // a key, as a cell of a table
	column func(title string) sheet.Column
}

// rowKeys has a rowKey for each way to make rows. It does not compile without the last one;
// TestRowKeys looks for the others.
var rowKeys [holders.ByCount]rowKey = [...]rowKey{
	holders.BySite:           {phrase.NoStack, showCalls, sheet.Paths},
	holders.ByFile:           {phrase.NoStack, showCalls, sheet.Paths},
	holders.ByFunction:       {phrase.NoStack, showCalls, sheet.Names},
	holders.ByOperator:       {phrase.NoOperator, showCalls, sheet.Names},
	holders.ByStack:          {phrase.NoStack, showCalls, sheet.Names},
	holders.ByFamily:         {"(family unknown)", showFamily, sheet.Names},
	holders.BySize:           {"(size unknown)", showSize, sheet.Words},
	holders.ByStream:         {"(stream unknown)", showStream, sheet.Names},
	holders.ByPool:           {"(pool not recorded)", showCalls, sheet.Names},
	holders.ByModule:         {"(not asked for by a module)", showModule, sheet.Names},
	holders.ByLayer:          {"(not asked for by a module)", showModule, sheet.Names},
	holders.ByAnnotation:     {"(outside of annotated ranges)", showCalls, sheet.Names},
	holders.ByCompileContext: {"(not in a compiled region)", showCalls, sheet.Names},
	holders.ByMetadata:       {"(no metadata)", showCalls, sheet.Names},
}

// keyColumn is the column of the keys of rows.
func keyColumn(g holders.Grouping) sheet.Column {
	title := strings.ReplaceAll(g.By.String(), "_", " ")
	if g.By == holders.ByMetadata && g.Key != "" {
		title = units.Printable(g.Key)
	}
	return rowKeys[g.By].column(title)
}

// keyName is the key of a row as a cell of a table.
func keyName(by holders.By, key string) any {
	if key == "" {
		return rowKeys[by].none
	}
	return rowKeys[by].show(key)
}

func showCalls(key string) any { return sheet.Name(shortChain(key)) }

func showModule(key string) any { return sheet.Name(ShortModule(key)) }

// showFamily is the label of the family with a key.
func showFamily(key string) any {
	for f := range families.Count {
		if family := families.Family(f); family.Key() == key {
			return family.Label()
		}
	}
	return sheet.Name(key)
}

func showSize(key string) any {
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return sheet.Name(key)
	}
	return units.ExactBytes(n)
}

func showStream(key string) any {
	handle, err := strconv.ParseUint(key, 10, 64)
	switch {
	case err != nil:
		return sheet.Name(key)
	case handle == 0:
		return "default stream"
	}
	return units.Address(handle)
}

// shortChain leaves out folders from a key that is a chain of calls.
func shortChain(key string) string {
	calls := strings.Split(key, " < ")
	if len(calls) == 1 {
		return key
	}
	for i, call := range calls {
		calls[i] = call[strings.LastIndexAny(call, `/\`)+1:]
	}
	return strings.Join(calls, " < ")
}

// ShortModule leaves out folders, and the function where it is forward, from the name
// of a module or a layer.
func ShortModule(key string) string {
	key, call, isCall := strings.Cut(key, ", call ")
	lines := strings.Split(key, " < ")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line[strings.LastIndexAny(line, `/\`)+1:], ":forward")
	}
	key = strings.Join(lines, " < ")
	if isCall {
		key += ", call " + call
	}
	return key
}
