package timeline

import (
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Phase is a part of a training step, or of getting ready for one.
type Phase byte

const (
	PhaseLoad      = Phase(stacks.InLoading)
	PhaseForward   = Phase(stacks.InForward)
	PhaseBackward  = Phase(stacks.InBackward)
	PhaseOptimizer = Phase(stacks.InOptimizer)
)

func (p Phase) String() string {
	switch p {
	case PhaseLoad:
		return "load"
	case PhaseForward:
		return "forward"
	case PhaseBackward:
		return "backward"
	case PhaseOptimizer:
		return "optimizer"
	}
	return "unknown"
}

// PhaseRun is a stretch of events that belongs to one phase. Code that shows no
// phase by itself, such as a training loop's own, counts to the phase before it.
type PhaseRun struct {
	Phase  Phase
	Start  replay.EventIndex // first event that shows the phase
	Last   replay.EventIndex // last event that shows the phase
	End    replay.EventIndex // last event before the next run; the last event of the trace for the last run
	Events int               // events that show the phase
}

// Phases is the history of a device as a sequence of phases; events before the
// first run belong to none.
type Phases struct {
	Runs []PhaseRun
}

// String is one letter a run, such as FBO for one training step.
func (p *Phases) String() string {
	letters := make([]byte, len(p.Runs))
	for i, r := range p.Runs {
		letters[i] = byte(r.Phase)
	}
	return string(letters)
}

// minInterruption is how many events it takes to end a phase that goes on afterwards.
const minInterruption = 3

// FindPhases reads the phases of a device from the stacks of its allocations
// and frees.
func FindPhases(m *stacks.Activities, e *snapshot.Events) *Phases {
	p := &Phases{}
	for i, action := range e.Action {
		var shown stacks.Activity
		switch action {
		case snapshot.Alloc:
			shown = m.Alloc(e.Stack[i])
		case snapshot.Free, snapshot.FreeRequested: // the completion repeats the request's stack
			if shown = m.Free(e.Stack[i]); shown != stacks.InBackward && shown != stacks.InOptimizer {
				continue // what forward and loading free says nothing: a loop's del does the same
			}
		}
		switch phase := Phase(shown); phase {
		case PhaseForward, PhaseBackward, PhaseOptimizer, PhaseLoad:
			p.extend(phase, replay.EventIndex(i))
		}
	}
	for i := range p.Runs {
		p.Runs[i].End = replay.EventIndex(e.Len() - 1)
		if i+1 < len(p.Runs) {
			p.Runs[i].End = p.Runs[i+1].Start - 1
		}
	}
	return p
}

// extend adds an event that shows a phase. A run too short to be more than an
// interruption is dropped when the run before it goes on.
func (p *Phases) extend(phase Phase, i replay.EventIndex) {
	n := len(p.Runs)
	if n > 1 && p.Runs[n-2].Phase == phase && p.Runs[n-1].Events < minInterruption {
		n--
		p.Runs = p.Runs[:n]
	}
	if n > 0 && p.Runs[n-1].Phase == phase {
		p.Runs[n-1].Last = i
		p.Runs[n-1].Events++
		return
	}
	p.Runs = append(p.Runs, PhaseRun{Phase: phase, Start: i, Last: i, Events: 1})
}
