package leaks_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// TestRecordedSteps hides the annotations of recorded training and finds the
// same step without them.
func TestRecordedSteps(t *testing.T) {
	for _, test := range []struct {
		file string
		want []replay.EventIndex
	}{
		{"train_annotated_torch210.pickle", []replay.EventIndex{6480}},
		{"train_medium_annotated_torch210.pickle", []replay.EventIndex{19136}},
	} {
		t.Run(test.file, func(t *testing.T) {
			r := recorded.File(t, test.file)
			annotated := r.Steps()
			if annotated.Method != steps.ByAnnotation || !slices.Equal(annotated.Boundaries, test.want) {
				t.Errorf("by %s: %v, want %v", annotated.Method.Key(), annotated.Boundaries, test.want)
			}
			r.Snapshot.Annotations = nil
			hidden := analysis.NewRecording(r.Source, r.Device).Steps()
			if hidden.Method != steps.ByOptimizer || !slices.Equal(hidden.Boundaries, test.want) {
				t.Errorf("hidden, by %s: %v, want %v", hidden.Method.Key(), hidden.Boundaries, test.want)
			}
		})
	}
}

// TestRecordedLeaks: none of the recordings holds more than one step, so that
// each must say why it says nothing. None was freed by the cycle collector.
func TestRecordedLeaks(t *testing.T) {
	for file, want := range map[string]struct {
		method steps.Method
		limit  leaks.Limit
	}{
		"forward_fp32_torch25.pickle":            {steps.None, leaks.NoRepetition},
		"forward_growing_torch25.pickle":         {steps.None, leaks.KeepsForwards},
		"inference_torch210.pickle":              {steps.ByBackward, leaks.TooFewSteps},
		"legacy_history_torch20.pickle":          {steps.None, leaks.NoEvents},
		"one_event_torch23.pickle":               {steps.None, leaks.NoEvents},
		"state_only_torch21.pickle":              {steps.None, leaks.NoEvents},
		"synthetic_random_streams.pickle":        {steps.None, leaks.NoRepetition},
		"tiny_torch25.pickle":                    {steps.ByBackward, leaks.TooFewSteps},
		"train_annotated_torch210.pickle":        {steps.ByAnnotation, leaks.TooFewSteps},
		"train_medium_annotated_torch210.pickle": {steps.ByAnnotation, leaks.TooFewSteps},
		"train_small_torch210.pickle":            {steps.None, leaks.NoRepetition},
	} {
		t.Run(file, func(t *testing.T) {
			r := recorded.File(t, file)
			s := r.Steps()
			if s.Method != want.method {
				t.Errorf("steps by %s, want %s", s.Method.Key(), want.method.Key())
			}
			if l := r.Leaks(); l.Limit != want.limit || len(l.Leaks)+len(l.Caches) != 0 {
				t.Errorf("limit %q, want %q; leaks %+v", l.Limit.Key(), want.limit.Key(), l.Leaks)
			}
			if c := r.Cycles(); len(c.Cycles) != 0 {
				t.Errorf("cycles %+v", c.Cycles)
			}
		})
	}
}

// TestExampleLeaks: one example leaks, and its leak has the right name.
func TestExampleLeaks(t *testing.T) {
	for example, want := range map[string]string{"leaking-loss": "validate", "training-loop": "", "out-of-memory": ""} {
		t.Run(example, func(t *testing.T) {
			s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", example, "snapshot.pickle.gz"))
			if err != nil {
				t.Fatal(err)
			}
			r := analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
			for _, hidden := range []bool{false, true} {
				if hidden {
					s.Annotations = nil
				}
				l := r.Leaks()
				switch {
				case l.Limit != leaks.NoLimit:
					t.Errorf("not judged: %s", l.Limit.Key())
				case want == "" && len(l.Leaks) > 0:
					t.Errorf("found %+v", l.Leaks)
				case want != "" && (len(l.Leaks) != 1 || !l.Leaks[0].Strong || !l.Leaks[0].Graph):
					t.Errorf("found %+v, want one strong leak of graphs", l.Leaks)
				case want != "":
					if got := s.String(s.Frames[l.Leaks[0].Frame].Name); got != want {
						t.Errorf("the leak is at %s, want %s", got, want)
					}
				}
			}
		})
	}
}
