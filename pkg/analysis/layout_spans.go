package analysis

import (
	"iter"
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// span is a range of addresses that is reserved.
type span struct {
	addr uint64
	size int64
	spanKind
}

// spanKind is whom a range may serve. Expandable ranges of one kind are one
// segment where they touch.
type spanKind struct {
	stream     snapshot.StreamID
	pool       snapshot.PoolID
	class      snapshot.SizeClass
	expandable bool
}

func (s *span) end() uint64 { return s.addr + uint64(s.size) }

// spanChunk is the most spans a chunk holds.
const spanChunk = 128

// spanSet is a set of spans that do not overlap, in address order. It is a
// sorted list cut into chunks, so that a change moves a few KiB at most.
type spanSet struct {
	chunks [][]span // none of them empty
}

// find is the position of the first span that ends after an address; the chunk
// number is one too many if there is none.
func (s *spanSet) find(addr uint64) (chunk, i int) {
	chunk = sort.Search(len(s.chunks), func(c int) bool {
		last := s.chunks[c]
		return last[len(last)-1].end() > addr
	})
	if chunk < len(s.chunks) {
		spans := s.chunks[chunk]
		i = sort.Search(len(spans), func(i int) bool { return spans[i].end() > addr })
	}
	return chunk, i
}

// add puts in a span where nothing is.
func (s *spanSet) add(x span) {
	chunk, i := s.find(x.addr)
	if chunk == len(s.chunks) {
		if chunk == 0 {
			s.chunks = append(s.chunks, []span{x})
			return
		}
		chunk--
		i = len(s.chunks[chunk])
	}
	spans := slices.Insert(s.chunks[chunk], i, x)
	s.chunks[chunk] = spans
	if len(spans) > spanChunk {
		half := slices.Clone(spans[spanChunk/2:])
		s.chunks[chunk] = spans[:spanChunk/2]
		s.chunks = slices.Insert(s.chunks, chunk+1, half)
	}
}

// cut takes out what lies between two addresses, splitting spans that reach
// beyond them, and returns how many bytes that was.
func (s *spanSet) cut(from, to uint64) (bytes int64) {
	for {
		chunk, i := s.find(from)
		if chunk == len(s.chunks) || s.chunks[chunk][i].addr >= to {
			return bytes
		}
		x := s.chunks[chunk][i]
		if s.chunks[chunk] = slices.Delete(s.chunks[chunk], i, i+1); len(s.chunks[chunk]) == 0 {
			s.chunks = slices.Delete(s.chunks, chunk, chunk+1)
		}
		bytes += x.size
		if x.addr < from {
			before := span{x.addr, int64(from - x.addr), x.spanKind}
			bytes -= before.size
			s.add(before)
		}
		if x.end() > to {
			after := span{to, int64(x.end() - to), x.spanKind}
			bytes -= after.size
			s.add(after)
		}
	}
}

// segments yields the spans in address order, with those joined that are one
// segment.
func (s *spanSet) segments() iter.Seq[span] {
	return func(yield func(span) bool) {
		var open span
		for _, chunk := range s.chunks {
			for _, x := range chunk {
				if open.expandable && open.spanKind == x.spanKind && open.end() == x.addr {
					open.size += x.size
					continue
				}
				if open.size > 0 && !yield(open) {
					return
				}
				open = x
			}
		}
		if open.size > 0 {
			yield(open)
		}
	}
}
