package space

import "slices"

// gap is an unbroken free range.
type gap struct {
	place, size uint32
	in          int32 // the reservation it lies in, or another of the same kind and lane if pages joined
}

func (g gap) end() uint32 { return g.place + g.size }

// holds reports whether a range lies within the gap.
func (g gap) holds(place, size uint32) bool {
	return g.place <= place && uint64(place)+uint64(size) <= uint64(g.end())
}

// keyOf returns the key of a list ordered by first, then second: size and place, or the reverse.
func keyOf(first, second uint32) uint64 { return uint64(first)<<32 | uint64(second) }

// entry is a range in a list.
type entry struct {
	key uint64
	in  int32 // reservation
}

func (g gap) bySize() entry  { return entry{keyOf(g.size, g.place), g.in} }
func (g gap) byPlace() entry { return entry{keyOf(g.place, g.size), g.in} }

// ofSizes returns the gap of an entry in a list by size; ofPlaces in one by place.
func (e entry) ofSizes() gap  { return gap{uint32(e.key), uint32(e.key >> 32), e.in} }
func (e entry) ofPlaces() gap { return gap{uint32(e.key >> 32), uint32(e.key), e.in} }

// chunkSize is the capacity of a chunk, in entries.
const chunkSize = 32

// list is ranges ordered by key: a sorted list cut into chunks, so that a change moves
// only a few entries however long the list is.
type list struct {
	chunks [][]entry // none of them empty
	last   []uint64  // by chunk: the key of its last entry
}

// cursor is a position in a list. At the end, chunk is the number of chunks.
type cursor struct{ chunk, i int }

// find returns the position of the first entry that is not before a key.
func (l *list) find(key uint64) cursor {
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

// at returns the entry at a position, if there is one.
func (l *list) at(c cursor) (entry, bool) {
	if c.chunk == len(l.chunks) {
		return entry{}, false
	}
	return l.chunks[c.chunk][c.i], true
}

// entry returns the entry at a position that is not the end.
func (l *list) entry(c cursor) entry { return l.chunks[c.chunk][c.i] }

// next returns the position after one that is not the end.
func (l *list) next(c cursor) cursor {
	if c.i++; c.i == len(l.chunks[c.chunk]) {
		return cursor{c.chunk + 1, 0}
	}
	return c
}

// before returns the position before one, if there is any.
func (l *list) before(c cursor) (cursor, bool) {
	if c.i > 0 {
		return cursor{c.chunk, c.i - 1}, true
	} else if c.chunk > 0 {
		return cursor{c.chunk - 1, len(l.chunks[c.chunk-1]) - 1}, true
	}
	return c, false
}

// skip advances n entries, if there are as many; hops counts the chunks it visited.
func (l *list) skip(c cursor, n uint32) (to cursor, hops int) {
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

// count returns the number of entries between two positions; hops is as in skip.
func (l *list) count(c, to cursor) (n uint32, hops int) {
	for ; c.chunk < to.chunk; c = (cursor{c.chunk + 1, 0}) {
		n += uint32(len(l.chunks[c.chunk]) - c.i)
		hops++
	}
	return n + uint32(to.i-c.i), hops
}

func (l *list) add(e entry) { l.insert(l.find(e.key), e) }

// insert adds an entry at the position that find returned for it.
func (l *list) insert(c cursor, e entry) {
	if c.chunk == len(l.chunks) {
		if c.chunk == 0 {
			l.chunks = append(l.chunks, append(make([]entry, 0, chunkSize), e))
			l.last = append(l.last, e.key)
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
	in := append(l.chunks[c.chunk], entry{})
	copy(in[c.i+1:], in[c.i:])
	in[c.i] = e
	l.chunks[c.chunk], l.last[c.chunk] = in, in[len(in)-1].key
}

// set replaces an entry without changing the order.
func (l *list) set(c cursor, e entry) {
	in := l.chunks[c.chunk]
	in[c.i] = e
	l.last[c.chunk] = in[len(in)-1].key
}

// split moves the upper half of a full chunk to a new one.
func (l *list) split(chunk int) {
	in := l.chunks[chunk]
	upper := append(make([]entry, 0, chunkSize), in[chunkSize/2:]...)
	l.chunks[chunk] = in[:chunkSize/2]
	l.chunks = slices.Insert(l.chunks, chunk+1, upper)
	l.last = slices.Insert(l.last, chunk, in[chunkSize/2-1].key)
}

// remove takes out the entry with a key, which is in the list.
func (l *list) remove(key uint64) { l.removeAt(l.find(key)) }

func (l *list) removeAt(c cursor) {
	in := l.chunks[c.chunk]
	copy(in[c.i:], in[c.i+1:])
	if in = in[:len(in)-1]; len(in) == 0 {
		l.chunks = slices.Delete(l.chunks, c.chunk, c.chunk+1)
		l.last = slices.Delete(l.last, c.chunk, c.chunk+1)
		return
	}
	l.chunks[c.chunk], l.last[c.chunk] = in, in[len(in)-1].key
}
