package answer

import (
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// extent is a range of addresses in a segment.
type extent struct {
	addr, end uint64
	namedSegment
}

// namedSegment is a segment with its number.
type namedSegment struct {
	number     int
	base       uint64 // where its offsets begin
	stream     snapshot.StreamID
	expandable bool
}

// extentChunk is the most extents a chunk holds.
const extentChunk = 128

// extents are ranges that do not overlap, in address order: a sorted list cut
// into chunks, so that a change moves a few KiB however many there are.
type extents struct {
	chunks [][]extent // none of them empty
}

// find is the position of the first extent that ends behind an address; the
// chunk number is one too many if there is none.
func (x *extents) find(addr uint64) (chunk, i int) {
	chunk = sort.Search(len(x.chunks), func(c int) bool {
		return x.chunks[c][len(x.chunks[c])-1].end > addr
	})
	if chunk < len(x.chunks) {
		in := x.chunks[chunk]
		i = sort.Search(len(in), func(i int) bool { return in[i].end > addr })
	}
	return chunk, i
}

// at is the extent that an address lies in.
func (x *extents) at(addr uint64) (extent, bool) {
	chunk, i := x.find(addr)
	if chunk == len(x.chunks) || x.chunks[chunk][i].addr > addr {
		return extent{}, false
	}
	return x.chunks[chunk][i], true
}

// add puts in an extent where nothing is.
func (x *extents) add(e extent) {
	if len(x.chunks) == 0 {
		x.chunks = [][]extent{{e}}
		return
	}
	chunk, i := x.find(e.addr)
	if chunk == len(x.chunks) {
		chunk--
		i = len(x.chunks[chunk])
	}
	in := slices.Insert(x.chunks[chunk], i, e)
	x.chunks[chunk] = in
	if len(in) > extentChunk {
		x.chunks[chunk] = in[:extentChunk/2]
		x.chunks = slices.Insert(x.chunks, chunk+1, slices.Clone(in[extentChunk/2:]))
	}
}

// cut takes out what lies between two addresses. What reaches beyond stays.
func (x *extents) cut(from, to uint64) {
	for from < to {
		chunk, i := x.find(from)
		if chunk == len(x.chunks) || x.chunks[chunk][i].addr >= to {
			return
		}
		e := x.chunks[chunk][i]
		if x.chunks[chunk] = slices.Delete(x.chunks[chunk], i, i+1); len(x.chunks[chunk]) == 0 {
			x.chunks = slices.Delete(x.chunks, chunk, chunk+1)
		}
		if e.addr < from {
			x.add(extent{e.addr, from, e.namedSegment})
		}
		if e.end > to {
			x.add(extent{to, e.end, e.namedSegment})
		}
	}
}
