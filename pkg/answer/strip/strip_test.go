package strip

import (
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	oomanswer "github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestReservedAtPeak: 512 and 256 KiB of a segment of 1 MiB are kept, so 256 are nobody's.
func TestReservedAtPeak(t *testing.T) {
	r := answertest.Kept(512<<10, 256<<10)
	free, _ := outOfMemory(r, nil)
	if free.Line != "256 KiB reserved but not requested at the peak" || free.Evidence.State != 2 {
		t.Errorf("%+v", free)
	}
}

// TestAllocatedBy says nothing of sites if more than 90 % of the bytes have no stack.
func TestAllocatedBy(t *testing.T) {
	r := answertest.Kept(500, 500)
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

// What the page says of a failed request is what the command says.
func TestCardsOfFailures(t *testing.T) {
	in := answertest.Example(t, "out-of-memory")
	s, err := oomanswer.Answer([]answer.Input{in}, oomanswer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := s.Value.(*answer.Devices[oomanswer.Device]).Devices[0].OOMs
	cards, got, _ := Cards(in.Recordings[0], whatif.Predict(in.Recordings[0]))
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d failures, want %d", len(got), len(want))
	}
	for i, f := range got {
		try := haveLess
		if len(want[i].Advice) > 0 {
			try = want[i].Advice[0].Text
		}
		if f.State != want[i].State || f.Evidence != want[i].Evidence || !strings.HasPrefix(try, f.Try) || f.Try == "" {
			t.Errorf("failure %d is %+v, want %+v", i, f, want[i])
		}
	}
	if last := got[len(got)-1]; cards[3].Detail != last.Evidence || cards[3].Evidence.State != last.State {
		t.Errorf("the answer %+v is not of the last failure %+v", cards[3], last)
	}
}

// TestAtPeak names families from half a percent of the peak on.
func TestAtPeak(t *testing.T) {
	for peak, want := range map[int64]string{200_000: " <1 %", 200_001: "no tensor is live", 0: "no tensor is live"} {
		r := answertest.Kept(1000)
		if peak == 0 {
			r = answertest.Kept()
		}
		r.Device.Totals.PeakBytes = peak
		if c := atPeak(r); !strings.HasSuffix(answertest.WithSpaces(c.Line), want) {
			t.Errorf("1000 of %d bytes: %q, want %q", peak, c.Line, want)
		}
	}
	if c := allocatedBy(answertest.Kept(),
		&holders.Holding{Rows: []holders.Row{{Key: "x"}}}); c.Mood != answer.Unknown {
		t.Errorf("a row without bytes is the largest site: %+v", c)
	}
}

func TestFileAndLine(t *testing.T) {
	for want, site := range map[string]stacks.Site{
		"": {Function: "f", Line: 3}, "b.py": {File: "/a/b.py"}, "b.py:1": {File: `C:\a\b.py`, Line: 1},
	} {
		if got := fileAndLine(site); got != want {
			t.Errorf("%+v is %q, want %q", site, got, want)
		}
	}
}

// TestGrowingWithoutSteps compares the ends of a recording. The curve has at most 24 points.
func TestGrowingWithoutSteps(t *testing.T) {
	grown := func(r *analysis.Recording) Card { return growingWithoutSteps(Card{Evidence: noEvidence}, r) }
	c := grown(answertest.Kept(512<<10, 256<<10))
	if c.Value != "+768 KiB" || c.Line != "load x.py:7 keeps 768 KiB" ||
		!slices.Equal(c.Curve, []int64{0, 512 << 10}) ||
		c.Evidence != (Evidence{State: 2, Allocation: 0}) {
		t.Errorf("%+v", c)
	}
	for events, points := range map[int]int{24: 24, 25: 13, 48: 24, 49: 17} { // of 1, 2, 2 and 3 events
		if c := grown(answertest.Kept(slices.Repeat([]int64{1}, events)...)); len(c.Curve) != points {
			t.Errorf("%d events give %d points, want %d", events, len(c.Curve), points)
		}
	}
	tape := snapshot.NewComposer(snapshot.Format{})
	stack := tape.Stack(snapshot.FrameText{File: "x.py", Line: 7, Name: "load"})
	tape.Segment(snapshot.Segment{Address: 4096, TotalSize: 1024}, // there all the time
		snapshot.Block{Address: 4096, Size: 1024, RequestedSize: 1024, Stack: stack, State: snapshot.ActiveAllocated})
	tape.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 1 << 20, Size: 512, Stack: stack})
	tape.Event(0, snapshot.EventText{Action: snapshot.Free, Addr: 1 << 20, Size: 512, Stack: stack})
	if c := grown(answertest.RecordingOf(tape)); c.Value != "0" ||
		c.Line != "nothing allocated here is still live" || c.Evidence.Allocation != -1 {
		t.Errorf("%+v", c)
	}
}

// TestGrowingWithSteps: a leak, none, and too few steps to tell.
func TestGrowingWithSteps(t *testing.T) {
	for want, r := range map[string]*analysis.Recording{
		"validate train.py:41 keeps 24.6 MiB more each step": answertest.Example(t,
			"leaking-loss").Recordings[0],
		"no call site keeps more each step": answertest.Example(t,
			"gradient-accumulation").Recordings[0],
		"no growth of a call site seen in 4 steps": answertest.Example(t,
			"training-loop").Recordings[0],
		"4.00 MiB each step that no call site explains":        answertest.GrowingScripts["a queue"]()[0].Recordings[0],
		"too few iterations to tell growth from getting ready": answertest.Kept(512, 512, 512),
		"growth cannot be told": answertest.NewScript().Train(1,
			nil)[0].Recordings[0],
		"no call site keeps more tensors, but some are replaced by larger ones": answertest.GrowingScripts["a regrown buffer"]()[0].Recordings[0],
	} {
		if c := GrowthCard(r, 0); answertest.WithSpaces(c.Line) != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
}

// TestStepsLeftOnCard: the strip says as many steps as leaks does, by the same capacity.
func TestStepsLeftOnCard(t *testing.T) {
	for name, capacity := range map[string]int64{"a queue": 1 << 30, "a leak and an OOM": 0, "a leak": 0} {
		in := answertest.GrowingScripts[name]()
		found := in[0].Recordings[0].LeaksWithoutCycles()
		left := leaks.NewDevice(&in[0], in[0].Recordings[0], found, capacity).StepsLeft
		c := GrowthCard(in[0].Recordings[0], capacity)
		if left == nil {
			if strings.Contains(c.Small, "left") || strings.Contains(c.Detail, "At this rate") || name != "a leak" {
				t.Errorf("%s: %+v", name, c)
			}
			continue
		}
		sentence := leaks.StepsLeftSentence(in[0].Recordings[0], found, capacity)
		if !strings.HasSuffix(c.Small, ", "+units.Plural(*left, "step", "steps")+" left at most") ||
			!strings.HasSuffix(c.Detail, sentence) ||
			!strings.Contains(sentence, units.Plural(*left, "more step", "more steps")) {
			t.Errorf("%s: %d left: %+v", name, *left, c)
		}
	}
}

// TestCardOfSeveralFailures: the device had room, so a limit refused all of them.
func TestCardOfSeveralFailures(t *testing.T) {
	for n, line := range map[int]string{1: "a limit refused it", 2: "a limit refused it, the last of 2"} {
		c := snapshot.NewComposer(snapshot.Format{})
		for i := range n {
			c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 8 << 30, Size: 1 << 30})
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 512})
		}
		card, failures := outOfMemory(answertest.RecordingOf(c), nil)
		if card.Line != line || len(failures) != n {
			t.Errorf("%d failures: %+v", n, card)
		}
		for _, f := range failures {
			if want := "Look for a limit such as torch.cuda.set_per_process_memory_fraction: no file records that " +
				"call."; f.Try != want {
				t.Errorf("try %q, want %q", f.Try, want)
			}
		}
	}
}

// A file without a history has one state, and nothing speaks of a peak there.
func TestCardsOfStateOnly(t *testing.T) {
	in := answertest.Example(t, "training-loop")
	in.Snapshot.Traces, in.Snapshot.Annotations = nil, nil
	in = answer.NewInput(in.Name, in.Snapshot)
	cards, _, _ := Cards(in.Recordings[0], nil)
	for _, c := range cards {
		if strings.Contains(c.Value+c.Small+c.Line, "peak") {
			t.Errorf("of its one state is said: %+v", c)
		}
	}
	if !strings.HasPrefix(cards[2].Line, "largest site: ") {
		t.Errorf("who allocated it is answered with %+v", cards[2])
	}
}

// TestCardOfRetries: what was refused 90 MiB and served after 40 MiB had gone back is near out of memory.
func TestCardOfRetries(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true})
	c.Trace(0)
	at := c.Stack(snapshot.FrameText{File: "train.py", Line: 7, Name: "main"})
	for i, e := range []snapshot.EventText{
		{Action: snapshot.SegmentAlloc, Addr: 1 << 40, Size: 40 << 20},
		{Action: snapshot.SegmentFree, Addr: 1 << 40, Size: 40 << 20},
		{Action: snapshot.SegmentAlloc, Addr: 2 << 40, Size: 90 << 20},
		{Action: snapshot.Alloc, Addr: 2 << 40, Size: 90 << 20},
	} {
		e.Stack, e.TimeMicros = at, 1_000_000+int64(i)*200_000
		c.Event(0, e)
	}
	r := answertest.RecordingOf(c)
	cards, _, retries := Cards(r, nil)
	const text = "The driver refused 90.0 MiB for a request of 90.0 MiB. PyTorch gave back 40.0 MiB in 1 segment of " +
		"its cache, and the request was served, 400 ms later, with less than 40.0 MiB left."
	if len(retries) != 1 || retries[0].State != 1 || answertest.WithSpaces(retries[0].Text) != text {
		t.Errorf("%+v", retries)
	}
	const all = "Near out of memory: the driver refused a request, and PyTorch gave back 40.0 MiB in 1 segment of " +
		"its cache to serve it, in state 1; 400 ms went by; less than 40.0 MiB was left then."
	if oom := cards[3]; oom.Value != "Near it" || oom.Evidence.State != 1 || answertest.WithSpaces(oom.Detail) != all {
		t.Errorf("%+v", oom)
	}
}
