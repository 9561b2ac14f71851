package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// RankSummary is what a comparison needs to know of one device of one file. It does
// not keep the snapshot in memory, since hundreds of ranks are read one after
// another.
type RankSummary struct {
	Name   RankName
	File   string
	Device snapshot.DeviceID

	replay.Totals
	StepEndBytes int64 // active, after the last step
	StepEndState int   // timeline.NoState when none is known
	Events       int
	Allocations  int
	AddsUp       bool // of the replay
	Anomalies    replay.Anomalies
	Cut          bool    // the file was read in part, so that all totals are lower bounds
	StepPeaks    []int64 // active bytes at the peak of each step that ends in the recording

	UnlistedBytes int64 // at the peak, of the sites beyond maxRankSites

	native bool       // C++ frames were recorded
	sites  []rankSite // every site that allocated, at most maxRankSites
}

// Summarise makes the summary of one rank, at its own moments: different ranks have
// them at different times.
func Summarise(st *stacks.Table, d *replay.Device, steps *steps.List, name RankName, file string) RankSummary {
	s := RankSummary{
		Name: name, File: file, Device: d.ID, Totals: d.Totals, StepEndState: stepEnd(d, steps),
		Events: d.Events.Len(), Allocations: len(d.Allocations), AddsUp: d.AddsUp(), Anomalies: d.Anomalies,
		Cut: st.Snapshot.Cut(d.ID), native: st.HasNative(),
	}
	if s.StepEndState != timeline.NoState {
		s.StepEndBytes = d.ActiveBytes()[s.StepEndState]
	}
	for _, p := range timeline.PeaksOf(d, steps.Ranges()[:min(len(steps.Boundaries), len(steps.Steps))]) {
		s.StepPeaks = append(s.StepPeaks, p.Bytes)
	}
	s.readSites(st, d)
	return s
}

// hasHistory reports whether more than the final state was recorded.
func (s *RankSummary) hasHistory() bool { return s.Events > 1 }

// state is where a rank has a moment, or NoState.
func (s *RankSummary) state(m RankMoment) int { return [...]int{s.StepEndState, s.PeakState}[m] }

// active is what a rank holds at a moment in all.
func (s *RankSummary) active(m RankMoment) int64 { return [...]int64{s.StepEndBytes, s.PeakBytes}[m] }

// compareRanks orders summaries by rank, then as their files are called.
func compareRanks(a, b RankSummary) int {
	return cmp.Or(cmp.Compare(a.Name.Rank, b.Name.Rank), units.Natural(a.File, b.File),
		cmp.Compare(a.Device, b.Device))
}

// RankMoment is when ranks are compared.
type RankMoment uint8

const (
	// AtStepEnd is after a rank's last step. All ranks are at the same line of the
	// program then, and what a step needs while it runs is freed.
	AtStepEnd RankMoment = iota
	// AtRankPeak is a rank's own peak. Where in a step it is depends on the data, so
	// two healthy ranks may hold tensors of different lines.
	AtRankPeak

	rankMoments = 2
)

// Key names the moment in files: "step_end".
func (m RankMoment) Key() string { return [...]string{"step_end", "peak"}[m] }

// stepEnd is the last state of a recording that lies between two steps, or
// NoState when none is known.
func stepEnd(d *replay.Device, found *steps.List) int {
	if state, ok := found.LastEnd(d.ActiveBytes()); ok {
		return state
	}
	return timeline.NoState
}

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
	with, without stacks.Keys // with operators and without
	site          stacks.Site
	operator      string
	bytes         rankBytes
}

// maxRankSites is how many sites a summary has, those with the most bytes. It
// bounds the memory of a rank to about 1 MiB.
const maxRankSites = 4096

// readSites sums the allocations of every path. Sites that hold nothing at either
// moment are kept too, to tell a rank that never ran some code from one that ran it
// and freed its memory.
func (s *RankSummary) readSites(st *stacks.Table, d *replay.Device) {
	with, without := stacks.NewKeyer(st, true), stacks.NewKeyer(st, false)
	index := map[stacks.Key]int{} // in s.sites
	for _, stack := range s.stacks(st, d) {
		keys := with.Keys(stack.id)
		i, known := index[keys.Path]
		switch {
		case known:
			s.sites[i].bytes.add(stack.bytes)
		case len(s.sites) == maxRankSites:
			s.UnlistedBytes += stack.bytes[AtRankPeak]
		default:
			index[keys.Path] = len(s.sites)
			s.sites = append(s.sites, rankSite{
				with: keys, without: without.Keys(stack.id),
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

// stacks has the stack with the most bytes first, so that a site has its line.
func (s *RankSummary) stacks(st *stacks.Table, d *replay.Device) []rankStack {
	list := make([]rankStack, len(st.SiteFrame))
	for i := range d.Allocations {
		a := &d.Allocations[i]
		stack := &list[a.Stack]
		stack.id, stack.runs = a.Stack, true
		for m := range stack.bytes {
			if a.LiveIn(s.state(RankMoment(m))) { // nothing is live in NoState
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

// cloneSite copies a site, whose text would keep that of the whole snapshot in
// memory.
func cloneSite(s stacks.Site) stacks.Site {
	return stacks.Site{Function: strings.Clone(s.Function), File: strings.Clone(s.File), Line: s.Line}
}

// keys are the keys of a site.
func (s *rankSite) keys(operators bool) stacks.Keys {
	if operators {
		return s.with
	}
	return s.without
}
