package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
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
	shift       string
}

func (j rankJob) record() *Recording {
	t := newTape()
	t.alloc("model.py|build\n"+j.shift+loading, 64*mib)
	if j.extra != "" {
		t.alloc(j.extra, j.extraBytes)
	}
	for range j.steps {
		var kept []tensor
		for layer := range 8 {
			stack := fmt.Sprintf("at::_ops::mm::call(x)\nmodel.py|layer%d\n%s%s", layer, j.shift, module)
			size := max(j.scale, 1) * (4*mib + j.noise.Int64N(mib/16))
			kept = append(kept, t.alloc(stack, size))
		}
		if j.leak != "" {
			t.alloc(j.leak, 2*mib)
		} else {
			kept = append(kept, t.alloc(hookStack, 2*mib))
		}
		for _, x := range kept {
			t.free(x, release+engine)
		}
	}
	return t.recorded()
}

// hookStack is where every rank allocates and the bad one keeps.
const hookStack = "at::_ops::clone::call(x)\nhooks.py|save_output\n" + module

func (j rankJob) summary() RankSummary {
	r := j.record()
	peaks := make([]int64, j.steps)
	return SummariseRank(r, RankName{Rank: j.rank}, fmt.Sprintf("rank%d.pickle", j.rank), peaks)
}

// TestRankLeak plants a leak in one of eight ranks; the others differ by noise.
func TestRankLeak(t *testing.T) {
	for seed := range uint64(20) {
		noise := rand.New(rand.NewPCG(seed, 5))
		bad := noise.IntN(8)
		var ranks []RankSummary
		for rank := range 8 {
			j := rankJob{rank: rank, steps: 10, noise: noise}
			if rank == bad {
				j.leak = hookStack
			}
			ranks = append(ranks, j.summary())
		}
		noise.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		c := CompareRanks(ranks)
		if len(c.Outliers) != 1 {
			t.Fatalf("seed %d: outliers %+v, want the bad rank alone", seed, c.Outliers)
		}
		o := c.Outliers[0]
		row := c.Rows[o.Row]
		if c.Ranks[o.Rank].Name.Rank != bad || row.Site.Function != "save_output" || row.Operator != "aten::clone" {
			t.Errorf("seed %d: rank %d at %s %s, want rank %d", seed, c.Ranks[o.Rank].Name.Rank, row.Site, row.Operator, bad)
		}
		if o.Bytes != 20*mib || row.Spread.Median != 2*mib || o.OnlyHere || !row.Everywhere() {
			t.Errorf("seed %d: %+v of %+v", seed, o, row.Spread)
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
				j.extra, j.extraBytes = mm+"log.py|log\n"+loop, 3*mib
			}
		}, []int{0}},
		{"two stages of a pipeline", func(rank int, j *rankJob) {
			j.extra, j.extraBytes = fmt.Sprintf("%sstage%d.py|embed\n%s", mm, rank/4, loop), 200*mib
		}, []int{0, 1, 2, 3}},
		{"another launcher on one rank", func(rank int, j *rankJob) {
			if rank == 5 {
				j.shift = "launch.py|start\n"
			}
		}, nil},
		{"wide spread", func(rank int, j *rankJob) { j.scale = int64(1 + rank) }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var ranks []RankSummary
			for rank := range 8 {
				j := rankJob{rank: rank, steps: 6, noise: rand.New(rand.NewPCG(uint64(rank), 6))}
				test.job(rank, &j)
				ranks = append(ranks, j.summary())
			}
			c := CompareRanks(ranks)
			for _, o := range c.Outliers {
				t.Errorf("rank %d stands out at %s", o.Rank, c.Rows[o.Row].Site)
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
	var ranks []RankSummary
	for rank := range 4 {
		j := rankJob{rank: rank, steps: 6, noise: rand.New(rand.NewPCG(uint64(rank), 7))}
		if rank == 2 {
			j.extra, j.extraBytes = "debug.py|keep\n"+loop, 100*mib
		}
		if rank == 1 {
			j.leak = hookStack
		}
		ranks = append(ranks, j.summary())
	}
	c := CompareRanks(ranks)
	var got []string
	for _, o := range c.Outliers {
		got = append(got, fmt.Sprintf("%d %s %v", o.Rank, c.Rows[o.Row].Site.Function, o.OnlyHere))
	}
	if want := []string{"2 keep true", "1 save_output false"}; !slices.Equal(got, want) {
		t.Errorf("outliers %q, want %q", got, want)
	}
}

// TestTwoRanks gives both numbers and no verdict.
func TestTwoRanks(t *testing.T) {
	clean := rankJob{rank: 0, steps: 10, noise: rand.New(rand.NewPCG(1, 8))}
	leaky := rankJob{rank: 1, steps: 7, noise: rand.New(rand.NewPCG(2, 8)), leak: hookStack}
	c := CompareRanks([]RankSummary{leaky.summary(), clean.summary()})
	if len(c.Outliers) > 0 {
		t.Errorf("outliers %+v", c.Outliers)
	}
	first := c.Rows[0]
	if first.Site.Function != "save_output" || !slices.Equal(first.Bytes, []int64{2 * mib, 14 * mib}) {
		t.Errorf("first row %s %v", first.Site, first.Bytes)
	}
	if c.CommonSteps != 7 || len(c.CommonStepPeaks(0)) != 7 || len(c.CommonStepPeaks(1)) != 7 {
		t.Errorf("%d common steps", c.CommonSteps)
	}
}

// TestRanksAddUp sums the rows of random ranks: every rank's own are its peak.
func TestRanksAddUp(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 9))
		var ranks []RankSummary
		for rank := range random.IntN(5) {
			ranks = append(ranks, SummariseRank(randomRecording(random), RankName{Rank: rank}, "", nil))
		}
		c := CompareRanks(ranks)
		sums := make([]int64, len(ranks))
		for _, row := range c.Rows {
			for rank, bytes := range row.Bytes {
				sums[rank] += bytes
			}
		}
		for rank, sum := range sums {
			if sum != c.Ranks[rank].PeakBytes {
				t.Fatalf("seed %d, rank %d: rows sum up to %d, the peak is %d", seed, rank, sum, c.Ranks[rank].PeakBytes)
			}
		}
	}
}

// TestRankSummaryIsBounded records more sites than a summary holds.
func TestRankSummaryIsBounded(t *testing.T) {
	tape := newTape()
	for i := range maxRankSites + 10 {
		tape.alloc(fmt.Sprintf("m.py|f%d", i), int64(1000+i))
	}
	s := SummariseRank(tape.recorded(), RankName{}, "", nil)
	var listed int64
	for _, site := range s.sites {
		listed += site.bytes
	}
	// The ten smallest are 1000 to 1009.
	if len(s.sites) != maxRankSites || s.UnlistedBytes != 10045 || listed+s.UnlistedBytes != s.PeakBytes {
		t.Errorf("%d sites, %d bytes unlisted", len(s.sites), s.UnlistedBytes)
	}
}

// TestRankRowsWithoutOperators compares a rank without C++ frames with others.
func TestRankRowsWithoutOperators(t *testing.T) {
	job := rankJob{steps: 3, noise: rand.New(rand.NewPCG(3, 10))}
	all := job.record()
	python := withoutNative(all)
	c := CompareRanks([]RankSummary{SummariseRank(all, RankName{Rank: 0}, "", nil), SummariseRank(python, RankName{Rank: 1}, "", nil)})
	for _, row := range c.Rows {
		if row.Bytes[0] != row.Bytes[1] || row.Operator != "" {
			t.Errorf("%s %s: %v", row.Site, row.Operator, row.Bytes)
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
		{[]int64{0, 10 * mib, 20 * mib, 30 * mib, 40 * mib}, 0, 20 * mib, 10 * mib, 93277126},
	}
	for _, test := range tests {
		got := spreadOf(test.bytes, test.floor)
		if want := (RankSpread{test.median, test.mad, test.limit}); got != want {
			t.Errorf("%v: %+v, want %+v", test.bytes, got, want)
		}
	}
}
