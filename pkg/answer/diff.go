package answer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// DiffDevice is how a device differs between two recordings, each in a state of
// its own. Bytes are requested bytes of live allocations.
type DiffDevice struct {
	Device   int          `json:"device"` // of the first recording
	Trust                 // of both recordings; anomalies of either are counted
	Answers  []DiffAnswer `json:"answers"` // the four answers, about the peaks
	Warnings []Warning    `json:"warnings"`
	Before   DiffSide     `json:"before"`
	After    DiffSide     `json:"after"`
	// in the states that are compared, after less before
	ActiveDelta   int64 `json:"active_delta_bytes"`
	ReservedDelta int64 `json:"reserved_peak_delta_bytes"` // after less before
	// of the bytes with a stack, in the states that are compared, those of lines that both have, 0
	// to 1
	MatchedShare float64   `json:"matched_share"`
	Lines        DiffLines `json:"lines"`
	Steps        DiffSteps `json:"steps"`
	// one side has no C++ frames, so operators were not compared
	WithoutOperators bool  `json:"without_operators"`
	UnchangedBytes   int64 `json:"unchanged_bytes"` // on each side
	// that were there before its recording, and by their sizes are parameters or optimizer state
	// of the other: counted as those
	BeforeEarlier int64 `json:"before_earlier_bytes"`
	AfterEarlier  int64 `json:"after_earlier_bytes"`
	// what the allocations of a row have in common: site, file or function
	By       string       `json:"by"`
	Rows     []DiffRow    `json:"rows"`     // the largest change first; without what did not change
	Families []DiffFamily `json:"families"` // the largest change first
	// states worth comparing: the peaks, the highest of each phase and step that both have, the
	// end
	Moments []DiffPoint `json:"moments"`
}

// DiffSteps counts the steps that end in the recordings, paired by the numbers that they
// were given, else in order.
type DiffSteps struct {
	Word       string `json:"word"` // step, backward call, iteration or window; "" where steps are not paired
	Both       int    `json:"both"`
	OnlyBefore int    `json:"only_before"`
	OnlyAfter  int    `json:"only_after"`
}

// DiffSide are the totals of one recording.
type DiffSide struct {
	Subject
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

// DiffRow is a line of the program, or a call site without one, that changed. Lines
// match although they moved.
type DiffRow struct {
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
	Operators []DiffOperator `json:"operators"`
}

// DiffOperator is what an operator holds at a line.
type DiffOperator struct {
	Operator    string `json:"operator"` // "aten::mm", or empty
	BeforeBytes int64  `json:"before_bytes"`
	AfterBytes  int64  `json:"after_bytes"`
	DeltaBytes  int64  `json:"delta_bytes"`
}

// DiffFamily is what a family holds on each side.
type DiffFamily struct {
	Family      string `json:"family"`
	BeforeBytes int64  `json:"before_bytes"`
	AfterBytes  int64  `json:"after_bytes"`
	DeltaBytes  int64  `json:"delta_bytes"`
}

// DiffPoint is a state of each recording.
type DiffPoint struct {
	Key         string `json:"key"` // peak, load, forward, backward, optimizer, step:3, end
	BeforeState int    `json:"before_state"`
	AfterState  int    `json:"after_state"`
	BeforeBytes int64  `json:"before_bytes"` // active there
	AfterBytes  int64  `json:"after_bytes"`
}

// DiffOptions are the options of Diff.
type DiffOptions struct {
	At   DiffMoment
	By   DiffBy
	Rows int // shown in text; JSON has all
}

// DiffBy is what the allocations of a row have in common.
type DiffBy uint8

// The kinds of rows.
const (
	DiffBySite DiffBy = iota // a source line
	DiffByFile
	DiffByFunction
)

// diffBys are the kinds of rows in words.
var diffBys = [...]struct{ key, one, many string }{
	{"site", "site", "sites"}, {"file", "file", "files"}, {"function", "function", "functions"},
}

// DiffBys are the keys of all kinds of rows.
func DiffBys() (keys []string) {
	for _, by := range diffBys {
		keys = append(keys, by.key)
	}
	return keys
}

// ParseDiffBy reads the key of a kind of rows.
func ParseDiffBy(key string) (DiffBy, error) {
	i := slices.Index(DiffBys(), key)
	if i < 0 {
		return 0, fmt.Errorf("%q is not one of site, file, function", key)
	}
	return DiffBy(i), nil
}

func (b DiffBy) title() string { return diffBys[b].key }
func (b DiffBy) one() string   { return diffBys[b].one }
func (b DiffBy) many() string  { return diffBys[b].many }

// DiffPair is a device of two recordings, compared.
type DiffPair struct {
	*compare.Comparison
	inputs     [2]*Input
	recordings [2]*analysis.Recording
	atPeaks    *compare.Difference
	resident   [2]int64 // bytes at the peaks from before the recording of which nothing is known
}

// DiffPairs compares the devices that two inputs have in common; if there is none and
// each has but one, these. Without any it is an error.
func DiffPairs(before, after *Input) ([]*DiffPair, error) {
	isGPU := func(r *analysis.Recording) bool { return r.Device.ID != snapshot.Pinned }
	onlyGPU := func(in *Input) int { // among the recordings; -1: there are none, or several
		i := slices.IndexFunc(in.Recordings, isGPU)
		if i >= 0 && slices.ContainsFunc(in.Recordings[i+1:], isGPU) {
			return -1
		}
		return i
	}
	var pairs []*DiffPair
	for k, r := range before.Recordings {
		i := slices.IndexFunc(after.Recordings, func(b *analysis.Recording) bool { return b.Device.ID == r.Device.ID })
		if i < 0 && k == onlyGPU(before) {
			i = onlyGPU(after)
		}
		if i >= 0 {
			pairs = append(pairs, newDiffPair(before, r, after, after.Recordings[i]))
		}
	}
	if len(pairs) == 0 {
		return nil, errors.New("the two snapshots have no device in common")
	}
	return pairs, nil
}

func newDiffPair(before *Input, a *analysis.Recording, after *Input, b *analysis.Recording) *DiffPair {
	p := &DiffPair{Comparison: analysis.Compare(a, b), inputs: [2]*Input{before, after},
		recordings: [2]*analysis.Recording{a, b}}
	p.atPeaks = p.Diff(a.Device.Totals.PeakState, b.Device.Totals.PeakState)
	for _, f := range p.atPeaks.Families {
		if f.Family == families.Resident {
			p.resident = [2]int64{f.Before, f.After}
		}
	}
	return p
}

// Diff compares two recordings, device by device.
func Diff(before, after *Input, o DiffOptions) (*Sheet, error) {
	value := newDevices[DiffDevice]("diff")
	s := &Sheet{value: value}
	pairs, err := DiffPairs(before, after)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		states, err := o.At.states(p)
		if err != nil {
			return nil, err
		}
		d := p.Diff(states[compare.Before], states[compare.After])
		switch o.By {
		case DiffByFile:
			d = d.ByFile(p.Lines)
		case DiffByFunction:
			d = d.ByFunction()
		}
		value.Devices = append(value.Devices, p.view(d, o.By))
		s.diff(p, d, &value.Devices[len(value.Devices)-1], o)
	}
	return s, nil
}

// view is the difference as JSON.
func (p *DiffPair) view(d *compare.Difference, by DiffBy) DiffDevice {
	view := DiffDevice{
		Device: int(p.Sides[compare.Before].Device.ID), Answers: p.Answers(), Warnings: p.Warnings(),
		Before: p.side(compare.Before, &d.Before), After: p.side(compare.After, &d.After),
		ActiveDelta:   d.After.Bytes - d.Before.Bytes,
		ReservedDelta: d.After.ReservedPeakBytes - d.Before.ReservedPeakBytes,
		BeforeEarlier: p.EarlierBytes(compare.Before), AfterEarlier: p.EarlierBytes(compare.After),
		WithoutOperators: !p.Lines.Operators, UnchangedBytes: d.UnchangedBytes, MatchedShare: 1, Lines: p.lineCounts(),
		Steps: p.stepCounts(),
		By:    by.title(), Rows: make([]DiffRow, len(d.Rows)), Families: make([]DiffFamily, len(d.Families)),
		Moments: make([]DiffPoint, len(p.Moments)),
	}
	view.Trust = view.Before.and(view.After.Trust)
	if d.StackBytes > 0 {
		view.MatchedShare = float64(d.MatchedBytes) / float64(d.StackBytes)
	}
	for i := range d.Rows {
		view.Rows[i] = newDiffRow(&d.Rows[i])
	}
	for i, f := range d.Families {
		view.Families[i] = DiffFamily{f.Family.Key(), f.Before, f.After, f.Delta()}
	}
	active := [2][]int64{p.Sides[compare.Before].Device.ActiveBytes(), p.Sides[compare.After].Device.ActiveBytes()}
	for i, m := range p.Moments {
		a, b := m.States[compare.Before], m.States[compare.After]
		view.Moments[i] = DiffPoint{m.Key, a, b, active[compare.Before][a], active[compare.After][b]}
	}
	return view
}

func newDiffRow(row *compare.DiffRow) DiffRow {
	view := DiffRow{
		Site: diffSite(row.Site), Change: row.Change.String(), What: ChangeOf(row.Before.Amount, row.After.Amount),
		BeforeLine: row.Before.Line, AfterLine: row.After.Line,
		BeforeBytes: row.Before.Bytes, AfterBytes: row.After.Bytes, DeltaBytes: row.Delta(),
		BeforeAllocations: row.Before.Allocations, AfterAllocations: row.After.Allocations,
		Operators: make([]DiffOperator, len(row.Operators)),
	}
	for i, o := range row.Operators {
		view.Operators[i] = DiffOperator{o.Operator, o.Before.Bytes, o.After.Bytes, o.Delta()}
	}
	return view
}

// diffSite is a site as text; rows of files and functions have one of them alone.
func diffSite(site stacks.Site) string {
	if site.Function == "" {
		return site.File
	}
	return site.String()
}

func (p *DiffPair) side(side int, t *compare.DiffTotals) DiffSide {
	view := DiffSide{
		Subject: newSubject(p.inputs[side], p.Sides[side].Device), State: t.State, ActiveBytes: t.Bytes,
		LiveAllocations: t.LiveAllocations, PeakBytes: t.PeakBytes, ReservedPeakBytes: t.ReservedPeakBytes,
		FinalBytes: t.FinalBytes, Events: t.Events, Allocations: t.Allocations, OOMEvents: t.OOMEvents,
	}
	if cache := p.fragmentation(side); cache != nil {
		view.CachedBytes, view.FragmentedBytes = &cache.Cached, &cache.Bytes
	}
	return view
}
