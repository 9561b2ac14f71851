package space

import "slices"

// gap is a free node in a list.
type gap struct {
	key  uint64 // size, then place
	node int32
}

func keyOf(size, place uint32) uint64 { return uint64(size)<<32 | uint64(place) }

func (g gap) size() uint32  { return uint32(g.key >> 32) }
func (g gap) place() uint32 { return uint32(g.key) }

// holds reports whether a range lies in the gap.
func (g gap) holds(place, size uint32) bool {
	return g.place() <= place && uint64(place)+uint64(size) <= uint64(g.place())+uint64(g.size())
}

// chunkSize is the most gaps a chunk holds.
const chunkSize = 64

// gapList is gaps by size, then place: a sorted list cut into chunks, so that a change
// moves few of them however many there are.
type gapList struct {
	chunks [][]gap  // none of them empty
	last   []uint64 // by chunk: the key of its last gap
}

// cursor is a position in a list. At the end, chunk is the number of chunks.
type cursor struct{ chunk, i int }

// find is the position of the first gap that is not before a key.
func (l *gapList) find(key uint64) cursor {
	low, high := 0, len(l.last)
	for low < high {
		middle := int(uint(low+high) / 2)
		if l.last[middle] < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(l.chunks) {
		return cursor{low, 0}
	}
	chunk, in := low, l.chunks[low]
	low, high = 0, len(in)
	for low < high {
		middle := int(uint(low+high) / 2)
		if in[middle].key < key {
			low = middle + 1
		} else {
			high = middle
		}
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
	c := l.find(g.key)
	if c.chunk == len(l.chunks) {
		if c.chunk == 0 {
			l.chunks = append(l.chunks, append(make([]gap, 0, chunkSize), g))
			l.last = append(l.last, g.key)
			return
		}
		c = cursor{c.chunk - 1, len(l.chunks[c.chunk-1])}
	}
	if len(l.chunks[c.chunk]) == chunkSize {
		l.split(c.chunk)
		if c.i > chunkSize/2 {
			c = cursor{c.chunk + 1, c.i - chunkSize/2}
		}
	}
	in := append(l.chunks[c.chunk], gap{})
	copy(in[c.i+1:], in[c.i:])
	in[c.i] = g
	l.chunks[c.chunk], l.last[c.chunk] = in, in[len(in)-1].key
}

// split moves the upper half of a full chunk to a new one.
func (l *gapList) split(chunk int) {
	in := l.chunks[chunk]
	upper := append(make([]gap, 0, chunkSize), in[chunkSize/2:]...)
	l.chunks[chunk] = in[:chunkSize/2]
	l.chunks = slices.Insert(l.chunks, chunk+1, upper)
	l.last = slices.Insert(l.last, chunk, in[chunkSize/2-1].key)
}

// remove takes out the gap with a key, which is in the list.
func (l *gapList) remove(key uint64) { l.removeAt(l.find(key)) }

func (l *gapList) removeAt(c cursor) {
	in := l.chunks[c.chunk]
	copy(in[c.i:], in[c.i+1:])
	if in = in[:len(in)-1]; len(in) == 0 {
		l.chunks = slices.Delete(l.chunks, c.chunk, c.chunk+1)
		l.last = slices.Delete(l.last, c.chunk, c.chunk+1)
		return
	}
	l.chunks[c.chunk], l.last[c.chunk] = in, in[len(in)-1].key
}
