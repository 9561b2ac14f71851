package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/internal/recorded"
	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
)

// TestRanksAddUp sums the rows of random ranks: every rank's own are what it
// holds at each moment.
func TestRanksAddUp(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 9))
		var ranks []compare.RankSummary
		for rank := range random.IntN(5) {
			r := recorded.Random(random)
			list := &steps.List{}
			if n := r.Device.Events.Len(); n > 0 && random.IntN(4) > 0 {
				list = &steps.List{Method: steps.ByOptimizer,
					Boundaries: []replay.EventIndex{replay.EventIndex(1 + random.IntN(n))}}
			}
			ranks = append(ranks, summaryOf(r, list, rank))
		}
		c := compare.Ranks(ranks)
		for rank := range c.Ranks {
			var peak, end int64
			for _, row := range c.Rows {
				peak, end = peak+row.Peak.Bytes[rank], end+row.StepEnd.Bytes[rank]
			}
			if s := &c.Ranks[rank]; peak != s.PeakBytes || end != s.StepEndBytes {
				t.Fatalf("seed %d, rank %d: rows sum up to %d and %d, the rank has %d and %d", seed, rank, peak, end,
					s.PeakBytes, s.StepEndBytes)
			}
		}
	}
}

// TestStepEnd draws histories of memory and boundaries.
func TestStepEnd(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 13))
		d := recorded.Random(random).Device
		list := &steps.List{Method: steps.Method(1 + random.IntN(int(steps.ByForward)))}
		for b := 1; b < d.States(); b++ {
			if random.IntN(8) == 0 {
				list.Boundaries = append(list.Boundaries, replay.EventIndex(b))
			}
		}
		got, k := compare.StepEnd(d, list), len(list.Boundaries)
		certain := list.Method == steps.ByAnnotation || list.Method == steps.ByOptimizer
		switch {
		case k == 0 || k == 1 && !certain:
			if got != timeline.NoState {
				t.Fatalf("seed %d: state %d without a step", seed, got)
			}
		case certain:
			if got != int(list.Boundaries[k-1]) {
				t.Fatalf("seed %d: state %d, want that of the last boundary", seed, got)
			}
		default:
			from, to := int(list.Boundaries[k-2]), int(list.Boundaries[k-1])
			least := slices.Min(d.ActiveBytes()[from : to+1])
			if got < from || got > to || d.ActiveBytes()[got] != least ||
				slices.Contains(d.ActiveBytes()[got+1:to+1], least) {
				t.Fatalf("seed %d: state %d of %d to %d, which hold %v", seed, got, from, to,
					d.ActiveBytes()[from:to+1])
			}
		}
	}
}

// TestRankSummaryIsBounded records more sites than a summary holds.
func TestRankSummaryIsBounded(t *testing.T) {
	tape := tapes.New()
	n := compare.MaxRankSites + 10
	for i := range n {
		tape.Alloc(fmt.Sprintf("m.py|f%d", i), int64(1000+i*7%n)) // no two alike
	}
	s := summaryOf(recorded.Tape(tape), &steps.List{}, 0)
	sites, listed := s.Listed()
	// The ten smallest are 1000 to 1009.
	if sites != compare.MaxRankSites || s.UnlistedBytes != 10045 || listed+s.UnlistedBytes != s.PeakBytes {
		t.Errorf("%d sites, %d bytes unlisted", sites, s.UnlistedBytes)
	}
}

// TestRankRowsWithoutOperators compares a rank without C++ frames with others.
func TestRankRowsWithoutOperators(t *testing.T) {
	job := rankJob{steps: 3, noise: rand.New(rand.NewPCG(3, 10))}
	all := job.record()
	python, steps := recorded.PythonOnly(all), all.Steps()
	c := compare.Ranks([]compare.RankSummary{summaryOf(all, steps, 0), summaryOf(python, steps, 1)})
	for _, row := range c.Rows {
		peak, end := row.Peak.Bytes, row.StepEnd.Bytes
		if peak[0] != peak[1] || end[0] != end[1] || row.Operator != "" {
			t.Errorf("%s %s: %v, %v", row.Site, row.Operator, peak, end)
		}
	}
	if !c.WithoutOperators || len(c.Rows) == 0 {
		t.Errorf("%d rows, without operators: %v", len(c.Rows), c.WithoutOperators)
	}
}

func TestSpread(t *testing.T) {
	tests := []struct {
		bytes  []int64
		floor  int64
		median int64
		mad    int64
		limit  int64
	}{
		{nil, 0, 0, 0, mib},
		{[]int64{5}, 0, 5, 0, mib},
		{[]int64{4, 8}, 0, 6, 2, mib},
		{[]int64{9, 1, 2, 3, 900}, 0, 3, 2, mib},
		{[]int64{0, 0, 0, 50 * mib}, 3 * mib, 0, 0, 3 * mib},
		{[]int64{1000 * mib, 1000 * mib, 1010 * mib}, 0, 1000 * mib, 0, 50 * mib},
		{
			[]int64{0, 10 * mib, 20 * mib, 30 * mib, 40 * mib},
			0,
			20 * mib,
			10 * mib,
			93277126,
		},
	}
	for _, test := range tests {
		got := compare.SpreadOf(test.bytes, test.floor)
		if want := (compare.RankSpread{test.median, test.mad, test.limit}); got != want {
			t.Errorf("%v: %+v, want %+v", test.bytes, got, want)
		}
	}
}
