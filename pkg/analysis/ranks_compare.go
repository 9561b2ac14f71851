package analysis

import (
	"cmp"
	"slices"
)

// RankComparison is what ranks of one job hold after their last steps and at
// their own peaks, side by side.
type RankComparison struct {
	Ranks []RankSummary // by rank; other slices by rank are in this order

	// CommonSteps is how many of the last steps every rank recorded; a rank that
	// recorded fewer steps than others is compared on these alone. 0 when some
	// rank has none.
	CommonSteps int

	StepEnd  RankSpread // active bytes after the last step, of ranks that have one
	Peak     RankSpread // active bytes
	Reserved RankSpread // peak of reserved bytes

	// Rows are sites that hold memory at either moment of some rank, the most
	// uneven at the peaks first.
	Rows []RankRow

	// Outliers are the differences that stand out, those after a step before those
	// at a peak, the largest first, of rows that have a site. Of two ranks neither
	// is one: the median lies in the middle between them.
	Outliers []RankOutlier

	// WithoutOperators says that C++ frames were left out of the comparison,
	// because one of the ranks has none.
	WithoutOperators bool
}

// RankRow is a call site with what each rank holds there.
type RankRow struct {
	Site     Site   // as the rank with the most bytes has it; zero without a stack to match
	Operator string // "" where operators do not count

	Runs    []bool // by rank: whether it allocates there at all
	StepEnd RankHeld
	Peak    RankHeld
}

// RankHeld is what the ranks hold at a moment of each.
type RankHeld struct {
	Bytes  []int64    // by rank; 0 for one that does not have the moment
	Spread RankSpread // of those that have
}

// Everywhere reports whether every rank allocates there.
func (r *RankRow) Everywhere() bool { return !slices.Contains(r.Runs, false) }

// At is what the ranks hold at a moment.
func (r *RankRow) At(m RankMoment) *RankHeld { return [...]*RankHeld{&r.StepEnd, &r.Peak}[m] }

// CompareRanks compares the ranks of one job. The order of the summaries does
// not matter.
func CompareRanks(ranks []RankSummary) *RankComparison {
	c := &RankComparison{Ranks: slices.SortedFunc(slices.Values(ranks), compareRanks)}
	var peaks, reserved []int64
	for i := range c.Ranks {
		r := &c.Ranks[i]
		c.WithoutOperators = c.WithoutOperators || !r.native
		if steps := len(r.StepPeaks); i == 0 || steps < c.CommonSteps {
			c.CommonSteps = steps
		}
		peaks, reserved = append(peaks, r.PeakBytes), append(reserved, r.ReservedPeakBytes)
	}
	floor := spreadOf(peaks, 0).Median / 100
	c.Peak, c.Reserved = spreadOf(peaks, floor), spreadOf(reserved, floor)
	c.StepEnd = c.spreadAt(AtStepEnd, floor, func(rank int) int64 { return c.Ranks[rank].StepEndBytes })
	c.Rows = rankRows(c.Ranks, !c.WithoutOperators)
	for i := range c.Rows {
		for m := range RankMoment(rankMoments) {
			held := c.Rows[i].At(m)
			held.Spread = c.spreadAt(m, floor, func(rank int) int64 { return held.Bytes[rank] })
		}
	}
	slices.SortStableFunc(c.Rows, compareRankRows)
	c.findOutliers()
	return c
}

// spreadAt is the spread over the ranks that have a moment.
func (c *RankComparison) spreadAt(m RankMoment, floor int64, bytes func(rank int) int64) RankSpread {
	var list []int64
	for rank := range c.Ranks {
		if c.Ranks[rank].state(m) != NoState {
			list = append(list, bytes(rank))
		}
	}
	return spreadOf(list, floor)
}

// compareRankRows puts the row with the furthest rank first.
func compareRankRows(a, b RankRow) int {
	return cmp.Or(cmp.Compare(furthest(b), furthest(a)),
		cmp.Compare(a.Site.String(), b.Site.String()), cmp.Compare(a.Operator, b.Operator))
}

// furthest is how far the most different rank is from the median or, of two
// ranks, the difference between them.
func furthest(r RankRow) int64 {
	bytes := r.Peak.Bytes
	if len(bytes) == 2 {
		return magnitude(bytes[1] - bytes[0])
	}
	var most int64
	for _, b := range bytes {
		most = max(most, magnitude(b-r.Peak.Spread.Median))
	}
	return most
}
