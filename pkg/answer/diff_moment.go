package answer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
)

// DiffMoment names a state of each of two recordings: a [Moment] of both, one of each,
// or a phase or step that both have. The zero DiffMoment is the peaks.
type DiffMoment struct {
	moments [2]Moment
	paired  string // the key of a compare.Moment, or empty
}

// DiffMomentForms lists what ParseDiffMoment reads beside a moment.
const DiffMomentForms = "load, forward, backward or optimizer (the highest state of the phase), step:N (that both " +
	"number N), or MOMENT,MOMENT for each"

// pairedMoments are the keys of compare.Moment that name no moment of one recording.
var pairedMoments = []string{"load", "forward", "backward", "optimizer"}

// ParseDiffMoment reads what [ParseMoment] does, a phase such as backward, step:3 for the
// step that is paired under that number, or two moments with a comma between, where a
// number alone is a state: 7212,9660.
func ParseDiffMoment(text string) (DiffMoment, error) {
	text = strings.TrimSpace(text)
	for _, word := range pairedMoments {
		if text == word {
			return DiffMoment{paired: word}, nil
		}
	}
	if number, is := strings.CutPrefix(text, "step:"); is {
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return DiffMoment{}, fmt.Errorf("%q: write step:N with a whole number", text)
		}
		return DiffMoment{paired: "step:" + strconv.FormatUint(n, 10)}, nil
	}
	both, err := ParseMoment(text)
	if err == nil {
		return DiffMoment{moments: [2]Moment{both, both}}, nil
	}
	before, after, two := strings.Cut(text, ",")
	if !two {
		return DiffMoment{}, fmt.Errorf("%w, %s", err, DiffMomentForms)
	}
	var m DiffMoment
	for side, text := range []string{before, after} {
		text = strings.TrimSpace(text)
		if strings.Trim(text, "0123456789") == "" {
			text = "state=" + text
		}
		if m.moments[side], err = ParseMoment(text); err != nil {
			return DiffMoment{}, err
		}
	}
	return m, nil
}

// states are the states that the moment names.
func (m DiffMoment) states(p *DiffPair) (states [2]int, err error) {
	if m.paired != "" {
		var keys []string
		for _, moment := range p.Moments {
			if moment.Key == m.paired {
				return moment.States, nil
			}
			keys = append(keys, moment.Key)
		}
		return states, fmt.Errorf("%s is not in both recordings, which have %s", m.paired, listed(keys))
	}
	for side := range states {
		if states[side], err = m.moments[side].State(p.recordings[side]); err != nil {
			return states, fmt.Errorf("%s: %w", p.inputs[side].FileName(), err)
		}
	}
	return states, nil
}

// maxListed bounds the moments that an error lists; there may be thousands of steps.
const maxListed = 12

func listed(keys []string) string {
	if len(keys) > maxListed {
		return strings.Join(keys[:maxListed-1], ", ") + " ... " + keys[len(keys)-1]
	}
	return strings.Join(keys, ", ")
}

// describe says in which states the recordings are compared.
func (m DiffMoment) describe(states [2]int, p *DiffPair) string {
	a, b := states[compare.Before], states[compare.After]
	switch {
	case m == DiffMoment{} && p.Sides[compare.Before].Device.States()+p.Sides[compare.After].Device.States() == 2:
		return "At the end" // neither has events
	case m == DiffMoment{}:
		return "At the peaks, " + inStates(a, b)
	case strings.HasPrefix(m.paired, "step:"):
		return "At the highest of step " + m.paired[len("step:"):] + ", " + inStates(a, b)
	case m.paired != "":
		return "At the highest of " + m.paired + ", " + inStates(a, b)
	}
	text := inStates(a, b)
	if m.moments[0] == m.moments[1] {
		what := m.moments[0].describe(p.recordings[compare.Before], a)
		if about, state, inState := strings.Cut(what, ", in state "); inState && state != "" {
			text = about + ", " + text
		} else if !strings.HasPrefix(what, "in state ") {
			text = what
		}
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
