package allocator

import (
	"errors"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// errNotAllocated says that no allocated block starts at an address.
var errNotAllocated = errors.New("no allocated block at this address")

// Free gives the block at an address back. It can be used again at once, unless other
// streams still use it; then only after their work is done, see [Allocator.RecordStream].
// The error is [errNotAllocated] or nil.
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

// RequestFree is Free by someone who knows when the streams that use the block
// are done: it stays pending until [Allocator.CompleteFree], or until cached
// memory is given back, which waits for all streams. The error is [errNotAllocated] or nil.
func (a *Allocator) RequestFree(addr uint64) error {
	b, err := a.requestFree(addr)
	if err != nil {
		return err
	}
	a.held = append(a.held, b)
	return nil
}

// requestFree is what every free begins with.
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

// CompleteFree makes a block free that waits since RequestFree. The error is
// [errNotAllocated] or nil.
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

// allocatedBlock is the block at an address if it is the user's.
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
