package ranks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/units"
)

// write says what is found in a job: in sentences, then its groups, then all ranks.
func write(s *sheet.Sheet, v *jobView, rows int) {
	which := ""
	if v.severalJobs || v.Job.Pinned {
		which = v.which() + ": "
	}
	count := units.Plural(len(v.compared)+len(v.apart), "rank", "ranks")
	if len(v.compared) == 0 {
		s.Heading("%s%s, none of which can be compared", sheet.Name(which), count)
	} else {
		s.Heading("%s%s: median peak %s, median reserved %s", sheet.Name(which), count, phrase.Amount(v.peak.Median),
			phrase.Amount(v.reserved.Median))
	}
	writeFindings(s, v, rows)
	writeVerdict(s, v, rows)
	writeGroups(s, v, rows)
	s.Put(v.table(rows))
	writeNotes(s, v)
}

// writeFindings says what is found of single ranks, the gravest first. Where many ranks are
// found to be the same, a few stand for all.
func writeFindings(s *sheet.Sheet, v *jobView, rows int) {
	said := map[job.Kind]int{}
	saidOf := map[int]bool{}
	for i := range v.Job.Findings {
		f := &v.Job.Findings[i]
		if f.Kind >= job.Unreadable || f.Kind == job.Differs && saidOf[f.Rank] {
			continue // among the notes, or in the table below
		}
		if said[f.Kind]++; said[f.Kind] <= maxSaid {
			s.Add(v.sentence(f))
		}
		saidOf[f.Rank] = saidOf[f.Rank] || f.Kind == job.Differs
	}
	for _, kind := range []job.Kind{job.OutOfMemory, job.Differs, job.Short, job.Leaks} {
		if n := said[kind] - maxSaid; n > 0 {
			s.Say([...]string{job.OutOfMemory: "After them, %s ran out of memory.",
				job.Differs: "So it is with %s more.", job.Short: "So it is with %s.",
				job.Leaks: "Memory grows at %s."}[kind],
				units.Plural(n, [...]string{"more rank", "rank", "more rank", "more call site"}[kind],
					[...]string{"more ranks", "ranks", "more ranks", "more call sites"}[kind]))
		}
	}
	writeOutliers(s, v, rows)
}

// maxSaid bounds how many ranks are named for the same reason.
const maxSaid = 5

// writeOutliers lists where ranks differ, if there is more to list than was said.
func writeOutliers(s *sheet.Sheet, v *jobView, rows int) {
	var list []*job.Finding
	for i := range v.Job.Findings {
		if f := &v.Job.Findings[i]; f.Kind == job.Differs {
			list = append(list, f)
		}
	}
	if len(list) < 2 {
		return
	}
	t := sheet.NewTable(sheet.Figures("rank"), sheet.Figures("holds"), sheet.Figures("median"), sheet.Words("when"),
		sheet.Words(""), sheet.Paths("site"))
	t.Fill(len(list), rows, func(i int) {
		f := list[i]
		when := [...]string{"peaks of steps", "after a step", "at the peak"}[f.When]
		mark, site := "", any("all of them")
		if f.Site != nil {
			site = phrase.SiteName(f.Site.Site.Site)
		}
		if f.OnlyHere {
			mark = "not on all ranks"
		}
		t.Row(v.ranks[f.Rank].shown(), units.Bytes(f.Bytes), units.Bytes(f.Median), when, mark, site)
	})
	s.Put(t)
}

// writeVerdict says what can be said where no rank differs, and compares two ranks.
func writeVerdict(s *sheet.Sheet, v *jobView, rows int) {
	differ := slices.ContainsFunc(v.Job.Findings, func(f job.Finding) bool { return f.Kind == job.Differs })
	switch {
	case len(v.compared) == 0:
	case len(v.compared) == 1 && len(v.apart) > 0:
		s.Say("Only one rank can be compared, so there is nothing to compare it with.")
	case len(v.compared) == 1:
		s.Say("There is one rank only, so nothing to compare.")
	case v.Unlike:
		s.Say("Less than half of the bytes at their peaks is at call sites that all have: these are different " +
			"programs, and none is called an outlier.")
	case len(v.compared) == 2:
		writePair(s, v, rows)
	case !differ:
		writeAllClear(s, v)
	}
}

// writeGroups lists the groups, if there are several.
func writeGroups(s *sheet.Sheet, v *jobView, rows int) {
	if len(v.Job.Groups) == 1 && v.Job.Groups[0].Mixed && !v.Unlike {
		s.Note("No groups of ranks that run the same code can be told apart, so each rank is compared with all.")
	}
	if len(v.Job.Groups) < 2 {
		return
	}
	s.Say("Ranks that hold as many tensors at the same call sites are a group, and each rank is compared with its own:")
	t := sheet.NewTable(sheet.Words("group"), sheet.Figures("ranks"), sheet.Figures("median peak"),
		sheet.Figures("lowest"), sheet.Figures("highest"))
	t.Fill(len(v.Job.Groups), rows, func(i int) {
		g := &v.Job.Groups[i]
		peak := &g.Totals[job.AtPeak]
		t.Row(sheet.Name(g.Name), units.Count(len(g.Ranks)), units.Bytes(g.PeakBytes), units.Bytes(peak.Low),
			units.Bytes(peak.High))
	})
	s.Put(t)
}

// writeNotes says what a reader of the numbers has to know.
func writeNotes(s *sheet.Sheet, v *jobView) {
	if n := v.countFiles(); !v.InNames && n > 1 {
		s.Note("The names of these %s files hold no rank: they are numbered in the order of their names, and may not "+
			"be of one job.", units.Count(n))
	}
	writeApart(s, v)
	writeUnequalSteps(s, v)
	if n := len(v.Renamed); n > 0 {
		s.Note("The call sites of %s have other names, because they were redacted in another way or with another "+
			"salt: they are compared with each other only.", units.Plural(n, "rank", "ranks"))
	}
	pairs := v.sameRank()
	for _, twice := range pairs[:min(len(pairs), maxSaid)] {
		s.Note("Rank %s is named by two files, %s and %s: are they of one job?", twice[0].shown(),
			sheet.Name(twice[0].File),
			sheet.Name(twice[1].File))
	}
	soItIs(s, len(pairs)-maxSaid)
	for _, kind := range []job.Kind{job.DoesNotAddUp, job.Unreadable} {
		n := 0
		for i := range v.Job.Findings {
			if f := &v.Job.Findings[i]; f.Kind == kind {
				if n++; n <= maxSaid {
					s.NoteOf(v.sentence(f))
				}
			}
		}
		soItIs(s, n-maxSaid)
	}
}

// soItIs says of how many ranks more the notes before it hold.
func soItIs(s *sheet.Sheet, n int) {
	if n > 0 {
		s.Note("So it is with %s.", units.Plural(n, "more rank", "more ranks"))
	}
}

// which names one of several jobs: "job/a, step 10, out of memory".
func (d *Dump) which() string {
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
	if d.Pinned {
		words = append(words, "pinned host memory")
	}
	switch {
	case !d.RankInNames:
		words = append(words, "no rank in the name")
	case len(words) == 0:
		return "no step in the name"
	}
	return strings.Join(words, ", ")
}

// writeApart says of which ranks no peak is known.
func writeApart(s *sheet.Sheet, v *jobView) {
	for i := range min(len(v.apart), maxSaid) {
		r := &v.ranks[v.apart[i]]
		if r.Cut {
			s.Note("Rank %s was read in part (%s): it holds at least what is shown, and is compared with none.",
				r.shown(), sheet.Name(r.File))
			continue
		}
		s.Note("Rank %s has no history (%s), so its peak is not known, and it is compared with none.", r.shown(),
			sheet.Name(r.File))
	}
	soItIs(s, len(v.apart)-maxSaid)
}

// writeUnequalSteps says how ranks with different numbers of steps are compared.
func writeUnequalSteps(s *sheet.Sheet, v *jobView) {
	fewest, most := 0, 0
	for k, i := range v.compared {
		n := v.ranks[i].Steps
		if k == 0 || n < fewest {
			fewest = n
		}
		most = max(most, n)
	}
	switch {
	case fewest == most:
	case fewest == 0:
		s.Note("Some ranks show no steps, others up to %s: those without are compared at their peaks only.",
			units.Count(most))
	default:
		s.Note("Ranks recorded %s to %s: their last ones are compared.", units.Count(fewest),
			units.Plural(most, "step", "steps"))
	}
}

// table has a row for each rank, or for those that are furthest from the median peak of
// their group, after those with findings.
func (v *jobView) table(rows int) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("rank"), sheet.Words(""), sheet.Figures("peak"), sheet.Figures("to median"),
		sheet.Figures("reserved"), sheet.Figures("steps"), sheet.Words(""), sheet.Paths("file"))
	shown := slices.Sorted(slices.Values(append(slices.Clone(v.compared), v.apart...)))
	if len(shown) > rows {
		t.More = "and " + units.Plural(len(shown)-rows, "more rank", "more ranks") +
			", nearer to the median; --rows shows more"
		found := map[int]bool{}
		for _, f := range v.Job.Findings {
			found[f.Rank] = true
		}
		slices.SortStableFunc(shown, func(a, b int) int {
			first := func(rank int) int {
				switch {
				case found[rank]:
					return 0
				case !v.ranks[rank].Compared:
					return 1
				}
				return 2
			}
			if c := first(a) - first(b); c != 0 {
				return c
			}
			far := func(rank int) int64 { return max(v.toMedian(rank), -v.toMedian(rank)) }
			switch {
			case far(a) > far(b):
				return -1
			case far(a) < far(b):
				return 1
			}
			return a - b
		})
		shown = slices.Sorted(slices.Values(shown[:rows]))
	}
	for _, i := range shown {
		r := &v.ranks[i]
		mark, toMedian := "", ""
		if r.Compared {
			toMedian = units.Change(v.toMedian(i))
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
		if v.hasSeveralDevices() {
			device = phrase.DeviceName(r.Device)
		}
		t.Row(r.shown(), device, units.Bytes(r.PeakBytes), toMedian, units.Bytes(r.ReservedPeakBytes),
			units.Count(r.Steps), mark, sheet.Name(r.File))
	}
	return t
}

// toMedian is how far the peak of a rank is from the median of its group, or of all.
func (v *jobView) toMedian(rank int) int64 {
	median := v.peak.Median
	if g := v.GroupOf[rank]; g != job.NoGroup {
		median = v.Job.Groups[g].PeakBytes
	}
	return v.ranks[rank].PeakBytes - median
}

// hasSeveralDevices reports whether a file has several devices.
func (v *jobView) hasSeveralDevices() bool { return v.countFiles() < len(v.compared)+len(v.apart) }

// writeAllClear says that no rank differs, as far as that could be seen.
func writeAllClear(s *sheet.Sheet, v *jobView) {
	without := 0
	for _, i := range v.compared {
		if v.ranks[i].StepEndState == nil {
			without++
		}
	}
	others := "the others hold"
	if len(v.Job.Groups) > 1 {
		others = "its group holds"
	}
	none, where := "No rank stands out", "every site"
	for i := range v.Job.Findings {
		switch v.Job.Findings[i].Kind {
		case job.OutOfMemory:
			none = "Apart from that no rank stands out"
		case job.Leaks:
			none, where = "Apart from that no rank stands out", "every other site"
		}
	}
	switch {
	case without > 0 && without < len(v.compared):
		s.Say("No peak is far above the others; what ranks without steps keep after a step is not known.")
	case without > 0:
		s.Say("%s no steps, so only their peaks can be compared, and no peak is far above the others. What they keep "+
			"after a step is not known.", units.Plural(without, "rank shows", "ranks show"))
	case len(v.apart) > 0:
		s.Say("Of the %s ranks that are compared none stands out: after its last step each holds about what %s, at "+
			"%s.", units.Count(len(v.compared)), others, where)
	default:
		s.Say("%s: after its last step each holds about what %s, at %s.", none, others, where)
	}
}

// writePair compares two ranks.
func writePair(s *sheet.Sheet, v *jobView, rows int) {
	a, b := v.compared[0], v.compared[1]
	t := sheet.NewTable(sheet.Figures("rank "+strconv.Itoa(v.ranks[a].Rank)),
		sheet.Figures("rank "+strconv.Itoa(v.ranks[b].Rank)), sheet.Figures("change"), sheet.Paths("site"))
	type row struct {
		site *job.SiteRow
		a, b int64
	}
	var list []row
	for i := range v.Sites {
		site := &v.Sites[i]
		if r := (row{site, site.Of(a).Bytes[job.AtPeak], site.Of(b).Bytes[job.AtPeak]}); r.a != r.b {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		s.Say("The two ranks hold the same at their peaks.")
		return
	}
	slices.SortStableFunc(list, func(x, y row) int {
		return int(min(max(max(y.b-y.a, y.a-y.b)-max(x.b-x.a, x.a-x.b), -1), 1))
	})
	t.Fill(len(list), rows, func(i int) {
		r := list[i]
		t.Row(units.Bytes(r.a), units.Bytes(r.b), units.Change(r.b-r.a), phrase.SiteName(r.site.Site.Site))
	})
	s.Say("Of two ranks neither can be called the outlier. Where they differ at their peaks:")
	s.Put(t)
}

// sameRank are pairs of files that are of the same rank, one pair for each rank.
func (v *jobView) sameRank() [][2]*Rank {
	type identity struct {
		rank, device int
		label        string
	}
	first, listed := map[identity]*Rank{}, map[identity]bool{}
	var pairs [][2]*Rank
	for _, i := range slices.Sorted(slices.Values(append(slices.Clone(v.compared), v.apart...))) {
		r := &v.ranks[i]
		at := identity{r.Rank, r.Device, r.Label}
		if other := first[at]; other == nil {
			first[at] = r
		} else if !listed[at] {
			pairs, listed[at] = append(pairs, [2]*Rank{other, r}), true
		}
	}
	return pairs
}

// countFiles counts the files of the job that could be read.
func (v *jobView) countFiles() int {
	files := map[job.File]bool{}
	for _, i := range append(slices.Clone(v.compared), v.apart...) {
		files[v.Job.Ranks[i].File] = true
	}
	return len(files)
}
