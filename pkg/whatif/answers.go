package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// answers is the driver of the recording: it gives what the recorded driver gave,
// refuses what that refused, and notes the first call that was not recorded.
type answers struct {
	events   *snapshot.Events
	list     []replay.ReservedChange // the segment events
	next     int                     // the first of them that no call of the allocator stands for yet
	end      int                     // the first of them that belongs to a later step
	strict   bool                    // releases come in the recorded order
	held     ranges.Set[struct{}]    // what the driver gave so far, or before the recording
	departed *Departure
}

// Call is a call of the driver, or the address that a request got.
type Call struct {
	Action snapshot.Action
	Addr   uint64
	Size   int64 // bytes
}

// upTo lets the driver answer with the segment events before an event.
func (d *answers) upTo(event replay.EventIndex) {
	for d.end < len(d.list) && d.list[d.end].Event < event {
		d.end++
	}
}

// left is the recorded call that has to come next in this step.
func (d *answers) left() (c Call, event replay.EventIndex, ok bool) {
	if d.next >= d.end {
		return Call{}, replay.None, false
	}
	event = d.list[d.next].Event
	return d.call(event), event, true
}

func (d *answers) call(event replay.EventIndex) Call {
	return Call{d.events.Action[event], d.events.Addr[event], d.events.Size[event]}
}

// Malloc gives the recorded range, if one was recorded here.
func (d *answers) Malloc(size int64) (addr uint64, ok bool) {
	c, event, ok := d.left()
	if !ok || c.Action.ReservedSign() < 0 {
		return 0, false // it was refused
	}
	if want := (Call{snapshot.SegmentAlloc, c.Addr, size}); c != want {
		d.depart(event, CauseOtherCall, c, Call{Action: snapshot.SegmentAlloc, Size: size})
		return 0, false
	}
	return c.Addr, d.give(event, c)
}

// give notes that a range is held; no range may lie on another.
func (d *answers) give(event replay.EventIndex, c Call) bool {
	end := c.Addr + uint64(c.Size)
	if c.Size <= 0 || c.Size > replay.MaxSize || c.Addr >= maxAddress || d.held.Overlaps(c.Addr, end) {
		d.depart(event, CauseImpossible, c, Call{})
		return false
	}
	d.held.Add(c.Addr, end, struct{}{})
	return true
}

// Reserve puts a new reservation where its first page is mapped.
func (d *answers) Reserve(int64) (addr uint64, ok bool) {
	c, event, ok := d.left()
	if ok && c.Action == snapshot.SegmentAlloc {
		d.depart(event, CauseOtherCall, c, Call{Action: snapshot.SegmentMap})
	}
	return c.Addr, ok && c.Action == snapshot.SegmentMap
}

// Map maps what was mapped.
func (d *answers) Map(addr uint64, size int64) (ok bool) {
	c, event, ok := d.left()
	if !ok || c.Action.ReservedSign() < 0 {
		return false
	}
	if want := (Call{snapshot.SegmentMap, addr, size}); c != want {
		d.depart(event, CauseOtherCall, c, want)
		return false
	}
	return d.give(event, c)
}

func (d *answers) Free(addr uint64) {
	if x, is := d.held.At(addr); is {
		d.held.Cut(x.From, x.To)
	}
}

func (d *answers) Unmap(addr uint64, size int64) { d.held.Cut(addr, addr+uint64(size)) }

func (d *answers) Release(uint64)              {}
func (d *answers) Memory() (free, total int64) { return 0, replay.MaxSize }

// GlobalMemory makes reservations as large as they may be.
func (d *answers) GlobalMemory() int64 { return maxReservation }

// made compares a call of the driver that the allocator made with the recorded one.
func (d *answers) made(e allocator.Event) {
	if e.Action.ReservedSign() == 0 || d.departed != nil {
		return
	}
	got := Call{e.Action, e.Addr, e.Size}
	want, event, ok := d.left()
	switch {
	case !ok:
		d.depart(replay.None, CauseNoCall, Call{}, got)
	case got == want || !d.strict && d.reorder(got):
		d.next++
	default:
		d.depart(event, CauseOtherCall, want, got)
	}
}

// reorder brings a release to the front that was recorded in the same run of
// releases: private pools are released in the order of a hash table.
func (d *answers) reorder(got Call) bool {
	for i := d.next; i < d.end && d.list[i].Delta < 0; i++ {
		if d.call(d.list[i].Event) == got {
			d.list = slices.Clone(d.list)
			x := d.list[i]
			copy(d.list[d.next+1:i+1], d.list[d.next:i])
			d.list[d.next] = x
			return true
		}
	}
	return false
}

// depart notes the first departure.
func (d *answers) depart(event replay.EventIndex, cause Cause, recorded, model Call) {
	if d.departed == nil {
		d.departed = &Departure{Event: event, Cause: cause, Recorded: recorded, Model: model}
	}
}
