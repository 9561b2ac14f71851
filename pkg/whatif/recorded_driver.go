package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// recordedDriver answers as the driver did in the recording: it hands out and refuses
// the same memory, and records the first call that differs.
type recordedDriver struct {
	events   *snapshot.Events
	list     []replay.ReservedChange // the segment events
	done     int                     // how many of list the model has made
	end      int                     // index in list of the first event after the current step
	strict   bool                    // releases must come in the recorded order
	held     ranges.Set[struct{}]    // the ranges held now
	departed *Departure
}

// upTo makes the segment events before an event part of the current step.
func (d *recordedDriver) upTo(event replay.EventIndex) {
	for d.end < len(d.list) && d.list[d.end].Event < event {
		d.end++
	}
}

// next returns the recorded call that has to come next in this step; ok is false if there
// is none.
func (d *recordedDriver) next() (c Call, event replay.EventIndex, ok bool) {
	if d.done >= d.end {
		return Call{}, replay.None, false
	}
	event = d.list[d.done].Event
	return d.call(event), event, true
}

func (d *recordedDriver) call(event replay.EventIndex) Call {
	return Call{d.events.Action[event], d.events.Addr[event], d.events.Size[event]}
}

// Malloc hands out the recorded range, if one was recorded here.
func (d *recordedDriver) Malloc(size int64) (addr uint64, ok bool) {
	c, event, ok := d.next()
	if !ok || c.Action.ReservedSign() < 0 {
		return 0, false // it was refused
	}
	if want := (Call{snapshot.SegmentAlloc, c.Addr, size}); c != want {
		d.depart(event, CauseOtherCall, c, Call{Action: snapshot.SegmentAlloc, Size: size})
		return 0, false
	}
	return c.Addr, d.hold(event, c)
}

// hold notes that a range is held. The ranges must not overlap.
func (d *recordedDriver) hold(event replay.EventIndex, c Call) bool {
	end := c.Addr + uint64(c.Size)
	if c.Size <= 0 || c.Size > replay.MaxSize || c.Addr >= maxAddress || d.held.Overlaps(c.Addr, end) {
		d.depart(event, CauseImpossible, c, Call{})
		return false
	}
	d.held.Add(c.Addr, end, struct{}{})
	return true
}

// Reserve puts a reservation where the recording maps its first page.
func (d *recordedDriver) Reserve(int64) (addr uint64, ok bool) {
	c, event, ok := d.next()
	if ok && c.Action == snapshot.SegmentAlloc {
		d.depart(event, CauseOtherCall, c, Call{Action: snapshot.SegmentMap})
	}
	return c.Addr, ok && c.Action == snapshot.SegmentMap
}

// Map maps the recorded range, if it is the same.
func (d *recordedDriver) Map(addr uint64, size int64) (ok bool) {
	c, event, ok := d.next()
	if !ok || c.Action.ReservedSign() < 0 {
		return false
	}
	if want := (Call{snapshot.SegmentMap, addr, size}); c != want {
		d.depart(event, CauseOtherCall, c, want)
		return false
	}
	return d.hold(event, c)
}

func (d *recordedDriver) Free(addr uint64) {
	if x, is := d.held.At(addr); is {
		d.held.Cut(x.From, x.To)
	}
}

func (d *recordedDriver) Unmap(addr uint64, size int64) { d.held.Cut(addr, addr+uint64(size)) }

func (d *recordedDriver) Release(uint64)              {}
func (d *recordedDriver) Memory() (free, total int64) { return 0, replay.MaxSize }

// GlobalMemory makes reservations as large as possible.
func (d *recordedDriver) GlobalMemory() int64 { return maxReservation }

// compare compares a driver call of the model with the recorded one.
func (d *recordedDriver) compare(e allocator.Event) {
	if e.Action.ReservedSign() == 0 || d.departed != nil {
		return
	}
	got := Call{e.Action, e.Addr, e.Size}
	want, event, ok := d.next()
	switch {
	case !ok:
		d.depart(replay.None, CauseNoCall, Call{}, got)
	case got == want || !d.strict && d.reorder(got):
		d.done++
	default:
		d.depart(event, CauseOtherCall, want, got)
	}
}

// reorder moves a release to the front of the run of releases that it was recorded in.
// PyTorch releases private pools in the order of a hash table.
func (d *recordedDriver) reorder(got Call) bool {
	for i := d.done; i < d.end && d.list[i].Delta < 0; i++ {
		if d.call(d.list[i].Event) == got {
			d.list = slices.Clone(d.list)
			x := d.list[i]
			copy(d.list[d.done+1:i+1], d.list[d.done:i])
			d.list[d.done] = x
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
