package allocator

import (
	"iter"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// pool is the free memory of one size class of one pool (upstream BlockPool). It holds
// the blocks of all streams, ordered by stream first.
type pool struct {
	id       snapshot.Pool
	class    snapshot.SizeClass
	free     blockSet // free blocks by (stream, size, address)
	unmapped blockSet // unmapped blocks by (stream, address)
	searches uint64   // number of searches while garbage collection is on, the unit of a block's age
	reserved int64    // bytes held from the driver
}

// sizePools are the two size classes of the default pool or of a private one.
type sizePools struct{ small, large pool }

func newSizePools(id snapshot.Pool) *sizePools {
	return &sizePools{
		small: pool{id: id, class: snapshot.SizeClassSmall},
		large: pool{id: id, class: snapshot.SizeClassLarge},
	}
}

// forSize returns the pool that serves a rounded size.
func (p *sizePools) forSize(rounded int64) *pool {
	if rounded <= smallSize {
		return &p.small
	}
	return &p.large
}

// reserved returns the bytes that both size classes hold from the driver.
func (p *sizePools) reserved() int64 { return p.small.reserved + p.large.reserved }

// insert puts a free or unmapped block into the set of its state.
func (p *pool) insert(b *block) {
	if b.state == unmapped {
		p.unmapped.insert(unmappedKey(b), b)
		return
	}
	b.inserted = p.searches
	p.free.insert(freeKey(b), b)
}

// remove takes a free or unmapped block out of the set of its state.
func (p *pool) remove(b *block) {
	if b.state == unmapped {
		p.unmapped.remove(unmappedKey(b))
		return
	}
	p.free.remove(freeKey(b))
}

// age returns the number of searches since a block became free.
func (p *pool) age(b *block) uint64 { return p.searches - b.inserted }

func freeKey(b *block) key     { return key{b.stream, b.size, b.addr} }
func unmappedKey(b *block) key { return key{b.stream, 0, b.addr} }

// pools returns the pools of both size classes: the default ones, then the private ones.
func (a *Allocator) pools() []*pool {
	pools := []*pool{&a.shared.large, &a.shared.small}
	for _, p := range a.private {
		pools = append(pools, &p.pools.small, &p.pools.large)
	}
	return pools
}

// key is the sort key of a blockSet: stream, then size, then address.
type key struct {
	stream Stream
	size   int64
	addr   uint64
}

func (k key) less(o key) bool {
	if k.stream != o.stream {
		return k.stream < o.stream
	}
	if k.size != o.size {
		return k.size < o.size
	}
	return k.addr < o.addr
}

type entry struct {
	key
	block *block
}

// chunkSize is the maximum number of entries of a chunk: 4 KiB.
const chunkSize = 128

// blockSet is an ordered set of blocks: a sorted list cut into chunks, so that an
// insertion moves a few KiB at most however many blocks there are. Keys are
// copied into it, so that a search does not touch the blocks.
type blockSet struct {
	chunks [][]entry // sorted, none of them empty
	spare  []entry   // a chunk to reuse
	len    int
}

// find returns the position of the first entry that is not less than k; the chunk
// number may be one too many.
func (s *blockSet) find(k key) (chunk, i int) {
	// Search the last chunk that starts at or before k.
	lo, hi := 0, len(s.chunks)
	for lo < hi {
		mid := (lo + hi) / 2
		if k.less(s.chunks[mid][0].key) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	chunk = max(lo-1, 0)
	if chunk == len(s.chunks) {
		return chunk, 0
	}

	entries := s.chunks[chunk]
	lo, hi = 0, len(entries)
	for lo < hi {
		mid := (lo + hi) / 2
		if entries[mid].less(k) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return chunk, lo
}

// insert adds a block under a key that is not in the set.
func (s *blockSet) insert(k key, b *block) {
	chunk, i := s.find(k)
	if chunk == len(s.chunks) {
		s.chunks = append(s.chunks, s.newChunk())
	} else if len(s.chunks[chunk]) == chunkSize {
		full := s.chunks[chunk]
		half := append(s.newChunk(), full[chunkSize/2:]...)
		clear(full[chunkSize/2:])
		s.chunks[chunk] = full[:chunkSize/2]
		s.chunks = slices.Insert(s.chunks, chunk+1, half)
		if i > chunkSize/2 {
			chunk, i = chunk+1, i-chunkSize/2
		}
	}
	s.chunks[chunk] = slices.Insert(s.chunks[chunk], i, entry{k, b})
	s.len++
}

// remove takes out the block under a key that is in the set.
func (s *blockSet) remove(k key) {
	chunk, i := s.find(k)
	s.chunks[chunk] = slices.Delete(s.chunks[chunk], i, i+1)
	if len(s.chunks[chunk]) == 0 {
		s.spare = s.chunks[chunk]
		s.chunks = slices.Delete(s.chunks, chunk, chunk+1)
	}
	s.len--
}

// from yields the blocks whose key is not less than k, in order. The set must
// not change meanwhile.
func (s *blockSet) from(k key) iter.Seq[*block] {
	return func(yield func(*block) bool) {
		chunk, i := s.find(k)
		for ; chunk < len(s.chunks); chunk, i = chunk+1, 0 {
			for ; i < len(s.chunks[chunk]); i++ {
				if !yield(s.chunks[chunk][i].block) {
					return
				}
			}
		}
	}
}

// all yields every block in order.
func (s *blockSet) all() iter.Seq[*block] { return s.from(key{}) }

func (s *blockSet) newChunk() []entry {
	if c := s.spare; c != nil {
		s.spare = nil
		return c
	}
	return make([]entry, 0, chunkSize)
}
