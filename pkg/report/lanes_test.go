package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// decodedLanes is a payload "lanes-F-D", read by its documentation.
type decodedLanes struct {
	strings           []string
	from, length      []uint64
	fromUs            []int64
	lengthUs          []uint64
	depth, name, cut  []uint64
	phaseFrom, phases []uint64
	phaseKind         []uint64
	boundaries        []uint64
}

func decodeLanes(raw []byte) (*decodedLanes, error) {
	r := columnReader{rest: raw}
	l := &decodedLanes{strings: r.strings(), from: sums(r.column()), length: r.column(), fromUs: sums(r.signed()),
		lengthUs: r.column()}
	l.depth, l.name, l.cut = r.column(), r.column(), r.column()
	l.phaseFrom, l.phases, l.phaseKind = sums(r.column()), r.column(), r.column()
	l.boundaries = sums(r.column())
	if err := r.finish(); err != nil {
		return nil, err
	}
	n, timed := len(l.from), len(l.fromUs)
	if len(l.length) != n || len(l.depth) != n || len(l.name) != n || len(l.cut) != n ||
		(timed != 0 && timed != n) || len(l.lengthUs) != timed ||
		len(l.phases) != len(l.phaseFrom) || len(l.phaseKind) != len(l.phaseFrom) {
		return nil, errors.New("columns of different lengths")
	}
	return l, nil
}

// lines is one line a range and one a phase, as in "  forward 3-9".
func (l *decodedLanes) lines() string {
	var b strings.Builder
	for i, from := range l.from {
		fmt.Fprintf(&b, "%s%s %d-%d%s", strings.Repeat("  ", int(l.depth[i])), l.strings[l.name[i]], from,
			from+l.length[i], [...]string{"", " no start", " no end"}[l.cut[i]])
		if len(l.fromUs) > 0 {
			fmt.Fprintf(&b, " %d+%d us", l.fromUs[i], l.lengthUs[i])
		}
		b.WriteByte('\n')
	}
	for i, from := range l.phaseFrom {
		fmt.Fprintf(&b, "%s %d-%d\n", [...]string{"load", "forward", "backward", "optimizer"}[l.phaseKind[i]], from,
			from+l.phases[i])
	}
	return b.String()
}

// checkLanes compares the lanes of a page with the analysis, and holds them to
// what the viewer relies on.
func checkLanes(t testing.TB, page *decodedPage, view *recording.Device, r *analysis.Recording) {
	t.Helper()
	l, err := decodeLanes(page.payloads[view.Lanes.Payload])
	if err != nil {
		t.Fatal(err)
	}
	states := uint64(r.Device.States())
	ranges, runs, steps := r.Annotations(), r.Phases(), r.Steps()
	if got := len(l.from) + view.Lanes.RangesLeftOut; got != len(ranges) {
		t.Errorf("%d annotated ranges with those left out, want %d", got, len(ranges))
	}
	if got := len(l.phaseFrom) + view.Lanes.PhasesLeftOut; got != len(runs) {
		t.Errorf("%d phases with those left out, want %d", got, len(runs))
	}
	if len(l.from) > recording.MaxRanges || len(l.phaseFrom) > recording.MaxPhases || len(l.boundaries) != len(steps.Boundaries) {
		t.Errorf("%d ranges, %d phases, %d boundaries", len(l.from), len(l.phaseFrom), len(l.boundaries))
	}
	var ends [recording.MaxRangeDepth]uint64
	for i, from := range l.from {
		to := from + l.length[i]
		if to >= states || l.depth[i] >= recording.MaxRangeDepth || from < ends[l.depth[i]] {
			t.Fatalf("range %d at depth %d is from %d to %d of %d states, after %v", i, l.depth[i], from, to,
				states, ends)
		}
		ends[l.depth[i]] = to
		name := l.strings[l.name[i]]
		if utf8.RuneCountInString(name) > recording.MaxRangeName ||
			strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
			t.Errorf("a range has the name %q", name)
		}
		if len(l.fromUs) > 0 && (l.fromUs[i] < 0 || l.fromUs[i]+int64(l.lengthUs[i]) > view.SpanMicros) {
			t.Errorf("range %d takes %d us from %d on, of %d", i, l.lengthUs[i], l.fromUs[i], view.SpanMicros)
		}
		if view.Lanes.RangesLeftOut == 0 &&
			(int(from) != ranges[i].From || int(to) != ranges[i].To || int(l.depth[i]) != ranges[i].Lane) {
			t.Errorf("range %d is %d to %d at depth %d, want %+v", i, from, to, l.depth[i], ranges[i])
		}
	}
	end := uint64(0)
	for i, from := range l.phaseFrom {
		if from < end || from+l.phases[i] >= states || l.phases[i] == 0 || l.phaseKind[i] > 3 {
			t.Fatalf("phase %d of kind %d has %d states from %d on, after %d", i, l.phaseKind[i], l.phases[i],
				from, end)
		}
		end = from + l.phases[i]
	}
	for i, b := range l.boundaries {
		if b != uint64(steps.Boundaries[i]) {
			t.Errorf("boundary %d is %d, want %d", i, b, steps.Boundaries[i])
		}
	}
}

// lanesOf is what a page has of the only device of a recording.
func lanesOf(t *testing.T, c *snapshot.Composer) (*decodedLanes, *recording.Device) {
	t.Helper()
	in := answer.NewInput("", c.Snapshot())
	page := encoded(t, []answer.Input{in})
	view := &page.report.Files[0].Devices[0]
	checkLanes(t, page, view, in.Recordings[0])
	l, err := decodeLanes(page.payloads[view.Lanes.Payload])
	if err != nil {
		t.Fatal(err)
	}
	return l, view
}

// ticking is a composer whose events are 10 microseconds apart.
type ticking struct {
	*snapshot.Composer
	now int64
}

func newTicking() *ticking {
	return &ticking{snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasAnnotations: true}),
		1_700_000_000_000_000}
}

// alloc allocates something in a function of a module's code.
func (c *ticking) alloc(addr uint64, file, function string) {
	c.now += 10
	c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: addr << 20, Size: 512, TimeMicros: c.now,
		Stack: c.Stack(snapshot.FrameText{File: file, Line: 3, Name: function})})
}

func TestLanes(t *testing.T) {
	c := newTicking()
	mark := func(name string, start bool) { c.now += 3; c.Annotation(name, start, c.now) }
	mark("began before", false)
	c.alloc(1, "model.py", "forward")
	mark("ProfilerStep#1", true)
	c.alloc(2, "model.py", "forward")
	mark("Optimizer.step#AdamW.step", true)
	for i := range uint64(3) {
		c.alloc(3+i, "/lib/python3.12/site-packages/torch/optim/adam.py", "step")
	}
	mark("Optimizer.step#AdamW.step", false)
	mark("ProfilerStep#1", false)
	mark("\x1b[31m"+strings.Repeat("x", 200), true)
	c.alloc(9, "model.py", "forward")
	l, view := lanesOf(t, c.Composer)
	want := `began before 0-0 no start 0+0 us
ProfilerStep#1 1-5 3+49 us
  Optimizer.step#AdamW.step 2-5 16+33 us
` + "\uFFFD[31m" + strings.Repeat("x", 94) + `… 5-6 no end 55+10 us
forward 0-2
optimizer 2-5
forward 5-6
`
	if got := l.lines(); got != want {
		t.Errorf("lanes\n%s\nwant\n%s", got, want)
	}
	if fmt.Sprint(l.boundaries) != "[5]" || view.Lanes.StepWord != "step" ||
		view.Lanes.StepsFrom != "named in the file" {
		t.Errorf("steps end at %v: %+v", l.boundaries, view.Lanes)
	}
}

// Ranges nested without end, and more than any page shows.
func TestLanesLeftOut(t *testing.T) {
	t.Run("depth", func(t *testing.T) {
		c := newTicking()
		c.alloc(1, "a.py", "f")
		for i := range 300 {
			c.Annotation(fmt.Sprint(i), true, c.now+int64(i))
		}
		c.alloc(2, "a.py", "f")
		if l, view := lanesOf(t, c.Composer); len(l.from) != recording.MaxRangeDepth ||
			view.Lanes.RangesLeftOut != 300-recording.MaxRangeDepth {
			t.Errorf("%d ranges, %d left out", len(l.from), view.Lanes.RangesLeftOut)
		}
	})
	t.Run("number", func(t *testing.T) {
		c := newTicking()
		long := 0
		for i := range recording.MaxRanges + 500 {
			c.Annotation("a", true, c.now)
			c.alloc(uint64(i), "a.py", "f")
			if i%10 == 0 {
				c.alloc(1<<40+uint64(i), "a.py", "f")
				long++
			}
			c.Annotation("inside", true, c.now)
			c.Annotation("inside", false, c.now)
			c.Annotation("a", false, c.now)
		}
		l, view := lanesOf(t, c.Composer)
		if len(l.from) != recording.MaxRanges || view.Lanes.RangesLeftOut != recording.MaxRanges+1000 {
			t.Fatalf("%d ranges, %d left out", len(l.from), view.Lanes.RangesLeftOut)
		}
		for _, n := range l.length {
			if n == 2 {
				long--
			}
		}
		if long != 0 {
			t.Errorf("%d of the longest ranges are missing", long)
		}
	})
}

// The line says where its number is from.
func TestCapacity(t *testing.T) {
	c := newTicking()
	c.alloc(1, "a.py", "f")
	c.Event(0, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: 1 << 30, Size: 3 << 30})
	c.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 3 << 30})
	plain := answer.NewInput("", c.Snapshot())
	c = newTicking()
	c.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 3 << 30})
	c.Event(0, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: 1 << 30, Size: 3 << 30})
	c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 1 << 30, Size: 2 << 30})
	failed := answer.NewInput("", c.Snapshot())
	for _, test := range []struct {
		name     string
		in       answer.Input
		given    recording.GivenCapacity
		want     string
		tooSmall int
	}{
		{"nothing is known", plain, recording.GivenCapacity{}, "", 0},
		{"given", plain, recording.GivenCapacity{Bytes: 8 << 30}, "capacity, as given: 8.00 GiB", 0},
		{"a card", plain, recording.GivenCapacity{Bytes: 80 << 30, GPU: "A100-80GB"},
			"capacity of an A100-80GB: about 80.0 GiB", 0},
		{"too small", plain, recording.GivenCapacity{Bytes: 1 << 30}, "", 1},
		{"from the OOM", failed, recording.GivenCapacity{}, "capacity, from the OOM: 4.00 GiB", 0},
		{"given beside an OOM", failed, recording.GivenCapacity{Bytes: 5 << 30}, "capacity, as given: 5.00 GiB", 0},
		{"given less than the OOM saw", failed, recording.GivenCapacity{Bytes: 3 << 30}, "capacity, from the OOM: 4.00 GiB", 1},
	} {
		d := Encode("memviz test", []answer.Input{test.in}, nil)
		tooSmall := d.Capacity(test.given)
		if kept := d.report.GivenCapacity; (kept != nil) != (test.given.Bytes > 0) || kept != nil &&
			*kept != test.given {
			t.Errorf("%s: the report keeps %+v", test.name, kept)
		}
		got := ""
		if c := written(t, d).report.Files[0].Devices[0].Capacity; c != nil {
			got = strings.ReplaceAll(c.Text, "\u00a0", " ")
		}
		if got != test.want || len(tooSmall) != test.tooSmall {
			t.Errorf("%s: %q, %d too small; want %q, %d", test.name, got, len(tooSmall), test.want, test.tooSmall)
		}
	}
}

// TestCapacityTellsStepsLeft: with a capacity the answer about growth says how long it lasts.
func TestCapacityTellsStepsLeft(t *testing.T) {
	file, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", "leaking-loss", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	d := Encode("memviz test", []answer.Input{answer.NewInput("", file)}, nil)
	for _, given := range []int64{0, 2 << 30, 3 << 30, 0} {
		d.Capacity(recording.GivenCapacity{Bytes: given})
		card := written(t, d).report.Files[0].Devices[0].Answers[recording.GrowthAnswer]
		want := strings.ReplaceAll("the "+units.Bytes(given)+" of the device are full after at most ", " ", "\u00a0")
		said := strings.Contains(strings.ReplaceAll(card.Detail, " ", "\u00a0"), want)
		if left := strings.Contains(card.Small, " left at most"); left != (given > 0) || said != left {
			t.Errorf("with %d bytes: %q, %q", given, card.Small, card.Detail)
		}
	}
}

// A page whose lanes are all there is keeps them when it is made smaller.
func TestLanesFit(t *testing.T) {
	in := answer.NewInput("", testsnap.Training())
	d := Encode("memviz test", []answer.Input{in}, nil)
	var tooLarge *TooLargeError
	if err := d.Fit(1); !errors.As(err, &tooLarge) {
		t.Fatal(err)
	}
	page := written(t, d)
	checkLanes(t, page, &page.report.Files[0].Devices[0], in.Recordings[0])
}
