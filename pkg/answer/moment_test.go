package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

func TestMoment(t *testing.T) {
	in := NewInput("", testsnap.Training())
	r := in.Recordings[0]
	for _, test := range []struct {
		text  string
		state int
		said  string
		fails string
	}{
		{"peak", 5, "at the peak, in state 5", ""},
		{"start", 0, "at the start", ""},
		{"end", 13, "at the end", ""},
		{"oom", 12, "at the OOM, in state 12", ""},
		{"oom=1", 12, "at the OOM, in state 12", ""},
		{"oom=2", 0, "", "out-of-memory event 2 is not in this recording, which has 1"},
		{"state=7", 7, "in state 7", ""},
		{"state=13", 13, "in state 13", ""},
		{"state=14", 0, "", "state 14 is not in this recording, whose last is 13"},
		{"time=0", 1, "after 0 µs, in state 1", ""},
		{"time=0.5ms", 3, "after 500 µs, in state 3", ""},
		{"time=3ms", 13, "after 3.00 ms, in state 13", ""},
		{"time=1h", 0, "", "the time 60 min 0 s is not in this recording, which ends after 3.00 ms"},
		{"state=-1", 0, "", `"state=-1": write state=N with a whole number from 0`},
		{"oom=0", 0, "", "write oom=N with a whole number from 1"},
		{"time=soon", 0, "", "is not a span of time"},
		{"step=9", 0, "", "step 9 is not in this recording, in which 1 step ends"},
		{"annotation=x", 0, "", `the annotation "x" is not in this recording`},
		{"annotation=", 0, "", "is no moment"},
		{"peak=1", 0, "", "is no moment; there are peak"},
		{"", 0, "", "is no moment"},
	} {
		m, err := ParseMoment(test.text)
		state := 0
		if err == nil {
			state, err = m.State(r)
		}
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%q gives %v, want %q", test.text, err, test.fails)
			}
		case err != nil || state != test.state || m.Describe(r, state) != test.said:
			t.Errorf("%q is state %d %q (%v), want %d %q", test.text, state, m.Describe(r, state), err, test.state,
				test.said)
		}
	}
}

// Training has 13 events, 250 µs apart.
func TestBounds(t *testing.T) {
	d := replay.Replay(testsnap.Training(), 0)
	for _, test := range []struct {
		from, to   string
		first, end int
		fails      string
	}{
		{"", "", 0, 13, ""},
		{"3", "5", 3, 6, ""},
		{"3", "3", 3, 4, ""},
		{"5", "3", 4, 4, ""},
		{"100", "", 13, 13, ""},
		{"", "100", 0, 13, ""},
		{"500us", "1ms", 2, 5, ""},
		{"0.0005 s", "1.1ms", 2, 5, ""},
		{"2", "1ms", 2, 5, ""},
		{"1h", "", 13, 13, ""},
		{"soon", "", 0, 0, `"soon" is neither an event index nor a time such as 500ms`},
		{"-1", "", 0, 0, "neither"},
		{"1.5", "", 0, 0, "neither"},
		{"99999999999", "", 0, 0, "neither"},
	} {
		from, err := ParseBound(test.from)
		if err != nil {
			if test.fails == "" || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%q: %v", test.from, err)
			}
			continue
		}
		to, err := ParseBound(test.to)
		if err != nil {
			t.Fatal(err)
		}
		first, end, err := Between(d, from, to)
		if err != nil || first != test.first || end != test.end || test.fails != "" {
			t.Errorf("%q to %q are %d to %d (%v), want %d to %d", test.from, test.to, first, end, err, test.first,
				test.end)
		}
	}
}

func TestBoundsWithoutTimes(t *testing.T) {
	from, err := ParseBound("1ms")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Between(replay.Replay(testsnap.Cut(), 0), from, Bound{}); err == nil ||
		!strings.Contains(err.Error(), "use event indices") {
		t.Errorf("a time in a recording without times: %v", err)
	}
}
