package allocator

import "github.com/memviz-go/memviz/pkg/snapshot"

// reservation is the address space of one expandable segment. Memory is
// mapped into it in pages, which are aligned relative to its start.
type reservation struct {
	addr uint64
	size int64
	page int64
}

// growExpandable maps memory for a request and takes the block out of the free set
// (upstream try_allocate_expandable_block). If the driver refuses half-way, the memory
// mapped before that stays as a free block.
func (a *Allocator) growExpandable(r request) *block {
	b := a.frontier(r)
	if b == nil {
		return nil
	}
	if b.state == unmapped {
		b = a.mapFront(b, min(r.size, b.size))
	}
	for b != nil && b.size < r.size {
		// b is free and followed by an unmapped block; mapping that joins the two.
		b = a.mapFront(b.next, min(r.size-b.size, b.next.size))
	}
	if b != nil {
		b.pool.remove(b)
	}
	return b
}

// frontier returns the first block of the first run of free and unmapped blocks, by
// address, that has room for a request; a new reservation if there is none. A free block
// before the first unmapped one belongs to the run.
func (a *Allocator) frontier(r request) *block {
	for b := range r.pool.unmapped.from(key{stream: r.stream}) {
		if b.stream != r.stream {
			break
		}
		if b.prev != nil && b.prev.state == free {
			b = b.prev
		}
		if hasRoom(b, r.size) {
			return b
		}
	}
	return a.newReservation(r)
}

// hasRoom reports whether a block and those after it have size bytes before
// the next live one.
func hasRoom(b *block, size int64) bool {
	for ; b != nil && !b.live(); b = b.next {
		if size -= b.size; size <= 0 {
			return true
		}
	}
	return false
}

// newReservation returns one unmapped block, an eighth larger than the device's memory, so
// that pages can be unmapped in front and mapped again at the end, or smaller if the
// settings say so. It returns nil if that is too small for the request.
func (a *Allocator) newReservation(r request) *block {
	memory, page := a.driver.GlobalMemory(), a.settings.PageSize(r.pool.class)
	size := roundUp(memory+memory/8, page)
	if s := a.settings.SegmentReserve; s > 0 {
		size = min(size, roundUp(s, page))
	}
	if size < r.size {
		return nil
	}
	addr, ok := a.driver.Reserve(size)
	if !ok {
		return nil
	}
	b := a.newBlock()
	b.addr, b.size, b.state = addr, size, unmapped
	b.stream, b.pool = r.stream, r.pool
	b.reservation = &reservation{addr, size, page}
	b.pool.insert(b)
	return b
}

// mapFront maps the pages that the first size bytes of an unmapped block need and
// returns them as a free block, joined with its free neighbours (upstream map_block).
// It returns nil if the driver refuses.
func (a *Allocator) mapFront(b *block, size int64) *block {
	addr := b.addr
	size = roundUp(size, b.reservation.page)
	if !a.driver.Map(addr, size) {
		return nil
	}
	b.pool.remove(b)
	if size < b.size {
		b = a.splitFront(b, size)
	}
	b.state = free
	a.settle(b)
	a.reserve(b.pool, size)
	a.emit(snapshot.SegmentMap, addr, size, b.stream)
	return b
}

// wholePages returns the range of the pages that lie entirely in a block of an expandable
// segment.
func (b *block) wholePages() (addr uint64, size int64) {
	space := b.reservation
	begin := roundUp(int64(b.addr-space.addr), space.page)
	end := roundDown(int64(b.end()-space.addr), space.page)
	return space.addr + uint64(begin), max(end-begin, 0)
}

// returnable returns how many bytes of a free block could be returned to the driver.
func (b *block) returnable() int64 {
	switch {
	case b.reservation != nil:
		_, size := b.wholePages()
		return size
	case b.split():
		return 0
	}
	return b.size
}

// unmap returns the whole pages inside a free block to the driver; the bytes before and
// after them stay free (upstream unmap_block). A reservation without any memory left is
// released.
func (a *Allocator) unmap(b *block) {
	space := b.reservation
	addr, size := b.wholePages()
	if size == 0 {
		return
	}

	b.pool.remove(b)
	if before := int64(addr - b.addr); before > 0 {
		b.pool.insert(a.cutFront(b, before))
	}
	if size < b.size {
		b = a.splitFront(b, size)
	}
	b.state = unmapped
	a.driver.Unmap(addr, size)
	a.settle(b)
	a.reserve(b.pool, -size)
	a.emit(snapshot.SegmentUnmap, addr, size, b.stream)
	if !b.split() {
		b.pool.remove(b)
		a.driver.Release(space.addr)
		a.recycle(b)
	}
}
