package allocator

import "github.com/memviz-go/memviz/pkg/snapshot"

// pool is the free memory of one size class of one pool (upstream BlockPool).
// Blocks of all streams are in it; the stream is the first thing they are ordered by.
type pool struct {
	id       snapshot.Pool
	class    snapshot.SizeClass
	free     blockSet // free blocks by (stream, size, address)
	unmapped blockSet // unmapped blocks by (stream, address)
	searches uint64   // searches while garbage collection was on: the clock of block ages
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

// forSize is the pool that serves a rounded size.
func (p *sizePools) forSize(rounded int64) *pool {
	if rounded <= smallSize {
		return &p.small
	}
	return &p.large
}

// reserved is what both size classes hold from the driver, in bytes.
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

// age is how many searches a free block has sat through.
func (p *pool) age(b *block) uint64 { return p.searches - b.inserted }

func freeKey(b *block) key     { return key{b.stream, b.size, b.addr} }
func unmappedKey(b *block) key { return key{b.stream, 0, b.addr} }

// pools are all pools: the default ones, then the private ones.
func (a *Allocator) pools() []*pool {
	pools := []*pool{&a.shared.large, &a.shared.small}
	for _, p := range a.private {
		pools = append(pools, &p.pools.small, &p.pools.large)
	}
	return pools
}
