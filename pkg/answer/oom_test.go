package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// TestLeakBeforeSettings: 48 MiB are kept in each of 24 steps, then a request of 100 MiB
// fails. The model, made up here, serves it and leaves some of the limit.
func TestLeakBeforeSettings(t *testing.T) {
	const steps, leaked = 24, 48 << 20
	ofLeak := func(left int64) string {
		s := newScript()
		in := s.train(steps, func(step int) {
			s.push(leaked)
			if step == steps-1 {
				s.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 1 << 20, Size: 100 << 20,
					Stack: s.frames("train.py|main"), TimeMicros: s.now})
			}
		})
		r := in[0].Recordings[0]
		cured := whatif.Outcome{Served: &whatif.Served{ReservedPeak: 1 << 30}}
		p := &Prediction{Sentence: "A setting.", Study: &whatif.Study{Limit: whatif.Limit{Bytes: 1<<30 + left}, Best: &cured,
			Reference: whatif.Outcome{Served: &whatif.Served{FailedOf: 1}}}}
		list := newOOMContext(&in[0], r, 0).advice(&r.OOMs(0)[0], p)
		if len(list) < 2 || list[0].Kind != "leak" || list[1].Text != "A setting." || list[0].Bytes != steps*leaked {
			t.Fatalf("%+v", list)
		}
		return withSpaces(list[0].Text)
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
		if got := adviceSentence(oom.Advice{Kind: oom.AdviseFraction, Refusal: r}, &layout.Settings{}, &backends[snapshot.CUDA]); got != want {
			t.Errorf("%+v: %s\nwant %s", r, got, want)
		}
	}
}

// TestRefusedBy: JSON names the option that refused a request, where it was refused and not short of memory.
func TestRefusedBy(t *testing.T) {
	for file, want := range map[string]string{
		"throw_on_oom": "per_process_memory_fraction", "reserve_too_small": "expandable_segments_reserve", "reserve_by_class": "",
	} {
		s, err := snapshot.Open(newer + "/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		in := NewInput(file, s)
		r := in.Recordings[0]
		list := newOOMContext(&in, r, 0)
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
		s, err := snapshot.Open(newer + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		b := backendOf(s)
		settings := NewInput(file, s).Recordings[0].Settings()
		said := b.others + b.context
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
