package analysis_test

import (
	"errors"
	"io"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestDerivedOnce makes the report of a file with two devices and asks everything
// else of it: each result is derived once for each device, and what devices share
// once for the file.
func TestDerivedOnce(t *testing.T) {
	s, err := snapshot.Open(filepath.Join("..", "..", "examples", "out-of-memory", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	second := s.Traces[0]
	second.Device++
	s.Traces = append(s.Traces[:1:1], second)
	for _, seg := range s.Segments {
		seg.Device = second.Device
		s.Segments = append(s.Segments, seg)
	}

	var mu sync.Mutex
	got := map[string]int{}
	defer analysis.CountDerived(func(what string) {
		mu.Lock()
		defer mu.Unlock()
		got[what]++
	})()
	in := []answer.Input{answer.NewInput("two.pickle", s)}
	if len(in[0].Recordings) != 2 {
		t.Fatalf("%d devices", len(in[0].Recordings))
	}
	if err := report.WriteHTML(io.Discard, "memviz test", in); err != nil {
		t.Fatal(err)
	}
	ofReport := maps.Clone(got)
	for _, what := range []string{"activities", "annotations", "phases", "families", "steps", "leaks", "layouts",
		"pools"} {
		if ofReport[what] != 2 {
			t.Errorf("%s: derived %d times for the report of two devices", what, ofReport[what])
		}
	}

	if err := ask(in); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"stacks": 1, "settings": 1, "torch version": 1, "writer": 1, "own settings": 2,
		"activities": 2, "annotations": 2, "phases": 2, "families": 2,
		"modules": 2, "steps": 2, "leaks": 2, "peaks": 2, "cycles": 2, "pools": 2, "layouts": 2, "fragmentation": 2,
		"retries": 2}
	if !maps.Equal(got, want) {
		t.Errorf("derived %v, want %v", got, want)
	}
}

// ask asks every question that a command answers.
func ask(in []answer.Input) error {
	var peak answer.Moment
	stats.Answer(in, stats.Options{})
	_, err1 := top.Answer(in, top.Options{Grouping: holders.Grouping{By: holders.ByPool}})
	_, err2 := leaks.Answer(in, leaks.Options{Rows: 10})
	_, err9 := top.Answer(in, top.Options{Grouping: holders.Grouping{By: holders.ByLayer}, Churn: true})
	_, err3 := oom.Answer(in, oom.Options{})
	_, err4 := whatif.Answer(in, whatif.Options{})
	_, err5 := diff.Answer(&in[0], &in[0], diff.Options{})
	_, err6 := events.Answer(in, events.Options{})
	_, err7 := segments.Answer(in, peak, 20)
	var list []job.Digest
	for _, r := range in[0].Recordings {
		list = append(list, job.DigestOf(r))
	}
	ranks.Answer(job.Jobs(list), 10)
	return errors.Join(err1, err2, err3, err4, err5, err6, err7, err9, top.Folded(io.Discard, &in[0], peak))
}
