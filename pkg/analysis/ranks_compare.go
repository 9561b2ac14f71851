package analysis

import (
	"cmp"
	"slices"
)

// RankComparison is what ranks of one job hold at their own peaks, side by side.
type RankComparison struct {
	Ranks []RankSummary // by rank; other slices by rank are in this order

	// CommonSteps is how many of the last steps every rank recorded; a rank that
	// recorded fewer steps than others is compared on these alone. 0 when some
	// rank has none.
	CommonSteps int

	Peak     RankSpread // active bytes
	Reserved RankSpread // peak of reserved bytes

	Rows []RankRow // sites that hold memory at some peak, the most uneven first

	// Outliers are the differences that stand out, the largest first. With fewer
	// than three ranks there are none: the median would lie between the two.
	Outliers []RankOutlier

	// WithoutOperators says that C++ frames were left out of the comparison,
	// because one of the ranks has none.
	WithoutOperators bool
}

// RankRow is a call site with what each rank holds there.
type RankRow struct {
	Site     Site   // as the rank with the most bytes has it; zero without a stack to match
	Operator string // "" where operators do not count

	Bytes  []int64 // by rank
	Runs   []bool  // by rank: whether it allocates there at all
	Spread RankSpread
}

// Everywhere reports whether every rank allocates there.
func (r *RankRow) Everywhere() bool { return !slices.Contains(r.Runs, false) }

// RankOutlier is a rank that holds much more or much less at a site than others.
type RankOutlier struct {
	Rank  int // index in Ranks
	Row   int // index in Rows
	Bytes int64
	// OnlyHere marks a site that few ranks have, which by itself is normal, of a
	// rank whose whole peak stands out.
	OnlyHere bool
}

// CompareRanks compares the ranks of one job. The order of the summaries does
// not matter.
func CompareRanks(ranks []RankSummary) *RankComparison {
	c := &RankComparison{Ranks: slices.SortedFunc(slices.Values(ranks), compareRanks)}
	for i := range c.Ranks {
		c.WithoutOperators = c.WithoutOperators || !c.Ranks[i].native
		if steps := len(c.Ranks[i].StepPeaks); i == 0 || steps < c.CommonSteps {
			c.CommonSteps = steps
		}
	}
	peaks, reserved := make([]int64, len(c.Ranks)), make([]int64, len(c.Ranks))
	for i := range c.Ranks {
		peaks[i], reserved[i] = c.Ranks[i].PeakBytes, c.Ranks[i].ReservedPeakBytes
	}
	floor := spreadOf(peaks, 0).Median / 100
	c.Peak, c.Reserved = spreadOf(peaks, floor), spreadOf(reserved, floor)
	c.Rows = rankRows(c.Ranks, !c.WithoutOperators)
	for i := range c.Rows {
		c.Rows[i].Spread = spreadOf(c.Rows[i].Bytes, floor)
	}
	slices.SortStableFunc(c.Rows, compareRankRows)
	if len(c.Ranks) > 2 {
		c.findOutliers()
	}
	return c
}

// CommonStepPeaks are the peaks of the last steps that every rank recorded.
func (c *RankComparison) CommonStepPeaks(rank int) []int64 {
	peaks := c.Ranks[rank].StepPeaks
	return peaks[len(peaks)-c.CommonSteps:]
}

// findOutliers judges every site that all ranks run. A site that some never run
// is a stage of a pipeline or a duty of rank 0; it counts only where it helps to
// explain a peak that stands out itself.
func (c *RankComparison) findOutliers() {
	for i := range c.Rows {
		row := &c.Rows[i]
		everywhere := row.Everywhere()
		for rank, bytes := range row.Bytes {
			if !row.Spread.Outside(bytes) {
				continue
			}
			if everywhere || bytes > row.Spread.Median && c.Peak.Above(c.Ranks[rank].PeakBytes) {
				c.Outliers = append(c.Outliers, RankOutlier{Rank: rank, Row: i, Bytes: bytes, OnlyHere: !everywhere})
			}
		}
	}
	slices.SortStableFunc(c.Outliers, func(a, b RankOutlier) int {
		return cmp.Compare(c.distance(b), c.distance(a))
	})
}

func (c *RankComparison) distance(o RankOutlier) int64 {
	return magnitude(o.Bytes - c.Rows[o.Row].Spread.Median)
}

// compareRankRows puts the row with the furthest rank first.
func compareRankRows(a, b RankRow) int {
	return cmp.Or(cmp.Compare(furthest(b), furthest(a)),
		cmp.Compare(a.Site.String(), b.Site.String()), cmp.Compare(a.Operator, b.Operator))
}

// furthest is how far the most different rank is from the median or, of two
// ranks, the difference between them.
func furthest(r RankRow) int64 {
	if len(r.Bytes) == 2 {
		return magnitude(r.Bytes[1] - r.Bytes[0])
	}
	var most int64
	for _, bytes := range r.Bytes {
		most = max(most, magnitude(bytes-r.Spread.Median))
	}
	return most
}
