package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// kept is a recording of one line that allocates these sizes and keeps them, in a segment of 1 MiB.
func kept(sizes ...int64) *analysis.Recording {
	c := snapshot.NewComposer(snapshot.Format{})
	c.Trace(0)
	stack := c.Stack(snapshot.FrameText{File: "/home/x.py", Line: 7, Name: "load"})
	at := uint64(1 << 20)
	var blocks []snapshot.Block
	for _, size := range sizes {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: at, Size: size, Stack: stack})
		blocks = append(blocks, snapshot.Block{Address: at, Size: size, RequestedSize: size, State: snapshot.ActiveAllocated})
		at += uint64(size)
	}
	c.Segment(snapshot.Segment{Address: 1 << 20, TotalSize: 1 << 20}, blocks...)
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
	r := kept(1000)
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
	for label, want := range map[string]string{"Gradients": "gradients", "KV cache": "KV cache", "X": "X"} {
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
		table := windowTable(&DeviceStats{Windows: make([]Window, test.windows)}, StatsOptions{Rows: test.rows})
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
	} {
		if got := rows(o); got != none+1 {
			t.Errorf("%s: %d rows, without it %d", name, got, none)
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

func TestPredictedAdvice(t *testing.T) {
	outcome := func(peak int64, failed int) whatif.Outcome {
		return whatif.Outcome{Prediction: &whatif.Prediction{ReservedPeak: peak, FailedOf: failed}}
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
		for _, a := range adviceOf(list, &layout.Settings{}, p) {
			text = append(text, a.Kind)
		}
		return strings.Join(text, " ")
	}
	worse := whatif.Outcome{Prediction: &whatif.Prediction{FailedOf: 1}}
	cured := whatif.Outcome{Prediction: &whatif.Prediction{}}
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
