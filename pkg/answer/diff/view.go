package diff

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/units"
)

// Device is how a device differs between two recordings, each in a state of
// its own. Bytes are requested bytes of live allocations.
type Device struct {
	Device      int             `json:"device"` // of the first recording
	trust.Trust                 // of both recordings; anomalies of either are counted
	Answers     []Headline      `json:"answers"` // the four answers, about the peaks
	Warnings    []trust.Warning `json:"warnings"`
	Before      Side            `json:"before"`
	After       Side            `json:"after"`
	// in the states that are compared, after less before
	ActiveDelta   int64 `json:"active_delta_bytes"`
	ReservedDelta int64 `json:"reserved_peak_delta_bytes"` // after less before
	// of the bytes with a stack, in the states that are compared, those of lines that both have, 0
	// to 1
	MatchedShare float64 `json:"matched_share"`
	Lines        Lines   `json:"lines"`
	Steps        Steps   `json:"steps"`
	// one side has no C++ frames, so operators were not compared
	WithoutOperators bool  `json:"without_operators"`
	UnchangedBytes   int64 `json:"unchanged_bytes"` // on each side
	// that were there before its recording, and by their sizes are parameters or optimizer state
	// of the other: counted as those
	BeforeEarlier int64 `json:"before_earlier_bytes"`
	AfterEarlier  int64 `json:"after_earlier_bytes"`
	// what the allocations of a row have in common: site, file or function
	By       string   `json:"by"`
	Rows     []Row    `json:"rows"`     // the largest change first; without what did not change
	Families []Family `json:"families"` // the largest change first
	// states worth comparing: the peaks, the highest of each phase and step that both have, the
	// end
	Moments []Point `json:"moments"`
}

// Steps counts the steps that end in the recordings, paired by the numbers that they
// were given, else in order.
type Steps struct {
	Word       string `json:"word"` // step, backward call, iteration or window; "" where steps are not paired
	Both       int    `json:"both"`
	OnlyBefore int    `json:"only_before"`
	OnlyAfter  int    `json:"only_after"`
}

// Side are the totals of one recording.
type Side struct {
	answer.Subject
	State             int   `json:"state"`        // that is compared
	ActiveBytes       int64 `json:"active_bytes"` // in that state
	LiveAllocations   int   `json:"live_allocations"`
	PeakBytes         int64 `json:"peak_bytes"`
	ReservedPeakBytes int64 `json:"reserved_peak_bytes"`
	// at the peak of reserved memory, in no live block; null if not known
	CachedBytes *int64 `json:"cached_bytes" jsonschema:"oneof_type=integer;null"`
	// of these, what can neither be returned nor serve a typical large request
	FragmentedBytes *int64 `json:"fragmented_bytes" jsonschema:"oneof_type=integer;null"`
	FinalBytes      int64  `json:"final_bytes"`
	Events          int    `json:"events"`
	Allocations     int    `json:"allocations"`
	OOMEvents       int    `json:"oom_events"`
}

// Row is a line of the program, or a call site without one, that changed. Lines
// match although they moved.
type Row struct {
	// file:line:function, of the second recording where it has it; or a file or function
	Site              string `json:"site"`
	Change            string `json:"change"`      // added, removed, grown or shrunk
	What              string `json:"what"`        // the kind of change: "24 tensors, each 16.0 MiB → 256 MiB"
	BeforeLine        int    `json:"before_line"` // in each recording; 0: none
	AfterLine         int    `json:"after_line"`
	BeforeBytes       int64  `json:"before_bytes"`
	AfterBytes        int64  `json:"after_bytes"`
	DeltaBytes        int64  `json:"delta_bytes"`
	BeforeAllocations int    `json:"before_allocations"`
	AfterAllocations  int    `json:"after_allocations"`
	// below the line, the largest change first; none without_operators
	Operators []Operator `json:"operators"`
}

// Operator is what an operator holds at a line.
type Operator struct {
	Operator    string `json:"operator"` // "aten::mm", or empty
	BeforeBytes int64  `json:"before_bytes"`
	AfterBytes  int64  `json:"after_bytes"`
	DeltaBytes  int64  `json:"delta_bytes"`
}

// Family is what a family holds on each side.
type Family struct {
	Family      string `json:"family"`
	BeforeBytes int64  `json:"before_bytes"`
	AfterBytes  int64  `json:"after_bytes"`
	DeltaBytes  int64  `json:"delta_bytes"`
}

// Point is a state of each recording.
type Point struct {
	Key         string `json:"key"` // peak, load, forward, backward, optimizer, step:3, end
	BeforeState int    `json:"before_state"`
	AfterState  int    `json:"after_state"`
	BeforeBytes int64  `json:"before_bytes"` // active there
	AfterBytes  int64  `json:"after_bytes"`
}

// view is the difference as JSON.
func (p *Pair) view(d *compare.Difference, by By) Device {
	view := Device{
		Device: int(p.Sides[compare.Before].Device.ID), Answers: p.Answers(), Warnings: p.Warnings(),
		Before: p.side(compare.Before, &d.Before), After: p.side(compare.After, &d.After),
		ActiveDelta:   d.After.Bytes - d.Before.Bytes,
		ReservedDelta: d.After.ReservedPeakBytes - d.Before.ReservedPeakBytes,
		BeforeEarlier: p.EarlierBytes(compare.Before), AfterEarlier: p.EarlierBytes(compare.After),
		WithoutOperators: !p.Lines.Operators, UnchangedBytes: d.UnchangedBytes, MatchedShare: 1, Lines: p.lineCounts(),
		Steps: p.stepCounts(),
		By:    by.title(), Rows: make([]Row, len(d.Rows)), Families: make([]Family, len(d.Families)),
		Moments: make([]Point, len(p.Moments)),
	}
	view.Trust = view.Before.And(view.After.Trust)
	if d.StackBytes > 0 {
		view.MatchedShare = float64(d.MatchedBytes) / float64(d.StackBytes)
	}
	for i := range d.Rows {
		view.Rows[i] = newRow(&d.Rows[i])
	}
	for i, f := range d.Families {
		view.Families[i] = Family{f.Family.Key(), f.Before, f.After, f.Delta()}
	}
	active := [2][]int64{p.Sides[compare.Before].Device.ActiveBytes(), p.Sides[compare.After].Device.ActiveBytes()}
	for i, m := range p.Moments {
		a, b := m.States[compare.Before], m.States[compare.After]
		view.Moments[i] = Point{m.Key, a, b, active[compare.Before][a], active[compare.After][b]}
	}
	return view
}

func newRow(row *compare.DiffRow) Row {
	view := Row{
		Site: siteText(row.Site), Change: row.Change.String(), What: ChangeOf(row.Before.Amount, row.After.Amount),
		BeforeLine: row.Before.Line, AfterLine: row.After.Line,
		BeforeBytes: row.Before.Bytes, AfterBytes: row.After.Bytes, DeltaBytes: row.Delta(),
		BeforeAllocations: row.Before.Allocations, AfterAllocations: row.After.Allocations,
		Operators: make([]Operator, len(row.Operators)),
	}
	for i, o := range row.Operators {
		view.Operators[i] = Operator{o.Operator, o.Before.Bytes, o.After.Bytes, o.Delta()}
	}
	return view
}

// siteText is a site as text; rows of files and functions have one of them alone.
func siteText(site stacks.Site) string {
	if site.Function == "" {
		return site.File
	}
	return site.String()
}

func (p *Pair) side(side int, t *compare.DiffTotals) Side {
	view := Side{
		Subject: answer.NewSubject(p.inputs[side], p.Sides[side].Device), State: t.State, ActiveBytes: t.Bytes,
		LiveAllocations: t.LiveAllocations, PeakBytes: t.PeakBytes, ReservedPeakBytes: t.ReservedPeakBytes,
		FinalBytes: t.FinalBytes, Events: t.Events, Allocations: t.Allocations, OOMEvents: t.OOMEvents,
	}
	if cache := p.fragmentation(side); cache != nil {
		view.CachedBytes, view.FragmentedBytes = &cache.Cached, &cache.Bytes
	}
	return view
}

// Lines counts the lines from which the recordings allocate memory.
type Lines struct {
	Both       int `json:"both"`
	Moved      int `json:"moved"` // of both: those with another number
	OnlyBefore int `json:"only_before"`
	OnlyAfter  int `json:"only_after"`
	// of the bytes with a stack, at the peaks, those of lines in both; 0 to 1
	Matched float64 `json:"matched_bytes_share"`
}

func (p *Pair) lineCounts() Lines {
	counts := Lines{Matched: p.MatchedShare()}
	for i := range p.Lines.Groups {
		g := &p.Lines.Groups[i]
		switch {
		case !g.Named:
		case g.Both():
			counts.Both++
			if g.Moved() {
				counts.Moved++
			}
		case g.Has[compare.Before]:
			counts.OnlyBefore++
		default:
			counts.OnlyAfter++
		}
	}
	return counts
}

// stepCounts counts the steps of both recordings.
func (p *Pair) stepCounts() (counts Steps) {
	for i := range p.Steps {
		step := &p.Steps[i]
		switch {
		case !step.Ended:
		case step.Both():
			counts.Both++
		case step.Index[compare.Before] >= 0:
			counts.OnlyBefore++
		default:
			counts.OnlyAfter++
		}
	}
	if len(p.Steps) > 0 {
		counts.Word = p.Sides[compare.Before].Steps.Method.Word(1)
	}
	return counts
}

// sentence says how many steps stand alone: "10 steps only in after."; "" without any.
func (c *Steps) sentence() string {
	var texts []string
	for _, side := range []struct {
		n    int
		word string
	}{{c.OnlyBefore, "before"}, {c.OnlyAfter, "after"}} {
		if side.n > 0 {
			texts = append(texts, units.Plural(side.n, c.Word, c.Word+"s")+" only in "+side.word)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, ", ") + "."
}
