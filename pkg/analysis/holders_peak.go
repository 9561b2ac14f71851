package analysis

import "github.com/memviz-go/memviz/pkg/replay"

// PeakBetween is the first state from from to to, both included, with the most
// active bytes, or NoState when there is none.
func PeakBetween(d *replay.Device, from, to int) int {
	active := d.ActiveBytes()
	peak := NoState
	for k := max(from, 0); k <= min(to, len(active)-1); k++ {
		if peak == NoState || active[k] > active[peak] {
			peak = k
		}
	}
	return peak
}

// PreviousPeak is the top of the last hill of active memory that was climbed
// and left before a state, or NoState. A hill ends where memory falls by at
// least half of the furthest it ever fell before that state, and the next one
// begins where it has risen as much again; so in a training loop hills are
// steps, whatever was loaded before. Where steps are known the peak of the step
// before is the better answer. A fall of less than 1 % of the most there was
// ends no hill.
func PreviousPeak(d *replay.Device, state int) int {
	active := d.ActiveBytes()
	active = active[:min(max(state+1, 0), len(active))]
	fall, most := largestFall(active)
	if fall == 0 || fall < most/100 {
		return NoState
	}
	enough := (fall + 1) / 2
	previous, falling := NoState, false
	top, low := 0, 0 // of the hill or the valley that k is in
	for k, bytes := range active {
		switch {
		case falling && bytes < active[low]:
			low = k
		case falling && bytes-active[low] >= enough:
			top, falling = k, false
		case !falling && bytes > active[top]:
			top = k
		case !falling && active[top]-bytes >= enough:
			previous, low, falling = top, k, true
		}
	}
	return previous
}

// largestFall is the furthest that bytes fall from a state to a later one, and
// the most bytes of all.
func largestFall(active []int64) (fall, most int64) {
	for _, bytes := range active {
		most = max(most, bytes)
		fall = max(fall, most-bytes)
	}
	return fall, most
}
