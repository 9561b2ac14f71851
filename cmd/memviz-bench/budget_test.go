package main

import (
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		measured, limit, goal float64
		want                  verdict
	}{
		{0.7, 0.7, 0.45, held},
		{0.71, 0.7, 0.45, notHeld},
		{0.45, 0.7, 0.45, heldStretch},
		{0.1, 11, 0, held}, // no goal
		{unknown, 11, 1, notMeasured},
	} {
		if got := atMost("", c.measured, c.limit, c.goal, "").verdict; got != c.want {
			t.Errorf("%v, at most %v, stretch %v: %s, want %s", c.measured, c.limit, c.goal, got, c.want)
		}
	}
}

// measuredAt is a contest of files in which a program takes so many seconds
// and bytes of memory for each MB.
func measuredAt(sizes []int, seconds, memory map[string]float64, htmlPerEvent float64) *contest {
	r := &contest{}
	for _, mb := range sizes {
		f := &snapshotFile{mb: mb, events: mb * eventsPerMB, bytes: int64(mb) * 1e6}
		r.files = append(r.files, f)
		for _, name := range []string{sha256sum, pickleNoG, stats, trace} {
			u := usage{wall: time.Duration(seconds[name] * float64(mb) * 1e9), peak: int64(memory[name] * float64(mb))}
			if name == trace {
				u.output = int64(shellBytes + htmlPerEvent*float64(f.events))
			}
			r.entries = append(r.entries, &entry{program: name, file: f, rounds: []usage{u}})
		}
	}
	return r
}

func TestFileBudgets(t *testing.T) {
	seconds := map[string]float64{sha256sum: 0.01, pickleNoG: 0.1, stats: 0.004, trace: 0.013}
	memory := map[string]float64{sha256sum: 1e3, pickleNoG: 4e6, stats: 0.3e6, trace: 0.5e6}
	r := measuredAt([]int{10, 100, 1000}, seconds, memory, 3)
	want := map[string]verdict{
		"stats, 1 GB: wall / sha256sum":           heldStretch, // 0.4
		"trace, 1 GB: wall / sha256sum":           notHeld,     // 1.3
		"trace, 1 GB: wall / python":              heldStretch, // 0.13
		"trace, 1 GB: memory / python":            held,        // 0.125
		"both, 100 MB and up: memory / file":      held,        // 0.5, of trace
		"HTML, 1M events and up: bytes per event": held,        // 3
		"both, 100 MB to 1 GB: wall":              held,        // 10
		"both, 100 MB to 1 GB: memory":            held,
	}
	budgets := fileBudgets(r)
	if len(budgets) != len(want) {
		t.Errorf("%d budgets, want %d", len(budgets), len(want))
	}
	for _, b := range budgets {
		if b.verdict != want[b.name] {
			t.Errorf("%s: measured %s, %s, want %s", b.name, b.measured, b.verdict, want[b.name])
		}
	}

	for _, b := range fileBudgets(measuredAt([]int{10}, seconds, memory, 3)) {
		if b.verdict != notMeasured {
			t.Errorf("%s is %s without its files", b.name, b.verdict)
		}
	}
}

// TestHTMLBudget: what the limit and the goal give away before they count differs.
func TestHTMLBudget(t *testing.T) {
	for perEvent, want := range map[float64]verdict{3.6: notHeld, 3.4: held, 2.49: held, 2.4: heldStretch} {
		if got := measuredAt([]int{1000}, nil, nil, perEvent).htmlBudget(); got.verdict != want {
			t.Errorf("%v bytes per event and 1.2 MB: %s, want %s", perEvent, got.verdict, want)
		}
	}
}

func TestPageBudgets(t *testing.T) {
	one := samples{interactive: {700}, view: {90, 90, 90}, wheel: {20, 20, 20}, drag: {16, 16, 50}, hover: {1, 2, 3}}
	want := map[string]verdict{
		"1M: from file:// to interactive, median":     held,
		"1M: frame while zooming and panning, median": held,    // 20, of wheel; a view is not a frame
		"1M: frame while zooming and panning, p95":    notHeld, // 50, of drag
		"1M: hover to tooltip, p95":                   heldStretch,
	}
	for _, b := range pageBudgets([]*shownPage{{scene: scene{name: "1M"}, samples: one}}) {
		expected, measured := want[b.name]
		if !measured {
			expected = notMeasured
		}
		if b.verdict != expected {
			t.Errorf("%s: measured %s, %s, want %s", b.name, b.measured, b.verdict, expected)
		}
		delete(want, b.name)
	}
	if len(want) > 0 {
		t.Errorf("these budgets are missing: %v", want)
	}
}

// TestTablesFit holds every table to the width of a terminal.
func TestTablesFit(t *testing.T) {
	seconds := map[string]float64{sha256sum: 0.0025, pickleNoG: 0.0999, stats: 0.004, trace: 0.013}
	memory := map[string]float64{sha256sum: 1e5, pickleNoG: 4e6, stats: 0.3e6, trace: 0.5e6}
	r := measuredAt([]int{10, 100, 500, 1000}, seconds, memory, 3)
	p := &shownPage{scene: scene{name: adversarial}, html: 43 << 20,
		samples: samples{interactive: {1234}, view: {1234.5}}}
	var b strings.Builder
	tables := []*table{measuredTable(r), ratioTable(r), growthTable(r), budgetTable(fileBudgets(r)),
		pageTable([]*shownPage{p}), budgetTable(pageBudgets([]*shownPage{p}))}
	if err := writeTables(&b, false, tables...); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSpace(line))); n > 98 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}
