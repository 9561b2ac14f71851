package analysis

import "github.com/memviz-go/memviz/pkg/replay"

// RankMoment is when ranks are compared.
type RankMoment uint8

const (
	// AtStepEnd is after a rank's last step. All ranks have come to the same line
	// of the program, and what a step needs only while it runs is gone.
	AtStepEnd RankMoment = iota
	// AtRankPeak is a rank's own peak. Where in a step it lies depends on the data,
	// so that two healthy ranks may hold the tensors of different lines.
	AtRankPeak

	rankMoments = 2
)

// Key names the moment in files: "step_end".
func (m RankMoment) Key() string { return [...]string{"step_end", "peak"}[m] }

// stepEnd is the last state of a recording that lies between two steps, or
// NoState when none is known.
func stepEnd(d *replay.Device, steps *Steps) int {
	k := len(steps.Boundaries)
	if k == 0 {
		return NoState
	}
	last := int(steps.Boundaries[k-1])
	if steps.Method == StepsByAnnotation || steps.Method == StepsByOptimizer {
		return last
	}
	// Other boundaries are alike but may be in the middle of a step: when backward
	// begins, activations are live. Between two of them, the least memory is.
	if k == 1 {
		return NoState
	}
	active := d.ActiveBytes()
	least := last
	for state := last - 1; state >= int(steps.Boundaries[k-2]); state-- {
		if active[state] < active[least] {
			least = state
		}
	}
	return least
}
