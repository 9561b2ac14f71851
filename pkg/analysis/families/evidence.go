package families

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// evidence is what rules know about the device as a whole, beyond the allocation that
// they decide.
type evidence struct {
	st         *stacks.Table
	d          *replay.Device
	activities *stacks.Activities
	phases     timeline.Phases

	sites []site // by stack

	// The start of the next run of the phase after run r is at index r+1, and after
	// events before the first run at index 0; timeline.Never if there is none.
	nextForward, nextBackward []replay.EventIndex

	passes []replay.EventIndex // the first event of each forward pass; other code runs between them
	again  []replay.EventIndex // where the next pass from the same line begins, by pass
	ooms   []replay.EventIndex

	trained       bool // some run is backward or an optimizer's step
	keepsForGrad  bool // forward passes leave tensors to backward
	backwardGoing bool // the recording ends in the middle of a backward pass

	unnamedWorkspaces int // births without a stack of the size of cuBLAS's workspace
}

// site summarises the births of one stack.
type site struct {
	births, survivors int32 // survivors are never freed
	lastBirth         replay.EventIndex
	input             bool // one of them was taken for an input
}

// outlives reports whether at least half of three or more births were never freed.
func (s *site) outlives() bool { return s.births >= 3 && 2*s.survivors >= s.births }

// birth is one allocation born in the recording, with its context.
type birth struct {
	*replay.Allocation
	facts        stacks.Facts    // of the stack that allocated it
	activity     stacks.Activity // of the same
	freeFacts    stacks.Facts
	freeActivity stacks.Activity // NoActivity when never freed
	run          int             // index of the phase run it was born in; -1 before the first
	phase        stacks.Activity // of that run; before the first 0, and the next two fields are meaningless
	runEnd       replay.EventIndex
	runOpen      bool // the run is the last one
	freedAt      replay.EventIndex
	site         *site
}

// freed reports whether the program freed it during the recording.
func (b *birth) freed() bool { return b.freedAt != timeline.Never }

// freedInRun reports whether it was freed in the phase run it was born in.
func (b *birth) freedInRun() bool { return b.freed() && b.freedAt <= b.runEnd }

// freedByCaller reports whether Python outside a forward pass freed it.
func (b *birth) freedByCaller() bool {
	switch b.freeActivity {
	case stacks.InUserCode, stacks.InDataLoader, stacks.InOptimizer, stacks.InZeroGrad, stacks.InClipping,
		stacks.InLoading:
		return b.freed()
	}
	return false
}

// lifetime returns the number of events it lived.
func (b *birth) lifetime() replay.EventIndex { return b.freedAt - b.Start }

func gatherEvidence(
	st *stacks.Table,
	d *replay.Device,
	activities *stacks.Activities,
	phases timeline.Phases,
) *evidence {
	ev := &evidence{st: st, d: d, activities: activities, phases: phases, sites: make([]site, len(st.Facts))}
	ev.readRuns()
	ev.readPasses()
	ev.readBirths()
	return ev
}

// backwardGoingWithin is the maximum distance, in events, of the last sign of backward
// from the end of a trace that cuts a backward pass.
const backwardGoingWithin = 20

func (ev *evidence) readRuns() {
	runs := ev.phases
	ev.nextForward = make([]replay.EventIndex, len(runs)+1)
	ev.nextBackward = make([]replay.EventIndex, len(runs)+1)
	forward, backward := timeline.Never, timeline.Never
	for i := len(runs); i >= 0; i-- {
		ev.nextForward[i], ev.nextBackward[i] = forward, backward
		if i == 0 {
			break
		}
		switch r := &runs[i-1]; r.Phase {
		case stacks.InForward:
			forward = r.Start
		case stacks.InBackward:
			if i < len(runs) || !ev.endsOutOfMemory() { // otherwise it has not freed everything yet
				backward = r.Start
			}
			ev.trained = true
		case stacks.InOptimizer:
			ev.trained = true
		}
	}
	if n := len(runs); n > 0 && runs[n-1].Phase == stacks.InBackward {
		ev.backwardGoing = runs[n-1].End-runs[n-1].Last < backwardGoingWithin
	}
}

// readPasses finds where forward passes begin: with a module's event after an event of
// other Python or of the backward pass.
func (ev *evidence) readPasses() {
	e := ev.d.Events
	between := true
	for i, action := range e.Action {
		var activity stacks.Activity
		switch action {
		case snapshot.Alloc:
			activity = ev.activities.Alloc(e.Stack[i])
		case snapshot.Free, snapshot.FreeRequested:
			activity = ev.activities.Free(e.Stack[i])
		case snapshot.OOM:
			ev.ooms = append(ev.ooms, replay.EventIndex(i))
		}
		switch {
		case activity == stacks.NoActivity || activity == stacks.InNative:
		case activity != stacks.InForward:
			between = true
		case between && action == snapshot.Alloc:
			ev.passes = append(ev.passes, replay.EventIndex(i))
			between = false
		}
	}
	// One iteration may have several passes, such as a generator's and a critic's.
	ev.again = make([]replay.EventIndex, len(ev.passes))
	next := map[snapshot.FrameID]replay.EventIndex{}
	for i := len(ev.passes) - 1; i >= 0; i-- {
		line := ev.st.SiteFrame[e.Stack[ev.passes[i]]]
		again, known := next[line]
		if !known || line == stacks.NoFrame {
			again = timeline.Never
		}
		ev.again[i], next[line] = again, ev.passes[i]
	}
}

// nextIteration returns where the forward pass that an event lies in begins anew, or
// timeline.Never.
func (ev *evidence) nextIteration(event replay.EventIndex) replay.EventIndex {
	i, _ := slices.BinarySearch(ev.passes, event+1)
	if i == 0 {
		return timeline.Never
	}
	return ev.again[i-1]
}

// nextPass returns where the first forward pass after an event begins, or timeline.Never.
func (ev *evidence) nextPass(after replay.EventIndex) replay.EventIndex {
	return firstAfter(ev.passes, after)
}

// failsIn reports whether memory ran out between two events: what is freed then was not
// freed by choice.
func (ev *evidence) failsIn(from, to replay.EventIndex) bool { return firstAfter(ev.ooms, from) < to }

// firstAfter returns the first of ascending events that is later than one, or
// timeline.Never.
func firstAfter(events []replay.EventIndex, one replay.EventIndex) replay.EventIndex {
	i, _ := slices.BinarySearch(events, one+1)
	if i == len(events) {
		return timeline.Never
	}
	return events[i]
}

func (ev *evidence) endsOutOfMemory() bool {
	actions := ev.d.Events.Action
	return len(actions) > 0 && actions[len(actions)-1] == snapshot.OOM
}

// Forward passes keep tensors for backward if keptForGradPercent of at least
// minForwardBirths allocations outlive the pass. In recordings of known programs it was
// at most 10 % without gradients and at least 21 % with them.
const (
	minForwardBirths   = 10
	keptForGradPercent = 15
)

func (ev *evidence) readBirths() {
	var forward, kept int64
	ev.eachBirth(func(_ int, b *birth) {
		b.site.births++
		b.site.lastBirth = b.Start
		if !b.freed() {
			b.site.survivors++
		}
		if b.Stack == 0 && isCuBLASWorkspace(b.Allocation) {
			ev.unnamedWorkspaces++
		}
		if b.activity == stacks.InForward {
			forward++
			if !b.freedInRun() || b.freeFacts.Has(stacks.FactRelease) {
				kept++
			}
		}
	})
	ev.keepsForGrad = forward >= minForwardBirths && 100*kept >= keptForGradPercent*forward
}

// eachBirth visits the allocations born in the recording in order; i counts
// them from 0. The birth is reused between calls.
func (ev *evidence) eachBirth(visit func(i int, b *birth)) {
	born := ev.d.Allocations[ev.d.PreExisting:]
	runs := ev.phases
	b := birth{run: -1}
	for i := range born {
		a := &born[i]
		for b.run+1 < len(runs) && runs[b.run+1].Start <= a.Start {
			b.run++
		}
		b.Allocation = a
		b.facts, b.activity = ev.st.Facts[a.Stack], ev.activities.Alloc(a.Stack)
		b.freedAt, b.freeFacts, b.freeActivity = timeline.FreedAt(a), 0, stacks.NoActivity
		if b.freed() {
			b.freeFacts, b.freeActivity = ev.st.Facts[a.FreeStack], ev.activities.Free(a.FreeStack)
		}
		if b.run >= 0 {
			r := &runs[b.run]
			b.phase, b.runEnd, b.runOpen = r.Phase, r.End, b.run == len(runs)-1
		}
		b.site = &ev.sites[a.Stack]
		visit(i, &b)
	}
}

// isCuBLASWorkspace reports whether a size is cuBLAS's default
// workspace: 2 buffers of 4 MiB and 8 of 16 KiB.
func isCuBLASWorkspace(a *replay.Allocation) bool { return a.Size == 8_519_680 }
