// Package timeline cuts the history of one device into stretches: annotated
// ranges, phases of training, windows of events or of time, hills of active
// memory. It finds what happened when; what a stretch means is left to others.
//
// It is based on the order of the events, their times (torch writes them from 2.2 on),
// and the activities that package stacks reads from names. Annotations (from torch 2.5
// on) have times and no place among the events, so a trace without times has none;
// nightly builds of mid-2024 recorded them as events.
package timeline

import (
	"math"
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Range is a stretch of a device's history: the states From to To, both
// included, with the events From to To-1 between them. State k is the allocator
// before event k.
type Range struct {
	From, To int
}

// NoState means that there is no such state.
const NoState = -1

// Peak is the most active memory in a stretch.
type Peak struct {
	Range
	State int   // the first that has the bytes
	Bytes int64 // active
}

// PeaksOf finds the peak of each stretch; the cost is linear in their states.
func PeaksOf(d *replay.Device, ranges []Range) []Peak {
	active := d.ActiveBytes()
	peaks := make([]Peak, len(ranges))
	for i, r := range ranges {
		state := peakBetween(active, r.From, r.To)
		peaks[i] = Peak{r, state, active[state]}
	}
	return peaks
}

// PeakBetween returns the first state from from to to, both included, with the most
// active bytes, or NoState if there is none.
func PeakBetween(d *replay.Device, from, to int) int { return peakBetween(d.ActiveBytes(), from, to) }

func peakBetween(active []int64, from, to int) int {
	peak := NoState
	for k := max(from, 0); k <= min(to, len(active)-1); k++ {
		if peak == NoState || active[k] > active[peak] {
			peak = k
		}
	}
	return peak
}

// EveryEvents cuts a device's history into stretches of n events; the last one
// may be shorter. n is at least 1.
func EveryEvents(d *replay.Device, n int) []Range {
	var ranges []Range
	last := d.States() - 1
	for from := 0; from < last; {
		to := from + min(n, last-from)
		ranges = append(ranges, Range{from, to})
		from = to
	}
	return ranges
}

// EveryMicros cuts a device's history into windows of the given microseconds, at least 1,
// from its first event on, and omits windows without events. It returns nil for a trace
// without times.
func EveryMicros(d *replay.Device, micros int64) []Range {
	c := newClock(d.Events)
	if c == nil {
		return nil
	}
	var windows []Range
	var last uint64 // number of the last window, those without events counted
	for i, t := range c.micros {
		// Times span less than 2^64, though their difference may not fit 63 bits.
		number := uint64(t-c.micros[0]) / uint64(micros)
		if windows == nil || number != last {
			windows, last = append(windows, Range{From: i}), number
		}
		windows[len(windows)-1].To = i + 1
	}
	return windows
}

// clock finds the state of a device at a time.
type clock struct {
	micros []int64 // by event, ascending
}

// newClock returns nil for a trace without times.
func newClock(e *snapshot.Events) *clock {
	if e.Len() == 0 || len(e.TimeMicros) != e.Len() {
		return nil
	}
	micros := e.TimeMicros
	if !slices.IsSorted(micros) { // threads may record a little out of order
		micros = slices.Clone(micros)
		for i := 1; i < len(micros); i++ {
			micros[i] = max(micros[i], micros[i-1])
		}
	}
	return &clock{micros}
}

// state returns the state after the last event at or before a time, which is also
// the index of the first event later than it.
func (c *clock) state(micros int64) int {
	return sort.Search(len(c.micros), func(i int) bool { return c.micros[i] > micros })
}

// Never is an event index later than every event.
const Never replay.EventIndex = math.MaxInt32

// FreedAt returns the event in which the program freed an allocation, or Never. A
// block that another stream still uses is freed before it ends.
func FreedAt(a *replay.Allocation) replay.EventIndex {
	switch {
	case a.FreeRequested != replay.None:
		return a.FreeRequested
	case a.End != replay.None:
		return a.End
	}
	return Never
}

// PreviousPeak returns the top of the last hill of active memory that ended before a
// state, or NoState. A hill ends where memory falls by at least half of its largest fall
// before that state, and the next one begins where it has risen as much again; so in a
// training loop hills are steps, whatever was loaded before. If steps are known the peak
// of the step before is the better answer. A fall of less than 1 % of the maximum ends no
// hill.
func PreviousPeak(d *replay.Device, state int) int {
	active := d.ActiveBytes()
	active = active[:min(max(state+1, 0), len(active))]
	fall, most := largestFall(active)
	if fall == 0 || fall < most/100 {
		return NoState
	}
	enough := (fall + 1) / 2
	previous, falling := NoState, false
	top, low := 0, int64(0) // state of the hill's top, bytes at the bottom of the valley
	for k, bytes := range active {
		switch {
		case falling && bytes-low >= enough:
			top, falling = k, false
		case falling:
			low = min(low, bytes)
		case bytes > active[top]:
			top = k
		case active[top]-bytes >= enough:
			previous, low, falling = top, bytes, true
		}
	}
	return previous
}

// largestFall returns the largest fall of bytes from a state to a later one, and the most
// bytes of all.
func largestFall(active []int64) (fall, most int64) {
	for _, bytes := range active {
		most = max(most, bytes)
		fall = max(fall, most-bytes)
	}
	return fall, most
}
