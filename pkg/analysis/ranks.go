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
func SummariseRank(r *Recording, steps *Steps, name RankName, file string) RankSummary {
	t := &r.Device.Totals
	s := RankSummary{
		Name: name, File: file, Device: r.Device.ID,
		PeakBytes: t.PeakBytes, PeakState: t.PeakState,
		StepEndState:      stepEnd(r.Device, steps),
		ReservedPeakBytes: t.ReservedPeakBytes,
		FinalBytes:        t.FinalBytes,
		Events:            r.Device.Events.Len(),
		Allocations:       len(r.Device.Allocations),
		OOMEvents:         t.OOMEvents,
		AddsUp:            r.Device.AddsUp(),
		Anomalies:         r.Device.Anomalies,
		native:            r.Stacks.hasNative(),
	}
	if s.StepEndState != NoState {
		s.StepEndBytes = r.Device.ActiveBytes()[s.StepEndState]
	}
	for _, p := range PeaksOf(r.Device, steps.Ranges()[:min(len(steps.Boundaries), len(steps.Steps))]) {
		s.StepPeaks = append(s.StepPeaks, p.Bytes)
	}
	s.readSites(r)
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
