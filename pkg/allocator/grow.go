package allocator

import "github.com/memviz-go/memviz/pkg/snapshot"

// grow gets memory for a request from the driver (upstream alloc_block). The
// block it returns is in no set.
func (a *Allocator) grow(r request) *block {
	size := a.settings.SegmentSize(r.size)
	if a.limited && a.Reserved()+size > a.allowed {
		return nil
	}
	if a.settings.Expandable {
		return a.growExpandable(r)
	}
	addr, ok := a.driver.Malloc(size)
	if !ok {
		return nil
	}
	b := a.newBlock()
	b.addr, b.size, b.state = addr, size, free
	b.stream, b.pool = r.stream, r.pool
	a.reserve(b.pool, size)
	a.emit(snapshot.SegmentAlloc, addr, size, r.stream)
	return b
}

// freeSegment gives a free block that is its whole segment back to the driver.
func (a *Allocator) freeSegment(b *block) {
	b.pool.remove(b)
	a.reserve(b.pool, -b.size)
	a.emit(snapshot.SegmentFree, b.addr, b.size, b.stream)
	a.driver.Free(b.addr)
	a.recycle(b)
}
