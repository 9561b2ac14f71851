package snapshot

import "github.com/memviz-go/memviz/pkg/internal/pickle"

// isRow reports whether a record is a row of a table of its own.
func isRow(k pickle.Kind) bool {
	return k == kindEvent || k == kindSegment || k == kindBlock || k == kindHistory || k == kindAnnotation
}

// rowList is a list of rows of one table: a range if they are in the order of the table,
// as in torch's files, otherwise one by one.
type rowList struct {
	kind     pickle.Kind // 0 while the list is empty
	start, n uint32      // the range, if rows is nil
	rows     []uint32
}

func (l *rowList) len() int {
	if l == nil {
		return 0
	}
	if l.rows != nil {
		return len(l.rows)
	}
	return int(l.n)
}

func (l *rowList) row(i int) uint32 {
	if l.rows != nil {
		return l.rows[i]
	}
	return l.start + uint32(i)
}

func (l *rowList) add(row uint32) {
	switch {
	case l.rows != nil:
		l.rows = append(l.rows, row)
	case l.n == 0:
		l.start, l.n = row, 1
	case row == l.start+l.n:
		l.n++
	default:
		for i := range l.n {
			l.rows = append(l.rows, l.start+i)
		}
		l.rows = append(l.rows, row)
	}
}

func (b *builder) extendRows(h *pickle.Heap, l pickle.Container, items []pickle.Value) pickle.Container {
	if l.Kind != kindRows {
		l = pickle.Container{Kind: kindRows, Ref: uint32(len(b.lists))}
		b.lists = append(b.lists, rowList{})
	}
	list := &b.lists[l.Ref]
	before := len(list.rows)
	for _, item := range items {
		c, _ := h.Container(item)
		if list.kind == 0 && isRow(c.Kind) {
			list.kind = c.Kind
		}
		if isRow(c.Kind) && c.Kind == list.kind {
			list.add(c.Ref)
		} else {
			b.wrongType(fieldItem)
		}
	}
	b.listed += int64(len(list.rows) - before)
	return l
}

// list returns the container that v refers to. Tuples are treated as lists.
func (b *builder) list(h *pickle.Heap, v pickle.Value) (c pickle.Container, ok bool) {
	if c, ok = h.Container(v); !ok || c.Kind != pickle.Tuple {
		return c, ok
	}
	if made, ok := b.tuples[v]; ok {
		return made, true
	}
	made, err := b.Append(h, pickle.Container{Kind: pickle.EmptyList}, h.Items(v))
	if err != nil { // beyond a limit
		made = c
	}
	b.tuples[v] = made
	return made, true
}

// rows returns the list of rows of a kind that v refers to; nil and ok for an empty list.
func (b *builder) rows(h *pickle.Heap, v pickle.Value, kind pickle.Kind) (l *rowList, ok bool) {
	c, ok := b.list(h, v)
	switch {
	case ok && c.Kind == pickle.EmptyList, ok && c.Kind == pickle.List && len(h.Stored(c)) == 0:
		return nil, true
	case ok && c.Kind == kindRows && b.lists[c.Ref].kind == kind:
		return &b.lists[c.Ref], true
	}
	return nil, false
}

// keep returns the rows of a table that a list names, in the list's order. A table may
// hold other rows, from dicts elsewhere in the file.
func keep[T any](table []T, l *rowList) []T {
	switch {
	case l == nil:
		return nil
	case l.rows == nil:
		return table[l.start : l.start+l.n]
	}
	kept := make([]T, len(l.rows))
	for i, row := range l.rows {
		kept[i] = table[row]
	}
	return kept
}
