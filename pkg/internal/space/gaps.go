package space

import (
	"slices"
	"sort"
)

// gap is a free node in a list.
type gap struct {
	size, place uint32
	node        int32
}

// before reports whether a gap comes before one of a size at a place.
func (g gap) before(size, place uint32) bool {
	return g.size < size || g.size == size && g.place < place
}

// chunkSize is the most gaps a chunk holds.
const chunkSize = 128

// gapList is gaps by size, then place: a sorted list cut into chunks, so that a change
// moves few of them however many there are.
type gapList struct{ chunks [][]gap } // none of them empty

// cursor is a position in a list. At the end, chunk is the number of chunks.
type cursor struct{ chunk, i int }

// find is the position of the first gap that is not before a size and place.
func (l *gapList) find(size, place uint32) cursor {
	chunk := 0
	if len(l.chunks) > 1 {
		chunk = sort.Search(len(l.chunks), func(c int) bool {
			last := l.chunks[c]
			return !last[len(last)-1].before(size, place)
		})
	}
	if chunk == len(l.chunks) {
		return cursor{chunk, 0}
	}
	in := l.chunks[chunk]
	low, high := 0, len(in)
	for low < high {
		middle := (low + high) / 2
		if in[middle].before(size, place) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(in) {
		return cursor{chunk + 1, 0} // the only chunk
	}
	return cursor{chunk, low}
}

// at is the gap at a position, if there is one.
func (l *gapList) at(c cursor) (gap, bool) {
	if c.chunk == len(l.chunks) {
		return gap{}, false
	}
	return l.chunks[c.chunk][c.i], true
}

// next is the position behind one that is not the end.
func (l *gapList) next(c cursor) cursor {
	if c.i++; c.i == len(l.chunks[c.chunk]) {
		return cursor{c.chunk + 1, 0}
	}
	return c
}

// skip goes n gaps further, if there are as many; hops is how many chunks it looked at.
func (l *gapList) skip(c cursor, n uint32) (to cursor, hops int) {
	for c.chunk < len(l.chunks) {
		left := len(l.chunks[c.chunk]) - c.i
		if n < uint32(left) {
			return cursor{c.chunk, c.i + int(n)}, hops
		}
		n -= uint32(left)
		c = cursor{c.chunk + 1, 0}
		hops++
	}
	return c, hops
}

func (l *gapList) add(g gap) {
	c := l.find(g.size, g.place)
	if c.chunk == len(l.chunks) {
		if c.chunk == 0 {
			l.chunks = append(l.chunks, append(make([]gap, 0, chunkSize), g))
			return
		}
		c = cursor{c.chunk - 1, len(l.chunks[c.chunk-1])}
	}
	in := l.chunks[c.chunk]
	if len(in) == chunkSize {
		half := append(make([]gap, 0, chunkSize), in[chunkSize/2:]...)
		l.chunks[c.chunk] = in[:chunkSize/2]
		l.chunks = slices.Insert(l.chunks, c.chunk+1, half)
		if c.i > chunkSize/2 {
			c = cursor{c.chunk + 1, c.i - chunkSize/2}
		}
		in = l.chunks[c.chunk]
	}
	l.chunks[c.chunk] = slices.Insert(in, c.i, g)
}

// remove takes out a gap that is in the list.
func (l *gapList) remove(size, place uint32) {
	c := l.find(size, place)
	in := l.chunks[c.chunk]
	if in = slices.Delete(in, c.i, c.i+1); len(in) == 0 {
		l.chunks = slices.Delete(l.chunks, c.chunk, c.chunk+1)
		return
	}
	l.chunks[c.chunk] = in
}
