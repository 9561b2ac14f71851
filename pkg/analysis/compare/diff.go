// Package compare matches what two recordings of one program hold ([New]).
//
// They are compared by lines of the program's own code, which are aligned as in a diff of
// two texts, by the calls that lead to them, the operators below them and how far the
// lines around them moved (lines.go). Memory without such a line is compared by call
// sites that are the same in both, by functions and files without addresses, lines or
// folders (stacks.Key): first by whole paths from the outermost frame on, then by the
// innermost frames alone. If one recording has no C++ frames, operators are left out on
// both sides.
//
// Their histories are aligned by phases of training, within steps where both have steps
// (runs.go, steps.go): by the longest common subsequence, so that a phase of one is
// paired with at most one of the other, and every state lies in exactly one run.
//
// What it cannot see: whether a site that both have does the same work. Sites
// without a stack are compared as one.
package compare

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
)

// Change is how a call site changed between two recordings.
type Change uint8

const (
	Unchanged Change = iota
	Added            // holds memory in the second only
	Removed          // holds memory in the first only
	Grown
	Shrunk
)

// String returns the change in a word: "grown".
func (c Change) String() string {
	return [...]string{"unchanged", "added", "removed", "grown", "shrunk"}[min(c, Shrunk)]
}

// Difference is what two recordings hold, each in a state of its own. Bytes are
// requested bytes of live allocations.
type Difference struct {
	Before, After DiffTotals

	Rows     []DiffRow    // sites that changed, the largest change first
	Families []FamilyDiff // that hold memory on either side, the largest change first

	UnchangedRows  int
	UnchangedBytes int64 // on each side

	unchanged []DiffRow

	// MatchedBytes are the bytes of lines that both recordings have, and StackBytes all
	// bytes with a stack, summed over the two sides.
	MatchedBytes, StackBytes int64
}

// DiffTotals are the totals of one side.
type DiffTotals struct {
	replay.Totals
	State           int   // the state that is compared
	Bytes           int64 // active in State
	LiveAllocations int   // in State
	Events          int   // of the whole recording
	Allocations     int
}

// DiffRow is a line of the program, or a call site without one, and what it holds on
// each side.
type DiffRow struct {
	Group int         // index in Lines.Groups
	Site  stacks.Site // Group.Latest; zero without a stack to match
	Named bool        // there is a stack to match

	Change    Change
	Operators []OperatorDiff // that hold something, the largest change first; empty if operators do not count

	Before, After DiffSide
}

// OperatorDiff is what an operator holds on each side of a row.
type OperatorDiff struct {
	Operator      string
	Before, After Amount
}

// Amount is what some allocations hold.
type Amount struct {
	Bytes             int64
	Allocations       int
	Smallest, Largest int64 // of the allocations; 0 without any
}

func (a *Amount) add(bytes int64) {
	if a.Allocations == 0 {
		a.Smallest = bytes
	}
	a.Bytes += bytes
	a.Allocations++
	a.Smallest, a.Largest = min(a.Smallest, bytes), max(a.Largest, bytes)
}

// merge adds the amount of other allocations.
func (a *Amount) merge(b Amount) {
	switch {
	case b.Allocations == 0:
		return
	case a.Allocations == 0:
		*a = b
		return
	}
	a.Bytes += b.Bytes
	a.Allocations += b.Allocations
	a.Smallest, a.Largest = min(a.Smallest, b.Smallest), max(a.Largest, b.Largest)
}

// Delta is how many bytes more the second recording holds.
func (o *OperatorDiff) Delta() int64 { return o.After.Bytes - o.Before.Bytes }

// Delta is how many bytes more the second recording holds.
func (r *DiffRow) Delta() int64 { return r.After.Bytes - r.Before.Bytes }

// DiffSide is what one recording holds at a site.
type DiffSide struct {
	Amount
	Line int // of the program's line in this recording; 0 when unknown, or without one
}

// FamilyDiff is what a family holds on each side.
type FamilyDiff struct {
	Family        families.Family
	Before, After int64
}

// Delta is how many bytes more the second recording holds.
func (f *FamilyDiff) Delta() int64 { return f.After - f.Before }

// Diff compares what the recordings hold, each in a state of its own, from 0 to the
// number of its events.
func (c *Comparison) Diff(before, after int) *Difference {
	states := [2]int{before, after}
	d := &Difference{Before: totalsOf(&c.Sides[Before], before), After: totalsOf(&c.Sides[After], after)}
	var families [families.Count]FamilyDiff
	rows := make([]rowSums, len(c.Lines.Groups))
	for side := range c.Sides {
		operator := c.Sides[side].Stacks.Operator
		for _, x := range c.liveIn(side, states[side]) {
			*[...]*int64{&families[x.family].Before, &families[x.family].After}[side] += x.bytes
			row := &rows[x.group]
			row.side[side].add(x.bytes)
			if c.Lines.Operators {
				row.operator(operator[x.stack])[side].add(x.bytes)
			}
		}
	}
	d.Families = changedFamilies(families[:])
	for i := range rows {
		d.add(i, &c.Lines.Groups[i], &rows[i])
	}
	slices.SortStableFunc(d.Rows, compareDiffRows)
	return d
}

func totalsOf(s *Side, state int) DiffTotals {
	totals := DiffTotals{Totals: s.Device.Totals, State: state, Events: s.Device.Events.Len(),
		Allocations: len(s.Device.Allocations)}
	for i := range s.Device.Allocations {
		if a := &s.Device.Allocations[i]; a.LiveIn(state) {
			totals.Bytes += a.Size
			totals.LiveAllocations++
		}
	}
	return totals
}

// changedFamilies returns the families that hold something, the largest change first.
func changedFamilies(sums []FamilyDiff) (list []FamilyDiff) {
	for f, sum := range sums {
		if sum.Before > 0 || sum.After > 0 {
			sum.Family = families.Family(f)
			list = append(list, sum)
		}
	}
	slices.SortStableFunc(list, func(x, y FamilyDiff) int {
		return cmp.Compare(magnitude(y.Delta()), magnitude(x.Delta()))
	})
	return list
}

// rowSums sums up what a group of lines holds.
type rowSums struct {
	side      [2]Amount
	operators map[string]*[2]Amount
}

// operator returns what an operator of the row holds.
func (r *rowSums) operator(name string) *[2]Amount {
	if r.operators == nil {
		r.operators = map[string]*[2]Amount{}
	}
	sums := r.operators[name]
	if sums == nil {
		sums = new([2]Amount)
		r.operators[name] = sums
	}
	return sums
}

// maxOperators bounds the operators of a row.
const maxOperators = 64

// sorted lists the operators of a row, the largest change first. Those beyond
// maxOperators are merged into one without a name.
func (r *rowSums) sorted() (list []OperatorDiff) {
	for name, sums := range r.operators {
		list = append(list, OperatorDiff{name, sums[Before], sums[After]})
	}
	slices.SortFunc(list, func(x, y OperatorDiff) int {
		return cmp.Or(cmp.Compare(magnitude(y.Delta()), magnitude(x.Delta())), cmp.Compare(x.Operator, y.Operator))
	})
	if len(list) > maxOperators {
		rest := &list[maxOperators-1]
		rest.Operator = ""
		for _, o := range list[maxOperators:] {
			rest.Before.merge(o.Before)
			rest.After.merge(o.After)
		}
		list = list[:maxOperators]
	}
	return list
}

// add counts a group.
func (d *Difference) add(index int, g *Group, sums *rowSums) {
	row := DiffRow{Group: index, Named: g.Named, Before: DiffSide{Amount: sums.side[Before]},
		After: DiffSide{Amount: sums.side[After]}}
	if g.Named {
		row.Site = g.Latest()
		d.StackBytes += row.Before.Bytes + row.After.Bytes
		if g.Both() {
			d.MatchedBytes += row.Before.Bytes + row.After.Bytes
		}
	}
	if g.IsLine {
		row.Before.Line, row.After.Line = g.Site[Before].Line, g.Site[After].Line
	}
	if row.Before.Allocations+row.After.Allocations == 0 {
		return
	}
	if row.Delta() != 0 { // otherwise they are not needed
		row.Operators = sums.sorted()
	}
	d.addRow(row)
}

// addRow adds a row to the changed or the unchanged ones.
func (d *Difference) addRow(row DiffRow) {
	switch delta := row.Delta(); {
	case delta == 0:
		d.UnchangedRows++
		d.UnchangedBytes += row.After.Bytes
		d.unchanged = append(d.unchanged, row)
		return
	case row.Before.Allocations == 0:
		row.Change = Added
	case row.After.Allocations == 0:
		row.Change = Removed
	case delta > 0:
		row.Change = Grown
	default:
		row.Change = Shrunk
	}
	d.Rows = append(d.Rows, row)
}

// compareDiffRows puts the largest change first; the order of equal changes does not
// depend on which recording comes first.
func compareDiffRows(a, b DiffRow) int {
	return cmp.Or(cmp.Compare(magnitude(b.Delta()), magnitude(a.Delta())),
		cmp.Compare(a.Site.Function, b.Site.Function),
		cmp.Compare(max(a.Before.Line, a.After.Line), max(b.Before.Line, b.After.Line)),
		cmp.Compare(min(a.Before.Line, a.After.Line), min(b.Before.Line, b.After.Line)),
		cmp.Compare(a.Site.String(), b.Site.String()))
}

func magnitude(x int64) int64 { return max(x, -x) }
