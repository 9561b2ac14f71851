package report

import "github.com/memviz-go/memviz/pkg/replay"

// curveSource is what the static curve shows, from a replay or from a payload.
type curveSource struct {
	label            string // of the device
	events           int
	totals           replay.Totals
	active, reserved []step
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
		active: stepsOf(d.ActiveBytes()), reserved: stepsOf(d.ReservedBytes()),
	}
}

// stepsOf are the steps of a value per state.
func stepsOf(values []int64) []step {
	var steps []step
	for k, v := range values {
		if k == 0 || v != values[k-1] {
			steps = append(steps, step{k, v})
		}
	}
	return steps
}
