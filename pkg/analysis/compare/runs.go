package compare

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
)

// Run is a stretch of a phase in both recordings, or in one of them.
type Run struct {
	Phase   stacks.Activity // stacks.NoActivity for the events before the first phase
	Has     [2]bool         // which sides have it
	States  [2]timeline.Range
	Highest [2]int  // the state with the most active bytes; timeline.NoState on a side without the run
	Step    int     // index in Comparison.Steps; -1 if steps are not paired
	Width   float64 // of the page: the mean of its shares of the events; the widths of all runs sum up to 1
}

// Word returns the name of the phase: "forward", or "before" for the events before the
// first.
func (r *Run) Word() string { return cmp.Or(r.Phase.PhaseName(), "before") }

// sideRun is a run of one recording.
type sideRun struct {
	phase  stacks.Activity
	states timeline.Range
	step   int // index in steps.List.Steps
}

// runsOf returns the runs of a recording, which together have each of its states once. A
// state belongs to the run of the event before it, and the first state to the first run.
func runsOf(s *Side) []sideRun {
	if len(s.Phases) == 0 {
		return nil
	}
	var list []sideRun
	add := func(phase stacks.Activity, first, last replay.EventIndex) {
		states := timeline.Range{From: int(first) + 1, To: int(last) + 1}
		if len(list) == 0 {
			states.From = 0
		}
		list = append(list, sideRun{phase, states, s.Steps.Of(first)})
	}
	if first := s.Phases[0].Start; first > 0 {
		add(stacks.NoActivity, 0, first-1)
	}
	for _, p := range s.Phases {
		add(p.Phase, p.Start, p.End)
	}
	return list
}

// alignRuns puts the phases of two recordings side by side, step by step where steps
// are paired.
func alignRuns(sides *[2]Side, steps []StepPair) []Run {
	runs := [2][]sideRun{runsOf(&sides[Before]), runsOf(&sides[After])}
	if len(runs[Before]) == 0 || len(runs[After]) == 0 {
		return nil
	}
	a := aligner{sides: sides, cells: maxRunCells, fromEnd: fromEnd(sides)}
	if steps == nil {
		a.align(runs, -1)
	}
	for i, pair := range steps {
		var own [2][]sideRun
		for side, step := range pair.Index {
			if step >= 0 {
				own[side], runs[side] = ofStep(runs[side], step)
			}
		}
		a.align(own, i)
	}
	var total float64
	for i := range a.list {
		total += a.list[i].Width
	}
	for i := range a.list {
		a.list[i].Width /= total
	}
	return a.list
}

// ofStep splits runs after those that begin in a step.
func ofStep(runs []sideRun, step int) (own, rest []sideRun) {
	n := slices.IndexFunc(runs, func(r sideRun) bool { return r.step > step })
	if n < 0 {
		n = len(runs)
	}
	return runs[:n], runs[n:]
}

// fromEnd reports whether a recording has lost its beginning, so that only the ends can
// be expected to match.
func fromEnd(sides *[2]Side) bool {
	return sides[Before].Device.Reconciliation.HistoryCut || sides[After].Device.Reconciliation.HistoryCut
}

// maxRunCells bounds how many pairs of runs are weighed in all. Beyond it, runs pair
// with the next of their phase among the next runLookahead.
const (
	maxRunCells  = 1 << 20
	runLookahead = 8
)

// aligner lists runs of two recordings side by side.
type aligner struct {
	sides   *[2]Side
	cells   int
	fromEnd bool
	list    []Run
}

// align pairs as many runs of the same phase as possible in order, preferring earlier
// runs, or later ones if a beginning is missing.
func (a *aligner) align(runs [2][]sideRun, step int) {
	begin := len(a.list)
	if a.fromEnd {
		for side := range runs {
			runs[side] = slices.Clone(runs[side])
			slices.Reverse(runs[side])
		}
	}
	for _, pair := range a.walk(runs[Before], runs[After]) {
		var both [2]*sideRun
		for side, i := range pair {
			if i != none {
				both[side] = &runs[side][i]
			}
		}
		a.add(both, step)
	}
	if a.fromEnd {
		slices.Reverse(a.list[begin:])
	}
}

// walk aligns runs: the most pairs, and among those the earliest.
func (a *aligner) walk(before, after []sideRun) [][2]int {
	n := (len(before) + 1) * (len(after) + 1)
	if n > a.cells {
		return lookAhead(before, after)
	}
	a.cells -= n
	return align(len(before), len(after), func(i, j int) float64 {
		if before[i].phase != after[j].phase {
			return 0
		}
		return float64(1<<32 - (i + j))
	}, func(i, j int) bool { return before[i].phase < after[j].phase })
}

// lookAhead aligns runs if there are too many to weigh each pair.
func lookAhead(before, after []sideRun) (walk [][2]int) {
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i == len(before), j < len(after) && before[i].phase != after[j].phase && !skipFirst(before[i:], after[j:]):
			walk = append(walk, [2]int{none, j})
			j++
		case j == len(after), before[i].phase != after[j].phase:
			walk = append(walk, [2]int{i, none})
			i++
		default:
			walk = append(walk, [2]int{i, j})
			i, j = i+1, j+1
		}
	}
	return walk
}

// skipFirst decides which of two runs of different phases stays unpaired: it reports
// whether that is the first of a, not of b, whose phase comes again soon on the other side.
func skipFirst(a, b []sideRun) bool {
	for n := 1; n <= runLookahead; n++ {
		inA := n < len(a) && a[n].phase == b[0].phase
		inB := n < len(b) && b[n].phase == a[0].phase
		if inA != inB {
			return inA
		}
	}
	return a[0].phase < b[0].phase
}

// add appends a run; the entry of a side without it is nil.
func (a *aligner) add(both [2]*sideRun, step int) {
	r := Run{Step: step, Highest: [2]int{timeline.NoState, timeline.NoState}}
	shares, n := 0.0, 0.0
	for side, run := range both {
		if run == nil {
			continue
		}
		d := a.sides[side].Device
		r.Phase, r.Has[side], r.States[side] = run.phase, true, run.states
		r.Highest[side] = timeline.PeakBetween(d, run.states.From, run.states.To)
		shares += float64(run.states.To-run.states.From+1) / float64(d.States())
		n++
	}
	r.Width = shares / n
	a.list = append(a.list, r)
}

// RunsByEvent returns the alignment without phases: all states of both, as one run.
func (c *Comparison) RunsByEvent() []Run {
	r := Run{Has: [2]bool{true, true}, Step: -1, Width: 1}
	for side := range c.Sides {
		d := c.Sides[side].Device
		r.States[side] = timeline.Range{From: 0, To: d.Events.Len()}
		r.Highest[side] = d.Totals.PeakState
	}
	return []Run{r}
}
