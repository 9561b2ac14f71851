package allocator

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// request is one request for a block.
type request struct {
	size   int64 // rounded
	stream Stream
	pool   *pool
}

// OutOfMemoryError means that the driver had no memory for a request, even after all
// cached memory was released.
type OutOfMemoryError struct {
	Requested   int64 // bytes requested
	SegmentSize int64 // bytes requested from the driver, as in PyTorch's message
	DeviceFree  int64 // bytes free on the device
	Reserved    int64 // bytes the allocator still holds
}

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("out of memory: %d bytes requested, segment of %d bytes needed, %d reserved, %d free "+
		"on the device",
		e.Requested, e.SegmentSize, e.Reserved, e.DeviceFree)
}

// Alloc serves a request for a positive number of bytes made on a stream and
// returns the address of the block. The error is an [*OutOfMemoryError] when
// memory is exhausted. It emits free_completed for blocks whose streams are done,
// segment events, then alloc or oom.
func (a *Allocator) Alloc(requested int64, stream Stream) (addr uint64, err error) {
	if requested <= 0 || requested >= maxRequest {
		return 0, fmt.Errorf("cannot allocate %d bytes: not between 1 and %d", requested, int64(maxRequest-1))
	}
	a.processEvents()
	return a.alloc(requested, stream, a.poolsFor(stream))
}

// AllocIn is Alloc from the pool with an id, whatever pools are open; {0, 0} is the
// default pool. A private pool is made if needed and kept until ReleasePool. As during a
// capture, requests from it do not release cached memory.
func (a *Allocator) AllocIn(pool snapshot.Pool, requested int64, stream Stream) (addr uint64, err error) {
	if requested <= 0 || requested >= maxRequest {
		return 0, fmt.Errorf("cannot allocate %d bytes: not between 1 and %d", requested, int64(maxRequest-1))
	}
	a.processEvents()
	return a.alloc(requested, stream, a.poolsOf(pool))
}

// alloc serves a request from pools.
func (a *Allocator) alloc(requested int64, stream Stream, pools *sizePools) (addr uint64, err error) {
	size := a.settings.RoundSize(requested)
	r := request{size, stream, pools.forSize(size)}
	b := a.search(r)
	if b == nil {
		a.collectGarbage()
		b = a.growOrRelease(r)
	}
	if b == nil {
		return 0, a.outOfMemory(r, requested)
	}
	a.align(b, size)
	if a.shouldSplit(b, size) {
		b = a.splitFront(b, size)
	}
	a.handOut(b, requested)
	return b.addr, nil
}

// growOrRelease gets new memory, and releases cached memory as far as needed.
func (a *Allocator) growOrRelease(r request) *block {
	if b := a.grow(r); b != nil {
		return b
	}
	if a.settings.RejectAtLimit && a.exceedsLimit(r) {
		return nil
	}
	if a.releaseOversize(r) {
		if b := a.grow(r); b != nil {
			return b
		}
	}
	if len(a.captures) > 0 || r.pool.id != (snapshot.Pool{}) {
		return nil // the device must not be synchronised during a capture
	}
	a.releaseCached()
	a.stats.Retries++
	return a.grow(r)
}

// shouldSplit reports whether the rest of a block after a request of that size becomes a
// block of its own.
func (a *Allocator) shouldSplit(b *block, size int64) bool {
	rest := b.size - size
	if b.pool.class == snapshot.SizeClassSmall || a.settings.Expandable {
		return rest >= minBlockSize
	}
	return size < a.settings.splitLimit() && rest > smallSize
}

// align moves the start of a block up to a multiple of [Build.Alignment]. The bytes
// skipped become a free block.
func (a *Allocator) align(b *block, size int64) {
	unit := a.settings.Build.Alignment
	if unit == 0 || !a.settings.Expandable || b.reservation == nil || size < smallBuffer {
		return
	}
	if skip := roundUp(int64(b.addr), int64(unit)) - int64(b.addr); skip > 0 && b.size-skip >= size {
		b.pool.insert(a.cutFront(b, skip))
	}
}

// handOut marks a block allocated.
func (a *Allocator) handOut(b *block, requested int64) {
	b.state = allocated
	b.requested = requested
	a.blocks[b.addr] = b
	a.stats.Requested.add(requested)
	a.stats.Allocated.add(b.size)
	a.stats.Active.add(b.size)
	a.emit(snapshot.Alloc, b.addr, requested, b.stream)
}

// outOfMemory records that a request failed.
func (a *Allocator) outOfMemory(r request, requested int64) error {
	a.stats.OOMs++
	deviceFree, _ := a.driver.Memory()
	if a.Emit != nil {
		a.Emit(Event{Action: snapshot.OOM, Size: r.size, Stream: r.stream, DeviceFree: deviceFree})
	}
	return &OutOfMemoryError{
		Requested:   requested,
		SegmentSize: a.settings.SegmentSize(r.size),
		DeviceFree:  deviceFree,
		Reserved:    a.Reserved(),
	}
}

// search takes the block that fits a request best out of the free set: the
// smallest that is large enough, at the lowest address (upstream get_free_block).
func (a *Allocator) search(r request) *block {
	if a.collectsGarbage() {
		r.pool.searches++
	}
	b := a.bestFit(r)
	if b == nil || a.oversizeMisfit(b, r.size) {
		return nil // all blocks after it are larger
	}
	b.pool.remove(b)
	return b
}

// bestFit returns the first free block, by size, that can serve a request. In an
// expandable segment a block counts with the size that it could grow to, so that the
// growing end of the segment is used last.
func (a *Allocator) bestFit(r request) *block {
	var best *block
	for b := range r.pool.free.from(key{stream: r.stream, size: r.size}) {
		if b.stream != r.stream {
			break
		}
		if !a.settings.Expandable {
			if b.reservation != nil {
				continue // made while expandable segments were on
			}
			return b
		}
		if best != nil && (best.reservation == nil || b.room() >= best.room()) {
			break
		}
		best = b
	}
	return best
}

// oversizeMisfit reports whether MaxSplitSize keeps a block from serving a size: blocks
// at or above the limit do not serve requests below it, and as they are not split they
// must not waste too much on larger ones.
func (a *Allocator) oversizeMisfit(b *block, size int64) bool {
	limit := a.settings.splitLimit()
	if size < limit {
		return b.size >= limit
	}
	return b.size-size >= a.settings.NonSplitRounding()
}

// exceedsLimit reports whether a segment for a request would exceed the memory fraction.
func (a *Allocator) exceedsLimit(r request) bool {
	return a.limited && a.Reserved()+a.settings.SegmentSize(r.size) > a.allowed
}

// grow gets memory for a request from the driver (upstream alloc_block). The block it
// returns is not in a set.
func (a *Allocator) grow(r request) *block {
	if a.exceedsLimit(r) {
		return nil
	}
	if a.settings.Expandable {
		return a.growExpandable(r)
	}
	size := a.settings.SegmentSize(r.size)
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

// freeSegment returns a free block that is its whole segment to the driver.
func (a *Allocator) freeSegment(b *block) {
	b.pool.remove(b)
	a.reserve(b.pool, -b.size)
	a.emit(snapshot.SegmentFree, b.addr, b.size, b.stream)
	a.driver.Free(b.addr)
	a.recycle(b)
}
