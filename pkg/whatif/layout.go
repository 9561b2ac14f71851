package whatif

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Layout is the memory layout of a prediction.
type Layout struct {
	// Reservations are in the order of their events, initial ones first, then by address.
	// What came and went in one event is left out.
	Reservations []layout.Reservation
	Addr         []uint64 // by request; 0: it was not served
	Block        []int64  // bytes of its block, by request
	// Lifetimes are by request; nil if requests and lifetimes are as recorded.
	Lifetimes []Lifetime
}

// Lifetime is the lifetime of a request of an edited stream, in events of the recording.
type Lifetime struct {
	Of    int32             // the recorded allocation that it is, or comes from
	Bytes int64             // requested
	Start replay.EventIndex // of its request; None: before the recording
	End   replay.EventIndex // of its free; None: it is live at the end
}

// layoutTracer builds a Layout from an allocator's events.
type layoutTracer struct {
	Layout
	run     *Run
	a       *allocator.Allocator
	request Request // under way: reservations are made for it
	now     ranges.Set[layout.Reservation]
}

func newLayoutTracer(s *Stream, a *allocator.Allocator) *layoutTracer {
	n := len(s.Requests)
	t := &layoutTracer{run: s.run, a: a}
	if s.Requests == nil {
		n = len(s.run.r.Device.Allocations)
	} else {
		t.Lifetimes = make([]Lifetime, n)
		for i, r := range s.Requests {
			t.Lifetimes[i] = Lifetime{r.Of, r.Bytes, replay.None, replay.None}
		}
	}
	t.Addr, t.Block = make([]uint64, n), make([]int64, n)
	return t
}

func (t *layoutTracer) place(id int32, addr uint64, at replay.EventIndex) {
	t.Addr[id], t.Block[id] = addr, t.a.BlockSize(addr)
	if t.Lifetimes != nil {
		t.Lifetimes[id].Start = at
	}
}

// end records that a request is no longer live.
func (t *layoutTracer) end(id int32, at replay.EventIndex) {
	if t.Lifetimes != nil {
		t.Lifetimes[id].End = at
	}
}

// event records what the allocator takes from the driver, or returns.
func (t *layoutTracer) event(e allocator.Event, at replay.EventIndex) {
	end := e.Addr + uint64(e.Size)
	switch {
	case e.Action.ReservedSign() > 0:
		t.now.Add(e.Addr, end, t.reservation(e, at))
	case e.Action.ReservedSign() < 0:
		for from := e.Addr; from < end; {
			x, is := t.now.At(from)
			if !is {
				break // cannot happen: what is returned was reserved
			}
			to := min(x.To, end)
			t.add(from, to, x.Use, at)
			from = to
		}
		t.now.Cut(e.Addr, end)
	}
}

// reservation returns what the driver provides for the current request.
func (t *layoutTracer) reservation(e allocator.Event, at replay.EventIndex) layout.Reservation {
	s := t.run.r.Snapshot
	return layout.Reservation{
		Reserved: at, Expandable: e.Action == snapshot.SegmentMap,
		Stream:    snapshot.StreamID(slices.Index(s.Streams, uint64(e.Stream))),
		Pool:      snapshot.PoolID(max(slices.Index(s.Pools, t.request.Pool), 0)),
		SizeClass: layout.SizeClassOf(t.a.RoundSize(t.request.Bytes)),
	}
}

func (t *layoutTracer) add(from, to uint64, r layout.Reservation, returned replay.EventIndex) {
	if returned != replay.None && returned == r.Reserved {
		return
	}
	if r.Returned = returned; int(returned) == t.run.r.Device.Events.Len() {
		r.Returned = replay.None // no state comes after that
	}
	r.Address, r.Size = from, int64(to-from)
	t.Reservations = append(t.Reservations, r)
}

func (t *layoutTracer) finish() *Layout {
	for x := range t.now.All() {
		t.add(x.From, x.To, x.Use, replay.None)
	}
	slices.SortFunc(t.Reservations, func(a, b layout.Reservation) int {
		return cmp.Or(cmp.Compare(a.Reserved, b.Reserved), cmp.Compare(a.Address, b.Address))
	})
	return &t.Layout
}
