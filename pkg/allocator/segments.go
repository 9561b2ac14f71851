package allocator

import (
	"cmp"
	"iter"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Segment is a range of memory held from the driver: one cudaMalloc, or a contiguous run of
// mapped pages of an expandable segment. Sizes are in bytes.
type Segment struct {
	Address       uint64
	TotalSize     int64
	AllocatedSize int64 // of allocated blocks
	ActiveSize    int64 // of allocated and pending blocks
	RequestedSize int64 // asked for, of active blocks
	Stream        Stream
	Pool          snapshot.Pool
	SizeClass     snapshot.SizeClass
	Expandable    bool
	Blocks        []Block // in address order, without gaps
}

// Block is a piece of a segment. Sizes are in bytes.
type Block struct {
	Address       uint64
	Size          int64
	RequestedSize int64 // of the latest request; meaningless if the block is inactive
	State         snapshot.BlockState
}

// Segments returns the current segments, in address order.
func (a *Allocator) Segments() []Segment {
	var segments []Segment
	for _, b := range a.mappedBlocks() {
		if b.prev == nil || b.prev.state == unmapped {
			segments = append(segments, Segment{
				Address:    b.addr,
				Stream:     b.stream,
				Pool:       b.pool.id,
				SizeClass:  b.pool.class,
				Expandable: b.reservation != nil,
			})
		}
		segments[len(segments)-1].add(b)
	}
	return segments
}

// Snapshot is like Segments, and emits the snapshot event that
// torch.cuda.memory._snapshot leaves at the end of a trace.
func (a *Allocator) Snapshot() []Segment {
	a.emit(snapshot.SnapshotTaken, 0, a.stats.Active.Current, 0)
	return a.Segments()
}

// add appends a block to the segment.
func (s *Segment) add(b *block) {
	s.TotalSize += b.size
	if b.state == allocated {
		s.AllocatedSize += b.size
	}
	if b.live() {
		s.ActiveSize += b.size
		s.RequestedSize += b.requested
	}
	s.Blocks = append(s.Blocks, Block{b.addr, b.size, b.requested, snapshotState(b.state)})
}

func snapshotState(s blockState) snapshot.BlockState {
	switch s {
	case allocated:
		return snapshot.ActiveAllocated
	case pending:
		return snapshot.ActivePendingFree
	}
	return snapshot.Inactive
}

// FreeBlock is a block of cached memory. Sizes are in bytes.
type FreeBlock struct {
	Size       int64
	Returnable int64 // bytes that EmptyCache would return if its pool had no users
}

// FreeBlocks yields all free blocks in no particular order. The allocator must not be
// used meanwhile.
func (a *Allocator) FreeBlocks() iter.Seq[FreeBlock] {
	return func(yield func(FreeBlock) bool) {
		for _, p := range a.pools() {
			for b := range p.free.all() {
				if !yield(FreeBlock{b.size, b.returnable()}) {
					return
				}
			}
		}
	}
}

// mappedBlocks returns all blocks that have memory, in address order.
func (a *Allocator) mappedBlocks() []*block {
	var blocks []*block
	for _, b := range a.blocks {
		blocks = append(blocks, b)
	}
	for _, p := range a.pools() {
		blocks = slices.AppendSeq(blocks, p.free.all())
	}
	slices.SortFunc(blocks, func(x, y *block) int { return cmp.Compare(x.addr, y.addr) })
	return blocks
}
