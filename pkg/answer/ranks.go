package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/units"
)

// RanksAnswer compares the ranks of a job, each after its last step and at its own
// peak, in each dump by itself. Bytes are requested bytes of live allocations.
type RanksAnswer struct {
	Schema string `json:"schema"`
	Provenance
	Dumps      []RankDump       `json:"dumps"`      // files that were written together: of one run, one step, one occasion
	Ranks      []Rank           `json:"ranks"`      // by dump and rank
	Outliers   []RankOutlier    `json:"outliers"`   // by dump; after a step, then at the peak, the largest difference first; none with fewer than three ranks
	Rows       []RankRow        `json:"rows"`       // call sites by dump, the most uneven at the peaks first
	Unreadable []UnreadableRank `json:"unreadable"` // files that could not be read
}

// RankDump is what the ranks of one dump have in common.
type RankDump struct {
	Run             string `json:"run"`                                       // the folder, where folders hold the same ranks; else empty
	Step            *int   `json:"step" jsonschema:"oneof_type=integer;null"` // in the names; null without one
	OutOfMemory     bool   `json:"out_of_memory"`                             // the names say that memory ran out
	RankInNames     bool   `json:"rank_in_names"`                             // else ranks are the order of the names, and the files may be of several jobs
	ComparedRanks   int    `json:"compared_ranks"`                            // how many are compared
	MedianPeakBytes int64  `json:"median_peak_bytes"`                         // of those
	CommonSteps     int    `json:"common_steps"`                              // the last steps that all of those recorded
}

// Rank is one device of one file.
type Rank struct {
	Subject
	Dump              int     `json:"dump"`  // index in dumps
	Rank              int     `json:"rank"`  // from 0; a snapshot does not say it, its name may
	Label             string  `json:"label"` // as the name has it: "3" or "tp1 pp0"
	PeakBytes         int64   `json:"peak_bytes"`
	PeakState         int     `json:"peak_state"`
	StepEndBytes      *int64  `json:"step_end_bytes" jsonschema:"oneof_type=integer;null"` // after the last step; null: no end of a step is known
	StepEndState      *int    `json:"step_end_state" jsonschema:"oneof_type=integer;null"`
	ReservedPeakBytes int64   `json:"reserved_peak_bytes"`
	FinalBytes        int64   `json:"final_bytes"`
	Events            int     `json:"events"`
	Allocations       int     `json:"allocations"`
	OOMEvents         int     `json:"oom_events"`
	StepPeakBytes     []int64 `json:"step_peak_bytes"` // of each recorded step
	Outlier           bool    `json:"outlier"`         // its peak is far from the median
	Compared          bool    `json:"compared"`        // false: the file was read in part, or has no history as others have
}

// RankOutlier is a site where one rank holds much more or less than the others.
type RankOutlier struct {
	Dump        int    `json:"dump"` // index in dumps
	Rank        int    `json:"rank"`
	File        string `json:"file"`
	Site        string `json:"site"`
	Operator    string `json:"operator"`
	When        string `json:"when"` // step_end: after the rank's last step; peak: at its peak, which is high as a whole
	Bytes       int64  `json:"bytes"`
	MedianBytes int64  `json:"median_bytes"` // of the ranks that are compared, at that moment of theirs
	OnlyHere    bool   `json:"only_here"`    // not every rank runs this site
}

// RankRow is a call site with what each rank holds there.
type RankRow struct {
	Dump               int     `json:"dump"` // index in dumps
	Site               string  `json:"site"`
	Operator           string  `json:"operator"`
	Bytes              []int64 `json:"bytes"` // of the ranks of the dump that are compared, each at its peak
	MedianBytes        int64   `json:"median_bytes"`
	StepEndBytes       []int64 `json:"step_end_bytes"` // of the same, after the last step; 0 where that is not known
	MedianStepEndBytes int64   `json:"median_step_end_bytes"`
	Everywhere         bool    `json:"everywhere"` // every rank allocates there
}

// UnreadableRank is a file that could not be read.
type UnreadableRank struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// RankOf summarises each device of a file for [Ranks], without keeping the snapshot.
func RankOf(in *Input, rank compare.RankName) []compare.RankSummary {
	var list []compare.RankSummary
	for _, r := range in.Recordings {
		list = append(list, r.Rank(rank, in.FileName()))
	}
	return list
}

// Ranks compares the ranks of each dump. rows bounds the tables in text.
func Ranks(summaries []compare.RankSummary, unreadable []UnreadableRank, rows int) *Sheet {
	value := &RanksAnswer{Schema: schemaName("ranks"), Dumps: []RankDump{}, Ranks: []Rank{}, Outliers: []RankOutlier{},
		Rows: []RankRow{}, Unreadable: append([]UnreadableRank{}, unreadable...)}
	s := &Sheet{value: value}
	dumps := compare.Dumps(summaries)
	for _, c := range dumps {
		d := newDumpRanks(c, len(value.Dumps))
		value.Dumps = append(value.Dumps, d.RankDump)
		value.Ranks = append(value.Ranks, append(d.ranks, d.apart...)...)
		value.Outliers, value.Rows = append(value.Outliers, d.outliers...), append(value.Rows, d.rows...)
		s.dump(d, c, rows, len(dumps) > 1)
	}
	slices.SortStableFunc(value.Ranks, func(a, b Rank) int {
		return cmp.Or(cmp.Compare(a.Dump, b.Dump), cmp.Compare(a.Rank, b.Rank))
	})
	for _, u := range value.Unreadable {
		s.note("Not read: %s", name(u.Error))
	}
	return s
}

// dumpRanks are the entries of one dump in the answer.
type dumpRanks struct {
	RankDump
	ranks, apart []Rank // compared, and not
	outliers     []RankOutlier
	rows         []RankRow
	unlike       bool // without ranks in the names, and of different programs: none is an outlier
}

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

// files counts the files of a dump.
func (d *dumpRanks) files() int {
	files := map[string]bool{}
	for _, r := range append(slices.Clone(d.ranks), d.apart...) {
		files[r.File] = true
	}
	return len(files)
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

func newDumpRanks(c *compare.RankComparison, dump int) *dumpRanks {
	d := &dumpRanks{outliers: make([]RankOutlier, len(c.Outliers)), rows: make([]RankRow, len(c.Rows))}
	d.Run, d.OutOfMemory, d.ComparedRanks = units.Printable(c.Dump.Run), c.Dump.OOM, len(c.Ranks)
	d.MedianPeakBytes, d.CommonSteps = c.Peak.Median, c.CommonSteps
	if c.Dump.Step >= 0 {
		d.Step = &c.Dump.Step
	}
	for i := range c.Ranks {
		r := newRank(&c.Ranks[i], dump)
		r.Compared, r.Outlier = true, len(c.Ranks) > 2 && c.Peak.Outside(r.PeakBytes)
		d.ranks = append(d.ranks, r)
		d.RankInNames = c.Ranks[i].Name.InName()
	}
	for i := range c.Apart {
		d.apart = append(d.apart, newRank(&c.Apart[i], dump))
		d.RankInNames = c.Apart[i].Name.InName()
	}
	for i, o := range c.Outliers {
		row := &c.Rows[o.Row]
		d.outliers[i] = RankOutlier{
			Dump: dump, Rank: c.Ranks[o.Rank].Name.Rank, File: c.Ranks[o.Rank].File, Site: row.Site.String(),
			Operator: row.Operator, When: o.When.Key(), Bytes: o.Bytes,
			MedianBytes: row.At(o.When).Spread.Median, OnlyHere: o.OnlyHere,
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		d.rows[i] = RankRow{
			Dump: dump, Site: row.Site.String(), Operator: row.Operator, Bytes: row.Peak.Bytes,
			MedianBytes: row.Peak.Spread.Median, StepEndBytes: row.StepEnd.Bytes,
			MedianStepEndBytes: row.StepEnd.Spread.Median, Everywhere: row.Everywhere(),
		}
	}
	if d.unlike = !d.RankInNames && !mostlyShared(c.Rows); d.unlike {
		d.outliers = nil
		for i := range d.ranks {
			d.ranks[i].Outlier = false
		}
	}
	return d
}

// mostlyShared reports whether at least half of the bytes at the peaks are at sites that
// all ranks have.
func mostlyShared(rows []compare.RankRow) bool {
	var shared, all int64
	for i := range rows {
		for _, bytes := range rows[i].Peak.Bytes {
			all += bytes
			if rows[i].Everywhere() {
				shared += bytes
			}
		}
	}
	return 2*shared >= all
}

func newRank(r *compare.RankSummary, dump int) Rank {
	rank := Rank{
		Dump: dump, Rank: r.Name.Rank, Label: r.Name.Label,
		Subject:   Subject{r.File, int(r.Device), newTrust(r.AddsUp, r.Cut, r.Anomalies)},
		PeakBytes: r.PeakBytes, PeakState: r.PeakState, ReservedPeakBytes: r.ReservedPeakBytes,
		FinalBytes: r.FinalBytes, Events: r.Events, Allocations: r.Allocations, OOMEvents: r.OOMEvents,
		StepPeakBytes: append([]int64{}, r.StepPeaks...),
	}
	if r.StepEndState != timeline.NoState {
		rank.StepEndBytes, rank.StepEndState = &r.StepEndBytes, &r.StepEndState
	}
	return rank
}

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

// hasSeveralDevices reports whether a file has several devices.
func (d *dumpRanks) hasSeveralDevices() bool { return d.files() < len(d.ranks)+len(d.apart) }

// sameRank are pairs of files whose names give the same rank, one pair per rank.
func (d *dumpRanks) sameRank() [][2]*Rank {
	type identity struct {
		rank, device int
		label        string
	}
	first, listed := map[identity]*Rank{}, map[identity]bool{}
	var pairs [][2]*Rank
	all := append(slices.Clone(d.ranks), d.apart...)
	for i := range all {
		r := &all[i]
		at := identity{r.Rank, r.Device, r.Label}
		other := first[at]
		if other == nil {
			first[at] = r
		} else if other.File != r.File && !listed[at] {
			pairs, listed[at] = append(pairs, [2]*Rank{other, r}), true
		}
	}
	return pairs
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

func (o *RankOutlier) atPeak() bool { return o.When == compare.AtRankPeak.Key() }

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
