// Package ranges keeps ranges of addresses that do not overlap.
package ranges

import (
	"iter"
	"slices"
)

// Range is the addresses from From up to, not including, To, with their use.
type Range[T any] struct {
	From, To uint64
	Use      T
}

// Bytes returns the length of the range.
func (r Range[T]) Bytes() int64 { return int64(r.To - r.From) }

// chunkSize is the capacity of a chunk, in ranges.
const chunkSize = 128

// Set is a set of ranges that do not overlap, in address order: a sorted list cut
// into chunks, so that a change moves only a few KiB however large the set is. The
// zero Set is empty.
type Set[T any] struct {
	chunks [][]Range[T] // none of them empty
}

// find returns the position of the first range that ends after an address; the chunk
// number is len(s.chunks) if there is none.
func (s *Set[T]) find(addr uint64) (chunk, i int) {
	// Replay calls this for nearly every event, so these are loops: sort.Search takes
	// twice as long.
	for above := len(s.chunks); chunk < above; {
		middle := int(uint(chunk+above) / 2)
		if in := s.chunks[middle]; in[len(in)-1].To > addr {
			above = middle
		} else {
			chunk = middle + 1
		}
	}
	if chunk == len(s.chunks) {
		return chunk, 0
	}
	in := s.chunks[chunk]
	for above := len(in); i < above; {
		middle := int(uint(i+above) / 2)
		if in[middle].To > addr {
			above = middle
		} else {
			i = middle + 1
		}
	}
	return chunk, i
}

// At returns the range that contains an address.
func (s *Set[T]) At(addr uint64) (Range[T], bool) {
	chunk, i := s.find(addr)
	if chunk == len(s.chunks) || s.chunks[chunk][i].From > addr {
		return Range[T]{}, false
	}
	return s.chunks[chunk][i], true
}

// Overlaps reports whether any range overlaps the addresses from from to to.
func (s *Set[T]) Overlaps(from, to uint64) bool {
	chunk, i := s.find(from)
	return from < to && chunk < len(s.chunks) && s.chunks[chunk][i].From < to
}

// Add adds a range, which must not overlap any other.
func (s *Set[T]) Add(from, to uint64, use T) {
	r := Range[T]{from, to, use}
	if len(s.chunks) == 0 {
		s.chunks = [][]Range[T]{{r}}
		return
	}
	chunk, i := s.find(from)
	if chunk == len(s.chunks) {
		chunk--
		i = len(s.chunks[chunk])
	}
	in := slices.Insert(s.chunks[chunk], i, r)
	s.chunks[chunk] = in
	if len(in) > chunkSize {
		s.chunks[chunk] = in[:chunkSize/2]
		s.chunks = slices.Insert(s.chunks, chunk+1, slices.Clone(in[chunkSize/2:]))
	}
}

// Cut removes everything between two addresses and returns how many bytes it removed.
// Ranges that extend beyond them are shortened.
func (s *Set[T]) Cut(from, to uint64) (bytes int64) {
	for from < to {
		chunk, i := s.find(from)
		if chunk == len(s.chunks) || s.chunks[chunk][i].From >= to {
			break
		}
		r := s.chunks[chunk][i]
		if s.chunks[chunk] = slices.Delete(s.chunks[chunk], i, i+1); len(s.chunks[chunk]) == 0 {
			s.chunks = slices.Delete(s.chunks, chunk, chunk+1)
		}
		bytes += int64(min(r.To, to) - max(r.From, from))
		if r.From < from {
			s.Add(r.From, from, r.Use)
		}
		if r.To > to {
			s.Add(to, r.To, r.Use)
		}
	}
	return bytes
}

// All yields the ranges in address order.
func (s *Set[T]) All() iter.Seq[Range[T]] {
	return func(yield func(Range[T]) bool) {
		for _, chunk := range s.chunks {
			for _, r := range chunk {
				if !yield(r) {
					return
				}
			}
		}
	}
}
