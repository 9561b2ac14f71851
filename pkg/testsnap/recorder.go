// Package testsnap makes snapshots without a GPU: histories of events written by hand ([Tape]) or
// drawn at random, small snapshots that each show one thing, and recordings of programs on a
// simulated device ([Recorder], [Program]). Only tests and cmd/memviz-gen import it.
package testsnap

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Recorder records the allocators of one process the way
// torch.cuda.memory._record_memory_history() does.
type Recorder struct {
	Out    *snapshot.Composer
	GPUs   []*GPU
	Caller snapshot.StackID // the stack of the next calls
	Micros int64            // the time of the next events, since 1970
	Paused bool             // events are not recorded
	Freed  bool             // a segment was released and recorded
}

// GPU is a device with a recorded allocator, the model of PyTorch's.
type GPU struct {
	*allocator.Allocator
	id       snapshot.DeviceID
	blocks   map[uint64]snapshot.StackID // live blocks: who allocated them
	segments map[uint64]snapshot.StackID // who caused their allocation
}

// NewRecorder begins a recording of a process without a device.
func NewRecorder(format snapshot.Format) *Recorder {
	return &Recorder{Out: snapshot.NewComposer(format)}
}

// Add adds a device to the process.
func (r *Recorder) Add(settings allocator.Settings, driver allocator.Driver) *GPU {
	g := &GPU{
		Allocator: allocator.New(settings, driver),
		id:        snapshot.DeviceID(len(r.GPUs)),
		blocks:    map[uint64]snapshot.StackID{},
		segments:  map[uint64]snapshot.StackID{},
	}
	g.Emit = func(e allocator.Event) { r.record(g, e) }
	r.Out.Trace(g.id)
	r.GPUs = append(r.GPUs, g)
	return g
}

func (r *Recorder) record(g *GPU, e allocator.Event) {
	if r.Paused {
		delete(g.blocks, e.Addr) // the address has a new owner
		return
	}
	addr := e.Addr
	switch e.Action {
	case snapshot.OOM:
		addr = uint64(e.DeviceFree)
	case snapshot.Alloc:
		g.blocks[e.Addr] = r.Caller
	case snapshot.FreeCompleted:
		delete(g.blocks, e.Addr)
	case snapshot.SegmentFree, snapshot.SegmentUnmap:
		r.Freed = true
	case snapshot.SegmentAlloc, snapshot.SegmentMap:
		g.segments[e.Addr] = r.Caller
	}
	r.Out.Event(g.id, snapshot.EventText{
		Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream), Stack: r.Caller, TimeMicros: r.Micros,
	})
}

// Snapshot returns what torch.cuda.memory._dump_snapshot() would write now. It ends the recording.
func (r *Recorder) Snapshot() *snapshot.Snapshot {
	for _, g := range r.GPUs {
		for _, seg := range g.Segments() {
			blocks := make([]snapshot.Block, len(seg.Blocks))
			for i, b := range seg.Blocks {
				blocks[i] = snapshot.Block{
					Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize, State: b.State,
				}
				if b.State.Live() {
					blocks[i].Stack = g.blocks[b.Address]
				}
			}
			r.Out.Segment(snapshot.Segment{
				Address: seg.Address, TotalSize: seg.TotalSize, Device: g.id, SizeClass: seg.SizeClass,
				Expandable: seg.Expandable, Stream: r.Out.Stream(uint64(seg.Stream)), Pool: r.Out.Pool(seg.Pool),
				Stack: g.segments[seg.Address],
			}, blocks...)
		}
	}
	return r.Out.Snapshot()
}
