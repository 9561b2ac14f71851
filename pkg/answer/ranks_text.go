package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/units"
)

// dump says how the ranks of a dump differ.
func (s *Sheet) dump(d *dumpRanks, c *compare.RankComparison, rows int, oneOfSeveral bool) {
	which := ""
	if oneOfSeveral {
		which = d.which() + ": "
	}
	ranks := units.Plural(len(d.ranks)+len(d.apart), "rank", "ranks")
	if len(d.ranks) == 0 {
		s.heading("%s%s, read in part", name(which), ranks)
	} else {
		s.heading("%s%s: median peak %s, median reserved %s", name(which), ranks, amount(c.Peak.Median),
			amount(c.Reserved.Median))
	}
	s.put(rankTable(d, c, rows))
	if n := d.files(); !d.RankInNames && n > 1 {
		s.note("The names of these %s files hold no rank: they are numbered in the order of their names, and may not be "+
			"of one job.", units.Count(n))
	}
	s.apart(d)
	most := 0
	for i := range d.ranks {
		most = max(most, len(d.ranks[i].StepPeakBytes))
	}
	if c.CommonSteps < most {
		s.unequalSteps(c.CommonSteps, most)
	}
	for _, twice := range d.sameRank() {
		s.note("Rank %s is named by two files, %s and %s: are they of one job?", twice[0].shown(), name(twice[0].File),
			name(twice[1].File))
	}
	switch {
	case len(d.ranks) == 0:
	case len(d.ranks) < 2 && len(d.apart) > 0:
		s.say("Only one rank can be compared, so there is nothing to compare it with.")
	case len(d.ranks) < 2:
		s.say("There is one rank only, so nothing to compare.")
	case d.unlike:
		s.say("Less than half of the bytes at their peaks is at call sites that all have: these are different programs, and " +
			"none is called an outlier.")
	case len(d.ranks) == 2:
		s.pair(d, rows)
	case len(d.outliers) == 0:
		s.allClear(d)
	default:
		s.listOutliers(d, rows)
	}
}

// which names one of several dumps: "job/a, step 10, out of memory".
func (d *RankDump) which() string {
	var words []string
	if d.Run != "" {
		words = append(words, d.Run)
	}
	if d.Step != nil {
		words = append(words, "step "+units.Count(*d.Step))
	}
	if d.OutOfMemory {
		words = append(words, "out of memory")
	}
	switch {
	case !d.RankInNames:
		words = append(words, "no rank in the name")
	case len(words) == 0:
		return "no step in the name"
	}
	return strings.Join(words, ", ")
}

// apart says of which ranks no peak is known.
func (s *Sheet) apart(d *dumpRanks) {
	for i := range min(len(d.apart), maxApart) {
		r := &d.apart[i]
		if r.Cut {
			s.note("Rank %s was read in part (%s): it holds at least what is shown, and is compared with none.", r.shown(),
				name(r.File))
			continue
		}
		s.note("Rank %s has no history (%s), so its peak is not known, and it is compared with none.", r.shown(),
			name(r.File))
	}
	if n := len(d.apart) - maxApart; n > 0 {
		s.note("So it is with %s.", units.Plural(n, "more rank", "more ranks"))
	}
}

// maxApart bounds how many ranks are named that are not compared.
const maxApart = 5

// rankTable has a row for each rank, or for those furthest from the median peak.
func rankTable(d *dumpRanks, c *compare.RankComparison, rows int) *sheetTable {
	t := newTable(column{"rank", figures}, column{"", words}, column{"peak", figures}, column{"to median", figures},
		column{"reserved", figures}, column{"steps", figures}, column{"", words}, column{"file", paths})
	shown := append(slices.Clone(d.ranks), d.apart...)
	if len(shown) > rows {
		t.more = "and " + units.Plural(len(shown)-rows, "more rank", "more ranks") +
			", nearer to the median; --rows shows more"
		slices.SortStableFunc(shown, func(a, b Rank) int {
			if a.Compared != b.Compared {
				return map[bool]int{false: -1, true: 1}[a.Compared]
			}
			return cmp.Compare(distance(b.PeakBytes, c.Peak.Median), distance(a.PeakBytes, c.Peak.Median))
		})
		shown = shown[:rows]
	}
	slices.SortStableFunc(shown, func(a, b Rank) int { return a.Rank - b.Rank })
	for i := range shown {
		r := &shown[i]
		mark, toMedian := "", ""
		if r.Compared {
			toMedian = units.Change(r.PeakBytes - c.Peak.Median)
		}
		switch {
		case r.Cut:
			mark = "at least"
		case r.OOMEvents > 0:
			mark = "OOM"
		case !r.Compared:
			mark = "no history"
		case r.Outlier:
			mark = "outlier"
		}
		device := ""
		if d.hasSeveralDevices() {
			device = "device " + units.Count(r.Device)
		}
		t.row(r.shown(), device, units.Bytes(r.PeakBytes), toMedian, units.Bytes(r.ReservedPeakBytes),
			units.Count(len(r.StepPeakBytes)), mark, name(r.File))
	}
	return t
}

// shown is the number of a rank, or its label if that says more.
func (r *Rank) shown() any {
	if number := strconv.Itoa(r.Rank); r.Label == number || r.Label == "" {
		return number
	}
	return name(r.Label)
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// unequalSteps says what can be compared of ranks with different numbers of steps.
func (s *Sheet) unequalSteps(fewest, most int) {
	if fewest == 0 {
		s.note("Some ranks show no steps, others up to %s: those without are compared at their peaks only.",
			units.Count(most))
		return
	}
	s.note("Ranks recorded %s to %s: only the last %s can be compared.", units.Count(fewest),
		units.Plural(most, "step", "steps"), units.Count(fewest))
}

// allClear says that no rank differs, as far as that could be seen.
func (s *Sheet) allClear(d *dumpRanks) {
	without := 0
	for i := range d.ranks {
		if d.ranks[i].StepEndState == nil {
			without++
		}
	}
	switch {
	case without > 0 && without < len(d.ranks):
		s.say("No peak is far above the others; what ranks without steps keep after a step is not known.")
		return
	case without > 0:
		s.say("%s no steps, so only their peaks can be compared, and no peak is far above the others. What they keep "+
			"after a step is not known.",
			units.Plural(without, "rank shows", "ranks show"))
		return
	}
	if n := len(d.apart); n > 0 {
		s.say("Of the %s ranks that are compared none stands out: after its last step each holds about what the others "+
			"hold, at every site.", units.Count(len(d.ranks)))
		return
	}
	s.say("No rank stands out: after its last step each holds about what the others hold, at every site.")
}

// pair compares two ranks.
func (s *Sheet) pair(d *dumpRanks, rows int) {
	t := pairTable(d, rows)
	if len(t.rows) == 0 && t.more == "" {
		s.say("The two ranks hold the same at their peaks.")
		return
	}
	s.say("Of two ranks neither can be called the outlier. Where they differ at their peaks:")
	s.put(t)
}

// listOutliers says which ranks differ and where.
func (s *Sheet) listOutliers(d *dumpRanks, rows int) {
	first := &d.outliers[0]
	who, named := "Rank %s", any(units.Count(first.Rank))
	if !d.RankInNames {
		who, named = "%s", name(first.File)
	}
	s.say(who+" %s from %s; the median of the %s is %s.", named, first.holds(), siteName(first.Site),
		d.comparedWith(first), amount(first.MedianBytes))
	t := newTable(column{"rank", figures}, column{"holds", figures}, column{"median", figures}, column{"when", words},
		column{"", words}, column{"site", paths})
	t.fill(len(d.outliers), rows, func(i int) {
		o := &d.outliers[i]
		when, mark := "after a step", ""
		if o.atPeak() {
			when = "at the peak"
		}
		if o.OnlyHere {
			mark = "not on all ranks"
		}
		t.row(units.Count(o.Rank), units.Bytes(o.Bytes), units.Bytes(o.MedianBytes), when, mark, siteName(o.Site))
	})
	s.put(t)
}

// holds says what the rank holds, and when.
func (o *RankOutlier) holds() string {
	bytes := amount(o.Bytes)
	switch {
	case o.atPeak():
		return "holds " + bytes + " at its peak"
	case o.Bytes > o.MedianBytes:
		return "still holds " + bytes + " after its last step"
	}
	return "holds " + bytes + " after its last step"
}

// comparedWith says of how many ranks the median is: after a step, only of those
// that have steps.
func (d *dumpRanks) comparedWith(o *RankOutlier) string {
	with := 0
	for i := range d.ranks {
		if d.ranks[i].StepEndState != nil {
			with++
		}
	}
	if o.atPeak() || with == len(d.ranks) {
		return units.Plural(len(d.ranks), "rank", "ranks")
	}
	return units.Plural(with, "rank", "ranks") + " with steps"
}

// pairTable has the sites where two ranks differ.
func pairTable(d *dumpRanks, rows int) *sheetTable {
	a, b := &d.ranks[0], &d.ranks[1]
	t := newTable(column{"rank " + units.Count(a.Rank), figures}, column{"rank " + units.Count(b.Rank), figures},
		column{"change", figures}, column{"site", paths})
	for i := range d.rows {
		row := &d.rows[i]
		if row.Bytes[0] == row.Bytes[1] {
			break // the most uneven come first
		} else if i == rows {
			t.more = "and more; --rows shows more"
			break
		}
		t.row(units.Bytes(row.Bytes[0]), units.Bytes(row.Bytes[1]), units.Change(row.Bytes[1]-row.Bytes[0]),
			siteName(row.Site))
	}
	return t
}
