package analysis

import "github.com/memviz-go/memviz/pkg/replay"

// StateRange is a stretch of a device's history: the states From to To, both
// included, with the events From to To-1 between them.
type StateRange struct {
	From, To int
}

// Peak is the most active memory in a stretch.
type Peak struct {
	StateRange
	State int   // the first that has the bytes
	Bytes int64 // active
}

// PeaksOf finds the peak of each stretch; the cost is linear in their states.
func PeaksOf(d *replay.Device, ranges []StateRange) []Peak {
	active := d.ActiveBytes()
	peaks := make([]Peak, len(ranges))
	for i, r := range ranges {
		p := Peak{StateRange: r, State: r.From, Bytes: active[r.From]}
		for k := r.From + 1; k <= r.To; k++ {
			if active[k] > p.Bytes {
				p.State, p.Bytes = k, active[k]
			}
		}
		peaks[i] = p
	}
	return peaks
}

// EveryEvents cuts a device's history into stretches of n events; the last one
// may be shorter. n is at least 1.
func EveryEvents(d *replay.Device, n int) []StateRange {
	var ranges []StateRange
	last := d.States() - 1
	for from := 0; from < last; {
		to := last
		if last-from > n {
			to = from + n
		}
		ranges = append(ranges, StateRange{from, to})
		from = to
	}
	return ranges
}

// TimeWindow is a stretch between two times.
type TimeWindow struct {
	StateRange
	Number int64 // of the window, counted from the first event; windows without events are left out
}

// EveryMicros cuts a device's history into stretches of so many microseconds,
// counted from its first event. It has none for a trace without times. micros
// is at least 1.
func EveryMicros(d *replay.Device, micros int64) []TimeWindow {
	c := newClock(d.Events)
	if c == nil {
		return nil
	}
	var windows []TimeWindow
	for i, t := range c.micros {
		// Times span less than 2^64, though their difference may not fit 63 bits.
		number := int64(uint64(t-c.micros[0]) / uint64(micros))
		n := len(windows)
		if n == 0 || windows[n-1].Number != number {
			windows = append(windows, TimeWindow{StateRange{i, i}, number})
			n++
		}
		windows[n-1].To = i + 1
	}
	return windows
}

// NoState stands for a state that is not there or not asked about.
const NoState = -1
