package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// What the page says of a failed request is what the command says.
func TestCardsOfFailures(t *testing.T) {
	in := example(t, "out-of-memory")
	s, err := OOM([]Input{in}, OOMOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := s.value.(*devices[OOMDevice]).Devices[0].OOMs
	cards, got, _ := Cards(in.Recordings[0], Predict(in.Recordings[0]))
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
		r := kept(1000)
		if peak == 0 {
			r = kept()
		}
		r.Device.Totals.PeakBytes = peak
		if c := atPeak(r); !strings.HasSuffix(withSpaces(c.Line), want) {
			t.Errorf("1000 of %d bytes: %q, want %q", peak, c.Line, want)
		}
	}
	if c := allocatedBy(kept(), &holders.Holding{Rows: []holders.Row{{Key: "x"}}}); c.Mood != Unknown {
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
	c := grown(kept(512<<10, 256<<10))
	if c.Value != "+768 KiB" || c.Line != "load x.py:7 keeps 768 KiB" ||
		!slices.Equal(c.Curve, []int64{0, 512 << 10}) ||
		c.Evidence != (Evidence{State: 2, Allocation: 0}) {
		t.Errorf("%+v", c)
	}
	for events, points := range map[int]int{24: 24, 25: 13, 48: 24, 49: 17} { // of 1, 2, 2 and 3 events
		if c := grown(kept(slices.Repeat([]int64{1}, events)...)); len(c.Curve) != points {
			t.Errorf("%d events give %d points, want %d", events, len(c.Curve), points)
		}
	}
	tape := snapshot.NewComposer(snapshot.Format{})
	stack := tape.Stack(snapshot.FrameText{File: "x.py", Line: 7, Name: "load"})
	tape.Segment(snapshot.Segment{Address: 4096, TotalSize: 1024}, // there all the time
		snapshot.Block{Address: 4096, Size: 1024, RequestedSize: 1024, Stack: stack, State: snapshot.ActiveAllocated})
	tape.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 1 << 20, Size: 512, Stack: stack})
	tape.Event(0, snapshot.EventText{Action: snapshot.Free, Addr: 1 << 20, Size: 512, Stack: stack})
	if c := grown(recordingOf(tape)); c.Value != "0" ||
		c.Line != "nothing allocated here is still live" || c.Evidence.Allocation != -1 {
		t.Errorf("%+v", c)
	}
}

// TestGrowingWithSteps: a leak, none, and too few steps to tell.
func TestGrowingWithSteps(t *testing.T) {
	for want, r := range map[string]*analysis.Recording{
		"validate train.py:41 keeps 24.6 MiB more each step": example(t,
			"leaking-loss").Recordings[0],
		"no call site keeps more each step": example(t,
			"gradient-accumulation").Recordings[0],
		"no growth of a call site seen in 4 steps": example(t,
			"training-loop").Recordings[0],
		"4.00 MiB each step that no call site explains":        growingScripts["a queue"]()[0].Recordings[0],
		"too few iterations to tell growth from getting ready": kept(512, 512, 512),
		"growth cannot be told": newScript().train(1,
			nil)[0].Recordings[0],
		"no call site keeps more tensors, but some are replaced by larger ones": growingScripts["a regrown buffer"]()[0].Recordings[0],
	} {
		if c := GrowthCard(r, 0); withSpaces(c.Line) != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
}

// TestStepsLeftOnCard: the strip says as many steps as leaks does, by the same capacity.
func TestStepsLeftOnCard(t *testing.T) {
	for name, capacity := range map[string]int64{"a queue": 1 << 30, "a leak and an OOM": 0, "a leak": 0} {
		in := growingScripts[name]()
		found := in[0].Recordings[0].LeaksWithoutCycles()
		left := newLeaksDevice(&in[0], in[0].Recordings[0], found, capacity).StepsLeft
		c := GrowthCard(in[0].Recordings[0], capacity)
		if left == nil {
			if strings.Contains(c.Small, "left") || strings.Contains(c.Detail, "At this rate") || name != "a leak" {
				t.Errorf("%s: %+v", name, c)
			}
			continue
		}
		sentence := stepsLeftSentence(in[0].Recordings[0], found, capacity)
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
		card, failures := outOfMemory(recordingOf(c), nil)
		if card.Line != line || len(failures) != n {
			t.Errorf("%d failures: %+v", n, card)
		}
		for _, f := range failures {
			if want := adviceSentence(oom.Advice{Kind: oom.AdviseFraction}, &layout.Settings{}, &backends[snapshot.CUDA]); f.Try != want {
				t.Errorf("try %q, want %q", f.Try, want)
			}
		}
	}
}

func TestEvidence(t *testing.T) {
	const mib = 1 << 20
	c := snapshot.NewComposer(snapshot.Format{})
	other := c.Stream(0xabc)
	f := newOOMContext(nil, recordingOf(c), 0)
	o := oom.Failure{Event: 1234, Requested: 100 * mib, Reserved: 960 * mib, DeviceFree: 40 * mib,
		LargestSame: 12 * mib,
		FreeSame:    70 * mib, FreeOther: 80 * mib, Pools: []oom.PoolFree{{}, {Stream: other}}}
	o.WouldFit.OtherPool = -1
	for _, test := range []struct {
		verdict oom.Verdict
		pool    int
		want    string
	}{
		{oom.Fragmented, -1, "Out of memory by fragmentation: 100 MiB requested in state 1,234, 110 MiB free but in " +
			"pieces of at most 40.0 MiB."},
		{oom.Other, -1, "Out of memory: 100 MiB requested in state 1,234; 80.0 MiB of cached memory is free but " +
			"belongs to another stream or pool and cannot serve it."},
		{oom.Other, 0, "Out of memory: 100 MiB requested in state 1,234; 80.0 MiB of cached memory is free but " +
			"belongs to another stream or pool and cannot serve it."},
		{oom.Other, 1, "Out of memory: 100 MiB requested in state 1,234; 80.0 MiB of cached memory is free but " +
			"belongs to stream 0xabc and cannot serve it."},
		{oom.Limit, -1, "Out of memory: 100 MiB requested in state 1,234 while 40.0 MiB were free on the device: a " +
			"limit of the process or a failed mapping refused it."},
	} {
		o.Verdict, o.WouldFit.OtherPool = test.verdict, test.pool
		if got := withSpaces(f.sentence(&o).String()); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if got, want := adviceSentence(oom.Advice{Kind: oom.AdviseMaxSplit, Bytes: 64 * mib}, &layout.Settings{}, &backends[snapshot.CUDA]),
		"max_split_size_mb:64 keeps"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDiagnosis(t *testing.T) {
	const mib = 1 << 20
	o := oom.Failure{Active: 900 * mib, Reserved: 960 * mib, DeviceFree: 40 * mib, LargestSame: 12 * mib,
		FreeOther: 80 * mib, Capacity: 3000 * mib}
	for verdict, want := range map[oom.Verdict]string{
		oom.Pressure:   "90 % of the 1000 MiB that PyTorch could use was in use.",
		oom.Fragmented: "Enough was free, in pieces of at most 40.0 MiB: fragmentation.",
		oom.Other:      "Enough was cached, but 80.0 MiB of it for another stream or pool.",
		oom.Outside:    "1.95 GiB was used outside of PyTorch's allocator.",
		oom.Limit:      "The device had room: a limit of the process or a failed mapping refused it.",
	} {
		o.Verdict = verdict
		if got := strings.ReplaceAll(verdicts[o.Verdict].brief(&o), "\u00a0", " "); got != want {
			t.Errorf("%v: %q, want %q", verdict, got, want)
		}
	}
}

// The schema of memviz oom names the verdicts that there are.
func TestVerdictsOfSchema(t *testing.T) {
	var keys []string
	for v := range verdicts {
		keys = append(keys, oom.Verdict(v).Key())
	}
	last := len(keys) - 1
	want := strings.Join(keys[:last], ", ") + " or " + keys[last]
	if schema, _ := Schema("oom"); !strings.Contains(string(schema), `"description": "`+want+`"`) {
		t.Errorf("no key of the schema is described as %q", want)
	}
}

// A file without a history has one state, and nothing speaks of a peak there.
func TestCardsOfStateOnly(t *testing.T) {
	in := example(t, "training-loop")
	in.Snapshot.Traces, in.Snapshot.Annotations = nil, nil
	in = NewInput(in.Name, in.Snapshot)
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
	r := recordingOf(c)
	cards, _, retries := Cards(r, nil)
	const text = "The driver refused 90.0 MiB for a request of 90.0 MiB. PyTorch gave back 40.0 MiB in 1 segment of " +
		"its cache, and the request was served, 400 ms later, with less than 40.0 MiB left."
	if len(retries) != 1 || retries[0].State != 1 || withSpaces(retries[0].Text) != text {
		t.Errorf("%+v", retries)
	}
	const all = "Near out of memory: the driver refused a request, and PyTorch gave back 40.0 MiB in 1 segment of " +
		"its cache to serve it, in state 1; 400 ms went by; less than 40.0 MiB was left then."
	if oom := cards[3]; oom.Value != "Near it" || oom.Evidence.State != 1 || withSpaces(oom.Detail) != all {
		t.Errorf("%+v", oom)
	}
}
