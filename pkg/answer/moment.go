package answer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Moment names a state of any recording, such as its peak. The zero Moment is the
// peak.
type Moment struct {
	kind momentKind
	n    int64  // of the oom, the step or the state, or microseconds since the first event
	name string // of an annotation
}

type momentKind uint8

const (
	momentPeak momentKind = iota
	momentStart
	momentEnd
	momentOOM
	momentState
	momentTime
	momentStep
	momentAnnotation
)

// Peak is the first state with the most active bytes.
var Peak = Moment{}

// End is the last state.
var End = Moment{kind: momentEnd}

// MomentForms lists the forms that ParseMoment reads.
const MomentForms = "peak, start, end, oom, oom=N, step=N, annotation=NAME, state=N or time=T"

// namedMoments are the moments without a value.
var namedMoments = map[string]momentKind{"peak": momentPeak, "start": momentStart, "end": momentEnd, "oom": momentOOM}

// numberedMoments are the moments with a number, and the least number.
var numberedMoments = map[string]struct {
	kind  momentKind
	least int64
}{"oom": {momentOOM, 1}, "step": {momentStep, 1}, "state": {momentState, 0}}

// ParseMoment reads a moment: peak, start, end, oom (the last one), oom=1 (the
// first), state=7212, time=1.5s (since the first event), step=3 (the peak of
// the third recorded step), annotation=NAME (the peak inside the first range of
// that name).
func ParseMoment(text string) (Moment, error) {
	word, value, hasValue := strings.Cut(strings.TrimSpace(text), "=")
	if kind, ok := namedMoments[word]; ok && !hasValue {
		return Moment{kind: kind}, nil
	}
	if numbered, ok := numberedMoments[word]; ok && hasValue {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < numbered.least {
			return Moment{}, fmt.Errorf("%q: write %s=N with a whole number from %d", text, word, numbered.least)
		}
		return Moment{kind: numbered.kind, n: n}, nil
	}
	switch {
	case word == "time" && hasValue:
		micros, err := units.ParseDuration(value)
		if err != nil {
			return Moment{}, fmt.Errorf("%q: %w", text, err)
		}
		return Moment{kind: momentTime, n: micros}, nil
	case word == "annotation" && value != "":
		return Moment{kind: momentAnnotation, name: value}, nil
	}
	return Moment{}, fmt.Errorf("%q is no moment; there are %s", text, MomentForms)
}

// ErrNotThere says that a recording does not have a moment.
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
		one, many := steps.Method.Word(1), steps.Method.Word(2)
		return 0, fmt.Errorf("%s %s is %w, in which %s", one, units.Count(m.n), errNotThere,
			units.Plural(n, one+" ends", many+" end"))
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

// Describe says the moment in words; state is what [Moment.State] has returned.
func (m Moment) Describe(r *analysis.Recording, state int) string {
	where := "in state " + units.Count(state)
	switch {
	case m.kind == momentPeak && !r.Device.HasHistory() && r.Device.Totals.PeakBytes == r.Device.Totals.FinalBytes,
		m.kind == momentEnd:
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
		return fmt.Sprintf("at the peak of %s %d, %s", r.Steps().Method.Word(1), m.n, where)
	case m.kind == momentAnnotation:
		return "at the peak of the annotation, " + where
	}
	return where
}

// Bound is one end of a range of events, as an event or a time. The zero Bound is
// the beginning or end of the recording.
type Bound struct {
	kind boundKind
	n    int64 // event index, or microseconds since the first event
}

type boundKind uint8

const (
	openEnd boundKind = iota
	boundEvent
	boundTime
)

// ParseBound reads an event index such as 7212 or a time since the first event
// such as 500ms. An empty text is the zero Bound.
func ParseBound(text string) (Bound, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Bound{}, nil
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return Bound{boundEvent, int64(n)}, nil
	}
	micros, err := units.ParseDuration(text)
	if err != nil || strings.Trim(text, "0123456789.") == "" {
		return Bound{}, fmt.Errorf("%q is neither an event index nor a time such as 500ms", text)
	}
	return Bound{boundTime, micros}, nil
}

// Between finds the events first <= i < end that lie between two bounds, inclusive.
func Between(d *replay.Device, from, to Bound) (first, end int, err error) {
	n := d.Events.Len()
	if (from.kind == boundTime || to.kind == boundTime) && d.Events.TimeMicros == nil {
		return 0, 0, fmt.Errorf("a time is %w, which has none; use event indices", errNotThere)
	}
	end = n
	switch from.kind {
	case boundEvent:
		first = int(min(from.n, int64(n)))
	case boundTime:
		for first < n && d.Events.SinceFirst(first) < from.n {
			first++
		}
	}
	switch to.kind {
	case boundEvent:
		end = int(min(to.n+1, int64(n)))
	case boundTime:
		for end > 0 && d.Events.SinceFirst(end-1) > to.n {
			end--
		}
	}
	return min(first, end), end, nil
}
