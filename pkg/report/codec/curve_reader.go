package codec

import (
	"cmp"
	"iter"
	"slices"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// interval is when an allocation is in memory: in the states from start up to
// before end.
type interval struct {
	start, end int
	bytes      int64
}

// intervals yields one interval an allocation, in the order in which they start.
func (d *deviceReader) intervals() iter.Seq2[int, interval] {
	return func(yield func(int, interval) bool) {
		starts, lengths := d.cursor("start"), d.cursor("life")
		last := 0
		for i, bytes := range d.all("size") {
			l := interval{bytes: int64(bytes)}
			if i >= d.view.PreExisting {
				last += int(starts.next())
				l.start = last // the state after the event
			}
			length := int(lengths.next())
			if l.end = l.start + length; length == 0 {
				l.end = d.view.Events + 1
			}
			if !yield(i, l) {
				return
			}
		}
	}
}

// curve is what the static curve shows of the columns.
func (d *deviceReader) curve() *recording.Curve {
	v := d.view
	return &recording.Curve{
		Label: v.Label, Events: v.Events,
		Totals: v.Totals,
		Active: slices.Values(d.active()), Reserved: slices.Values(d.reserved()),
	}
}

// active are the steps of active memory.
func (d *deviceReader) active() []recording.Step {
	var ends []recording.Step // how much ends in each state
	for _, l := range d.intervals() {
		if l.end <= d.view.Events {
			ends = append(ends, recording.Step{State: l.end, Bytes: l.bytes})
		}
	}
	slices.SortFunc(ends, func(a, b recording.Step) int { return cmp.Compare(a.State, b.State) })
	var s stepper
	next := 0
	endUpTo := func(state int) {
		for ; next < len(ends) && ends[next].State <= state; next++ {
			s.add(ends[next].State, -ends[next].Bytes)
		}
	}
	s.add(0, 0)
	for _, l := range d.intervals() {
		endUpTo(l.start)
		s.add(l.start, l.bytes)
	}
	endUpTo(d.view.Events)
	return s.done()
}

// reserved are the steps of reserved memory.
func (d *deviceReader) reserved() []recording.Step {
	var s stepper
	s.add(0, d.view.ReservedBaselineBytes)
	deltas := d.cursor("reserved.delta")
	for _, event := range d.sums("reserved.event") {
		s.add(int(event)+1, unzigzag(deltas.next()))
	}
	return s.done()
}

// stepper puts changes together, which come in the order of states.
type stepper struct {
	steps []recording.Step
	state int
	bytes int64
}

func (s *stepper) add(state int, delta int64) {
	if state != s.state {
		s.flush()
		s.state = state
	}
	s.bytes += delta
}

// flush ends a state. What did not change is no step.
func (s *stepper) flush() {
	if n := len(s.steps); n == 0 || s.steps[n-1].Bytes != s.bytes {
		s.steps = append(s.steps, recording.Step{State: s.state, Bytes: s.bytes})
	}
}

func (s *stepper) done() []recording.Step {
	s.flush()
	return s.steps
}
