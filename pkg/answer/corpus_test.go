package answer_test

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestCorpus asks everything of every real snapshot in the folder that
// MEMVIZ_CORPUS names. Answers must fit their schemas and a terminal, and their
// sums must agree with the replay.
func TestCorpus(t *testing.T) {
	for _, file := range testkit.Corpus(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s, err := snapshot.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			askEverything(t, answer.NewInput(filepath.Base(file), s))
		})
	}
}

func askEverything(t *testing.T, in answer.Input) {
	t.Helper()
	list := []answer.Input{in}
	check := func(command string, s *sheet.Sheet, err error) *sheet.Sheet {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		answertest.Fits(t, command, s)
		answertest.FitsTerminal(t, string(answertest.Written(t, s, sheet.Text)))
		answertest.Printable(t, string(answertest.Written(t, s, sheet.Markdown)))
		return s
	}
	check("stats", stats.Answer(list, stats.Options{Rows: 8, Capacity: 80 << 30}), nil)
	check("stats", stats.Answer(list, stats.Options{Rows: 8, Every: stats.Every{Events: 500}}), nil)
	s, err := leaks.Answer(list, leaks.Options{Rows: 10})
	check("leaks", s, err)
	s, err = oom.Answer(list, oom.Options{Rows: 10})
	check("oom", s, err)
	s, err = whatif.Answer(list, whatif.Options{})
	check("whatif", s, err)
	s, err = predict.Answer([]predict.SizedInput{{X: 128, Input: &in}, {X: 256, Input: &in}},
		predict.Options{At: []int64{512}, Force: true})
	check("predict", s, err)
	check("ranks", ranksOf(in, in, in), nil)
	s, err = diff.Answer(&in, &in, diff.Options{Rows: 10})
	for _, d := range check("diff", s, err).Value.(*answer.Devices[diff.Device]).Devices {
		if len(d.Rows) > 0 || d.Before.ActiveBytes != d.After.ActiveBytes {
			t.Errorf("differs from itself: %+v", d.Rows)
		}
	}
	for by := range holders.ByCount {
		for _, at := range []answer.Moment{answer.Peak, answer.End} {
			s, err := top.Answer(list, top.Options{At: at, Grouping: holders.Grouping{By: holders.By(by)}, Rows: 10})
			for i, d := range check("top", s, err).Value.(*answer.Devices[top.Device]).Devices {
				var sum int64
				for _, row := range d.Rows {
					sum += row.Bytes
				}
				if want := in.Recordings[i].Device.ActiveBytes()[d.State]; sum != want || d.ActiveBytes != want {
					t.Errorf("top by %s in state %d: rows have %d bytes, the replay %d", d.By, d.State, sum, want)
				}
			}
		}
	}
	for _, r := range in.Recordings {
		cards, failures, _ := strip.Cards(r, whatif.Predict(r))
		for _, c := range cards {
			if c.Question == "" || c.Value == "" || c.Line == "" {
				t.Errorf("an answer lacks words: %+v", c)
			}
		}
		for _, f := range failures {
			if f.Diagnosis == "" || f.Evidence == "" {
				t.Errorf("a failure lacks words: %+v", f)
			}
		}
	}
}
