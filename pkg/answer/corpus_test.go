package answer

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/snapshot"
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
			askEverything(t, NewInput(filepath.Base(file), s))
		})
	}
}

func askEverything(t *testing.T, in Input) {
	t.Helper()
	list := []Input{in}
	check := func(command string, s *Sheet, err error) *Sheet {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		fits(t, command, s)
		fitsTerminal(t, string(written(t, s, Text)))
		printable(t, string(written(t, s, Markdown)))
		return s
	}
	check("stats", Stats(list, StatsOptions{Rows: 8, Capacity: 80 << 30}), nil)
	check("stats", Stats(list, StatsOptions{Rows: 8, Every: Every{Events: 500}}), nil)
	s, err := Leaks(list, LeaksOptions{Rows: 10})
	check("leaks", s, err)
	s, err = OOM(list, OOMOptions{Rows: 10})
	check("oom", s, err)
	s, err = WhatIf(list, WhatIfOptions{})
	check("whatif", s, err)
	s, err = PredictSizes([]SizedInput{{128, &in}, {256, &in}}, PredictOptions{At: []int64{512}, Force: true})
	check("predict", s, err)
	check("ranks", ranksOf(in, in, in), nil)
	s, err = Diff(&in, &in, DiffOptions{Rows: 10})
	for _, d := range check("diff", s, err).value.(*devices[DiffDevice]).Devices {
		if len(d.Rows) > 0 || d.Before.ActiveBytes != d.After.ActiveBytes {
			t.Errorf("differs from itself: %+v", d.Rows)
		}
	}
	for by := range holders.ByCount {
		for _, at := range []Moment{Peak, End} {
			s, err := Top(list, TopOptions{At: at, Grouping: holders.Grouping{By: holders.By(by)}, Rows: 10})
			for i, d := range check("top", s, err).value.(*devices[TopDevice]).Devices {
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
		cards, failures, _ := Cards(r, Predict(r))
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
