package diff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer"
)

// Moment names a state of each of two recordings: a [Moment] of both, one of each,
// or a phase or step that both have. The zero Moment is the peaks.
type Moment struct {
	moments [2]answer.Moment
	paired  string // the key of a compare.Moment, or empty
}

// MomentForms lists what ParseMoment reads beside a moment.
const MomentForms = "load, forward, backward or optimizer (the highest state of the phase), step:N (that both " +
	"number N), or MOMENT,MOMENT for each"

// pairedMoments are the keys of compare.Moment that name no moment of one recording.
var pairedMoments = []string{"load", "forward", "backward", "optimizer"}

// ParseMoment reads what [ParseMoment] does, a phase such as backward, step:3 for the
// step that is paired under that number, or two moments with a comma between, where a
// number alone is a state: 7212,9660.
func ParseMoment(text string) (Moment, error) {
	text = strings.TrimSpace(text)
	for _, word := range pairedMoments {
		if text == word {
			return Moment{paired: word}, nil
		}
	}
	if number, is := strings.CutPrefix(text, "step:"); is {
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return Moment{}, fmt.Errorf("%q: write step:N with a whole number", text)
		}
		return Moment{paired: "step:" + strconv.FormatUint(n, 10)}, nil
	}
	both, err := answer.ParseMoment(text)
	if err == nil {
		return Moment{moments: [2]answer.Moment{both, both}}, nil
	}
	before, after, two := strings.Cut(text, ",")
	if !two {
		return Moment{}, fmt.Errorf("%w, %s", err, MomentForms)
	}
	var m Moment
	for side, text := range []string{before, after} {
		text = strings.TrimSpace(text)
		if strings.Trim(text, "0123456789") == "" {
			text = "state=" + text
		}
		if m.moments[side], err = answer.ParseMoment(text); err != nil {
			return Moment{}, err
		}
	}
	return m, nil
}

// states are the states that the moment names.
func (m Moment) states(p *Pair) (states [2]int, err error) {
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
func (m Moment) describe(states [2]int, p *Pair) string {
	a, b := states[compare.Before], states[compare.After]
	switch {
	case m == Moment{} && p.Sides[compare.Before].Device.States()+p.Sides[compare.After].Device.States() == 2:
		return "At the end" // neither has events
	case m == Moment{}:
		return "At the peaks, " + inStates(a, b)
	case strings.HasPrefix(m.paired, "step:"):
		return "At the highest of step " + m.paired[len("step:"):] + ", " + inStates(a, b)
	case m.paired != "":
		return "At the highest of " + m.paired + ", " + inStates(a, b)
	}
	text := inStates(a, b)
	if m.moments[0] == m.moments[1] {
		what := m.moments[0].Describe(p.recordings[compare.Before], a)
		if about, state, inState := strings.Cut(what, ", in state "); inState && state != "" {
			text = about + ", " + text
		} else if !strings.HasPrefix(what, "in state ") {
			text = what
		}
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
