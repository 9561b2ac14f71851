package layout

import (
	"math"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// PoolClass is the class of requests that a [Counter] counts.
type PoolClass uint8

const (
	AllPools PoolClass = iota
	LargePool
	SmallPool

	poolClasses = 3
)

// Unrecorded marks a number that a recording does not hold.
const Unrecorded = math.MinInt64

// Counter is a statistic of torch.cuda.memory_stats. A number may be [Unrecorded].
type Counter struct {
	Current   int64 // in the last state
	Peak      int64 // in any state
	Allocated int64 // added in the recording; torch counts from the start of the process
	Freed     int64 // removed in the recording
}

// Counters are a statistic by [PoolClass].
type Counters [poolClasses]Counter

// Summary are the statistics of torch.cuda.memory_summary, as far as a recording has
// them. Bytes of blocks are those that the allocator handed out, which are more than
// requested; for blocks freed in the recording they are inferred.
type Summary struct {
	Allocated     Counters // bytes of blocks that the program holds
	Active        Counters // and of freed ones that another stream uses
	Requested     Counters // requested bytes of the active ones
	Reserved      Counters // bytes of segments
	InactiveSplit Counters // free bytes of segments in use, which empty_cache cannot return

	Allocations       Counters // blocks that the program holds
	ActiveAllocations Counters // and freed ones that another stream uses
	Segments          Counters // by cudaMalloc; torch does not count pages of expandable segments
	Expandable        bool     // there are expandable segments
}

// Summary sums up the recording of a device.
func (h *History) Summary() *Summary {
	s := &Summary{}
	pending := h.pendingFromStart()
	peaks := h.countBlocks(s, pending)
	h.countReserved(s)
	s.Reserved[AllPools].Current, s.Reserved[AllPools].Peak = h.d.Totals.ReservedFinalBytes,
		h.d.Totals.ReservedPeakBytes
	// Torch counts bytes of blocks, whose sizes are best known in a map. The states are
	// those in which the blocks have the most bytes if each is as small as possible.
	states := []int{h.d.Events.Len()}
	for class := range PoolClass(poolClasses) {
		states = append(states, peaks.active[class], peaks.allocated[class])
	}
	for m := range h.All(states...) {
		active, allocated, split := m.sums(h, pending)
		for class := range PoolClass(poolClasses) {
			for _, x := range []struct {
				c     *Counter
				bytes int64
				state int
			}{
				{&s.Active[class], active[class], peaks.active[class]},
				{&s.Allocated[class], allocated[class], peaks.allocated[class]},
			} {
				if m.State == x.state {
					x.c.Peak = x.bytes
				}
				if m.State == h.d.Events.Len() {
					x.c.Current = x.bytes
				}
				x.c.Allocated, x.c.Freed = Unrecorded, Unrecorded
			}
			if m.State == h.d.Events.Len() {
				s.InactiveSplit[class] = Counter{split[class], Unrecorded, Unrecorded, Unrecorded}
			}
		}
	}
	for class := range PoolClass(poolClasses) {
		s.Active[class].Peak = max(s.Active[class].Peak, s.Active[class].Current)
		s.Allocated[class].Peak = max(s.Allocated[class].Peak, s.Allocated[class].Current)
		if !h.s.EndKnown(h.d.ID) { // a map is made from the final segments
			unknown := Counter{Unrecorded, Unrecorded, Unrecorded, Unrecorded}
			s.Active[class], s.Allocated[class], s.InactiveSplit[class] = unknown, unknown, unknown
		}
	}
	return s
}

// sums returns the bytes of active and of allocated blocks in a map, and the free bytes
// in segments of cudaMalloc that are in use.
func (m *Map) sums(h *History, pending map[uint64]bool) (active, allocated, split [poolClasses]int64) {
	add := func(to *[poolClasses]int64, class PoolClass, bytes int64) {
		to[AllPools] += bytes
		to[class] += bytes
	}
	for i := range m.Segments {
		seg := &m.Segments[i]
		if !seg.Expandable && seg.ActiveBytes > 0 {
			add(&split, poolClassOf(seg.SizeClass), seg.FreeBytes())
		}
		for _, x := range m.ExtentsOf(seg) {
			if x.Allocation == NoAllocation {
				continue
			}
			class := h.classOf(x.Allocation)
			add(&active, class, x.Size)
			if x.State == snapshot.ActiveAllocated && !pending[x.Address] {
				add(&allocated, class, x.Size)
			}
		}
	}
	return active, allocated, split
}

func poolClassOf(class snapshot.SizeClass) PoolClass {
	if class == snapshot.SizeClassSmall {
		return SmallPool
	}
	return LargePool
}

// classOf returns the class of the pool that served an allocation.
func (h *History) classOf(i int32) PoolClass {
	return poolClassOf(SizeClassOf(h.Settings.RoundSize(h.d.Allocations[i].Size)))
}

// peakStates are states in which blocks have the most bytes, by [PoolClass].
type peakStates struct{ active, allocated [poolClasses]int }

// running is a counter whose peak has a state.
type running struct {
	*Counter
	state *int // of the peak; nil if not needed
}

func (r running) add(n int64, state int) {
	if n > 0 {
		r.Allocated += n
	} else {
		r.Freed -= n
	}
	if r.Current += n; r.Current > r.Peak {
		r.Peak = r.Current
		if r.state != nil {
			*r.state = state
		}
	}
}

// countBlocks fills all counters of allocations; it counts the least bytes that blocks
// can have.
func (h *History) countBlocks(s *Summary, pending map[uint64]bool) (peaks peakStates) {
	d := h.d
	n := d.Events.Len()
	given, ended := make([]int32, n), make([]int32, n) // by event: the allocation that it freed, or ended
	for i := range n {
		given[i], ended[i] = NoAllocation, NoAllocation
	}
	released := func(a *replay.Allocation) replay.EventIndex { // by the program
		if a.FreeRequested != replay.None {
			return a.FreeRequested
		}
		return a.End
	}
	change := func(i int32, sign int64, ofActive, ofAllocated bool, state int) {
		size, _ := h.sizes.of(i)
		for _, class := range []PoolClass{AllPools, h.classOf(i)} {
			if ofActive {
				running{&s.Requested[class], nil}.add(sign*d.Allocations[i].Size, state)
				running{&s.Active[class], &peaks.active[class]}.add(sign*size, state)
				running{&s.ActiveAllocations[class], nil}.add(sign, state)
			}
			if ofAllocated && !pending[d.Allocations[i].Addr] {
				running{&s.Allocated[class], &peaks.allocated[class]}.add(sign*size, state)
				running{&s.Allocations[class], nil}.add(sign, state)
			}
		}
	}
	first := 0 // of the allocations that begin in the recording
	for i := range d.Allocations {
		a := &d.Allocations[i]
		if at := released(a); at != replay.None {
			given[at] = int32(i)
		}
		if a.End != replay.None {
			ended[a.End] = int32(i)
		}
		if a.PreExisting() {
			change(int32(i), 1, true, true, 0)
			first = i + 1
		}
	}
	for _, list := range s.lists() {
		for class := range list {
			list[class].Allocated = 0 // earlier memory was not allocated in the recording
		}
	}
	next := first
	for event := range n {
		if i := given[event]; i != NoAllocation {
			change(i, -1, false, true, event+1)
		}
		if i := ended[event]; i != NoAllocation {
			change(i, -1, true, false, event+1)
		}
		for ; next < len(d.Allocations) && int(d.Allocations[next].Start) == event; next++ {
			change(int32(next), 1, true, true, event+1)
		}
	}
	return peaks
}

func (s *Summary) lists() []*Counters {
	return []*Counters{&s.Allocated, &s.Active, &s.Requested, &s.Allocations, &s.ActiveAllocations}
}

// pendingFromStart returns the addresses of blocks that were freed before the recording
// and wait for a stream until its end.
func (h *History) pendingFromStart() map[uint64]bool {
	pending := map[uint64]bool{}
	for _, b := range h.sizes.final {
		if b.State == snapshot.ActivePendingFree {
			pending[b.Address] = true
		}
	}
	for i := range h.d.Allocations {
		if a := &h.d.Allocations[i]; pending[a.Addr] && (!a.LiveAtEnd() || a.FreeRequested != replay.None) {
			delete(pending, a.Addr)
		}
	}
	return pending
}

// countReserved fills the counters of segments, from the last state back.
func (h *History) countReserved(s *Summary) {
	d, b := h.d, h.walk()
	classes := make([]PoolClass, len(d.Reserved))
	for i := len(d.Reserved) - 1; i >= 0; i-- {
		event := d.Reserved[i].Event
		if d.Reserved[i].Delta < 0 {
			classes[i] = poolClassOf(b.kinds.ofReleased(event).class)
		} else if x, is := b.spans.At(d.Events.Addr[event]); is {
			classes[i] = poolClassOf(x.Use.class)
		} else {
			classes[i] = poolClassOf(classOfMalloc(d.Events.Size[event]))
		}
		s.Expandable = s.Expandable || d.Events.Action[event] == snapshot.SegmentMap
		b.undoSegment(event)
	}
	for x := range b.spans.All() { // reserved before the first event
		for _, class := range []PoolClass{AllPools, poolClassOf(x.Use.class)} {
			running{&s.Reserved[class], nil}.add(x.Bytes(), 0)
			if !x.Use.expandable {
				running{&s.Segments[class], nil}.add(1, 0)
			}
		}
		s.Expandable = s.Expandable || x.Use.expandable
	}
	for class := range PoolClass(poolClasses) {
		s.Reserved[class].Allocated, s.Segments[class].Allocated = 0, 0
	}
	for i, c := range d.Reserved {
		for _, class := range []PoolClass{AllPools, classes[i]} {
			running{&s.Reserved[class], nil}.add(c.Delta, int(c.Event)+1)
			switch d.Events.Action[c.Event] {
			case snapshot.SegmentAlloc:
				running{&s.Segments[class], nil}.add(1, 0)
			case snapshot.SegmentFree:
				running{&s.Segments[class], nil}.add(-1, 0)
			}
		}
	}
}
