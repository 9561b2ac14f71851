package compare

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

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
		pairs = append(pairs, sitePair{site, other, MatchPath})
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
