package report

import (
	"maps"
	"slices"
	"strings"
)

// stringTable gives every text of a file an index; 0 is the empty one.
type stringTable struct {
	texts []string
	index map[string]uint64
}

func newStringTable() *stringTable {
	return &stringTable{texts: []string{""}, index: map[string]uint64{"": 0}}
}

// add is the index of a text. What is no UTF-8 gets U+FFFD, so that the page
// decodes exactly what was counted.
func (t *stringTable) add(text string) uint64 {
	if i, ok := t.index[text]; ok {
		return i
	}
	i := uint64(len(t.texts))
	t.index[text] = i
	t.texts = append(t.texts, strings.ToValidUTF8(text, "\uFFFD"))
	return i
}

// clone is a table that goes on from t without changing it.
func (t *stringTable) clone() *stringTable {
	return &stringTable{texts: slices.Clone(t.texts), index: maps.Clone(t.index)}
}
