package allocator

import (
	"cmp"
	"errors"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// errNotAllocated means that no allocated block starts at an address.
var errNotAllocated = errors.New("no allocated block at this address")

// Free frees the block at an address. It can be reused at once, or, if other streams
// still use it, when their work is done, see [Allocator.RecordStream]. The error is
// errNotAllocated or nil.
func (a *Allocator) Free(addr uint64) error {
	b, err := a.requestFree(addr)
	if err != nil {
		return err
	}
	if len(b.usedBy) > 0 {
		a.awaitStreams(b)
		return nil
	}
	a.complete(b)
	return nil
}

// RequestFree is Free for a caller that knows when the streams that use the block are
// done: it stays pending until [Allocator.CompleteFree], or until cached memory is
// released, which waits for all streams. The error is errNotAllocated or nil.
func (a *Allocator) RequestFree(addr uint64) error {
	b, err := a.requestFree(addr)
	if err != nil {
		return err
	}
	a.held = append(a.held, b)
	return nil
}

// requestFree makes an allocated block pending.
func (a *Allocator) requestFree(addr uint64) (*block, error) {
	b, err := a.allocatedBlock(addr)
	if err != nil {
		return nil, err
	}
	b.state = pending
	a.stats.Allocated.add(-b.size)
	a.emit(snapshot.FreeRequested, b.addr, b.requested, b.stream)
	return b, nil
}

// CompleteFree completes a RequestFree. The error is errNotAllocated or nil.
func (a *Allocator) CompleteFree(addr uint64) error {
	i := slices.IndexFunc(a.held, func(b *block) bool { return b.addr == addr })
	if i < 0 {
		return errNotAllocated
	}
	b := a.held[i]
	a.held = slices.Delete(a.held, i, i+1)
	a.complete(b)
	return nil
}

// allocatedBlock returns the allocated block at an address.
func (a *Allocator) allocatedBlock(addr uint64) (*block, error) {
	b := a.blocks[addr]
	if b == nil || b.state != allocated {
		return nil, errNotAllocated
	}
	return b, nil
}

// complete makes a pending block free (upstream free_block).
func (a *Allocator) complete(b *block) {
	a.emit(snapshot.FreeCompleted, b.addr, b.requested, b.stream)
	delete(a.blocks, b.addr)
	a.stats.Requested.add(-b.requested)
	a.stats.Active.add(-b.size)
	b.state = free
	a.settle(b)
}

// eventQueue holds the blocks that wait for one stream, oldest first. Each entry represents
// a CUDA event that was recorded on the stream when the block was freed.
type eventQueue struct {
	stream Stream
	blocks []*block
	done   int // number of events at the front that the stream has reached
}

// RecordStream notes that another stream uses the block at an address, so that freeing it
// has to wait for that stream (torch.Tensor.record_stream). The error is errNotAllocated
// or nil.
func (a *Allocator) RecordStream(addr uint64, stream Stream) error {
	b, err := a.allocatedBlock(addr)
	if err != nil {
		return err
	}
	if stream != b.stream && !slices.Contains(b.usedBy, stream) {
		b.usedBy = append(b.usedBy, stream)
	}
	return nil
}

// Synchronize notes that every stream has done all work queued until now
// (torch.cuda.synchronize). Blocks that waited for it become free at the next Alloc or
// EmptyCache, which is when the allocator checks.
func (a *Allocator) Synchronize() {
	for i := range a.queues {
		a.queues[i].done = len(a.queues[i].blocks)
	}
}

// awaitStreams makes a freed block wait for the streams that use it. During a capture no
// events can be recorded.
func (a *Allocator) awaitStreams(b *block) {
	if len(a.captures) > 0 {
		a.deferred = append(a.deferred, b)
		return
	}
	for _, stream := range b.usedBy {
		q := a.queue(stream)
		q.blocks = append(q.blocks, b)
		b.outstanding++
	}
	b.usedBy = b.usedBy[:0]
}

// queue returns the event queue of a stream. Queues are kept in the order of streams;
// PyTorch uses the order of a hash table.
func (a *Allocator) queue(stream Stream) *eventQueue {
	i, found := slices.BinarySearchFunc(a.queues, stream, func(q eventQueue, s Stream) int {
		return cmp.Compare(q.stream, s)
	})
	if !found {
		a.queues = slices.Insert(a.queues, i, eventQueue{stream: stream})
	}
	return &a.queues[i]
}

// processEvents completes the blocks whose streams are done, except during a capture.
func (a *Allocator) processEvents() {
	if len(a.captures) > 0 {
		return
	}
	a.recordDeferred()
	a.completeDone()
}

// finishEvents waits for all streams and completes all pending blocks.
func (a *Allocator) finishEvents() {
	a.recordDeferred()
	a.Synchronize()
	a.completeDone()
	for _, b := range a.held {
		a.complete(b)
	}
	a.held = a.held[:0]
}

// recordDeferred records the events that had to wait for the end of a capture.
func (a *Allocator) recordDeferred() {
	for _, b := range a.deferred {
		a.awaitStreams(b)
	}
	a.deferred = a.deferred[:0]
}

// completeDone removes the events that are done, and completes the blocks that have no
// others.
func (a *Allocator) completeDone() {
	for i := range a.queues {
		q := &a.queues[i]
		for _, b := range q.blocks[:q.done] {
			if b.outstanding--; b.outstanding == 0 {
				a.complete(b)
			}
		}
		q.blocks = slices.Delete(q.blocks, 0, q.done)
		q.done = 0
	}
}
