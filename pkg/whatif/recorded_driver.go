package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// recordedDriver does what the driver of the recording did: it gives and refuses
// the same, and notes the first call that was not recorded.
type recordedDriver struct {
	events   *snapshot.Events
	list     []replay.ReservedChange // the segment events
	next     int                     // index in list of the first event that no call of the allocator has caused yet
	end      int                     // index in list of the first event of a later step
	strict   bool                    // releases must come in the recorded order
	given    ranges.Set[struct{}]    // what the driver gave so far, or before the recording
	departed *Departure
}

// upTo allows the segment events before an event.
func (d *recordedDriver) upTo(event replay.EventIndex) {
	for d.end < len(d.list) && d.list[d.end].Event < event {
		d.end++
	}
}

// left is the recorded call that has to come next in this step.
func (d *recordedDriver) left() (c Call, event replay.EventIndex, ok bool) {
	if d.next >= d.end {
		return Call{}, replay.None, false
	}
	event = d.list[d.next].Event
	return d.call(event), event, true
}

func (d *recordedDriver) call(event replay.EventIndex) Call {
	return Call{d.events.Action[event], d.events.Addr[event], d.events.Size[event]}
}

// Malloc gives the recorded range, if one was recorded here.
func (d *recordedDriver) Malloc(size int64) (addr uint64, ok bool) {
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
func (d *recordedDriver) give(event replay.EventIndex, c Call) bool {
	end := c.Addr + uint64(c.Size)
	if c.Size <= 0 || c.Size > replay.MaxSize || c.Addr >= maxAddress || d.given.Overlaps(c.Addr, end) {
		d.depart(event, CauseImpossible, c, Call{})
		return false
	}
	d.given.Add(c.Addr, end, struct{}{})
	return true
}

// Reserve puts a new reservation where its first page is mapped.
func (d *recordedDriver) Reserve(int64) (addr uint64, ok bool) {
	c, event, ok := d.left()
	if ok && c.Action == snapshot.SegmentAlloc {
		d.depart(event, CauseOtherCall, c, Call{Action: snapshot.SegmentMap})
	}
	return c.Addr, ok && c.Action == snapshot.SegmentMap
}

// Map maps what was mapped.
func (d *recordedDriver) Map(addr uint64, size int64) (ok bool) {
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

func (d *recordedDriver) Free(addr uint64) {
	if x, is := d.given.At(addr); is {
		d.given.Cut(x.From, x.To)
	}
}

func (d *recordedDriver) Unmap(addr uint64, size int64) { d.given.Cut(addr, addr+uint64(size)) }

func (d *recordedDriver) Release(uint64)              {}
func (d *recordedDriver) Memory() (free, total int64) { return 0, replay.MaxSize }

// GlobalMemory makes reservations as large as they may be.
func (d *recordedDriver) GlobalMemory() int64 { return maxReservation }

// made compares a call of the driver that the allocator made with the recorded one.
func (d *recordedDriver) made(e allocator.Event) {
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
func (d *recordedDriver) reorder(got Call) bool {
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
func (d *recordedDriver) depart(event replay.EventIndex, cause Cause, recorded, model Call) {
	if d.departed == nil {
		d.departed = &Departure{Event: event, Cause: cause, Recorded: recorded, Model: model}
	}
}
