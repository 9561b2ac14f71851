package analysis

import (
	"cmp"

	"github.com/memviz-go/memviz/pkg/replay"
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
	StepEndBytes      int64 // active, after the last step
	StepEndState      int   // NoState when none is known
	ReservedPeakBytes int64
	FinalBytes        int64 // active
	Events            int
	Allocations       int
	OOMEvents         int
	AddsUp            bool // of the replay
	Anomalies         replay.Anomalies
	StepPeaks         []int64 // active bytes at the peak of each step that ends in the recording

	UnlistedBytes int64 // at the peak, of sites that are too many to compare

	native bool       // C++ frames were recorded
	sites  []rankSite // every site that allocated, at most maxRankSites
}

// SummariseRank makes the summary of one rank, at moments of its own: ranks do
// not have theirs at the same time.
func SummariseRank(st *StackFacts, d *replay.Device, steps *Steps, name RankName, file string) RankSummary {
	t := &d.Totals
	s := RankSummary{
		Name: name, File: file, Device: d.ID,
		PeakBytes: t.PeakBytes, PeakState: t.PeakState,
		StepEndState:      stepEnd(d, steps),
		ReservedPeakBytes: t.ReservedPeakBytes,
		FinalBytes:        t.FinalBytes,
		Events:            d.Events.Len(),
		Allocations:       len(d.Allocations),
		OOMEvents:         t.OOMEvents,
		AddsUp:            d.AddsUp(),
		Anomalies:         d.Anomalies,
		native:            st.hasNative(),
	}
	if s.StepEndState != NoState {
		s.StepEndBytes = d.ActiveBytes()[s.StepEndState]
	}
	for _, p := range PeaksOf(d, steps.Ranges()[:min(len(steps.Boundaries), len(steps.Steps))]) {
		s.StepPeaks = append(s.StepPeaks, p.Bytes)
	}
	s.readSites(st, d)
	return s
}

// state is where a rank has a moment, or NoState.
func (s *RankSummary) state(m RankMoment) int { return [...]int{s.StepEndState, s.PeakState}[m] }

// active is what a rank holds at a moment in all.
func (s *RankSummary) active(m RankMoment) int64 { return [...]int64{s.StepEndBytes, s.PeakBytes}[m] }

// compareRanks orders summaries by rank, then as their files are called.
func compareRanks(a, b RankSummary) int {
	return cmp.Or(cmp.Compare(a.Name.Rank, b.Name.Rank), CompareNatural(a.File, b.File),
		cmp.Compare(a.Device, b.Device))
}
