package predict

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// A device of unknown capacity, in bytes: its memory, and the memory of its model, by
// which the allocator sizes reservations.
const (
	ample       = 1 << 42
	usualMemory = 80 << 30
)

// Snapshot returns the recording of a simulated run at x: the events that the model's
// allocator would have recorded, with the stacks and the times of the nearest recording.
// All studies are of devices of the same snapshots. If the run does not fit into the
// capacity in bytes (0: not given), it ends with the request that fails. A recorded first
// step is followed by the step after it, with the gradients of the first alive until
// backward.
func Snapshot(studies []*Study, x, capacity int64) (*snapshot.Snapshot, *analysis.Predicted) {
	nearest := studies[0].nearest(x)
	base := nearest.r.Snapshot
	s := &snapshot.Snapshot{Strings: base.Strings, Frames: base.Frames, Stacks: base.Stacks, Streams: base.Streams,
		Pools: base.Pools, Settings: base.Settings, Annotations: base.Annotations, Format: base.Format,
		Redaction: base.Redaction}
	run := &analysis.Predicted{X: x, Base: nearest.X}
	s.Format.HasTraces = true
	for _, study := range studies {
		m := study.nearest(x)
		c := &composer{s: s, device: m.r.Device, stream: m.synthesize(x), owners: map[uint64]snapshot.StackID{},
			segments: map[uint64]snapshot.StackID{}}
		if next := study.next[slices.Index(study.models, m)]; next != nil {
			run.NextStep = true
			_, c.stream, _ = next.streams(c.stream)
			c.repeatAnnotations()
		}
		limit := capacity
		if known := study.limit(m, 0); limit == 0 && known > 0 && try(c.stream, known).Fits {
			limit = known // the recording released cached memory, and so does this run
		}
		c.compose(limit)
	}
	s.SortSegments()
	return s, run
}

// composer records the serving of a stream as a snapshot.
type composer struct {
	s                *snapshot.Snapshot
	device           *replay.Device // of the recording that stacks and times are taken from
	stream           *whatif.Stream
	events           snapshot.Events
	owners, segments map[uint64]snapshot.StackID // by address: the stack that allocated the block or the segment
	before           int                         // requests from before the first step that were served
	later            int64                       // microseconds from the first step to the one after it
}

// repeatAnnotations gives the step after the first the annotations of the first.
func (c *composer) repeatAnnotations() {
	times := slices.Clone(c.device.Events.TimeMicros)
	if len(times) == 0 {
		return
	}
	var own []snapshot.Annotation
	for _, a := range c.s.Annotations {
		if a.Device == c.device.ID {
			own = append(own, a)
			times = append(times, a.TimeMicros)
		}
	}
	c.later = slices.Max(times) - slices.Min(times) + 1
	for i := range own {
		own[i].TimeMicros += c.later
	}
	c.s.Annotations = slices.Concat(c.s.Annotations, own)
}

func (c *composer) compose(limit int64) {
	driver := allocator.NewSimulatedDriver(cmp.Or(limit, ample))
	driver.ModelMemory = cmp.Or(limit, usualMemory)
	served := c.stream.Serve(whatif.Options{Strict: true, Limit: limit, Driver: driver, Record: c.record})
	for len(c.s.Traces) <= int(c.device.ID) {
		c.s.Traces = append(c.s.Traces, snapshot.Trace{Device: snapshot.DeviceID(len(c.s.Traces))})
	}
	c.s.Traces[c.device.ID].Events = c.events
	for i := range served.Segments {
		c.segment(&served.Segments[i])
	}
}

// record adds an event, unless it is from before the first step.
func (c *composer) record(step int, e allocator.Event) {
	if step < 0 {
		switch e.Action {
		case snapshot.Alloc:
			request := c.stream.Before[min(c.before, len(c.stream.Before)-1)]
			c.owners[e.Addr] = c.device.Allocations[request].Stack
			c.before++
		case snapshot.OOM:
			c.before++
		}
		return
	}
	recorded, at := c.device.Events, int(c.stream.Ops[step].Event)
	at = max(0, min(at, recorded.Len()-1))
	stack := recorded.Stack[at]
	addr := e.Addr
	switch {
	case e.Action == snapshot.Alloc:
		c.owners[addr] = stack
	case e.Action == snapshot.OOM:
		addr = uint64(e.DeviceFree)
	case e.Action.ReservedSign() > 0:
		c.segments[addr] = stack
	}
	x := &c.events
	x.Action, x.Addr, x.Size = append(x.Action, e.Action), append(x.Addr, addr), append(x.Size, e.Size)
	x.Stream, x.Stack = append(x.Stream, c.streamID(e.Stream)), append(x.Stack, stack)
	if recorded.TimeMicros != nil {
		time := recorded.TimeMicros[at]
		if c.stream.Again > 0 && step >= c.stream.Again {
			time += c.later
		}
		x.TimeMicros = append(x.TimeMicros, time)
	}
	if recorded.CompileContext != nil {
		x.CompileContext = append(x.CompileContext, recorded.CompileContext[at])
	}
	if recorded.Metadata != nil {
		x.Metadata = append(x.Metadata, recorded.Metadata[at])
	}
	if recorded.Category != nil {
		x.Category = append(x.Category, recorded.Category[at])
	}
	if recorded.Pool != nil {
		x.Pool = append(x.Pool, recorded.Pool[at])
	}
}

func (c *composer) streamID(handle allocator.Stream) snapshot.StreamID {
	return snapshot.StreamID(max(slices.Index(c.s.Streams, uint64(handle)), 0))
}

func (c *composer) segment(from *allocator.Segment) {
	seg := snapshot.Segment{Address: from.Address, TotalSize: from.TotalSize, AllocatedSize: from.AllocatedSize,
		ActiveSize: from.ActiveSize, RequestedSize: from.RequestedSize, Device: c.device.ID,
		Stream: c.streamID(from.Stream), Pool: snapshot.PoolID(max(slices.Index(c.s.Pools, from.Pool), 0)),
		Stack: c.segments[from.Address], FirstBlock: int32(len(c.s.Blocks)), BlockCount: int32(len(from.Blocks)),
		SizeClass: from.SizeClass, Expandable: from.Expandable}
	c.s.Segments = append(c.s.Segments, seg)
	for _, b := range from.Blocks {
		block := snapshot.Block{Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize, State: b.State}
		if b.State.Live() {
			block.Stack = c.owners[b.Address]
		}
		c.s.Blocks = append(c.s.Blocks, block)
	}
}
