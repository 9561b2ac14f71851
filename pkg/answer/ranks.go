package answer

import (
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/units"
)

// RanksSchema names the meaning of the keys of RanksAnswer.
const RanksSchema = "memviz.ranks/1"

// RanksAnswer compares the ranks of one job, each at its own peak. Bytes are
// requested bytes of live allocations.
type RanksAnswer struct {
	Schema          string           `json:"schema"`
	Ranks           []Rank           `json:"ranks"` // by rank
	MedianPeakBytes int64            `json:"median_peak_bytes"`
	CommonSteps     int              `json:"common_steps"` // the last steps that every rank recorded
	Outliers        []RankOutlier    `json:"outliers"`     // the largest difference first; none with fewer than three ranks
	Rows            []RankRow        `json:"rows"`         // call sites, the most uneven first
	Unreadable      []UnreadableRank `json:"unreadable"`   // files that could not be read
}

// Rank is one device of one file.
type Rank struct {
	Rank              int     `json:"rank"`  // from 0; a snapshot does not say it, its name may
	Label             string  `json:"label"` // as the name has it: "3" or "tp1 pp0"
	File              string  `json:"file"`
	Device            int     `json:"device"`
	PeakBytes         int64   `json:"peak_bytes"`
	PeakState         int     `json:"peak_state"`
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
	Bytes       int64  `json:"bytes"`
	MedianBytes int64  `json:"median_bytes"` // of all ranks
	OnlyHere    bool   `json:"only_here"`    // not every rank runs this site
}

// RankRow is a call site with what each rank holds there at its own peak.
type RankRow struct {
	Site        string  `json:"site"`
	Operator    string  `json:"operator"`
	Bytes       []int64 `json:"bytes"` // by rank
	MedianBytes int64   `json:"median_bytes"`
	Everywhere  bool    `json:"everywhere"` // every rank allocates there
}

// UnreadableRank is a file that could not be read.
type UnreadableRank struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// RankOf is what a comparison of ranks needs of each device of a file. It does
// not keep the snapshot.
func RankOf(in *Input, rank analysis.RankName) []analysis.RankSummary {
	var list []analysis.RankSummary
	for _, r := range in.Recordings {
		list = append(list, analysis.SummariseRank(r, rank, in.FileName(), stepPeaks(r)))
	}
	return list
}

// Ranks compares the ranks of one job.
func Ranks(summaries []analysis.RankSummary, unreadable []UnreadableRank, rows int) *Sheet {
	c := analysis.CompareRanks(summaries)
	value := newRanksAnswer(c)
	value.Unreadable = append(value.Unreadable, unreadable...)
	s := &Sheet{value: value}
	s.heading("%s: median peak %s, median reserved %s", units.Plural(len(c.Ranks), "rank", "ranks"),
		units.NoBreak(units.Bytes(c.Peak.Median)), units.NoBreak(units.Bytes(c.Reserved.Median)))
	s.put(rankTable(value, c, rows))
	if short := value.shortest(); short < value.longest() {
		s.note("Ranks recorded %s to %s: only the last %s can be compared.", units.Count(short),
			units.Plural(value.longest(), "step", "steps"), units.Count(c.CommonSteps))
	}
	switch {
	case len(c.Ranks) < 2:
		s.say("One rank has no other to differ from.")
	case len(c.Ranks) == 2:
		s.say("With two ranks there is no telling which is the odd one. What they hold at their peaks, where it differs:")
		s.put(pairTable(value, rows))
	case len(c.Outliers) == 0:
		s.say("No rank stands out: at every site each holds about what the others hold.")
	default:
		s.outliers(value, rows)
	}
	for _, u := range value.Unreadable {
		s.note("Not read: %s", name(u.Error))
	}
	return s
}

func newRanksAnswer(c *analysis.RankComparison) *RanksAnswer {
	value := &RanksAnswer{
		Schema: RanksSchema, Ranks: make([]Rank, len(c.Ranks)), MedianPeakBytes: c.Peak.Median, CommonSteps: c.CommonSteps,
		Outliers: make([]RankOutlier, len(c.Outliers)), Rows: make([]RankRow, len(c.Rows)), Unreadable: []UnreadableRank{},
	}
	for i := range c.Ranks {
		r := &c.Ranks[i]
		value.Ranks[i] = Rank{
			Rank: r.Name.Rank, Label: r.Name.Label, File: r.File, Device: int(r.Device), PeakBytes: r.PeakBytes, PeakState: r.PeakState,
			ReservedPeakBytes: r.ReservedPeakBytes, FinalBytes: r.FinalBytes, Events: r.Events, Allocations: r.Allocations,
			OOMEvents: r.OOMEvents, StepPeakBytes: append([]int64{}, r.StepPeaks...),
			Outlier: len(c.Ranks) > 2 && c.Peak.Outside(r.PeakBytes),
		}
	}
	for i, o := range c.Outliers {
		row := &c.Rows[o.Row]
		value.Outliers[i] = RankOutlier{
			Rank: c.Ranks[o.Rank].Name.Rank, File: c.Ranks[o.Rank].File, Site: row.Site.String(), Operator: row.Operator,
			Bytes: o.Bytes, MedianBytes: row.Spread.Median, OnlyHere: o.OnlyHere,
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		value.Rows[i] = RankRow{Site: row.Site.String(), Operator: row.Operator, Bytes: row.Bytes, MedianBytes: row.Spread.Median, Everywhere: row.Everywhere()}
	}
	return value
}

func (a *RanksAnswer) shortest() int {
	steps := -1
	for i := range a.Ranks {
		if n := len(a.Ranks[i].StepPeakBytes); steps < 0 || n < steps {
			steps = n
		}
	}
	return max(steps, 0)
}

func (a *RanksAnswer) longest() int {
	steps := 0
	for i := range a.Ranks {
		steps = max(steps, len(a.Ranks[i].StepPeakBytes))
	}
	return steps
}

// rankTable has a row a rank. Of too many it shows those furthest from the
// median peak.
func rankTable(value *RanksAnswer, c *analysis.RankComparison, rows int) *sheetTable {
	t := newTable(column{"rank", figures}, column{"peak", figures}, column{"to median", figures}, column{"reserved", figures},
		column{"steps", figures}, column{"", words}, column{"file", paths})
	shown := slices.Clone(value.Ranks)
	if len(shown) > rows {
		t.more = "without " + units.Plural(len(shown)-rows, "rank", "ranks") + " nearer to the median; --rows shows more"
		slices.SortStableFunc(shown, func(a, b Rank) int {
			return int(min(max(distance(b.PeakBytes, c.Peak.Median)-distance(a.PeakBytes, c.Peak.Median), -1), 1))
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
		t.row(r.shown(), units.Bytes(r.PeakBytes), units.Change(r.PeakBytes-c.Peak.Median), units.Bytes(r.ReservedPeakBytes),
			units.Count(len(r.StepPeakBytes)), mark, name(r.File))
	}
	return t
}

// shown is the number of a rank, or its place on several axes.
func (r *Rank) shown() any {
	if number := strconv.Itoa(r.Rank); r.Label == number || r.Label == "" {
		return number
	}
	return name(r.Label)
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// outliers says which ranks differ and where.
func (s *Sheet) outliers(value *RanksAnswer, rows int) {
	first := value.Outliers[0]
	s.say("Rank %s holds %s at its peak from %s; the median of the %s is %s.", units.Count(first.Rank), units.NoBreak(units.Bytes(first.Bytes)),
		siteName(first.Site), units.Plural(len(value.Ranks), "rank", "ranks"), units.NoBreak(units.Bytes(first.MedianBytes)))
	t := newTable(column{"rank", figures}, column{"holds", figures}, column{"median", figures}, column{"", words}, column{"site", paths})
	for i, o := range value.Outliers {
		if i == rows {
			t.more = "and " + units.Plural(len(value.Outliers)-rows, "more row", "more rows") + "; --rows shows more"
			break
		}
		mark := ""
		if o.OnlyHere {
			mark = "not on all ranks"
		}
		t.row(units.Count(o.Rank), units.Bytes(o.Bytes), units.Bytes(o.MedianBytes), mark, siteName(o.Site))
	}
	s.put(t)
}

// pairTable sets two ranks side by side.
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
		t.row(units.Bytes(row.Bytes[0]), units.Bytes(row.Bytes[1]), units.Change(row.Bytes[1]-row.Bytes[0]), siteName(row.Site))
	}
	return t
}
