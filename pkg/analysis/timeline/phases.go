package timeline

import (
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// PhaseRun is a stretch of events that belongs to one phase. Code that shows no phase by
// itself, such as a training loop's own, counts toward the phase before it.
type PhaseRun struct {
	Phase  stacks.Activity   // InLoading, InForward, InBackward or InOptimizer
	Start  replay.EventIndex // first event that shows the phase
	Last   replay.EventIndex // last event that shows the phase
	End    replay.EventIndex // last event before the next run; the last event of the trace for the last run
	Events int               // events that show the phase
}

// Phases is the history of a device as a sequence of phases; events before the
// first run belong to none.
type Phases []PhaseRun

// At returns the phase of the run in which an event is; NoActivity before the first.
func (p Phases) At(event replay.EventIndex) stacks.Activity {
	i := sort.Search(len(p), func(i int) bool { return p[i].Start > event })
	if i == 0 {
		return stacks.NoActivity
	}
	return p[i-1].Phase
}

// Has reports whether any run is of a phase.
func (p Phases) Has(phase stacks.Activity) bool {
	return slices.ContainsFunc(p, func(r PhaseRun) bool { return r.Phase == phase })
}

// String returns one letter per run, such as FBO for one training step.
func (p Phases) String() string {
	letters := make([]byte, len(p))
	for i, r := range p {
		letters[i] = byte(r.Phase)
	}
	return string(letters)
}

// minInterruption is how many events it takes to end a phase that continues afterwards.
const minInterruption = 3

// FindPhases reads the phases of a device from the stacks of its allocations
// and frees.
func FindPhases(activities *stacks.Activities, e *snapshot.Events) Phases {
	var p Phases
	for i, action := range e.Action {
		var shown stacks.Activity
		switch action {
		case snapshot.Alloc:
			shown = activities.Alloc(e.Stack[i])
		case snapshot.Free, snapshot.FreeRequested: // the completion repeats the request's stack
			shown = activities.Free(e.Stack[i])
			if shown != stacks.InBackward && shown != stacks.InOptimizer {
				continue // frees in forward and loading prove nothing: a loop's del looks the same
			}
		}
		switch shown {
		case stacks.InForward, stacks.InBackward, stacks.InOptimizer, stacks.InLoading:
			p = p.extend(shown, replay.EventIndex(i))
		}
	}
	for i := range p {
		p[i].End = replay.EventIndex(e.Len() - 1)
		if i+1 < len(p) {
			p[i].End = p[i+1].Start - 1
		}
	}
	return p
}

// extend adds an event that shows a phase. A run short enough to be an interruption is
// dropped when the run before it continues.
func (p Phases) extend(phase stacks.Activity, i replay.EventIndex) Phases {
	n := len(p)
	if n > 1 && p[n-2].Phase == phase && p[n-1].Events < minInterruption {
		n--
		p = p[:n]
	}
	if n > 0 && p[n-1].Phase == phase {
		p[n-1].Last = i
		p[n-1].Events++
		return p
	}
	return append(p, PhaseRun{Phase: phase, Start: i, Last: i, Events: 1})
}
