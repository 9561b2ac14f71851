package answer

import (
	"cmp"
	"slices"

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

// files counts the files of a dump.
func (d *dumpRanks) files() int {
	files := map[string]bool{}
	for _, r := range append(slices.Clone(d.ranks), d.apart...) {
		files[r.File] = true
	}
	return len(files)
}

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

func (o *RankOutlier) atPeak() bool { return o.When == compare.AtRankPeak.Key() }
