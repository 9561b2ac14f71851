package answer

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/units"
)

// RanksAnswer compares the ranks of one job, each after its last step and at its
// own peak. Bytes are requested bytes of live allocations.
type RanksAnswer struct {
	Schema string `json:"schema"`
	Provenance
	Ranks           []Rank           `json:"ranks"` // by rank
	MedianPeakBytes int64            `json:"median_peak_bytes"`
	CommonSteps     int              `json:"common_steps"` // the last steps that every rank recorded
	Outliers        []RankOutlier    `json:"outliers"`     // after a step, then at the peak, the largest difference first; none with fewer than three ranks
	Rows            []RankRow        `json:"rows"`         // call sites, the most uneven at the peaks first
	Unreadable      []UnreadableRank `json:"unreadable"`   // files that could not be read
}

// Rank is one device of one file.
type Rank struct {
	Subject
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
}

// RankOutlier is a site where one rank holds much more or less than the others.
type RankOutlier struct {
	Rank        int    `json:"rank"`
	File        string `json:"file"`
	Site        string `json:"site"`
	Operator    string `json:"operator"`
	When        string `json:"when"` // step_end: after the rank's last step; peak: at its peak, which is high as a whole
	Bytes       int64  `json:"bytes"`
	MedianBytes int64  `json:"median_bytes"` // of all ranks at that moment of theirs
	OnlyHere    bool   `json:"only_here"`    // not every rank runs this site
}

// RankRow is a call site with what each rank holds there.
type RankRow struct {
	Site               string  `json:"site"`
	Operator           string  `json:"operator"`
	Bytes              []int64 `json:"bytes"` // by rank, at its peak
	MedianBytes        int64   `json:"median_bytes"`
	StepEndBytes       []int64 `json:"step_end_bytes"` // by rank, after its last step; 0 where that is not known
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

// Ranks compares the ranks of one job. rows bounds the tables in text.
func Ranks(summaries []compare.RankSummary, unreadable []UnreadableRank, rows int) *Sheet {
	c := compare.Ranks(summaries)
	value := newRanksAnswer(c)
	value.Unreadable = append(value.Unreadable, unreadable...)
	s := &Sheet{value: value}
	s.heading("%s: median peak %s, median reserved %s", units.Plural(len(c.Ranks), "rank", "ranks"),
		amount(c.Peak.Median), amount(c.Reserved.Median))
	s.put(rankTable(value, c, rows))
	most := 0
	for i := range value.Ranks {
		most = max(most, len(value.Ranks[i].StepPeakBytes))
	}
	if c.CommonSteps < most {
		s.unequalSteps(c.CommonSteps, most)
	}
	for _, twice := range value.sameRank() {
		s.note("Rank %s is named by two files, %s and %s: are they of one job?", twice[0].shown(), name(twice[0].File),
			name(twice[1].File))
	}
	switch {
	case len(c.Ranks) < 2:
		s.say("There is one rank only, so nothing to compare.")
	case len(c.Ranks) == 2:
		s.pair(value, rows)
	case len(c.Outliers) == 0:
		s.allClear(value)
	default:
		s.outliers(value, rows)
	}
	for _, u := range value.Unreadable {
		s.note("Not read: %s", name(u.Error))
	}
	return s
}

func newRanksAnswer(c *compare.RankComparison) *RanksAnswer {
	value := &RanksAnswer{
		Schema: schemaName("ranks"), MedianPeakBytes: c.Peak.Median, CommonSteps: c.CommonSteps,
		Ranks: make([]Rank, len(c.Ranks)), Outliers: make([]RankOutlier, len(c.Outliers)),
		Rows: make([]RankRow, len(c.Rows)), Unreadable: []UnreadableRank{},
	}
	for i := range c.Ranks {
		r := &c.Ranks[i]
		value.Ranks[i] = Rank{
			Rank: r.Name.Rank, Label: r.Name.Label,
			Subject:   Subject{r.File, int(r.Device), newTrust(r.AddsUp, r.Anomalies)},
			PeakBytes: r.PeakBytes, PeakState: r.PeakState, ReservedPeakBytes: r.ReservedPeakBytes,
			FinalBytes: r.FinalBytes, Events: r.Events, Allocations: r.Allocations, OOMEvents: r.OOMEvents,
			StepPeakBytes: append([]int64{}, r.StepPeaks...),
			Outlier:       len(c.Ranks) > 2 && c.Peak.Outside(r.PeakBytes),
		}
		if r.StepEndState != timeline.NoState {
			value.Ranks[i].StepEndBytes, value.Ranks[i].StepEndState = &r.StepEndBytes, &r.StepEndState
		}
	}
	for i, o := range c.Outliers {
		row := &c.Rows[o.Row]
		value.Outliers[i] = RankOutlier{
			Rank: c.Ranks[o.Rank].Name.Rank, File: c.Ranks[o.Rank].File, Site: row.Site.String(),
			Operator: row.Operator, When: o.When.Key(), Bytes: o.Bytes,
			MedianBytes: row.At(o.When).Spread.Median, OnlyHere: o.OnlyHere,
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		value.Rows[i] = RankRow{
			Site: row.Site.String(), Operator: row.Operator, Bytes: row.Peak.Bytes, MedianBytes: row.Peak.Spread.Median,
			StepEndBytes: row.StepEnd.Bytes, MedianStepEndBytes: row.StepEnd.Spread.Median,
			Everywhere: row.Everywhere(),
		}
	}
	return value
}

// rankTable has a row for each rank, or for those furthest from the median peak.
func rankTable(value *RanksAnswer, c *compare.RankComparison, rows int) *sheetTable {
	t := newTable(column{"rank", figures}, column{"", words}, column{"peak", figures}, column{"to median", figures},
		column{"reserved", figures}, column{"steps", figures}, column{"", words}, column{"file", paths})
	shown := slices.Clone(value.Ranks)
	if len(shown) > rows {
		t.more = "and " + units.Plural(len(shown)-rows, "more rank", "more ranks") +
			", nearer to the median; --rows shows more"
		slices.SortStableFunc(shown, func(a, b Rank) int {
			return cmp.Compare(distance(b.PeakBytes, c.Peak.Median), distance(a.PeakBytes, c.Peak.Median))
		})
		shown = shown[:rows]
		slices.SortStableFunc(shown, func(a, b Rank) int { return a.Rank - b.Rank })
	}
	for i := range shown {
		r := &shown[i]
		mark := ""
		if r.OOMEvents > 0 {
			mark = "OOM"
		} else if r.Outlier {
			mark = "outlier"
		}
		device := ""
		if value.hasSeveralDevices() {
			device = "device " + units.Count(r.Device)
		}
		t.row(r.shown(), device, units.Bytes(r.PeakBytes), units.Change(r.PeakBytes-c.Peak.Median),
			units.Bytes(r.ReservedPeakBytes), units.Count(len(r.StepPeakBytes)), mark, name(r.File))
	}
	return t
}

// hasSeveralDevices reports whether a file has several devices.
func (a *RanksAnswer) hasSeveralDevices() bool {
	for i := 1; i < len(a.Ranks); i++ {
		if a.Ranks[i].File == a.Ranks[i-1].File {
			return true
		}
	}
	return false
}

// sameRank are pairs of files whose names give the same rank, one pair per rank.
func (a *RanksAnswer) sameRank() [][2]*Rank {
	type identity struct {
		rank, device int
		label        string
	}
	first, listed := map[identity]*Rank{}, map[identity]bool{}
	var pairs [][2]*Rank
	for i := range a.Ranks {
		r := &a.Ranks[i]
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
func (s *Sheet) allClear(value *RanksAnswer) {
	without := 0
	for i := range value.Ranks {
		if value.Ranks[i].StepEndState == nil {
			without++
		}
	}
	switch {
	case without > 0 && without < len(value.Ranks):
		s.say("No peak is far above the others; what ranks without steps keep after a step is not known.")
		return
	case without > 0:
		s.say("%s no steps, so only their peaks can be compared, and no peak is far above the others. What they keep "+
			"after a step is not known.",
			units.Plural(without, "rank shows", "ranks show"))
		return
	}
	s.say("No rank stands out: after its last step each holds about what the others hold, at every site.")
}

// pair compares two ranks.
func (s *Sheet) pair(value *RanksAnswer, rows int) {
	t := pairTable(value, rows)
	if len(t.rows) == 0 && t.more == "" {
		s.say("The two ranks hold the same at their peaks.")
		return
	}
	s.say("Of two ranks neither can be called the outlier. Where they differ at their peaks:")
	s.put(t)
}

// outliers says which ranks differ and where.
func (s *Sheet) outliers(value *RanksAnswer, rows int) {
	first := &value.Outliers[0]
	s.say("Rank %s %s from %s; the median of the %s is %s.", units.Count(first.Rank), first.holds(),
		siteName(first.Site), value.comparedWith(first), amount(first.MedianBytes))
	t := newTable(column{"rank", figures}, column{"holds", figures}, column{"median", figures}, column{"when", words},
		column{"", words}, column{"site", paths})
	t.fill(len(value.Outliers), rows, func(i int) {
		o := &value.Outliers[i]
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
func (a *RanksAnswer) comparedWith(o *RankOutlier) string {
	with := 0
	for i := range a.Ranks {
		if a.Ranks[i].StepEndState != nil {
			with++
		}
	}
	if o.atPeak() || with == len(a.Ranks) {
		return units.Plural(len(a.Ranks), "rank", "ranks")
	}
	return units.Plural(with, "rank", "ranks") + " with steps"
}

// pairTable has the sites where two ranks differ.
func pairTable(value *RanksAnswer, rows int) *sheetTable {
	a, b := &value.Ranks[0], &value.Ranks[1]
	t := newTable(column{"rank " + units.Count(a.Rank), figures}, column{"rank " + units.Count(b.Rank), figures},
		column{"change", figures}, column{"site", paths})
	for i := range value.Rows {
		row := &value.Rows[i]
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
