package oom

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	whatifanswer "github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// TestOOMRows: rows without bytes are left out.
func TestOOMRows(t *testing.T) {
	rows := func(o oom.Failure) int { return len(oomTable(&o).Rows) }
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
		if got := answertest.Said(t, func(s *sheet.Sheet) {
			WriteTooSmall(s, test.given, test.taken,
				test.least)
		}); got != "" {
			t.Errorf("%+v: %s", test, got)
		}
	}
	want := "--capacity 2.00 GiB is ignored: the recording shows that the device has 5.00 GiB or more."
	if got := answertest.Said(t, func(s *sheet.Sheet) { WriteTooSmall(s, 2*gib, 0, 5*gib) }); got != want {
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
		f := &Context{capacity: test.capacity}
		if got := answertest.Said(t, func(s *sheet.Sheet) {
			f.guess(s,
				&oom.Failure{Reserved: test.visible})
		}); got != test.want {
			t.Errorf("%+v: %s", test, got)
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
		p := &whatifanswer.Prediction{Study: &whatif.Study{Best: &best, Reference: outcome(test.reference, 1)}}
		list := predictedAdvice(p)
		if len(list) != 1 || list[0].Bytes != test.saved || list[0].Fits != test.cures || p.Cures() != test.cures {
			t.Errorf("%+v: %+v", test, list)
		}
	}
	none := &whatifanswer.Prediction{Study: &whatif.Study{Reference: outcome(100, 0)}, Sentence: "No."}
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
	kinds := func(p *whatifanswer.Prediction) string {
		var text []string
		for _, a := range AdviceOn(list, &layout.Settings{}, &phrase.Backends[snapshot.CUDA], p) {
			text = append(text, a.Kind)
		}
		return strings.Join(text, " ")
	}
	worse := whatif.Outcome{Served: &whatif.Served{FailedOf: 1}}
	cured := whatif.Outcome{Served: &whatif.Served{}}
	for want, p := range map[string]*whatifanswer.Prediction{
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

// TestLeakBeforeSettings: 48 MiB are kept in each of 24 steps, then a request of 100 MiB
// fails. The model, made up here, serves it and leaves some of the limit.
func TestLeakBeforeSettings(t *testing.T) {
	const steps, leaked = 24, 48 << 20
	ofLeak := func(left int64) string {
		s := answertest.NewScript()
		in := s.Train(steps, func(step int) {
			s.Push(leaked)
			if step == steps-1 {
				s.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 1 << 20, Size: 100 << 20,
					Stack: s.Frames("train.py|main"), TimeMicros: s.Now})
			}
		})
		r := in[0].Recordings[0]
		cured := whatif.Outcome{Served: &whatif.Served{ReservedPeak: 1 << 30}}
		p := &whatifanswer.Prediction{Sentence: "A setting.",
			Study: &whatif.Study{Limit: whatif.Limit{Bytes: 1<<30 + left}, Best: &cured,
				Reference: whatif.Outcome{Served: &whatif.Served{FailedOf: 1}}}}
		list := NewContext(&in[0], r, 0).Advice(&r.OOMs(0)[0], p)
		if len(list) < 2 || list[0].Kind != "leak" || list[1].Text != "A setting." || list[0].Bytes != steps*leaked {
			t.Fatalf("%+v", list)
		}
		return answertest.WithSpaces(list[0].Text)
	}
	for left, want := range map[int64]string{
		0:            "buys less than one more step.",
		leaked - 1:   "buys less than one more step.",
		leaked:       "buys about 1 more step.",
		3*leaked + 1: "buys about 3 more steps.",
	} {
		got := ofLeak(left)
		if !strings.HasPrefix(got, "First the leak: memory grows by 48.0 MiB each step, at 1 place that memviz leaks names.") ||
			!strings.HasSuffix(got, want) {
			t.Errorf("with %d bytes left: %s, want %s", left, got, want)
		}
	}
}

// TestLimitAdvice: a request that failed although memory was free may have been refused by a setting in the file.
func TestLimitAdvice(t *testing.T) {
	class := &allocator.Reserve{Option: "expandable_segments_reserve_by_class", Class: "weights"}
	for want, r := range map[string]oom.Refusal{
		"Look for a limit such as torch.cuda.set_per_process_memory_fraction: no file records that call.": {},
		"Raise per_process_memory_fraction in PYTORCH_CUDA_ALLOC_CONF, which is 0.5.":                     {Fraction: 0.5},
		"Raise per_process_memory_fraction in PYTORCH_CUDA_ALLOC_CONF, which is 0.5, or leave out throw_on_cudamalloc_oom, " +
			"so that cached memory is given back first.": {Fraction: 0.5, AtOnce: "throw_on_cudamalloc_oom"},
		"Raise expandable_segments_reserve in PYTORCH_CUDA_ALLOC_CONF.": {
			TooSmall: &allocator.Reserve{Option: "expandable_segments_reserve"}},
		"Raise expandable_segments_reserve_by_class in PYTORCH_CUDA_ALLOC_CONF, if the stream of the request is of that " +
			"class, which no file says, or look for another limit.": {TooSmall: class},
		"Look for a limit such as torch.cuda.set_per_process_memory_fraction: no file records that call. Whether " +
			"expandable_segments_reserve_by_class left too little for the request depends on the memory of the device; pass " +
			"--capacity to check.": {Unknown: class},
	} {
		if got := adviceSentence(oom.Advice{Kind: oom.AdviseFraction, Refusal: r}, &layout.Settings{},
			&phrase.Backends[snapshot.CUDA]); got != want {
			t.Errorf("%+v: %s\nwant %s", r, got, want)
		}
	}
}

// TestRefusedBy: JSON names the option that refused a request, where it was refused and not short of memory.
func TestRefusedBy(t *testing.T) {
	for file, want := range map[string]string{
		"throw_on_oom": "per_process_memory_fraction", "reserve_too_small": "expandable_segments_reserve", "reserve_by_class": "",
	} {
		s, err := snapshot.Open(answertest.Newer(t) + "/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		in := answer.NewInput(file, s)
		r := in.Recordings[0]
		list := NewContext(&in, r, 0)
		o := r.OOMs(0)[0]
		if got := list.outOfMemory(&o, nil); got.RefusedBy != want || got.Verdict != "limit" {
			t.Errorf("%s: refused by %q, want %q; %s", file, got.RefusedBy, want, got.Verdict)
		}
		if o.Verdict = oom.Pressure; refusedBy(&o) != "" {
			t.Errorf("%s: short of memory, and refused by %q", file, refusedBy(&o))
		}
	}
}

// TestAdviceNamesBackend: advice names the functions and tools of what runs the device, and none of
// another.
func TestAdviceNamesBackend(t *testing.T) {
	for file, test := range map[string]struct {
		module string
		others []string
	}{
		"event_pools.json": {"torch.cuda.", []string{"hip", "HIP", "rocm", "RCCL", "xpu", "npu"}},
		"rocm.json":        {"torch.cuda.", []string{"cudaMalloc", "NCCL", "CUDA context", "nvidia"}},
		"xpu.json":         {"torch.xpu.", []string{"cuda", "CUDA", "NCCL", "nvidia"}},
		"npu.json":         {"torch_npu.npu.", []string{"cuda", "CUDA", "NCCL", "nvidia"}},
		"npu_native.json":  {"torch_npu.npu.", []string{"cuda", "CUDA", "NCCL", "nvidia"}},
	} {
		s, err := snapshot.Open(answertest.Newer(t) + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		b := phrase.BackendOf(s)
		settings := answer.NewInput(file, s).Recordings[0].Settings()
		said := b.Others + b.Context
		for kind := oom.AdviceKind(0); kind <= oom.AdviseThresholdIdle; kind++ {
			said += adviceSentence(oom.Advice{Kind: kind, Bytes: 1 << 30}, settings, b) + "\n"
		}
		if !strings.Contains(said, test.module+"set_per_process_memory_fraction") {
			t.Errorf("%s: %s is not named:\n%s", file, test.module, said)
		}
		for _, word := range test.others {
			if strings.Contains(said, word) {
				t.Errorf("%s: %s in\n%s", file, word, said)
			}
		}
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
		if got := strings.ReplaceAll(Brief(&o), "\u00a0", " "); got != want {
			t.Errorf("%v: %q, want %q", verdict, got, want)
		}
	}
	if got, want := adviceSentence(oom.Advice{Kind: oom.AdviseMaxSplit, Bytes: 64 * mib}, &layout.Settings{},
		&phrase.Backends[snapshot.CUDA]),
		"max_split_size_mb:64 keeps"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
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
	if schema, _ := answer.Schema("oom"); !strings.Contains(string(schema), `"description": "`+want+`"`) {
		t.Errorf("no key of the schema is described as %q", want)
	}
}

func TestEvidence(t *testing.T) {
	const mib = 1 << 20
	c := snapshot.NewComposer(snapshot.Format{})
	other := c.Stream(0xabc)
	f := NewContext(nil, answertest.RecordingOf(c), 0)
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
		if got := answertest.WithSpaces(f.Sentence(&o).String()); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
