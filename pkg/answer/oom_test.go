package answer

import (
	"strings"
	"testing"

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
		cured := whatif.Outcome{Prediction: &whatif.Prediction{ReservedPeak: 1 << 30}}
		p := &Prediction{Sentence: "A setting.", Study: &whatif.Study{Limit: whatif.Limit{Bytes: 1<<30 + left}, Best: &cured,
			Reference: whatif.Outcome{Prediction: &whatif.Prediction{FailedOf: 1}}}}
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

// TestReserveAdvice: a request that failed although memory was free may be larger than
// what the file says that an expandable segment may reserve.
func TestReserveAdvice(t *testing.T) {
	for conf, want := range map[string]string{
		"expandable_segments:True":                                 "set_per_process_memory_fraction",
		"expandable_segments:True,expandable_segments_reserve:40G": "Raise expandable_segments_reserve in ",
		"expandable_segments:True,expandable_segments_reserve_by_class:[serving:0.25,loading:40G]": "Raise " +
			"expandable_segments_reserve_by_class in ",
		"expandable_segments_reserve:40G": "set_per_process_memory_fraction",
		"expandable_segments:True,expandable_segments_reserve:0.5,per_process_memory_fraction:0.5": "Raise " +
			"per_process_memory_fraction in ",
	} {
		c := snapshot.NewComposer(snapshot.Format{HasSettings: true})
		c.Setting("PYTORCH_CUDA_ALLOC_CONF", conf)
		settings := layout.SettingsOf(c.Snapshot())
		if got := adviceSentence(oom.Advice{Kind: oom.AdviseFraction}, settings); !strings.Contains(got, want) {
			t.Errorf("%s: %s", conf, got)
		}
		if len(settings.Skipped) > 0 {
			t.Errorf("%s: skipped %v", conf, settings.Skipped)
		}
	}
}
