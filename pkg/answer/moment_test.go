package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testkit"
)

func TestMoment(t *testing.T) {
	in := Analyse("", testkit.Training())
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
		{"oom", 12, "out of memory, in state 12", ""},
		{"oom=1", 12, "out of memory, in state 12", ""},
		{"oom=2", 0, "", "out-of-memory event 2 is not in this recording, which has 1"},
		{"state=7", 7, "in state 7", ""},
		{"state=13", 13, "in state 13", ""},
		{"state=14", 0, "", "state 14 is not in this recording, whose last is 13"},
		{"time=0", 1, "after 0, in state 1", ""},
		{"time=0.5ms", 3, "after 500 µs, in state 3", ""},
		{"time=1h", 13, "after 60 min 0 s, in state 13", ""},
		{"state=-1", 0, "", `"state=-1": write state=N with a whole number`},
		{"oom=0", 0, "", "write oom=N"},
		{"time=soon", 0, "", "is not a span of time"},
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
		case err != nil || state != test.state || m.said(r.Device, state) != test.said:
			t.Errorf("%q is state %d %q (%v), want %d %q", test.text, state, m.said(r.Device, state), err, test.state, test.said)
		}
	}
}
