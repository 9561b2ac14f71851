// Package compare matches what recordings of the same program hold: two of them in
// a state each ([Diff]), or the ranks of one job ([Ranks]).
//
// Two recordings are compared by lines of the program's own code, which are aligned as
// in a diff of two texts, by the calls that lead to them and the operators below them
// (lines.go). What has no such line, and the ranks of a job, are compared by call
// sites that are the same in all, by functions and files without addresses, lines or
// folders (stacks.Key): first by whole paths from the outermost frame on, then by the
// innermost frames alone. If one recording has no C++ frames, operators are left out
// on both sides. Ranks are compared by how far each is from the median of all, in
// spreads that one bad rank does not move.
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
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Change is what became of a call site between two recordings.
type Change uint8

const (
	Unchanged Change = iota
	Added            // holds memory in the second only
	Removed          // holds memory in the first only
	Grown
	Shrunk
)

// String is the change in a word: "grown".
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

	// Earlier are bytes that one recording has as parameters or optimizer state and the
	// other as tensors of the same sizes that were there before it began. They count as
	// what the first says, and are no change.
	Earlier EarlierBytes

	// MatchedBytes are the bytes of lines that both recordings have, and StackBytes
	// those of all that have a stack, summed over the two sides.
	MatchedBytes, StackBytes int64

	// WithoutOperators says that C++ frames were left out because one of the
	// recordings has none, and OneHasOperators that the other one has some.
	WithoutOperators, OneHasOperators bool
}

// DifferentPrograms reports whether less than half matches, so that families say
// more than sites.
func (d *Difference) DifferentPrograms() bool { return 2*d.MatchedBytes < d.StackBytes }

// DiffTotals are the totals of one side.
type DiffTotals struct {
	replay.Totals
	State           int   // the one that is compared
	Bytes           int64 // active in State
	LiveAllocations int   // in State
	Events          int   // of the whole recording
	Allocations     int
}

// EarlierBytes are bytes from before the recording of each side.
type EarlierBytes struct{ Before, After int64 }

// DiffRow is a line of the program, or a call site without one, and what it holds on
// each side.
type DiffRow struct {
	// Site is that of the second recording, or of the first where only that has it;
	// zero without a stack to match.
	Site      stacks.Site
	Change    Change
	Operators []OperatorDiff // that hold something, the largest change first; none where operators do not count

	Before, After DiffSide
}

// OperatorDiff is what an operator holds on each side of a row.
type OperatorDiff struct {
	Operator      string
	Before, After int64
}

// Delta is by how many bytes the second recording holds more.
func (o *OperatorDiff) Delta() int64 { return o.After - o.Before }

// Delta is by how many bytes the second recording holds more.
func (r *DiffRow) Delta() int64 { return r.After.Bytes - r.Before.Bytes }

// DiffSide is what one recording holds at a site.
type DiffSide struct {
	Bytes       int64
	Allocations int
	Line        int // of the site in this recording; 0 when unknown, or without one
}

// FamilyDiff is what a family holds on each side.
type FamilyDiff struct {
	Family        families.Family
	Before, After int64
}

// Delta is by how many bytes the second recording holds more.
func (f *FamilyDiff) Delta() int64 { return f.After - f.Before }

// Input is one side: a device of a recording, in a state.
type Input struct {
	Stacks   *stacks.Table
	Device   *replay.Device
	Families *families.Assignment
	State    int
}

// Diff compares what two recordings hold. Lines match although they moved, and
// although something else calls them.
func Diff(a, b Input) *Difference {
	nativeA, nativeB := a.Stacks.HasNative(), b.Stacks.HasNative()
	operators := nativeA && nativeB
	d := &Difference{
		Before:           totalsOf(a),
		After:            totalsOf(b),
		WithoutOperators: !operators,
		OneHasOperators:  nativeA != nativeB,
	}
	pairs, ofA, ofB := pairLines(a, b, operators)
	before, after := liveIn(a, ofA), liveIn(b, ofB)
	d.Earlier = EarlierBytes{matchEarlier(before, after), matchEarlier(after, before)}
	d.Families = diffFamilies(before, after)
	rows := make([]rowSums, len(pairs))
	for _, x := range before {
		rows[x.pair].add(a.Stacks, x, 0)
	}
	for _, x := range after {
		rows[x.pair].add(b.Stacks, x, 1)
	}
	for i := range rows {
		d.add(&pairs[i], &rows[i], operators)
	}
	slices.SortStableFunc(d.Rows, compareDiffRows)
	return d
}

func totalsOf(r Input) DiffTotals {
	totals := DiffTotals{Totals: r.Device.Totals, State: r.State, Events: r.Device.Events.Len(),
		Allocations: len(r.Device.Allocations)}
	for i := range r.Device.Allocations {
		if a := &r.Device.Allocations[i]; a.LiveIn(r.State) {
			totals.Bytes += a.Size
			totals.LiveAllocations++
		}
	}
	return totals
}

// liveBytes is an allocation that is live in the state of a side.
type liveBytes struct {
	bytes  int64
	stack  snapshot.StackID
	pair   int // of lines
	family families.Family
	before bool // it was there before the recording
}

// liveIn lists the live allocations of a side; pairs has the pair of each stack.
func liveIn(r Input, pairs []int) []liveBytes {
	var list []liveBytes
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		if int(a.Start) >= r.State {
			break // they are in order of Start
		}
		if a.LiveIn(r.State) {
			list = append(list, liveBytes{a.Size, a.Stack, pairs[a.Stack], r.Families.Family(i), a.PreExisting()})
		}
	}
	return list
}

// matchEarlier finds among the allocations of one side those from before its
// recording that the other side has as parameters or optimizer state, by their sizes,
// and counts them as what they are there. It returns their bytes.
func matchEarlier(side, other []liveBytes) int64 {
	state := func(f families.Family) bool {
		return f == families.Parameter || f == families.Optimizer || f == families.ParameterOrOptimizer
	}
	more := map[int64]int{} // by size: how many the side has from before its recording that the other has not
	candidates := map[int64][]liveBytes{}
	own := map[int64]int{} // by size: what the side itself recorded of parameters and optimizer state
	for _, x := range side {
		if x.before {
			more[x.bytes]++
		} else if state(x.family) {
			own[x.bytes]++
		}
	}
	for _, x := range other {
		if x.before {
			more[x.bytes]--
		} else if state(x.family) && more[x.bytes] > 0 {
			candidates[x.bytes] = append(candidates[x.bytes], x)
		}
	}
	var bytes int64
	for i := range side {
		x := &side[i]
		list := candidates[x.bytes]
		if !x.before || x.family != families.Resident || x.bytes == 0 || more[x.bytes] <= 0 || len(list) <= own[x.bytes] {
			continue
		}
		like := list[len(list)-1]
		candidates[x.bytes] = list[:len(list)-1]
		more[x.bytes]--
		x.pair, x.family = like.pair, like.family
		bytes += x.bytes
	}
	return bytes
}

func diffFamilies(before, after []liveBytes) []FamilyDiff {
	var sums [families.Count]FamilyDiff
	for _, x := range before {
		sums[x.family].Before += x.bytes
	}
	for _, x := range after {
		sums[x.family].After += x.bytes
	}
	var list []FamilyDiff
	for f := range sums {
		if sums[f].Before > 0 || sums[f].After > 0 {
			sums[f].Family = families.Family(f)
			list = append(list, sums[f])
		}
	}
	slices.SortStableFunc(list, func(x, y FamilyDiff) int {
		return cmp.Compare(magnitude(y.Delta()), magnitude(x.Delta()))
	})
	return list
}

// rowSums sums up what a pair of lines holds.
type rowSums struct {
	side      [2]DiffSide
	operators []OperatorDiff
}

// add counts an allocation of side 0 or 1.
func (r *rowSums) add(st *stacks.Table, x liveBytes, side int) {
	r.side[side].Bytes += x.bytes
	r.side[side].Allocations++
	operator := ""
	if int(x.stack) < len(st.Operator) {
		operator = st.Operator[x.stack]
	}
	i := slices.IndexFunc(r.operators, func(o OperatorDiff) bool { return o.Operator == operator })
	if i < 0 {
		if i = len(r.operators); i == maxOperators { // the last one stands for all others
			i--
			r.operators[i].Operator = ""
		} else {
			r.operators = append(r.operators, OperatorDiff{Operator: operator})
		}
	}
	*[...]*int64{&r.operators[i].Before, &r.operators[i].After}[side] += x.bytes
}

// maxOperators bounds the operators of a row.
const maxOperators = 64

// add counts a pair, and adds a row if it changed.
func (d *Difference) add(p *linePair, sums *rowSums, operators bool) {
	row := DiffRow{Before: sums.side[0], After: sums.side[1], Site: p.site}
	row.Before.Line, row.After.Line = p.number[0], p.number[1]
	if p.named {
		d.StackBytes += row.Before.Bytes + row.After.Bytes
		if p.both {
			d.MatchedBytes += row.Before.Bytes + row.After.Bytes
		}
	}
	switch delta := row.Delta(); {
	case delta == 0:
		if row.Before.Allocations > 0 || row.After.Allocations > 0 {
			d.UnchangedRows++
			d.UnchangedBytes += row.After.Bytes
		}
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
	if operators {
		row.Operators = sums.operators
		slices.SortStableFunc(row.Operators, func(x, y OperatorDiff) int {
			return cmp.Or(cmp.Compare(magnitude(y.Delta()), magnitude(x.Delta())), cmp.Compare(x.Operator, y.Operator))
		})
	}
	d.Rows = append(d.Rows, row)
}

func compareDiffRows(a, b DiffRow) int {
	return cmp.Or(cmp.Compare(magnitude(b.Delta()), magnitude(a.Delta())),
		cmp.Compare(a.Site.String(), b.Site.String()))
}

func magnitude(x int64) int64 { return max(x, -x) }
