package answer

import (
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
