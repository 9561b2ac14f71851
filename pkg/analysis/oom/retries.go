package oom

import (
	"math"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Retry is a request that the driver refused: PyTorch then released cached memory and
// asked again. If it was served then, less than Flushed bytes were left to the limit.
type Retry struct {
	Event     replay.EventIndex // the alloc event of the request, or its oom event
	First     replay.EventIndex // its first release
	Requested int64             // bytes; the driver was asked for Asked
	Asked     int64
	Segments  int   // released: segments, or ranges of expandable ones
	Flushed   int64 // bytes that went back to the driver
	Micros    int64 // from the first release to the event; 0 if the file has no times
	Reserved  int64 // bytes, including what the driver gave in the end
	Served    bool
	// Certain: the releases have the stack of the request. Otherwise only the sizes
	// distinguish them from a call of empty_cache.
	Certain bool
}

// State returns the state before the first release, the last one with the cache.
func (r *Retry) State() int { return int(r.First) }

// Retries are the requests of a recording that the driver refused.
//
// A release belongs to the request behind it if it has the request's stack and
// the request then got new memory, or failed. Where releases have no stack of
// their own, up to torch 2.1 or without stacks, it belongs to such a request if
// the device cannot have had the memory: with what was reserved and what was asked
// for it would have held more than it ever did.
type Retries struct {
	List []Retry
	// Owners are the requests that releases belong to: alloc or oom event, by release.
	Owners map[replay.EventIndex]replay.EventIndex
	// Refused is the least number of bytes that PyTorch would have held including a
	// refused request; math.MaxInt64 if none was refused.
	Refused int64

	d        *replay.Device
	settings *layout.Settings
	stacks   bool // releases have the stack of the call that made them

	s       *snapshot.Snapshot
	emptied map[snapshot.StackID]bool // whether a stack is a call of empty_cache
}

// FindRetries finds the requests that the driver refused. Segments that
// garbage_collection_threshold releases in a request count as its releases in Owners, but not
// as a Retry. Host memory has none, because its allocator tries only once.
func FindRetries(s *snapshot.Snapshot, d *replay.Device, settings *layout.Settings) *Retries {
	x := &Retries{
		Owners: map[replay.EventIndex]replay.EventIndex{}, Refused: math.MaxInt64,
		d: d, settings: settings, stacks: s.Format.HasTime, s: s, emptied: map[snapshot.StackID]bool{},
	}
	if d.ID == snapshot.Pinned {
		return x
	}
	list := d.Reserved
	if s.Format.MLX {
		list = nil // its allocator releases cached memory for other reasons
	}
	reserved := d.Totals.ReservedBaselineBytes
	for i := 0; i < len(list); {
		owner, n := x.group(list[i:])
		x.attribute(list[i:i+n], owner, reserved)
		for _, c := range list[i : i+n] {
			reserved += c.Delta
		}
		i += n
	}
	return x
}

// Certain reports whether the stack of a release, or a failure, proves a retry.
func (x *Retries) Certain() bool {
	for i := range x.List {
		if x.List[i].Certain {
			return true
		}
	}
	return false
}

// Served returns the requests that were certainly served in the end.
func (x *Retries) Served() []Retry {
	var list []Retry
	for _, r := range x.List {
		if r.Served && r.Certain {
			list = append(list, r)
		}
	}
	return list
}

// Margin returns an upper bound in bytes of what was left to the limit when a request was
// served: the least that was ever refused minus what was reserved then. 0: unknown.
func (x *Retries) Margin(r *Retry) int64 {
	if x.Refused == math.MaxInt64 {
		return 0
	}
	return max(x.Refused-r.Reserved, 0)
}

// group returns how many segment events, from the first of a list, come before the same
// other event, and that event; None at the end of the recording.
func (x *Retries) group(list []replay.ReservedChange) (owner replay.EventIndex, n int) {
	e := x.d.Events
	at := list[0].Event
	for ; int(at) < e.Len(); at++ {
		switch {
		case n < len(list) && list[n].Event == at:
			n++
		case e.Action[at] == snapshot.FreeCompleted && !e.CompletedAtOnce(int(at)):
			// what a request waited for
		default:
			return at, n
		}
	}
	return replay.None, n
}

// attribute finds the releases of a group that belong to the request after it.
func (x *Retries) attribute(group []replay.ReservedChange, owner replay.EventIndex, reserved int64) {
	e := x.d.Events
	if owner == replay.None || e.Action[owner] != snapshot.Alloc && e.Action[owner] != snapshot.OOM {
		return
	}
	last := len(group) // releases come before the memory that the request got in the end
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
	r := Retry{
		Event: owner, First: group[first].Event, Requested: Requested(e, owner), Asked: Asked(e, owner, x.settings),
		Segments: last - first, Served: e.Action[owner] == snapshot.Alloc,
		Certain: x.stacks && e.Stack[owner] != 0 || e.Action[owner] == snapshot.OOM,
	}
	wanted := reserved + r.Asked
	if x.settings.GCThreshold == 0 && x.settings.MaxSplitSize == 0 { // else only part of the cache is released
		if wanted <= x.d.Totals.ReservedPeakBytes && !r.Certain {
			return
		}
		x.Refused = min(x.Refused, wanted)
	}
	for _, c := range group[first:last] {
		x.Owners[c.Event] = owner
		r.Flushed -= c.Delta
	}
	r.Reserved = reserved - r.Flushed
	for _, c := range group[last:] {
		r.Reserved += c.Delta
	}
	if len(e.TimeMicros) > 0 {
		r.Micros = max(e.SinceFirst(int(owner))-e.SinceFirst(int(r.First)), 0)
	}
	if x.settings.GCThreshold == 0 || !r.Served {
		x.List = append(x.List, r)
	}
}

// like reports whether a release may be the owner's.
func (x *Retries) like(release, owner replay.EventIndex) bool {
	if x.emptiesCache(x.d.Events.Stack[release]) {
		return false
	}
	return !x.stacks || x.d.Events.Stack[release] == x.d.Events.Stack[owner]
}

// emptiesCache reports whether a stack is a call of empty_cache. Releases have such a
// stack even if nothing else in the file shows that they have one.
func (x *Retries) emptiesCache(id snapshot.StackID) bool {
	empties, known := x.emptied[id]
	if !known {
		for _, f := range x.s.Stacks.Frames(id) {
			name := x.s.String(x.s.Frames[f].Name)
			empties = empties || name == "empty_cache" || strings.Contains(name, "emptyCache")
		}
		x.emptied[id] = empties
	}
	return empties
}

// Requested returns the size of a request in bytes, which is rounded in oom events.
func Requested(e *snapshot.Events, i replay.EventIndex) int64 {
	return min(max(e.Size[i], 0), replay.MaxSize)
}

// Asked returns the bytes that the request of an alloc or oom event asks the driver for
// if the cache cannot serve it.
func Asked(e *snapshot.Events, i replay.EventIndex, settings *layout.Settings) int64 {
	size := Requested(e, i)
	if e.Action[i] == snapshot.Alloc { // else it is rounded
		size = settings.RoundSize(size)
	}
	if !settings.Expandable {
		return settings.SegmentSize(size)
	}
	page := settings.PageSize(layout.SizeClassOf(size))
	return (size + page - 1) / page * page
}
