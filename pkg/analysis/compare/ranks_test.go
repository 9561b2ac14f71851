package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/internal/recorded"
	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
)

// rankJob is one rank of a training job: a model whose layers keep activations
// until backward, with some noise in their sizes, and what goes wrong on it.
type rankJob struct {
	rank, steps int
	noise       *rand.Rand
	leak        string // stack of what every step keeps
	extra       string // stack of what this rank holds all the time
	extraBytes  int64
	scale       int64 // of all activations; 0 is 1
	optimizer   int64 // bytes of what the optimizer makes and drops again
	shift       string
}

func (j rankJob) record() *analysis.Recording {
	t := tapes.Timed()
	t.Alloc("model.py|build\n"+j.shift+tapes.Loading, 64*mib)
	if j.extra != "" {
		t.Alloc(j.extra, j.extraBytes)
	}
	for range j.steps {
		var kept []tapes.Tensor
		for layer := range 8 {
			stack := fmt.Sprintf("at::_ops::mm::call(x)\nmodel.py|layer%d\n%s%s", layer, j.shift, tapes.Module)
			size := max(j.scale, 1) * (4*mib + j.noise.Int64N(mib/16))
			kept = append(kept, t.Alloc(stack, size))
		}
		if j.leak != "" {
			t.Alloc(j.leak, 2*mib)
		} else {
			kept = append(kept, t.Alloc(hookStack, 2*mib))
		}
		for _, x := range kept {
			t.Free(x, tapes.Release+tapes.Engine)
		}
		t.Annotated("Optimizer.step#SGD.step", func() { t.Free(t.Alloc(tapes.Step, j.optimizer), tapes.Step) })
	}
	return recorded.Tape(t)
}

// hookStack is where every rank allocates and the bad one keeps.
const hookStack = "at::_ops::clone::call(x)\nhooks.py|save_output\n" + tapes.Module

func (j rankJob) summary() compare.RankSummary {
	return summaryOf(j.record(), nil, j.rank)
}

func summaryOf(r *analysis.Recording, steps *steps.List, rank int) compare.RankSummary {
	if steps == nil {
		steps = r.Steps()
	}
	return compare.Summarise(
		r.Stacks,
		r.Device,
		steps,
		compare.RankName{Rank: rank},
		fmt.Sprintf("rank%d.pickle", rank),
	)
}

// outlierText is an outlier as "rank function moment bytes median".
func outlierText(c *compare.RankComparison, o compare.RankOutlier) string {
	row := &c.Rows[o.Row]
	return fmt.Sprintf("%d %s %s %d %d", c.Ranks[o.Rank].Name.Rank, row.Site.Function, o.When.Key(), o.Bytes/mib,
		row.At(o.When).Spread.Median/mib)
}

func outlierTexts(c *compare.RankComparison) []string {
	var list []string
	for _, o := range c.Outliers {
		list = append(list, outlierText(c, o))
	}
	return list
}

// TestRankLeak plants a leak in one of eight ranks; the others differ by noise.
func TestRankLeak(t *testing.T) {
	for seed := range uint64(20) {
		noise := rand.New(rand.NewPCG(seed, 5))
		bad := noise.IntN(8)
		var ranks []compare.RankSummary
		for rank := range 8 {
			j := rankJob{rank: rank, steps: 10, noise: noise}
			if rank == bad {
				j.leak = hookStack
			}
			ranks = append(ranks, j.summary())
		}
		noise.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		c := compare.Ranks(ranks)
		if len(c.Outliers) != 1 {
			t.Fatalf("seed %d: outliers %+v, want the bad rank alone", seed, c.Outliers)
		}
		o := c.Outliers[0]
		row := c.Rows[o.Row]
		if c.Ranks[o.Rank].Name.Rank != bad || row.Site.Function != "save_output" || row.Operator != "aten::clone" {
			t.Errorf("seed %d: rank %d at %s %s, want rank %d", seed, c.Ranks[o.Rank].Name.Rank, row.Site,
				row.Operator, bad)
		}
		if o.When != compare.AtStepEnd || o.Bytes != 20*mib || row.StepEnd.Spread.Median != 0 || o.OnlyHere ||
			!row.Everywhere() {
			t.Errorf("seed %d: %+v of %+v", seed, o, row.StepEnd.Spread)
		}
		if m := row.Peak.Spread.Median; m != 2*mib {
			t.Errorf("seed %d: the median at the peaks is %d", seed, m)
		}
		if !c.Peak.Above(c.Ranks[o.Rank].PeakBytes) {
			t.Errorf("seed %d: the bad rank's peak does not stand out of %+v", seed, c.Peak)
		}
	}
}

// TestRanksWithoutFindings compares jobs whose ranks differ as they may.
func TestRanksWithoutFindings(t *testing.T) {
	const mm = "at::_ops::mm::call(x)\n"
	tests := []struct {
		name string
		job  func(rank int, j *rankJob)
		only []int // ranks of a site that not all have
	}{
		{"equal ranks", func(int, *rankJob) {}, nil},
		{"rank 0 logs", func(rank int, j *rankJob) {
			if rank == 0 {
				j.extra, j.extraBytes = mm+"log.py|log\n"+tapes.Loop, 3*mib
			}
		}, []int{0}},
		{"two stages of a pipeline", func(rank int, j *rankJob) {
			j.extra, j.extraBytes = fmt.Sprintf("%sstage%d.py|embed\n%s", mm, rank/4, tapes.Loop), 200*mib
		}, []int{0, 1, 2, 3}},
		{"another launcher on one rank", func(rank int, j *rankJob) {
			if rank == 5 {
				j.shift = "launch.py|start\n"
			}
		}, nil},
		{"wide spread", func(rank int, j *rankJob) { j.scale = int64(1 + rank) }, nil},
		{"peaks in forward and in the optimizer", func(rank int, j *rankJob) {
			if rank%4 == 0 {
				j.optimizer = 36 * mib
			}
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var ranks []compare.RankSummary
			for rank := range 8 {
				j := rankJob{rank: rank, steps: 6, noise: rand.New(rand.NewPCG(uint64(rank), 6))}
				test.job(rank, &j)
				ranks = append(ranks, j.summary())
			}
			c := compare.Ranks(ranks)
			for _, o := range c.Outliers {
				t.Errorf("stands out: %s", outlierText(c, o))
			}
			var only []int
			for _, row := range c.Rows {
				if !row.Everywhere() && only == nil {
					for rank, runs := range row.Runs {
						if runs {
							only = append(only, rank)
						}
					}
				}
			}
			if !slices.Equal(only, test.only) {
				t.Errorf("a site is on ranks %v only, want %v", only, test.only)
			}
		})
	}
}

// TestRankWithItsOwnCode explains a peak that stands out by a site that no other
// rank has. It comes before the smaller leak of another rank.
func TestRankWithItsOwnCode(t *testing.T) {
	var ranks []compare.RankSummary
	for rank := range 4 {
		j := rankJob{rank: rank, steps: 6, noise: rand.New(rand.NewPCG(uint64(rank), 7))}
		if rank == 2 {
			j.extra, j.extraBytes = "debug.py|keep\n"+tapes.Loop, 100*mib
		}
		if rank == 1 {
			j.leak = hookStack
		}
		ranks = append(ranks, j.summary())
	}
	c := compare.Ranks(ranks)
	if got, want := outlierTexts(c),
		[]string{"2 keep step_end 100 0", "1 save_output step_end 12 0"}; !slices.Equal(got, want) {
		t.Errorf("outliers %q, want %q", got, want)
	} else if !c.Outliers[0].OnlyHere || c.Outliers[1].OnlyHere {
		t.Errorf("outliers %+v", c.Outliers)
	}
}

// TestRanksWithoutSteps leaves ranks their peaks: one that is not high as a whole
// says nothing of them.
func TestRanksWithoutSteps(t *testing.T) {
	tests := []struct {
		name     string
		steps    int // of the last rank, which leaks
		without  int // so many of the last ranks have no steps
		outliers []string
	}{
		{"all have steps", 3, 0, []string{"5 save_output step_end 6 0"}},
		{"the leaking rank has none", 20, 1, []string{"5 save_output peak 40 2"}},
		{"it has none and its peak is like the others", 2, 1, nil},
		{"fewer than three have some", 20, 4, []string{"5 save_output peak 40 2"}},
		{"none has", 20, 6, []string{"5 save_output peak 40 2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var ranks []compare.RankSummary
			for rank := range 6 {
				j := rankJob{rank: rank, steps: 6, noise: rand.New(rand.NewPCG(uint64(rank), 11))}
				if rank == 5 {
					j.leak, j.steps = hookStack, test.steps
				}
				r := j.record()
				list := r.Steps()
				if rank >= 6-test.without {
					list = &steps.List{}
				}
				ranks = append(ranks, summaryOf(r, list, rank))
			}
			if got := outlierTexts(compare.Ranks(ranks)); !slices.Equal(got, test.outliers) {
				t.Errorf("outliers %q, want %q", got, test.outliers)
			}
		})
	}
}

// TestRankOutlierWithSiteFirst adds to a small difference a large one that has no
// stack.
func TestRankOutlierWithSiteFirst(t *testing.T) {
	var ranks []compare.RankSummary
	for rank := range 4 {
		tape := tapes.Timed()
		tape.Alloc("", 50*mib)
		tape.Alloc(tapes.UserLine("keep"), 50*mib)
		if rank == 1 {
			tape.Alloc("", 30*mib)
			tape.Alloc(tapes.UserLine("keep"), 10*mib)
		}
		tape.Annotated("Optimizer.step#SGD.step", func() { tape.Run(1, tapes.Step) })
		r := recorded.Tape(tape)
		ranks = append(ranks, summaryOf(r, r.Steps(), rank))
	}
	if got, want := outlierTexts(compare.Ranks(ranks)),
		[]string{"1 keep step_end 60 50", "1  step_end 80 50"}; !slices.Equal(got, want) {
		t.Errorf("outliers %q, want %q", got, want)
	}
}

// TestTwoRanks gives both numbers and no verdict.
func TestTwoRanks(t *testing.T) {
	clean := rankJob{rank: 0, steps: 10, noise: rand.New(rand.NewPCG(1, 8))}
	leaky := rankJob{rank: 1, steps: 7, noise: rand.New(rand.NewPCG(2, 8)), leak: hookStack}
	c := compare.Ranks([]compare.RankSummary{leaky.summary(), clean.summary()})
	if len(c.Outliers) > 0 {
		t.Errorf("outliers %+v", c.Outliers)
	}
	first := c.Rows[0]
	if first.Site.Function != "save_output" || !slices.Equal(first.Peak.Bytes, []int64{2 * mib, 14 * mib}) {
		t.Errorf("first row %s %v", first.Site, first.Peak.Bytes)
	}
	if c.CommonSteps != 7 {
		t.Errorf("%d common steps", c.CommonSteps)
	}
}
