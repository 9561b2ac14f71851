package recording

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// The view model of a small recording, as the page gets it.
func TestReport(t *testing.T) {
	r := New("memviz test", []answer.Input{answer.NewInput("runs/training.pickle", testsnap.Training())}, true)
	r.Palette = Palette{} // has tests of its own
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "report_training.json", append(text, '\n'))
}

func TestStart(t *testing.T) {
	empty := snapshot.NewComposer(snapshot.Format{}).Snapshot()
	for _, test := range []struct {
		name string
		in   []answer.Input
		want Start
	}{
		{"nothing", nil, Start{0, 0}},
		{"the only device", []answer.Input{answer.NewInput("", testsnap.StateOnly())}, Start{0, 0}},
		{"the highest peak, not the longest history", []answer.Input{answer.NewInput("", empty),
			answer.NewInput("", testsnap.StateOnly()),
			answer.NewInput("", testsnap.Training()), answer.NewInput("", testsnap.Hostile())}, Start{3, 0}},
		{"the first of equals",
			[]answer.Input{answer.NewInput("", testsnap.StateOnly()), answer.NewInput("", testsnap.StateOnly())},
			Start{0, 0}},
		{"a GPU before host memory", []answer.Input{answer.NewInput("", testsnap.HostMemory()),
			answer.NewInput("", testsnap.StateOnly())}, Start{1, 0}},
		{"host memory without a GPU", []answer.Input{answer.NewInput("", empty),
			answer.NewInput("", testsnap.HostMemory())},
			Start{1, 0}},
	} {
		if got := New("", test.in, true).Start; got != test.want {
			t.Errorf("%s: starts with %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		micros []int64
		first  string
		span   int64
	}{
		{nil, "", 0},
		{[]int64{1_700_000_000_000_001}, "2023-11-14T22:13:20.000001Z", 0},
		{[]int64{1_700_000_000_000_000, 1_700_000_000_000_900, 1_700_000_000_000_300},
			"2023-11-14T22:13:20.000000Z", 900},
		{[]int64{math.MinInt64, math.MaxInt64}, "", MaxExact},
		{[]int64{math.MaxInt64, math.MinInt64}, "", 0},
	} {
		var d Device
		d.setTimes(&snapshot.Events{TimeMicros: test.micros})
		if d.HasTime != (len(test.micros) > 0) || d.FirstTime != test.first || d.SpanMicros != test.span {
			t.Errorf("%v: has time %v, first %q, span %d, want %q, %d", test.micros, d.HasTime, d.FirstTime,
				d.SpanMicros, test.first, test.span)
		}
	}
}

// Every family has a place in the legend, a hue and its words.
func TestFamilies(t *testing.T) {
	palette := newPalette()
	seen := map[string]bool{}
	for _, f := range newFamilies() {
		if f.Key == "" || f.Label == "" || f.One == "" || seen[f.Key] {
			t.Errorf("family %+v is twice in the legend or lacks a word", f)
		}
		seen[f.Key] = true
		if f.Hue >= len(palette.Light) || len(palette.Light) != len(palette.Dark) {
			t.Errorf("family %s has hue %d of %d light, %d dark ones", f.Key, f.Hue, len(palette.Light),
				len(palette.Dark))
		}
	}
}
