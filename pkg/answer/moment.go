package answer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Moment names a state in a way that fits every recording.
type Moment struct {
	kind momentKind
	n    int64 // of the oom, the state, or microseconds since the first event
}

type momentKind uint8

const (
	momentPeak momentKind = iota
	momentStart
	momentEnd
	momentOOM
	momentState
	momentTime
)

// Peak is the first state with the most active bytes.
var Peak = Moment{kind: momentPeak}

// momentForms is how a moment is written.
const momentForms = "peak, start, end, oom, oom=N, state=N or time=T"

// ParseMoment reads a moment: peak, start, end, oom (the last one), oom=1 (the
// first), state=7212, time=1.5s (since the first event).
func ParseMoment(text string) (Moment, error) {
	kind, value, hasValue := strings.Cut(strings.TrimSpace(text), "=")
	switch {
	case kind == "peak" && !hasValue:
		return Peak, nil
	case kind == "start" && !hasValue:
		return Moment{kind: momentStart}, nil
	case kind == "end" && !hasValue:
		return Moment{kind: momentEnd}, nil
	case kind == "oom" && !hasValue:
		return Moment{kind: momentOOM}, nil
	case kind == "oom" || kind == "state":
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 0 || kind == "oom" && n == 0 {
			return Moment{}, fmt.Errorf("%q: write %s=N with a whole number", text, kind)
		}
		if kind == "oom" {
			return Moment{momentOOM, n}, nil
		}
		return Moment{momentState, n}, nil
	case kind == "time":
		micros, err := units.ParseDuration(value)
		if err != nil {
			return Moment{}, fmt.Errorf("%q: %w", text, err)
		}
		return Moment{momentTime, micros}, nil
	}
	return Moment{}, fmt.Errorf("%q is no moment; there are %s", text, momentForms)
}

// errNotThere says that a recording does not have the moment.
var errNotThere = errors.New("not in this recording")

// State is the state of a device that the moment names.
func (m Moment) State(r *analysis.Recording) (int, error) {
	d := r.Device
	last := d.Events.Len()
	switch m.kind {
	case momentStart:
		return 0, nil
	case momentEnd:
		return last, nil
	case momentOOM:
		return m.oom(d)
	case momentState:
		if m.n > int64(last) {
			return 0, fmt.Errorf("state %s is %w, whose last is %s", units.Count(m.n), errNotThere, units.Count(last))
		}
		return int(m.n), nil
	case momentTime:
		return m.time(d)
	}
	return d.Totals.PeakState, nil
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
func (m Moment) time(d *replay.Device) (int, error) {
	if d.Events.TimeMicros == nil {
		return 0, fmt.Errorf("a time is %w, which has none; use state=N", errNotThere)
	}
	state := 0
	for i := range d.Events.TimeMicros {
		if d.Events.SinceFirst(i) <= m.n {
			state = i + 1
		}
	}
	return state, nil
}

// said puts the moment into words, given the state it has turned out to be.
func (m Moment) said(d *replay.Device, state int) string {
	where := "in state " + units.Count(state)
	switch {
	case m.kind == momentPeak && d.Events.Len() <= 1, m.kind == momentEnd:
		return "at the end"
	case m.kind == momentPeak:
		return "at the peak, " + where
	case m.kind == momentStart:
		return "at the start"
	case m.kind == momentOOM:
		return "out of memory, " + where
	case m.kind == momentTime:
		return "after " + units.Duration(m.n) + ", " + where
	}
	return where
}
