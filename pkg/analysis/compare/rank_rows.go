package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
)

// RankComparison is what ranks of one job hold after their last steps and at
// their own peaks, side by side.
type RankComparison struct {
	Dump  DumpName
	Ranks []RankSummary // by rank; other slices by rank are in this order

	// Apart are ranks that are not compared, because their peaks are not known: files
	// that were read in part, and those without history if others have one.
	Apart []RankSummary

	// CommonSteps is how many of the last steps all ranks recorded; 0 when some rank
	// has none.
	CommonSteps int

	StepEnd  RankSpread // active bytes after the last step, of ranks that have one
	Peak     RankSpread // active bytes
	Reserved RankSpread // peak of reserved bytes

	// Rows are sites that hold memory at either moment of some rank, the most
	// uneven at the peaks first.
	Rows []RankRow

	// Outliers are the differences that stand out, those after a step before those
	// at a peak, and the largest first. Of two ranks neither is an outlier, since the
	// median lies in the middle between them.
	Outliers []RankOutlier

	// WithoutOperators says that C++ frames were left out because one of the ranks
	// has none.
	WithoutOperators bool
}

// RankRow is a call site with what each rank holds there.
type RankRow struct {
	Site     stacks.Site // as the rank with the most bytes has it; zero without a stack to match
	Operator string      // "" where operators do not count

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

// Dumps compares the ranks of each dump, in order of run and step. What has no rank
// in its name comes last in each.
func Dumps(ranks []RankSummary) []*RankComparison {
	byDump := map[dumpKey][]RankSummary{}
	for _, r := range ranks {
		byDump[r.Name.dump()] = append(byDump[r.Name.dump()], r)
	}
	keys := slices.SortedFunc(maps.Keys(byDump), func(a, b dumpKey) int {
		if c := compareDumps(a.DumpName, b.DumpName); c != 0 || a.inName == b.inName {
			return c
		} else if a.inName {
			return -1
		}
		return 1
	})
	list := make([]*RankComparison, len(keys))
	for i, key := range keys {
		list[i] = Ranks(byDump[key])
		list[i].Dump = key.DumpName
	}
	return list
}

// Ranks compares the ranks of one dump of a job. The order of the summaries does
// not matter.
func Ranks(ranks []RankSummary) *RankComparison {
	all := slices.SortedFunc(slices.Values(ranks), compareRanks)
	history := slices.ContainsFunc(all, func(r RankSummary) bool { return r.hasHistory() })
	c := &RankComparison{}
	for _, r := range all {
		if r.Cut || history && !r.hasHistory() {
			c.Apart = append(c.Apart, r)
		} else {
			c.Ranks = append(c.Ranks, r)
		}
	}
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
		if c.Ranks[rank].state(m) != timeline.NoState {
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

// furthest is the largest distance of a rank from the median or, of two ranks, the
// difference between them.
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

// maxRankRows is how many rows a comparison has at most: those with the most bytes
// on some rank.
const maxRankRows = 4096

// rankRows matches the sites of all ranks: by path those that every rank has, and
// the others by their innermost frames. Rows without memory at either moment are
// left out.
func rankRows(ranks []RankSummary, operators bool) []RankRow {
	everywhere := pathsEverywhere(ranks, operators)
	t := rankTable{index: map[rankRowKey]int{}}
	for i := range ranks {
		for j := range ranks[i].sites {
			site := &ranks[i].sites[j]
			keys := site.keys(operators)
			key := rankRowKey{keys.Site, false}
			if everywhere[keys.Path] {
				key = rankRowKey{keys.Path, true}
			}
			t.add(key, i, site)
		}
	}
	t.rows = slices.DeleteFunc(t.rows, func(r rankTableRow) bool { return r.most == 0 })
	slices.SortStableFunc(t.rows, func(a, b rankTableRow) int { return cmp.Compare(b.most, a.most) })
	t.rows = t.rows[:min(len(t.rows), maxRankRows)]
	rows := make([]RankRow, len(t.rows))
	for i := range t.rows {
		rows[i] = t.rows[i].row(len(ranks), operators)
	}
	return rows
}

// pathsEverywhere are the paths that all ranks have.
func pathsEverywhere(ranks []RankSummary, operators bool) map[stacks.Key]bool {
	on := map[stacks.Key]int{} // how many ranks have it
	for i := range ranks {
		for j := range ranks[i].sites {
			// Ranks come one after another, so this counts a path once for each rank.
			if key := ranks[i].sites[j].keys(operators).Path; on[key] == i {
				on[key]++
			}
		}
	}
	everywhere := map[stacks.Key]bool{}
	for key, n := range on {
		everywhere[key] = n == len(ranks)
	}
	return everywhere
}

// rankTable builds the rows.
type rankTable struct {
	rows  []rankTableRow
	index map[rankRowKey]int // in rows
}

// rankRowKey is what the sites of a row share: a path or the innermost frames.
type rankRowKey struct {
	stacks.Key
	path bool
}

// rankTableRow is a row with cells only for the ranks that have it, because many
// rows of large jobs belong to few ranks.
type rankTableRow struct {
	named bool
	shown *rankSite // the one with the most bytes
	most  int64     // bytes of the rank that holds the most, at either moment
	cells []rankCell
}

type rankCell struct {
	rank  int
	bytes rankBytes
}

// add counts a site; ranks come in order.
func (t *rankTable) add(key rankRowKey, rank int, site *rankSite) {
	i, ok := t.index[key]
	if !ok {
		i = len(t.rows)
		t.index[key] = i
		t.rows = append(t.rows, rankTableRow{named: key.Key != stacks.Key{}, shown: site})
	}
	row := &t.rows[i]
	if n := len(row.cells); n == 0 || row.cells[n-1].rank != rank {
		row.cells = append(row.cells, rankCell{rank: rank})
	}
	cell := &row.cells[len(row.cells)-1]
	cell.bytes.add(site.bytes)
	row.most = max(row.most, cell.bytes.most())
	if site.bytes.most() > row.shown.bytes.most() {
		row.shown = site
	}
}

func (r *rankTableRow) row(ranks int, operators bool) RankRow {
	row := RankRow{Runs: make([]bool, ranks)}
	for m := range RankMoment(rankMoments) {
		row.At(m).Bytes = make([]int64, ranks)
		for _, cell := range r.cells {
			row.At(m).Bytes[cell.rank] = cell.bytes[m]
		}
	}
	for _, cell := range r.cells {
		row.Runs[cell.rank] = true
	}
	if r.named {
		row.Site = r.shown.site
		if operators {
			row.Operator = r.shown.operator
		}
	}
	return row
}
