package export

import (
	"fmt"
	"iter"
	"slices"

	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// allocationRow is a row of the allocations.
type allocationRow struct {
	*replay.Allocation
	i int // its index: the number after t
}

var allocationsTable = newTable("allocations", false,
	func(r *recording) iter.Seq[allocationRow] {
		return func(yield func(allocationRow) bool) {
			for i := range r.Device.Allocations {
				if !yield(allocationRow{&r.Device.Allocations[i], i}) {
					return
				}
			}
		}
	},
	col("allocation", integer, func(_ *recording, t *allocationRow) value { return number(t.i) }),
	col("bytes", integer, func(_ *recording, t *allocationRow) value { return number(t.Size) }),
	col("start", integer, func(_ *recording, t *allocationRow) value { return event(t.Start) }),
	col("free_requested", integer, func(_ *recording, t *allocationRow) value { return event(t.FreeRequested) }),
	col("end", integer, func(_ *recording, t *allocationRow) value { return event(t.End) }),
	col("start_time_us", integer, func(r *recording, t *allocationRow) value { return r.time(t.Start) }),
	col("end_time_us", integer, func(r *recording, t *allocationRow) value { return r.time(t.End) }),
	col("address", text, func(r *recording, t *allocationRow) value { return r.address(units.Address(t.Addr)) }),
	col("stream", text, func(r *recording, t *allocationRow) value { return textOf(r.stream(t.Stream)) }),
	col("pool", text, func(r *recording, t *allocationRow) value {
		pools := r.Pools()
		return textOf(pools.Key(pools.ID(t.Allocation)))
	}),
	col("family", text, func(r *recording, t *allocationRow) value { return textOf(r.Families().Family(t.i).Key()) }),
	col("phase", text, func(r *recording, t *allocationRow) value { return textOf(r.phase(t.Start)) }),
	col("step", integer, func(r *recording, t *allocationRow) value { return r.step(t.Start) }),
	col("site", site, func(r *recording, t *allocationRow) value { return r.site(t.Stack) }),
	col("free_site", site, func(r *recording, t *allocationRow) value {
		if t.FreeStack == 0 {
			return value{}
		}
		return r.site(t.FreeStack)
	}),
	col("stack", stack, func(_ *recording, t *allocationRow) value {
		return value{known: t.Stack != 0, n: int64(t.Stack)}
	}),
	col("metadata", text, func(r *recording, t *allocationRow) value { return textOf(r.Notes().Of(t.Allocation)) }),
)

var eventsTable = newTable("events", false,
	func(r *recording) iter.Seq[events.Event] { return events.Rows(r.in, r.Recording) },
	col("event", integer, func(_ *recording, e *events.Event) value { return number(e.Event) }),
	col("time_us", integer, func(r *recording, e *events.Event) value { return r.time(replay.EventIndex(e.Event)) }),
	col("action", text, func(_ *recording, e *events.Event) value { return textOf(e.Action) }),
	col("bytes", integer, func(_ *recording, e *events.Event) value { return number(e.Bytes) }),
	col("device_free_bytes", integer, func(_ *recording, e *events.Event) value {
		return value{known: e.Action == "oom", n: e.DeviceFreeBytes}
	}),
	col("address", text, func(r *recording, e *events.Event) value { return r.address(e.Address) }),
	col("stream", text, func(r *recording, e *events.Event) value {
		return textOf(r.stream(r.Device.Events.Stream[e.Event]))
	}),
	col("allocation", allocation, func(_ *recording, e *events.Event) value { return optional(e.Allocation) }),
	col("family", text, func(_ *recording, e *events.Event) value { return textOf(e.Family) }),
	col("segment", integer, func(r *recording, e *events.Event) value {
		if !r.addresses {
			return value{} // naming the segment would reveal addresses
		}
		return optional(e.Segment)
	}),
	col("phase", text, func(r *recording, e *events.Event) value {
		return textOf(r.phase(replay.EventIndex(e.Event)))
	}),
	col("site", site, func(r *recording, e *events.Event) value { return r.site(r.Device.Events.Stack[e.Event]) }),
	col("metadata", text, func(_ *recording, e *events.Event) value { return textOf(e.Metadata) }),
	col("compile_context", text, func(_ *recording, e *events.Event) value { return textOf(e.CompileContext) }),
	col("active_bytes", integer, func(_ *recording, e *events.Event) value { return number(e.ActiveBytes) }),
	col("reserved_bytes", integer, func(_ *recording, e *events.Event) value { return number(e.ReservedBytes) }),
)

// segmentRow is a row of the segments in a state.
type segmentRow struct {
	segments.Segment
	state  int
	stream snapshot.StreamID
}

var segmentsTable = newTable("segments", true,
	func(r *recording) iter.Seq[segmentRow] {
		l := r.Layouts().At(r.state(r.Device.Events.Len()))
		rows := make([]segmentRow, len(l.Segments))
		for i, s := range segments.Rows(r.Recording, l) {
			rows[i] = segmentRow{s, l.State, l.Segments[i].Stream}
		}
		return slices.Values(rows)
	},
	col("state", integer, func(_ *recording, s *segmentRow) value { return number(s.state) }),
	col("address", text, func(r *recording, s *segmentRow) value { return r.address(s.Address) }),
	col("bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.Bytes) }),
	col("size_class", text, func(_ *recording, s *segmentRow) value { return textOf(s.SizeClass) }),
	col("expandable", truth, func(_ *recording, s *segmentRow) value { return truthOf(s.Expandable) }),
	col("stream", text, func(r *recording, s *segmentRow) value { return textOf(r.stream(s.stream)) }),
	col("pool", text, func(_ *recording, s *segmentRow) value { return textOf(s.Pool) }),
	col("active_bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.ActiveBytes) }),
	col("pending_bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.PendingBytes) }),
	col("requested_bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.RequestedBytes) }),
	col("free_bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.FreeBytes) }),
	col("stuck_bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.StuckBytes) }),
	col("returnable_bytes", integer, func(_ *recording, s *segmentRow) value { return number(s.ReturnableBytes) }),
	col("largest_free_block_bytes", integer, func(_ *recording, s *segmentRow) value {
		return number(s.LargestFreeBlockBytes)
	}),
)

// stateRow is a row of the curve: a state.
type stateRow struct {
	state, allocations int
	active, reserved   int64
}

var curveTable = newTable("curve", false,
	func(r *recording) iter.Seq[stateRow] {
		return func(yield func(stateRow) bool) {
			live, active, reserved := r.liveByState(), r.Device.ActiveBytes(), r.Device.ReservedBytes()
			for k := range active {
				if !yield(stateRow{k, live[k], active[k], reserved[k]}) {
					return
				}
			}
		}
	},
	col("state", integer, func(_ *recording, p *stateRow) value { return number(p.state) }),
	col("time_us", integer, func(r *recording, p *stateRow) value { return r.time(replay.EventIndex(p.state - 1)) }),
	col("active_bytes", integer, func(_ *recording, p *stateRow) value { return number(p.active) }),
	col("reserved_bytes", integer, func(_ *recording, p *stateRow) value { return number(p.reserved) }),
	col("allocations", integer, func(_ *recording, p *stateRow) value { return number(p.allocations) }),
)

// liveByState counts the live allocations of every state.
func (r *recording) liveByState() []int {
	live := make([]int, r.Device.States())
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		live[a.Start+1]++
		if !a.LiveAtEnd() {
			live[a.End+1]--
		}
	}
	for k := 1; k < len(live); k++ {
		live[k] += live[k-1]
	}
	return live
}

// event returns the index of an event, which may be missing from the recording.
func event(i replay.EventIndex) value { return value{known: i != replay.None, n: int64(i)} }

// time returns when an event happened, in microseconds since the first one.
func (r *recording) time(event replay.EventIndex) value {
	if event == replay.None || !r.times {
		return value{}
	}
	return number(r.Device.Events.SinceFirst(int(event)))
}

func (r *recording) address(hex string) value {
	if !r.addresses {
		return value{}
	}
	return textOf(hex)
}

// stream returns the handle of a stream, or its number if addresses are not written.
func (r *recording) stream(id snapshot.StreamID) string {
	if !r.addresses {
		return units.Address(uint64(id))
	}
	return units.Address(r.Snapshot.Streams[id])
}

// phase returns the phase of training in which an event happened, such as "forward"; ""
// if none is known yet.
func (r *recording) phase(event replay.EventIndex) string {
	return r.Phases().At(event).PhaseName()
}

// step returns the step in which an event happened, counted from 1 as in --at step=1.
func (r *recording) step(event replay.EventIndex) value {
	if event == replay.None || len(r.Steps().Steps) == 0 {
		return value{}
	}
	return number(r.Steps().Of(event) + 1)
}

// stackLines appends the frames of a stack to list, innermost first: file:line:function.
func (r *recording) stackLines(list []string, id snapshot.StackID) []string {
	for _, f := range r.Snapshot.Stacks.Frames(id) {
		if r.frames[f] == "" {
			frame := &r.Snapshot.Frames[f]
			r.frames[f] = fmt.Sprintf("%s:%d:%s", r.Snapshot.String(frame.File), frame.Line,
				r.Snapshot.String(frame.Name))
		}
		list = append(list, r.frames[f])
	}
	return list
}
