package answer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/units"
)

// DiffDevice is how a device differs between two recordings, each in a state of
// its own. Bytes are requested bytes of live allocations.
type DiffDevice struct {
	Device           int          `json:"device"`
	Trust                         // of both recordings; anomalies of either are counted
	Before           DiffSide     `json:"before"`
	After            DiffSide     `json:"after"`
	ActiveDelta      int64        `json:"active_delta_bytes"`        // in the states that are compared, after less before
	ReservedDelta    int64        `json:"reserved_peak_delta_bytes"` // after less before
	MatchedShare     float64      `json:"matched_share"`             // of the bytes with a stack, those of lines that both have, 0 to 1
	WithoutOperators bool         `json:"without_operators"`         // one side has no C++ frames, so operators were not compared
	UnchangedBytes   int64        `json:"unchanged_bytes"`           // on each side
	BeforeEarlier    int64        `json:"before_earlier_bytes"`      // that were there before its recording, and by their sizes are parameters or optimizer state of the other: counted as those
	AfterEarlier     int64        `json:"after_earlier_bytes"`
	Rows             []DiffRow    `json:"rows"`     // the largest change first; without what did not change
	Families         []DiffFamily `json:"families"` // the largest change first
}

// DiffSide are the totals of one recording.
type DiffSide struct {
	Subject
	State             int   `json:"state"`        // that is compared
	ActiveBytes       int64 `json:"active_bytes"` // in that state
	LiveAllocations   int   `json:"live_allocations"`
	PeakBytes         int64 `json:"peak_bytes"`
	ReservedPeakBytes int64 `json:"reserved_peak_bytes"`
	FinalBytes        int64 `json:"final_bytes"`
	Events            int   `json:"events"`
	Allocations       int   `json:"allocations"`
	OOMEvents         int   `json:"oom_events"`
}

// DiffRow is a line of the program, or a call site without one, that changed. Lines
// match although they moved.
type DiffRow struct {
	Site              string         `json:"site"`        // file:line:function, of the second recording where it has it
	Change            string         `json:"change"`      // added, removed, grown or shrunk
	BeforeLine        int            `json:"before_line"` // in each recording; 0: none
	AfterLine         int            `json:"after_line"`
	BeforeBytes       int64          `json:"before_bytes"`
	AfterBytes        int64          `json:"after_bytes"`
	DeltaBytes        int64          `json:"delta_bytes"`
	BeforeAllocations int            `json:"before_allocations"`
	AfterAllocations  int            `json:"after_allocations"`
	Operators         []DiffOperator `json:"operators"` // below the line, the largest change first; none without_operators
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

// DiffOptions are the options of Diff.
type DiffOptions struct {
	At   Moment // in each recording
	Rows int    // shown in text; JSON has all
}

// diffInput is one device of one side of a comparison.
type diffInput struct {
	*Input
	r *analysis.Recording
}

// Diff compares two recordings, device by device.
func Diff(before, after *Input, o DiffOptions) (*Sheet, error) {
	value := newDevices[DiffDevice]("diff")
	s := &Sheet{value: value}
	for _, r := range before.Recordings {
		i := slices.IndexFunc(after.Recordings, func(b *analysis.Recording) bool { return b.Device.ID == r.Device.ID })
		if i < 0 {
			continue
		}
		a, b := diffInput{before, r}, diffInput{after, after.Recordings[i]}
		stateA, err := a.state(o.At)
		if err != nil {
			return nil, err
		}
		stateB, err := b.state(o.At)
		if err != nil {
			return nil, err
		}
		c := analysis.Compare(a.r, b.r)
		d := c.Diff(stateA, stateB)
		value.Devices = append(value.Devices, newDiffDevice(a, b, c, d))
		s.diff(a, b, c, d, &value.Devices[len(value.Devices)-1], o.Rows)
	}
	if len(value.Devices) == 0 {
		return nil, errors.New("the two snapshots have no device in common")
	}
	return s, nil
}

func (in diffInput) state(at Moment) (int, error) {
	state, err := at.State(in.r)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.FileName(), err)
	}
	return state, nil
}

func newDiffDevice(a, b diffInput, c *compare.Comparison, d *compare.Difference) DiffDevice {
	view := DiffDevice{
		Device: int(a.r.Device.ID), Before: newDiffSide(a, &d.Before), After: newDiffSide(b, &d.After),
		ActiveDelta:   d.After.Bytes - d.Before.Bytes,
		ReservedDelta: d.After.ReservedPeakBytes - d.Before.ReservedPeakBytes,
		BeforeEarlier: c.EarlierBytes(compare.Before), AfterEarlier: c.EarlierBytes(compare.After),
		WithoutOperators: !c.Lines.Operators, UnchangedBytes: d.UnchangedBytes, MatchedShare: 1,
		Rows: make([]DiffRow, len(d.Rows)), Families: make([]DiffFamily, len(d.Families)),
	}
	view.Trust = view.Before.and(view.After.Trust)
	if d.StackBytes > 0 {
		view.MatchedShare = float64(d.MatchedBytes) / float64(d.StackBytes)
	}
	for i := range d.Rows {
		row := &d.Rows[i]
		view.Rows[i] = DiffRow{
			Site: row.Site.String(), Change: row.Change.String(),
			BeforeLine: row.Before.Line, AfterLine: row.After.Line,
			BeforeBytes: row.Before.Bytes, AfterBytes: row.After.Bytes, DeltaBytes: row.Delta(),
			BeforeAllocations: row.Before.Allocations, AfterAllocations: row.After.Allocations,
			Operators: make([]DiffOperator, len(row.Operators)),
		}
		for k, o := range row.Operators {
			view.Rows[i].Operators[k] = DiffOperator{o.Operator, o.Before.Bytes, o.After.Bytes, o.Delta()}
		}
	}
	for i, f := range d.Families {
		view.Families[i] = DiffFamily{f.Family.Key(), f.Before, f.After, f.Delta()}
	}
	return view
}

func newDiffSide(in diffInput, t *compare.DiffTotals) DiffSide {
	return DiffSide{
		Subject: newSubject(in.Input, in.r.Device), State: t.State, ActiveBytes: t.Bytes,
		LiveAllocations: t.LiveAllocations, PeakBytes: t.PeakBytes, ReservedPeakBytes: t.ReservedPeakBytes,
		FinalBytes: t.FinalBytes, Events: t.Events, Allocations: t.Allocations, OOMEvents: t.OOMEvents,
	}
}

// diff says how a device differs.
func (s *Sheet) diff(a, b diffInput, c *compare.Comparison, d *compare.Difference, view *DiffDevice, rows int) {
	s.heading("%s: active %s, reserved %s from %s to %s", b.Snapshot.DeviceLabel(b.r.Device.ID),
		changed(view.ActiveDelta), changed(view.ReservedDelta), name(a.FileName()), name(b.FileName()))
	s.put(diffTotals(d))
	for _, side := range []*DiffSide{&view.Before, &view.After} {
		if side.Cut {
			s.say("%s was read in part: it holds at least what is shown, and a change may be what is missing.", name(side.File))
		}
	}
	switch {
	case len(d.Rows) == 0 && view.ReservedDelta != 0:
		s.say("No call site holds more or less; only what the allocator reserves for them differs.")
		return
	case len(d.Rows) == 0:
		s.say("No call site holds more or less.")
		s.earlier(view.BeforeEarlier, a.FileName(), b.FileName())
		s.earlier(view.AfterEarlier, b.FileName(), a.FileName())
		return
	case c.DifferentPrograms():
		s.say("Only %s of the bytes are from lines that both have: these are different programs. Families can "+
			"still be compared:", units.Share(d.MatchedBytes, d.StackBytes))
		s.put(diffFamilies(d))
	}
	s.put(diffTable(view, rows))
	if c.Lines.OneHasOperators {
		s.note("Operators were not compared, because one of the snapshots has no C++ frames.")
	}
	s.earlier(view.BeforeEarlier, a.FileName(), b.FileName())
	s.earlier(view.AfterEarlier, b.FileName(), a.FileName())
	if d.UnchangedRows > 0 {
		s.note("%s, with %s, did not change.", units.Plural(d.UnchangedRows, "more site", "more sites"),
			units.Bytes(d.UnchangedBytes))
	}
}

// earlier says what one file has from before its recording and the other recorded.
func (s *Sheet) earlier(bytes int64, file, other string) {
	if bytes > 0 {
		s.note("%s were there before the recording of %s, and have the sizes of parameters or optimizer state that %s "+
			"recorded: they count as those.", amount(bytes), name(file), name(other))
	}
}

// changed is a difference in a sentence, where 0 alone would read as an amount.
func changed(bytes int64) string {
	if bytes == 0 {
		return "±0"
	}
	return units.NoBreak(units.Change(bytes))
}

func diffTotals(d *compare.Difference) *sheetTable {
	t := newTable(column{"", words}, column{"before", figures}, column{"after", figures}, column{"change", figures})
	bytes := func(what string, before, after int64) {
		t.row(what, units.Bytes(before), units.Bytes(after), units.Change(after-before))
	}
	counts := func(what string, before, after int) {
		t.row(what, units.Count(before), units.Count(after), signed(int64(after-before)))
	}
	t.row("compared in state", units.Count(d.Before.State), units.Count(d.After.State), "")
	bytes("active there", d.Before.Bytes, d.After.Bytes)
	counts("allocations there", d.Before.LiveAllocations, d.After.LiveAllocations)
	bytes("peak active", d.Before.PeakBytes, d.After.PeakBytes)
	bytes("peak reserved", d.Before.ReservedPeakBytes, d.After.ReservedPeakBytes)
	bytes("active at the end", d.Before.FinalBytes, d.After.FinalBytes)
	counts("events", d.Before.Events, d.After.Events)
	counts("allocations", d.Before.Allocations, d.After.Allocations)
	if d.Before.OOMEvents+d.After.OOMEvents > 0 {
		counts("out of memory", d.Before.OOMEvents, d.After.OOMEvents)
	}
	return t
}

func diffTable(view *DiffDevice, rows int) *sheetTable {
	t := newTable(column{"change", figures}, column{"before", figures}, column{"after", figures}, column{"", words},
		column{"site", paths})
	t.fill(len(view.Rows), rows, func(i int) {
		row := &view.Rows[i]
		t.row(units.Change(row.DeltaBytes), units.Bytes(row.BeforeBytes), units.Bytes(row.AfterBytes), row.Change,
			siteName(row.Site))
		if len(row.Operators) < 2 {
			return
		}
		for k := range min(len(row.Operators), maxShownOperators) {
			if o := &row.Operators[k]; o.DeltaBytes != 0 {
				t.row(units.Change(o.DeltaBytes), units.Bytes(o.BeforeBytes), units.Bytes(o.AfterBytes), "",
					name("· "+cmp.Or(o.Operator, noOperator)))
			}
		}
	})
	return t
}

// maxShownOperators bounds the operators that text has below a line.
const maxShownOperators = 4

// siteName is a site as text.
func siteName(site string) any {
	if site == "" {
		return noStack
	}
	return name(site)
}

func diffFamilies(d *compare.Difference) *sheetTable {
	t := newTable(column{"change", figures}, column{"before", figures}, column{"after", figures},
		column{"family", words})
	for i := range d.Families {
		f := &d.Families[i]
		t.row(units.Change(f.Delta()), units.Bytes(f.Before), units.Bytes(f.After), f.Family.Label())
	}
	return t
}
