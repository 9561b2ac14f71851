package answer

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/units"
)

// Shown for call sites and operators that were not recorded.
const (
	noStack    = "(no stack recorded)"
	noOperator = "(no operator recorded)"
)

// rowKey is how the keys of rows are shown.
type rowKey struct {
	none   string               // in place of an empty key
	show   func(key string) any // a key, as a cell of a table
	column func(title string) column
}

// rowKeys has a rowKey for each way to make rows. It does not compile without the last one;
// TestRowKeys looks for the others.
var rowKeys [holders.ByCount]rowKey = [...]rowKey{
	holders.BySite:           {noStack, showCalls, paths},
	holders.ByFile:           {noStack, showCalls, paths},
	holders.ByFunction:       {noStack, showCalls, names},
	holders.ByOperator:       {noOperator, showCalls, names},
	holders.ByStack:          {noStack, showCalls, names},
	holders.ByFamily:         {"(family unknown)", showFamily, names},
	holders.BySize:           {"(size unknown)", showSize, words},
	holders.ByStream:         {"(stream unknown)", showStream, names},
	holders.ByPool:           {"(pool not recorded)", showCalls, names},
	holders.ByModule:         {"(not asked for by a module)", showModule, names},
	holders.ByLayer:          {"(not asked for by a module)", showModule, names},
	holders.ByAnnotation:     {"(outside of annotated ranges)", showCalls, names},
	holders.ByCompileContext: {"(not in a compiled region)", showCalls, names},
	holders.ByMetadata:       {"(no metadata)", showCalls, names},
}

// keyColumn is the column of the keys of rows.
func keyColumn(g holders.Grouping) column {
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

func showCalls(key string) any { return name(shortChain(key)) }

func showModule(key string) any { return name(shortModule(key)) }

// showFamily is the label of the family with a key.
func showFamily(key string) any {
	for f := range families.Count {
		if family := families.Family(f); family.Key() == key {
			return family.Label()
		}
	}
	return name(key)
}

func showSize(key string) any {
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return name(key)
	}
	return units.ExactBytes(n)
}

func showStream(key string) any {
	handle, err := strconv.ParseUint(key, 10, 64)
	switch {
	case err != nil:
		return name(key)
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
