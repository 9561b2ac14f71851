package answer

import (
	"errors"
	"fmt"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// errNotThere says that a recording does not have the moment.
var errNotThere = errors.New("not in this recording")

// State is the state of a device that the moment names.
func (m Moment) State(r *analysis.Recording) (int, error) {
	last := r.Device.Events.Len()
	switch m.kind {
	case momentStart:
		return 0, nil
	case momentEnd:
		return last, nil
	case momentOOM:
		return m.oom(r.Device)
	case momentState:
		if m.n > int64(last) {
			return 0, fmt.Errorf("state %s is %w, whose last is %s", units.Count(m.n), errNotThere, units.Count(last))
		}
		return int(m.n), nil
	case momentTime:
		return m.time(r)
	case momentStep:
		return m.step(r)
	case momentAnnotation:
		return m.annotation(r)
	}
	return r.Device.Totals.PeakState, nil
}

func (m Moment) oom(d *replay.Device) (int, error) {
	var states []int
	for i, action := range d.Events.Action {
		if action == snapshot.OOM {
			states = append(states, i)
		}
	}
	switch {
	case len(states) == 0:
		return 0, fmt.Errorf("an out-of-memory event is %w", errNotThere)
	case m.n == 0:
		return states[len(states)-1], nil
	case m.n > int64(len(states)):
		return 0, fmt.Errorf("out-of-memory event %d is %w, which has %d", m.n, errNotThere, len(states))
	}
	return states[m.n-1], nil
}

// time is the state after the last event up to a time.
func (m Moment) time(r *analysis.Recording) (int, error) {
	d := r.Device
	if d.Events.TimeMicros == nil || r.Snapshot.Redaction.Times {
		return 0, fmt.Errorf("a time is %w, which has none; use state=N", errNotThere)
	}
	if span := d.Events.SpanMicros(); m.n > span {
		return 0, fmt.Errorf("the time %s is %w, which ends after %s", units.Duration(m.n), errNotThere,
			units.Duration(span))
	}
	state := 0
	for i := range d.Events.TimeMicros {
		if d.Events.SinceFirst(i) <= m.n {
			state = i + 1
		}
	}
	return state, nil
}

// step is the peak of a step.
func (m Moment) step(r *analysis.Recording) (int, error) {
	steps := r.Steps()
	if n := len(steps.Boundaries); m.n > int64(n) {
		return 0, fmt.Errorf("step %s is %w, in which %s", units.Count(m.n), errNotThere,
			units.Plural(n, "step ends", "steps end"))
	}
	step := steps.Steps[m.n-1]
	return timeline.PeakBetween(r.Device, step.From, step.To), nil
}

// annotation is the peak inside the first range of a name.
func (m Moment) annotation(r *analysis.Recording) (int, error) {
	for _, a := range r.Annotations() {
		if r.Snapshot.String(a.Name) == m.name {
			return timeline.PeakBetween(r.Device, a.From, a.To), nil
		}
	}
	return 0, fmt.Errorf("the annotation %q is %w", m.name, errNotThere)
}

// said puts the moment into words, given the state it has turned out to be.
func (m Moment) said(r *analysis.Recording, state int) string {
	where := "in state " + units.Count(state)
	switch {
	case m.kind == momentPeak && r.Device.Events.Len() == 0, m.kind == momentEnd:
		return "at the end"
	case m.kind == momentPeak:
		return "at the peak, " + where
	case m.kind == momentStart:
		return "at the start"
	case m.kind == momentOOM:
		return "at the OOM, " + where
	case m.kind == momentTime:
		return "after " + units.Duration(m.n) + ", " + where
	case m.kind == momentStep:
		return fmt.Sprintf("at the peak of step %d, %s", m.n, where)
	case m.kind == momentAnnotation:
		return "at the peak of the annotation, " + where
	}
	return where
}
