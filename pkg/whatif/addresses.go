package whatif

import (
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Placement is where a simulated device puts new ranges. Nothing but ties
// between free blocks of one size depends on it.
type Placement uint8

const (
	// placeRecorded: the n-th range of a size goes where the n-th one was
	// recorded, if nothing is there now, else where one of that size was, else upwards.
	placeRecorded  Placement = iota
	placeUpwards             // each range above the one before
	placeDownwards           // each range below the one before
)

// addresses are the recorded addresses of ranges by their size in bytes, in the
// order in which they were handed out. No two of them lie on one another.
type addresses struct {
	order map[int64][]uint64
	start map[int64]int // how many of them were there before the recording
}

func (run *Run) findAddresses() addresses {
	p := addresses{order: map[int64][]uint64{}, start: map[int64]int{}}
	var known ranges.Set[struct{}]
	for i := range run.start.segments {
		s := &run.start.segments[i]
		known.Add(s.Address, s.Address+uint64(s.TotalSize), struct{}{})
		if !s.Expandable {
			p.order[s.TotalSize] = append(p.order[s.TotalSize], s.Address)
			p.start[s.TotalSize]++
		}
	}
	e := run.r.Device.Events
	for _, c := range run.r.Device.Reserved {
		if e.Action[c.Event] != snapshot.SegmentAlloc || c.Delta <= 0 {
			continue
		}
		from, to := e.Addr[c.Event], e.Addr[c.Event]+uint64(c.Delta)
		if r, is := known.At(from); is && (r.From != from || r.To != to) || !is && known.Overlaps(from, to) {
			continue // what is there at one time may not be there at another
		} else if !is {
			known.Add(from, to, struct{}{})
		}
		p.order[c.Delta] = append(p.order[c.Delta], from)
	}
	return p
}
