package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// RankSummary is what a comparison of ranks needs to know of one device of one
// file. It refers to nothing of the snapshot, which can be dropped: hundreds of
// ranks are read one after another.
type RankSummary struct {
	Name   RankName
	File   string
	Device snapshot.DeviceID

	PeakBytes         int64 // active
	PeakState         int
	ReservedPeakBytes int64
	FinalBytes        int64 // active
	Events            int
	Allocations       int
	OOMEvents         int
	StepPeaks         []int64 // active bytes at the peak of each recorded step

	UnlistedBytes int64 // at the peak, of sites that are too many to compare

	native bool       // C++ frames were recorded
	sites  []rankSite // every site that allocated, at most maxRankSites
}

// rankSite is a call site of one rank, on one path to it.
type rankSite struct {
	with, without siteKeys // with operators and without
	site          Site
	operator      string
	bytes         int64 // live in the rank's own peak
}

// maxRankSites bounds what a rank costs in memory to about 1 MiB. The sites
// with the most bytes at the peak stay.
const maxRankSites = 4096

// SummariseRank makes the summary of one rank, whose peak is its own: ranks do
// not have theirs at the same time. stepPeaks may be nil where steps are not
// known.
func SummariseRank(r *Recording, name RankName, file string, stepPeaks []int64) RankSummary {
	t := &r.Device.Totals
	s := RankSummary{
		Name: name, File: file, Device: r.Device.ID,
		PeakBytes: t.PeakBytes, PeakState: t.PeakState,
		ReservedPeakBytes: t.ReservedPeakBytes,
		FinalBytes:        t.FinalBytes,
		Events:            r.Device.Events.Len(),
		Allocations:       len(r.Device.Allocations),
		OOMEvents:         t.OOMEvents,
		StepPeaks:         slices.Clone(stepPeaks),
		native:            r.Stacks.hasNative(),
	}
	s.readSites(r)
	return s
}

// readSites sums the allocations of every path. Sites that hold nothing at the
// peak are kept too: they tell a rank that never ran some code from one that ran
// it and let go of its memory.
func (s *RankSummary) readSites(r *Recording) {
	with, without := newSiteKeyer(r.Stacks, true), newSiteKeyer(r.Stacks, false)
	place := map[SiteKey]int{}
	stacks := append(bytesByStack(r, s.PeakState), bytesElsewhere(r, s.PeakState)...)
	// So that the site shown is that of the stack with the most bytes.
	slices.SortFunc(stacks, func(a, b stackBytes) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.id, b.id))
	})
	for _, stack := range stacks {
		keys := with.keys(stack.id)
		i, known := place[keys.path]
		switch {
		case known:
			s.sites[i].bytes += stack.bytes
		case len(s.sites) == maxRankSites:
			s.UnlistedBytes += stack.bytes
		default:
			place[keys.path] = len(s.sites)
			s.sites = append(s.sites, rankSite{
				with: keys, without: without.keys(stack.id),
				site:     r.Stacks.place(stack.id).clone(),
				operator: strings.Clone(r.Stacks.Operator[stack.id]),
				bytes:    stack.bytes,
			})
		}
	}
}

// bytesElsewhere are the stacks that allocate and hold nothing in a state, with
// zero bytes.
func bytesElsewhere(r *Recording, state int) []stackBytes {
	seen := make([]bool, len(r.Stacks.SiteFrame))
	for i := range r.Device.Allocations {
		if a := &r.Device.Allocations[i]; a.LiveIn(state) {
			seen[a.Stack] = true
		}
	}
	var list []stackBytes
	for i := range r.Device.Allocations {
		if id := r.Device.Allocations[i].Stack; !seen[id] {
			seen[id] = true
			list = append(list, stackBytes{id: id})
		}
	}
	return list
}

// clone is a site that does not keep the text of the whole snapshot alive.
func (s Site) clone() Site {
	return Site{strings.Clone(s.Function), strings.Clone(s.File), s.Line}
}

// keys are the keys of a site.
func (s *rankSite) keys(operators bool) siteKeys {
	if operators {
		return s.with
	}
	return s.without
}

// compareRanks orders summaries by rank, then as their files are called.
func compareRanks(a, b RankSummary) int {
	return cmp.Or(cmp.Compare(a.Name.Rank, b.Name.Rank), compareNatural(a.File, b.File), cmp.Compare(a.Device, b.Device))
}
