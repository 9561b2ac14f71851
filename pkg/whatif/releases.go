package whatif

import (
	"math"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// releases tells the memory that requests gave back when the driver refused them
// from what calls of empty_cache gave back.
//
// A release belongs to the request behind it if it has the request's stack and
// the request then got new memory, or failed. Where releases have no stack of
// their own, up to torch 2.1 or without stacks, it belongs to such a request if
// the device cannot have had the memory: with what was reserved and what was asked
// for it would have held more than it ever did.
type releases struct {
	d        *replay.Device
	settings *layout.Settings
	stacks   bool  // releases have the stack of the call that made them
	most     int64 // bytes, the recorded peak of reserved memory

	owners  map[replay.EventIndex]replay.EventIndex // release -> alloc or oom event
	refused int64                                   // bytes, the least that PyTorch would have held with what it was refused
	retries int
	sure    bool // one of them is proved by its stack
}

// fewGuesses are too few retries to conclude a limit from, if no stack proves one.
const fewGuesses = 3

func findReleases(r *analysis.Recording, settings *layout.Settings) *releases {
	x := &releases{
		d: r.Device, settings: settings, stacks: r.Snapshot.Format.HasTime, most: r.Device.Totals.ReservedPeakBytes,
		owners: map[replay.EventIndex]replay.EventIndex{}, refused: math.MaxInt64,
	}
	list := r.Device.Reserved
	reserved := r.Device.Totals.ReservedBaselineBytes
	for i := 0; i < len(list); {
		owner, n := x.group(list[i:])
		x.judge(list[i:i+n], owner, reserved)
		for _, c := range list[i : i+n] {
			reserved += c.Delta
		}
		i += n
	}
	return x
}

// group is how many segment events, from the first of a list, stand before the
// same other event, and which that is; None at the end of the recording.
func (x *releases) group(list []replay.ReservedChange) (owner replay.EventIndex, n int) {
	e := x.d.Events
	at := list[0].Event
	for ; int(at) < e.Len(); at++ {
		switch {
		case n < len(list) && list[n].Event == at:
			n++
		case e.Action[at] == snapshot.FreeCompleted && !atOnce(e, at):
			// what a request waited for
		default:
			return at, n
		}
	}
	return replay.None, n
}

// judge finds the releases of a group that belong to the request behind it.
func (x *releases) judge(group []replay.ReservedChange, owner replay.EventIndex, reserved int64) {
	e := x.d.Events
	if owner == replay.None || e.Action[owner] != snapshot.Alloc && e.Action[owner] != snapshot.OOM {
		return
	}
	last := len(group) // releases come before what the request got in the end
	for last > 0 && group[last-1].Delta > 0 {
		last--
	}
	if e.Action[owner] == snapshot.Alloc && last == len(group) {
		return
	}
	first := last
	for first > 0 && group[first-1].Delta < 0 && x.like(group[first-1].Event, owner) {
		first--
	}
	if first == last {
		return
	}
	for _, c := range group[:first] {
		reserved += c.Delta
	}
	wanted := reserved + x.asked(owner)
	certain := x.stacks && e.Stack[owner] != 0 || e.Action[owner] == snapshot.OOM
	if partial := x.settings.GCThreshold > 0 || x.settings.MaxSplitSize > 0; !partial {
		if wanted <= x.most && !certain {
			return
		}
		x.refused = min(x.refused, wanted)
	}
	x.retries++
	x.sure = x.sure || certain
	for _, c := range group[first:last] {
		x.owners[c.Event] = owner
	}
}

// like reports whether nothing in a release says that it is not the owner's.
func (x *releases) like(release, owner replay.EventIndex) bool {
	return !x.stacks || x.d.Events.Stack[release] == x.d.Events.Stack[owner]
}

// asked is what a request asks the driver for, at most.
func (x *releases) asked(owner replay.EventIndex) int64 {
	e := x.d.Events
	size := min(max(e.Size[owner], 0), replay.MaxSize)
	if e.Action[owner] == snapshot.Alloc { // else it is rounded
		size = x.settings.RoundSize(size)
	}
	if !x.settings.Expandable {
		return x.settings.SegmentSize(size)
	}
	page := x.settings.PageSize(classOf(size))
	return (size + page - 1) / page * page
}

func classOf(rounded int64) snapshot.SizeClass {
	if rounded <= 1<<20 {
		return snapshot.SizeClassSmall
	}
	return snapshot.SizeClassLarge
}
