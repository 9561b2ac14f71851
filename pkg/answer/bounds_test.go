package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// kept is a recording of one line that allocates these sizes and keeps them, in a segment of 1 MiB.
func kept(sizes ...int64) *analysis.Recording {
	c := snapshot.NewComposer(snapshot.Format{})
	stack := c.Stack(snapshot.FrameText{File: "/home/x.py", Line: 7, Name: "load"})
	at := uint64(1 << 20)
	var blocks []snapshot.Block
	for _, size := range sizes {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: at, Size: size, Stack: stack})
		blocks = append(blocks,
			snapshot.Block{Address: at, Size: size, RequestedSize: size, State: snapshot.ActiveAllocated})
		at += uint64(size)
	}
	c.Segment(snapshot.Segment{Address: 1 << 20, TotalSize: 1 << 20}, blocks...)
	return recordingOf(c)
}

// recordingOf is device 0 of what was composed.
func recordingOf(c *snapshot.Composer) *analysis.Recording {
	c.Trace(0)
	s := c.Snapshot()
	return analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
}

// TestReservedAtPeak: 512 and 256 KiB of a segment of 1 MiB are kept, so 256 are nobody's.
func TestReservedAtPeak(t *testing.T) {
	r := kept(512<<10, 256<<10)
	free, _ := outOfMemory(r, nil)
	if free.Line != "256 KiB reserved but not requested at the peak" || free.Evidence.State != 2 {
		t.Errorf("%+v", free)
	}
}

// TestAllocatedBy says nothing of sites if more than 90 % of the bytes have no stack.
func TestAllocatedBy(t *testing.T) {
	r := kept(500, 500)
	for without, want := range map[int64]string{900: "load", 901: "No stacks recorded"} {
		peak := &holders.Holding{Bytes: 1000, Allocations: 12, Rows: []holders.Row{
			{Key: "", Bytes: without, Allocations: 9},
			{Key: "x", Bytes: 1000 - without, Allocations: 3, Stack: r.Device.Allocations[0].Stack},
		}}
		c := allocatedBy(r, peak)
		if c.Value != want {
			t.Errorf("%d of 1000 bytes without a stack: %q", without, c.Value)
		}
		if known := "3 of 12 tensors carry one"; want != "load" && c.Line != known {
			t.Errorf("%q, want %q", c.Line, known)
		}
		if want == "load" && (c.Small != "x.py:7" || c.Line != "largest site at the peak: 100 B, 10 %, 3 tensors" &&
			c.Line != "largest site at the peak: 100 B, 10.0 %, 3 tensors") {
			t.Errorf("%q, %q", c.Small, c.Line)
		}
	}
}

func TestLowered(t *testing.T) {
	for label, want := range map[string]string{"Gradients": "gradients", "KV cache": "KV cache", "X": "X",
		"Aa": "aa", "Az": "az"} {
		if got := lowered(label); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestConditionCompares holds 1, 2 and 3 against 2.
func TestConditionCompares(t *testing.T) {
	for op, want := range map[string][3]bool{
		">": {false, false, true}, ">=": {false, true, true}, "<": {true, false, false}, "<=": {true, true, false},
		"==": {false, true, false}, "!=": {true, false, true},
	} {
		for i, v := range []float64{1, 2, 3} {
			if got := (Condition{op: op, limit: 2}).compare(v); got != want[i] {
				t.Errorf("%g %s 2 is %t", v, op, got)
			}
		}
	}
}

// TestAnnotationsOfALog: a log of events 1 to 2 has the annotations after event 0 and
// up to event 1; one that reaches an end of the recording has all on that side.
func TestAnnotationsOfALog(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true})
	for _, micros := range []int64{10, 20, 30} {
		c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken, TimeMicros: micros})
	}
	for _, micros := range []int64{35, 5, 10, 15, 20, 25, 30} {
		c.Annotation("a", true, micros)
	}
	in := NewInput("", c.Snapshot())
	for _, test := range []struct {
		from, end int
		want      []int64
	}{
		{0, 3, []int64{5, 10, 15, 20, 25, 30, 35}}, {1, 3, []int64{15, 20, 25, 30, 35}}, {0, 2, []int64{5, 10, 15, 20}},
		{1, 2, []int64{15, 20}}, {1, 1, nil}, {0, 0, nil}, {3, 3, nil},
	} {
		var got []int64
		for _, a := range (&eventLog{s: in.Snapshot, d: in.Devices[0], from: test.from, end: test.end}).annotationsHere() {
			got = append(got, a.TimeMicros)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%d to %d: annotations at %d, want %d", test.from, test.end, got, test.want)
		}
	}
}

// TestSegmentNumbers: five events change reserved memory, so there are at most five
// segments; a range without bytes is none.
func TestSegmentNumbers(t *testing.T) {
	n := newSegmentNames(NewInput("", expanding()).Recordings[0])
	if n.atMost() != 5 {
		t.Errorf("at most %d segments, want 5", n.atMost())
	}
	for _, test := range []struct {
		size int64
		want int
	}{{0, noSegment}, {-1, noSegment}, {512, 0}, {512, 1}} {
		if got := n.add(4096, test.size, 0, false); got != test.want {
			t.Errorf("%d bytes are segment %d, want %d", test.size, got, test.want)
		}
	}
}

// TestEventColumns: a row without bytes and site has the room of all columns.
func TestEventColumns(t *testing.T) {
	c := eventColumns{event: 5, what: 20, where: 9}
	room := 20 + len(gutter) + activeWidth + len(gutter) + 9
	for n, want := range map[int]int{room: room, room + 1: room} {
		got := c.row("1", "", strings.Repeat("x", n), "", "")
		if width := len([]rune(got)) - len(indent) - 5 - len(gutter); width != want {
			t.Errorf("%d characters became %d, want %d", n, width, want)
		}
	}
}

// TestEventRemark says which of five events there are.
func TestEventRemark(t *testing.T) {
	d := kept(1, 1, 1, 1, 1).Device
	for _, test := range []struct {
		from, end int
		want      string
	}{
		{0, 5, "5 events"}, {0, 4, "events 0 to 3 of 5"}, {2, 5, "events 2 to 4 of 5"}, {3, 4, "events 3 to 3 of 5"},
		{3, 3, "no event of 5"},
	} {
		if got := (&eventLog{d: d, from: test.from, end: test.end}).remark(); got != test.want {
			t.Errorf("%d to %d: %q, want %q", test.from, test.end, got, test.want)
		}
	}
}

// TestWindowRows cuts a table of five windows at --rows.
func TestWindowRows(t *testing.T) {
	for _, test := range []struct {
		windows, rows, shown int
		more                 string
	}{
		{5, 3, 3, "and 2 more rows; --rows shows more"}, {5, 4, 4, "and 1 more row; --rows shows more"}, {5, 5, 5, ""},
		{2, 5, 2, ""}, {1, 5, 0, ""},
	} {
		table := windowTable(&DeviceStats{Windows: make([]Window, test.windows)}, steps.ByOptimizer,
			StatsOptions{Rows: test.rows})
		if len(table.rows) != test.shown || table.more != test.more {
			t.Errorf("%+v: %d rows, %q", test, len(table.rows), table.more)
		}
	}
}

// TestOOMRows: rows without bytes are left out.
func TestOOMRows(t *testing.T) {
	rows := func(o oom.Failure) int { return len(oomTable(&o).rows) }
	none := rows(oom.Failure{Active: 10, InUse: 10})
	for name, o := range map[string]oom.Failure{
		"rounding": {Active: 11, InUse: 10}, "pending": {Pending: 1}, "free elsewhere": {FreeOther: 1},
		"outside": {CapacityGiven: true, Capacity: 1},
	} {
		if got := rows(o); got != none+1 {
			t.Errorf("%s: %d rows, without it %d", name, got, none)
		}
	}
	for name, o := range map[string]oom.Failure{
		"no capacity is given": {Capacity: 1}, "nothing is outside": {CapacityGiven: true, Capacity: 5, DeviceFree: 5},
	} {
		if got := rows(o); got != none {
			t.Errorf("%s: %d rows, want %d", name, got, none)
		}
	}
}

// TestCapacityWords: a capacity that the recording refutes is named, and a guess at the
// card made only where more than 1 GiB would be outside.
func TestCapacityWords(t *testing.T) {
	const gib = units.GiB
	for _, test := range []struct{ given, taken, least int64 }{{0, 0, 5}, {5, 5, 5}} {
		if got := said(t, func(s *Sheet) { s.tooSmall(test.given, test.taken, test.least) }); got != "" {
			t.Errorf("%+v: %s", test, got)
		}
	}
	want := "--capacity 2.00 GiB is ignored: the recording shows that the device has 5.00 GiB or more."
	if got := said(t, func(s *Sheet) { s.tooSmall(2*gib, 0, 5*gib) }); got != want {
		t.Error(got)
	}
	want = "PyTorch saw 78.0 GiB. If this is a 80 GiB card, about 2.00 GiB is used outside PyTorch; pass --capacity " +
		"to check."
	for _, test := range []struct {
		capacity oom.Capacity
		visible  int64
		want     string
	}{
		{oom.Capacity{Card: 80, CardBytes: 80 * gib}, 78 * gib, want},
		{oom.Capacity{Card: 80, CardBytes: 80 * gib}, 79 * gib, ""},
		{oom.Capacity{Card: 80, CardBytes: 80 * gib, Given: 80 * gib}, 78 * gib, ""},
		{oom.Capacity{}, -2 * gib, ""},
	} {
		f := &oomContext{capacity: test.capacity}
		if got := said(t, func(s *Sheet) { f.guess(s, &oom.Failure{Reserved: test.visible}) }); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestInspectedInShort(t *testing.T) {
	for want, v := range map[string]InspectAnswer{
		"nothing": {}, "users": {Users: []string{"x"}}, "addresses": {Addresses: 1}, "times": {Times: 1},
		"secrets, texts, addresses, times": {Secrets: []string{"x"}, Texts: []string{"x"}, Addresses: 2, Times: 3},
	} {
		if got := v.inShort(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDiffOf compares recordings of two functions, of which the first never changes.
func TestDiffOf(t *testing.T) {
	of := func(sizes ...int64) *Input {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Trace(0)
		for i, size := range sizes {
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: size,
				Stack: c.Stack(snapshot.FrameText{File: "x.py", Name: string(rune(0x61 + i))})})
		}
		in := NewInput("", c.Snapshot())
		return &in
	}
	for _, test := range []struct {
		before, after *Input
		share         float64
		unchanged     string
	}{
		{of(512), of(1024), 1, ""}, {of(512, 1), of(512, 9), 1, "1 site more, with 512 B, did not change."},
	} {
		s := asked(Diff(test.before, test.after, DiffOptions{Rows: 3}))
		text := strings.Join(strings.Fields(withSpaces(string(written(t, s, Text)))), " ")
		share := s.value.(*devices[DiffDevice]).Devices[0].MatchedShare
		if share != test.share || !strings.Contains(text, test.unchanged) ||
			strings.Contains(text, "did not change") != (test.unchanged != "") {
			t.Errorf("share %v, %s; want %+v", share, text, test)
		}
	}
}

// TestOnly keeps one of two devices.
func TestOnly(t *testing.T) {
	for id, want := range map[snapshot.DeviceID]bool{0: true, 1: true, 2: false} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken})
		c.Event(1, snapshot.EventText{Action: snapshot.SnapshotTaken})
		in := NewInput("", c.Snapshot())
		if got := in.Only(id); got != want || len(in.Devices) != len(in.Recordings) ||
			want && (len(in.Devices) != 1 || in.Devices[0].ID != id || in.Recordings[0].Device.ID != id) {
			t.Errorf("device %d: %v, %d are left", id, got, len(in.Devices))
		}
	}
}

func TestPredictedAdvice(t *testing.T) {
	outcome := func(peak int64, failed int) whatif.Outcome {
		return whatif.Outcome{Served: &whatif.Served{ReservedPeak: peak, FailedOf: failed}}
	}
	for _, test := range []struct {
		best, reference int64
		failed          int
		saved           int64
		cures           bool
	}{{60, 100, 0, 40, true}, {120, 100, 0, 0, true}, {60, 100, 1, 40, false}} {
		best := outcome(test.best, test.failed)
		p := &Prediction{Study: &whatif.Study{Best: &best, Reference: outcome(test.reference, 1)}}
		list := predictedAdvice(p)
		if len(list) != 1 || list[0].Bytes != test.saved || list[0].Fits != test.cures || p.cures() != test.cures {
			t.Errorf("%+v: %+v", test, list)
		}
	}
	none := &Prediction{Study: &whatif.Study{Reference: outcome(100, 0)}, Sentence: "No."}
	if list := predictedAdvice(none); list != nil {
		t.Errorf("advice without a better setting: %+v", list)
	}
	none.Reference.FailedOf = 1
	if list := predictedAdvice(none); len(list) != 1 || list[0].Text != "No." || list[0].Fits {
		t.Errorf("that no setting serves what failed: %+v", list)
	}
}

// TestAdviceOf: what the model has tried, it alone advises on.
func TestAdviceOf(t *testing.T) {
	list := []oom.Advice{{Kind: oom.AdviseExpandable, Fits: true}, {Kind: oom.AdviseMaxSplit}, {Kind: oom.AdviseStream}}
	kinds := func(p *Prediction) string {
		var text []string
		for _, a := range adviceOf(list, &layout.Settings{}, &backends[snapshot.CUDA], p) {
			text = append(text, a.Kind)
		}
		return strings.Join(text, " ")
	}
	worse := whatif.Outcome{Served: &whatif.Served{FailedOf: 1}}
	cured := whatif.Outcome{Served: &whatif.Served{}}
	for want, p := range map[string]*Prediction{
		"expandable_segments max_split_size stream": nil,
		"stream predicted":                          {Study: &whatif.Study{Reference: worse}},
		"predicted stream":                          {Study: &whatif.Study{Reference: worse, Best: &cured}},
		"stream":                                    {Study: &whatif.Study{Reference: cured}},
	} {
		if got := kinds(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for want, n := range map[string]int64{"1.1": 105, "1.0": 104, "9.9": 994, "10": 995, "998": 99_800,
		"1,000": 99_951} {
		if got := times(n, 100); got != want {
			t.Errorf("%d of 100: %s times, want %s", n, got, want)
		}
	}
}
