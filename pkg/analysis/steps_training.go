package analysis

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Names that torch gives to its own annotations; a number or a class follows.
const (
	optimizerStep = "Optimizer.step#"
	profilerStep  = "ProfilerStep#"
)

func (f *stepFinder) isNamed(annotation int, prefix string) bool {
	return strings.HasPrefix(f.Stacks.snapshot.String(f.Annotations[annotation].Name), prefix)
}

func (f *stepFinder) byAnnotation() []replay.EventIndex {
	var ends, starts []replay.EventIndex
	for i, a := range f.Annotations {
		switch {
		case f.isNamed(i, optimizerStep) && !a.NoEnd && a.To > 0:
			ends = append(ends, replay.EventIndex(a.To))
		case f.isNamed(i, profilerStep) && !a.NoStart:
			starts = append(starts, replay.EventIndex(a.From))
		}
	}
	if len(ends) > 0 {
		slices.Sort(ends)
		return f.lastOfEach(ends)
	}
	if len(starts) > 0 {
		slices.Sort(starts)
		return slices.Compact(starts)
	}
	cuts := f.byNumbers()
	f.numbered = cuts != nil
	return cuts
}

// lastOfEach drops an optimizer's step that another optimizer's follows at
// once: nothing but optimizers allocates between the two.
func (f *stepFinder) lastOfEach(ends []replay.EventIndex) []replay.EventIndex {
	e := f.Device.Events
	works := func(from, to replay.EventIndex) bool {
		for i := from; i < to; i++ {
			if e.Action[i] == snapshot.Alloc && f.Activities.alloc(e.Stack[i]) != markerOptimizer {
				return true
			}
		}
		return false
	}
	kept := ends[:1]
	for _, end := range ends[1:] {
		if last := &kept[len(kept)-1]; works(*last, end) {
			kept = append(kept, end)
		} else {
			*last = end
		}
	}
	return kept
}

// byOptimizer gives nothing when the optimizer falls silent: fused optimizers,
// and SGD with momentum, allocate in their first step only.
func (f *stepFinder) byOptimizer() []replay.EventIndex {
	e := f.Device.Events
	var ends []replay.EventIndex
	for _, run := range f.Phases.Runs {
		if run.Phase != PhaseOptimizer {
			continue
		}
		end := run.Last + 1
		for int(end) < e.Len() && e.Action[end] == snapshot.FreeCompleted &&
			f.Activities.free(e.Stack[end]) == markerOptimizer {
			end++
		}
		ends = append(ends, end)
	}
	if f.silentAfter(ends) {
		return nil
	}
	return ends
}

// silentAfter reports whether more backward calls follow the last step of the
// optimizer than any step before it took.
func (f *stepFinder) silentAfter(ends []replay.EventIndex) bool {
	calls := f.byBackward()
	if len(calls) == 0 {
		calls = f.byBackwardRuns()
	}
	most, next := 0, 0
	for _, end := range ends {
		n := 0
		for ; next < len(calls) && calls[next] < end; next++ {
			n++
		}
		most = max(most, n)
	}
	return len(calls)-next > most
}

// byBackward finds the gradient of the loss itself, which the thread that calls
// backward makes before the engine starts.
func (f *stepFinder) byBackward() []replay.EventIndex {
	e := f.Device.Events
	var calls []replay.EventIndex
	begun := false // the allocation before was such a gradient too: one call for several losses
	for i, action := range e.Action {
		if action != snapshot.Alloc {
			continue
		}
		facts := f.Stacks.facts[e.Stack[i]]
		root := facts.has(factBackwardRoot) && !facts.has(factEngine)
		if root && !begun {
			calls = append(calls, replay.EventIndex(i))
		}
		begun = root
	}
	return calls
}

func (f *stepFinder) byBackwardRuns() []replay.EventIndex {
	var starts []replay.EventIndex
	for _, run := range f.Phases.Runs {
		if run.Phase == PhaseBackward {
			starts = append(starts, run.Start)
		}
	}
	return starts
}
