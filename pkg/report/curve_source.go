package report

import (
	"iter"

	"github.com/memviz-go/memviz/pkg/replay"
)

// curveSource is what the static curve shows, from a replay or from a payload.
type curveSource struct {
	label            string // of the device
	events           int
	totals           replay.Totals
	active, reserved iter.Seq[step]
}

// step is a state from which on a number of bytes is another. The first one is
// state 0.
type step struct {
	state int
	bytes int64
}

func recordedCurve(d *replay.Device, label string) *curveSource {
	return &curveSource{
		label: label, events: d.Events.Len(), totals: d.Totals,
		active: stepsOf(d.ActiveBytes), reserved: stepsOf(d.ReservedBytes),
	}
}

// stepsOf are the steps of a value per state, of which there may be millions.
func stepsOf(values func() []int64) iter.Seq[step] {
	return func(yield func(step) bool) {
		var last int64
		for k, v := range values() {
			if (k == 0 || v != last) && !yield(step{k, v}) {
				return
			}
			last = v
		}
	}
}
