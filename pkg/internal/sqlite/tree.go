package sqlite

import "encoding/binary"

// Kinds of pages in the tree of a table.
const (
	interiorPage = 5
	leafPage     = 13
)

// How much of a record its leaf holds. A longer one keeps a part there, of at least
// minLocal bytes, and the rest in a chain of pages.
const (
	maxLocal = pageSize - 35
	minLocal = (pageSize-12)*32/255 - 23
	chained  = pageSize - 4 // bytes on a page of a chain
)

// table writes a table and returns the page of its root.
func (p *pages) table(t *Table) uint32 {
	level := p.leaves(t)
	for len(level) > 1 {
		level = p.interior(level)
	}
	return level[0].page
}

// child is a page, and the largest rowid below it.
type child struct {
	page uint32
	last uint64
}

// leaves writes the rows; there is a leaf even without rows.
func (p *pages) leaves(t *Table) []child {
	var level []child
	var cell []byte
	leaf, rowid := newNode(leafPage, 0), uint64(0)
	t.Rows(func(row *Row) bool {
		cell = p.cell(cell[:0], rowid+1, row.record())
		if !leaf.add(cell) {
			level = append(level, child{p.write(leaf.finish()), rowid})
			leaf.clear(leafPage, 0)
			leaf.add(cell)
		}
		rowid++
		return p.err == nil
	})
	return append(level, child{p.write(leaf.finish()), rowid})
}

// cell appends the leaf cell of a row. For a long row it writes the chain of pages.
func (p *pages) cell(cell []byte, rowid uint64, record []byte) []byte {
	cell = appendVarint(cell, uint64(len(record)))
	cell = appendVarint(cell, rowid)
	if len(record) <= maxLocal {
		return append(cell, record...)
	}
	local := minLocal + (len(record)-minLocal)%chained
	if local > maxLocal {
		local = minLocal
	}
	cell = append(cell, record[:local]...)
	p.skipLocked()
	cell = binary.BigEndian.AppendUint32(cell, p.next)
	page := make([]byte, pageSize)
	for rest := record[local:]; len(rest) > 0; {
		n := copy(page[4:], rest)
		clear(page[4+n:])
		rest = rest[n:]
		next := uint32(0)
		if len(rest) > 0 {
			if next = p.next + 1; next == lockByte/pageSize+1 {
				next++
			}
		}
		binary.BigEndian.PutUint32(page, next)
		p.write(page)
	}
	return cell
}

// fanout is the most children of an interior page: its last one, and one for each cell,
// which takes up to 15 bytes with its position.
const fanout = (pageSize-12)/15 + 1

// interior writes the pages above a level, and returns them as the next one.
func (p *pages) interior(below []child) []child {
	var level []child
	var cell []byte
	for len(below) > 0 {
		many := min(len(below), fanout)
		if len(below)-many == 1 {
			many-- // a page with one child has no cell, which SQLite rejects
		}
		n, last := newNode(interiorPage, 0), below[many-1]
		for _, c := range below[:many-1] {
			cell = binary.BigEndian.AppendUint32(cell[:0], c.page)
			n.add(appendVarint(cell, c.last))
		}
		binary.BigEndian.PutUint32(n.page[8:], last.page) // the last child is in the header
		level = append(level, child{p.write(n.finish()), last.last})
		below = below[many:]
	}
	return level
}

// node is a page of a tree being filled: cells grow from its end towards its beginning,
// and their positions from its beginning towards its end.
type node struct {
	page  []byte
	base  int // of the header: after the file's header on page 1
	kind  byte
	count int
	free  int // where the lowest cell begins
}

func newNode(kind byte, base int) *node {
	n := &node{page: make([]byte, pageSize)}
	n.clear(kind, base)
	return n
}

func (n *node) clear(kind byte, base int) {
	clear(n.page)
	n.base, n.kind, n.count, n.free = base, kind, 0, pageSize
}

// positions returns where the positions of the cells begin.
func (n *node) positions() int {
	if n.kind == interiorPage {
		return n.base + 12
	}
	return n.base + 8
}

// add adds a cell if there is room.
func (n *node) add(cell []byte) bool {
	position := n.positions() + 2*n.count
	if n.free-len(cell) < position+2 {
		return false
	}
	n.free -= len(cell)
	copy(n.page[n.free:], cell)
	binary.BigEndian.PutUint16(n.page[position:], uint16(n.free))
	n.count++
	return true
}

// finish writes the header and returns the page, which is n's own.
func (n *node) finish() []byte {
	n.page[n.base] = n.kind
	binary.BigEndian.PutUint16(n.page[n.base+3:], uint16(n.count))
	binary.BigEndian.PutUint16(n.page[n.base+5:], uint16(n.free))
	return n.page
}
