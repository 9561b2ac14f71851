package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/samples"
)

// Training has 13 events, 250 µs apart.
func TestMarks(t *testing.T) {
	d := replay.Replay(samples.Training(), 0)
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
		from, err := ParseMark(test.from)
		if err != nil {
			if test.fails == "" || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%q: %v", test.from, err)
			}
			continue
		}
		to, err := ParseMark(test.to)
		if err != nil {
			t.Fatal(err)
		}
		first, end, err := between(d, from, to)
		if err != nil || first != test.first || end != test.end || test.fails != "" {
			t.Errorf("%q to %q are %d to %d (%v), want %d to %d", test.from, test.to, first, end, err, test.first,
				test.end)
		}
	}
}

func TestMarksWithoutTimes(t *testing.T) {
	from, err := ParseMark("1ms")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := between(replay.Replay(samples.Cut(), 0), from, Mark{}); err == nil ||
		!strings.Contains(err.Error(), "use event indices") {
		t.Errorf("a time in a recording without times: %v", err)
	}
}
