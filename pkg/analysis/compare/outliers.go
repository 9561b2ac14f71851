package compare

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
)

// RankSpread is how a number of bytes is spread over ranks.
type RankSpread struct {
	Median int64
	// MAD is the median distance from the median. One bad rank among several does
	// not change it.
	MAD int64
	// Limit is how far a rank may be from the median without being different.
	Limit int64
}

// Outside reports whether bytes differ.
func (s RankSpread) Outside(bytes int64) bool { return magnitude(bytes-s.Median) > s.Limit }

// Above reports whether bytes differ by being more.
func (s RankSpread) Above(bytes int64) bool { return bytes-s.Median > s.Limit }

const (
	minRankDifference = 1 << 20 // bytes; smaller differences are ignored
	// Ranks of one job with the usual spread differ by up to 6 standard
	// deviations, which are 1.4826 MAD of normally distributed numbers.
	madsPerLimit = 6 * 1.4826
)

// spreadOf is the spread of bytes, with a Limit of at least smallest.
func spreadOf(bytes []int64, smallest int64) RankSpread {
	s := RankSpread{Median: median(slices.Clone(bytes))}
	distances := make([]int64, len(bytes))
	for i, b := range bytes {
		distances[i] = magnitude(b - s.Median)
	}
	s.MAD = median(distances)
	s.Limit = max(minRankDifference, smallest, s.Median/20, int64(madsPerLimit*float64(s.MAD)))
	return s
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
// It reorders its argument.
func median(values []int64) int64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	low, high := values[(n-1)/2], values[n/2]
	return low + (high-low)/2
}

// RankOutlier is a rank that holds much more or much less at a site than others.
type RankOutlier struct {
	Rank  int // index in Ranks
	Row   int // index in Rows
	When  RankMoment
	Bytes int64
	// OnlyHere says that not all ranks allocate at the site. That is normal by
	// itself, so the rank stands out as a whole too.
	OnlyHere bool
}

// findOutliers compares what ranks hold after a step, which does not depend on
// their data. Differences at the peaks do, so they count only where they help to
// explain a peak that is high as a whole.
func (c *RankComparison) findOutliers() {
	type cell struct{ rank, row int }
	known := map[cell]bool{}
	c.Outliers = c.outliersAt(AtStepEnd, func(rank int, row *RankRow) bool {
		return row.Everywhere() || c.highAt(AtStepEnd, rank, row)
	})
	for _, o := range c.Outliers {
		known[cell{o.Rank, o.Row}] = true
	}
	for _, o := range c.outliersAt(AtRankPeak,
		func(rank int, row *RankRow) bool { return c.highAt(AtRankPeak, rank, row) }) {
		if !known[cell{o.Rank, o.Row}] {
			c.Outliers = append(c.Outliers, o)
		}
	}
}

// highAt reports whether a rank holds more than usual both at a site and as a whole.
// A site that some ranks never run counts only then: otherwise it is a stage of a
// pipeline or a duty of rank 0.
func (c *RankComparison) highAt(m RankMoment, rank int, row *RankRow) bool {
	whole := [...]RankSpread{c.StepEnd, c.Peak}[m]
	return row.At(m).Spread.Above(row.At(m).Bytes[rank]) && whole.Above(c.Ranks[rank].active(m))
}

// outliersAt are the ranks far from the median of a site, of those that count.
func (c *RankComparison) outliersAt(m RankMoment, counts func(rank int, row *RankRow) bool) []RankOutlier {
	var list []RankOutlier
	for i := range c.Rows {
		row := &c.Rows[i]
		held := row.At(m)
		for rank, bytes := range held.Bytes {
			if c.Ranks[rank].state(m) != timeline.NoState && held.Spread.Outside(bytes) && counts(rank, row) {
				list = append(list, RankOutlier{Rank: rank, Row: i, When: m, Bytes: bytes, OnlyHere: !row.Everywhere()})
			}
		}
	}
	slices.SortStableFunc(list, c.compareOutliers)
	return list
}

// compareOutliers puts the largest difference first, and the row of allocations
// without a stack last, because it does not say where the memory is from.
func (c *RankComparison) compareOutliers(a, b RankOutlier) int {
	if x, y := c.named(a), c.named(b); x != y {
		if x {
			return -1
		}
		return 1
	}
	return cmp.Compare(c.distance(b), c.distance(a))
}

func (c *RankComparison) named(o RankOutlier) bool { return c.Rows[o.Row].Site != stacks.Site{} }

func (c *RankComparison) distance(o RankOutlier) int64 {
	return magnitude(o.Bytes - c.Rows[o.Row].At(o.When).Spread.Median)
}
