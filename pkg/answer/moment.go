package answer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// Moment names a state in a way that fits every recording. The zero Moment is
// the peak.
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

// MomentForms is how a moment is written.
const MomentForms = "peak, start, end, oom, oom=N, step=N, annotation=NAME, state=N or time=T"

// plainMoments are the moments without a value.
var plainMoments = map[string]momentKind{"peak": momentPeak, "start": momentStart, "end": momentEnd, "oom": momentOOM}

// numberedMoments are those with a number, and the least there is.
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
	if kind, ok := plainMoments[word]; ok && !hasValue {
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
