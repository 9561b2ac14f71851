package snapshot

import "github.com/memviz-go/memviz/pkg/internal/pickle"

// rowList is a list of rows of one table: a range, as long as the file lists
// them in the order in which it wrote them, else one by one.
type rowList struct {
	kind     pickle.Kind // 0 until the first row is there
	start, n uint32
	rows     []uint32 // nil while start and n say it all
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
			b.wrongType("item of a list")
		}
	}
	b.listed += int64(len(list.rows) - before)
	return l
}

// rows is the list of rows of a kind that v stands for; nil, and ok, for an
// empty list.
func (b *builder) rows(h *pickle.Heap, v pickle.Value, kind pickle.Kind) (l *rowList, ok bool) {
	c, ok := h.Container(v)
	switch {
	case ok && c.Kind == pickle.EmptyList, ok && c.Kind == pickle.List && len(h.Items(v)) == 0:
		return nil, true
	case ok && c.Kind == kindRows && b.lists[c.Ref].kind == kind:
		return &b.lists[c.Ref], true
	}
	return nil, false
}

// keep is the rows of a table that a list names, in its order. A table may hold
// more: rows of other lists, which nobody asked for.
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
