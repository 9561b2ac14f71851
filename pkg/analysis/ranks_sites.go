package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// rankBytes are the bytes of live allocations by moment; 0 at one that the rank
// does not have.
type rankBytes [rankMoments]int64

func (b *rankBytes) add(other rankBytes) {
	for m := range b {
		b[m] += other[m]
	}
}

func (b rankBytes) most() int64 { return slices.Max(b[:]) }

// rankSite is a call site of one rank, on one path to it.
type rankSite struct {
	with, without siteKeys // with operators and without
	site          Site
	operator      string
	bytes         rankBytes
}

// maxRankSites bounds what a rank costs in memory to about 1 MiB. The sites
// with the most bytes stay.
const maxRankSites = 4096

// readSites sums the allocations of every path. Sites that hold nothing at
// either moment are kept too: they tell a rank that never ran some code from one
// that ran it and let go of its memory.
func (s *RankSummary) readSites(st *StackFacts, d *replay.Device) {
	with, without := newSiteKeyer(st, true), newSiteKeyer(st, false)
	place := map[SiteKey]int{}
	for _, stack := range s.stacks(st, d) {
		keys := with.keys(stack.id)
		i, known := place[keys.path]
		switch {
		case known:
			s.sites[i].bytes.add(stack.bytes)
		case len(s.sites) == maxRankSites:
			s.UnlistedBytes += stack.bytes[AtRankPeak]
		default:
			place[keys.path] = len(s.sites)
			s.sites = append(s.sites, rankSite{
				with: keys, without: without.keys(stack.id),
				site:     cloneSite(st.Site(stack.id)),
				operator: strings.Clone(st.Operator[stack.id]),
				bytes:    stack.bytes,
			})
		}
	}
}

// rankStack is a stack that allocates.
type rankStack struct {
	id    snapshot.StackID
	runs  bool
	bytes rankBytes
}

// stacks have the one with the most bytes first, so that it gives its site's line.
func (s *RankSummary) stacks(st *StackFacts, d *replay.Device) []rankStack {
	list := make([]rankStack, len(st.SiteFrame))
	for i := range d.Allocations {
		a := &d.Allocations[i]
		stack := &list[a.Stack]
		stack.id, stack.runs = a.Stack, true
		for m := range stack.bytes {
			if a.LiveIn(s.state(RankMoment(m))) { // nothing is in NoState
				stack.bytes[m] += a.Size
			}
		}
	}
	list = slices.DeleteFunc(list, func(s rankStack) bool { return !s.runs })
	slices.SortFunc(list, func(a, b rankStack) int {
		return cmp.Or(cmp.Compare(b.bytes.most(), a.bytes.most()), cmp.Compare(a.id, b.id))
	})
	return list
}

// cloneSite is a site that does not keep the text of the whole snapshot alive.
func cloneSite(s Site) Site {
	return Site{Function: strings.Clone(s.Function), File: strings.Clone(s.File), Line: s.Line}
}

// keys are the keys of a site.
func (s *rankSite) keys(operators bool) siteKeys {
	if operators {
		return s.with
	}
	return s.without
}
