// Package compare matches what recordings of the same program hold: two of them in
// a state each ([Diff]), or the ranks of one job ([Ranks]).
//
// It rests on call sites that are the same in both, by functions and files without
// addresses, lines or folders (stacks.Key): first on whole paths from the outermost
// frame on, then on the innermost frames alone. If one recording has no C++
// frames, operators are left out on both sides. Ranks are compared by how far each
// is from the median of all, in spreads that one bad rank does not move.
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

// Match is how a site of one recording was found in the other.
type Match uint8

const (
	matchNone Match = iota // not found
	matchPath              // same functions and files from the outermost frame to the operator
	MatchSite              // same innermost functions and operator, but other callers
)

// Difference is what two recordings hold, each in a state of its own. Bytes are
// requested bytes of live allocations.
type Difference struct {
	Before, After DiffTotals

	Rows     []DiffRow    // sites that changed, the largest change first
	Families []FamilyDiff // that hold memory on either side, the largest change first

	UnchangedRows  int
	UnchangedBytes int64 // on each side

	// MatchedBytes are the bytes of sites that both have, and StackBytes those of
	// all sites with a stack, summed over the two sides.
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

// DiffRow is a call site and what it holds on each side.
type DiffRow struct {
	// Site is that of the second recording, or of the first where only that has it;
	// zero without a stack to match.
	Site     stacks.Site
	Operator string // of the same; "" where operators do not count
	Change   Change
	Match    Match

	Before, After DiffSide
}

// Delta is by how many bytes the second recording holds more.
func (r *DiffRow) Delta() int64 { return r.After.Bytes - r.Before.Bytes }

// DiffSide is what one recording holds at a site.
type DiffSide struct {
	Bytes       int64
	Allocations int
	stack       snapshot.StackID // the one with the most bytes
	Lines       []LineBytes      // of the site's function, ascending; none without a user frame
}

// LineBytes is what one line holds.
type LineBytes struct {
	Line  int // 0 when unknown
	Bytes int64
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

// Diff compares what two recordings hold. Sites match although lines moved, and
// although something else calls them; see stacks.Key.
func Diff(a, b Input) *Difference {
	nativeA, nativeB := a.Stacks.HasNative(), b.Stacks.HasNative()
	operators := nativeA && nativeB
	d := &Difference{
		Before:           totalsOf(a),
		After:            totalsOf(b),
		Families:         diffFamilies(a, b),
		WithoutOperators: !operators,
		OneHasOperators:  nativeA != nativeB,
	}
	for _, p := range pairSites(sitesIn(a, operators), sitesIn(b, operators)) {
		d.add(p, operators)
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

func diffFamilies(a, b Input) []FamilyDiff {
	before, after := a.Families.BytesIn(a.Device, a.State), b.Families.BytesIn(b.Device, b.State)
	var list []FamilyDiff
	for f := range families.Family(families.Count) {
		if before[f] > 0 || after[f] > 0 {
			list = append(list, FamilyDiff{f, before[f], after[f]})
		}
	}
	slices.SortStableFunc(list, func(x, y FamilyDiff) int {
		return cmp.Compare(magnitude(y.Delta()), magnitude(x.Delta()))
	})
	return list
}

// add counts a pair, and adds a row if it changed.
func (d *Difference) add(p sitePair, operators bool) {
	row := p.row(operators)
	if p.named() {
		d.StackBytes += row.Before.Bytes + row.After.Bytes
		if row.Match != matchNone {
			d.MatchedBytes += row.Before.Bytes + row.After.Bytes
		}
	}
	if row.Change == Unchanged {
		d.UnchangedRows++
		d.UnchangedBytes += row.After.Bytes
		return
	}
	d.Rows = append(d.Rows, row)
}

func compareDiffRows(a, b DiffRow) int {
	return cmp.Or(cmp.Compare(magnitude(b.Delta()), magnitude(a.Delta())),
		cmp.Compare(a.Site.String(), b.Site.String()), cmp.Compare(a.Operator, b.Operator))
}

func magnitude(x int64) int64 { return max(x, -x) }

// siteBytes is what a recording holds at one call site: on one path to it, or on
// several after they were merged.
type siteBytes struct {
	st     *stacks.Table
	keys   stacks.Keys
	stacks []stackBytes // in order of their ids
}

type stackBytes struct {
	id          snapshot.StackID
	bytes       int64
	allocations int
}

// bytesByStack sums the live allocations by their stacks.
func bytesByStack(r Input) []stackBytes {
	sums := make([]stackBytes, len(r.Stacks.SiteFrame))
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		if int(a.Start) >= r.State {
			break // they are in order of Start
		}
		if a.LiveIn(r.State) {
			sum := &sums[a.Stack]
			sum.id = a.Stack
			sum.bytes += a.Size
			sum.allocations++
		}
	}
	return slices.DeleteFunc(sums, func(s stackBytes) bool { return s.allocations == 0 })
}

// sitesIn are the sites that hold something, one for each path, in the order of
// their first stacks.
func sitesIn(r Input, operators bool) []*siteBytes {
	keyer := stacks.NewKeyer(r.Stacks, operators)
	byPath := map[stacks.Key]*siteBytes{}
	var sites []*siteBytes
	for _, sum := range bytesByStack(r) {
		keys := keyer.Keys(sum.id)
		site := byPath[keys.Path]
		if site == nil {
			site = &siteBytes{st: r.Stacks, keys: keys}
			byPath[keys.Path] = site
			sites = append(sites, site)
		}
		site.stacks = append(site.stacks, sum)
	}
	return sites
}

// sitePair is a site of two recordings; one side may be nil.
type sitePair struct {
	before, after *siteBytes
	match         Match
}

// pairSites matches the sites of two recordings by path. Of the rest, sites with
// the same innermost frames are merged on each side and then matched.
func pairSites(before, after []*siteBytes) []sitePair {
	var pairs []sitePair
	byPath := map[stacks.Key]*siteBytes{}
	for _, site := range after {
		byPath[site.keys.Path] = site
	}
	var unmatched []*siteBytes
	for _, site := range before {
		other := byPath[site.keys.Path]
		if other == nil {
			unmatched = append(unmatched, site)
			continue
		}
		delete(byPath, site.keys.Path)
		pairs = append(pairs, sitePair{site, other, matchPath})
	}
	after = slices.DeleteFunc(slices.Clone(after), func(s *siteBytes) bool { return byPath[s.keys.Path] == nil })
	return append(pairs, pairMerged(unmatched, after)...)
}

func pairMerged(before, after []*siteBytes) []sitePair {
	had, has := bySiteKey(before), bySiteKey(after)
	var pairs []sitePair
	for _, site := range before {
		key := site.keys.Site
		switch {
		case len(has[key]) == 0:
			pairs = append(pairs, sitePair{before: site})
		case had[key][0] == site:
			pairs = append(pairs, sitePair{mergeSites(had[key]), mergeSites(has[key]), MatchSite})
		}
	}
	for _, site := range after {
		if len(had[site.keys.Site]) == 0 {
			pairs = append(pairs, sitePair{after: site})
		}
	}
	return pairs
}

func bySiteKey(sites []*siteBytes) map[stacks.Key][]*siteBytes {
	m := map[stacks.Key][]*siteBytes{}
	for _, site := range sites {
		m[site.keys.Site] = append(m[site.keys.Site], site)
	}
	return m
}

func mergeSites(sites []*siteBytes) *siteBytes {
	merged := &siteBytes{st: sites[0].st, keys: sites[0].keys}
	for _, site := range sites {
		merged.stacks = append(merged.stacks, site.stacks...)
	}
	return merged
}

// named reports whether there is a stack to match.
func (p *sitePair) named() bool { return cmp.Or(p.before, p.after).keys.Path != stacks.Key{} }

func (p *sitePair) row(operators bool) DiffRow {
	row := DiffRow{Match: p.match, Before: p.before.side(), After: p.after.side()}
	st, stack := p.shown()
	if p.named() {
		row.Site = st.Site(stack)
	}
	if operators {
		row.Operator = st.Operator[stack]
	}
	switch delta := row.Delta(); {
	case delta == 0:
	case p.before == nil:
		row.Change = Added
	case p.after == nil:
		row.Change = Removed
	case delta > 0:
		row.Change = Grown
	default:
		row.Change = Shrunk
	}
	return row
}

// shown is the stack that represents the pair.
func (p *sitePair) shown() (*stacks.Table, snapshot.StackID) {
	if p.after != nil {
		return p.after.st, p.after.side().stack
	}
	return p.before.st, p.before.side().stack
}

// side sums a site up; of nil it is zero.
func (h *siteBytes) side() DiffSide {
	var s DiffSide
	if h == nil {
		return s
	}
	most := int64(-1)
	for _, sum := range h.stacks {
		s.Bytes += sum.bytes
		s.Allocations += sum.allocations
		if sum.bytes > most {
			most, s.stack = sum.bytes, sum.id
		}
		s.addLine(h.st, sum)
	}
	s.Lines = foldLines(s.Lines)
	return s
}

// addLine notes the bytes of a stack at the line of its site.
func (s *DiffSide) addLine(st *stacks.Table, sum stackBytes) {
	if st.SiteFrame[sum.id] != stacks.NoFrame {
		s.Lines = append(s.Lines, LineBytes{st.Site(sum.id).Line, sum.bytes})
	}
}

// foldLines sums up what was noted of the same lines, in ascending order.
func foldLines(lines []LineBytes) []LineBytes {
	slices.SortFunc(lines, func(a, b LineBytes) int { return cmp.Compare(a.Line, b.Line) })
	var folded []LineBytes
	for _, l := range lines {
		if n := len(folded); n > 0 && folded[n-1].Line == l.Line {
			folded[n-1].Bytes += l.Bytes
			continue
		}
		folded = append(folded, l)
	}
	return folded
}
