package steps

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Names that torch gives to its own annotations; a number or a class follows.
const (
	optimizerStep = "Optimizer.step#"
	profilerStep  = "ProfilerStep#"
)

func (f *finder) isNamed(annotation int, prefix string) bool {
	return strings.HasPrefix(f.Stacks.Snapshot.String(f.Annotations[annotation].Name), prefix)
}

// named returns the annotations, by index, whose names have a prefix. A process with
// several devices may name its steps once for each; then only one device counts: this
// one, or else the one with the most such annotations.
func (f *finder) named(prefix string) []int {
	var all []int
	perDevice := map[snapshot.DeviceID]int{}
	for i := range f.Annotations {
		if f.isNamed(i, prefix) {
			all = append(all, i)
			perDevice[f.Annotations[i].Device]++
		}
	}
	if len(perDevice) < 2 {
		return all
	}
	device := f.Device.ID
	if perDevice[device] == 0 {
		most := 0
		for _, i := range all {
			if n := perDevice[f.Annotations[i].Device]; n > most {
				device, most = f.Annotations[i].Device, n
			}
		}
	}
	return slices.DeleteFunc(all, func(i int) bool { return f.Annotations[i].Device != device })
}

func (f *finder) byAnnotation() []replay.EventIndex {
	var ends []optimizerEnd
	for _, i := range f.named(optimizerStep) {
		if a := &f.Annotations[i]; !a.NoEnd && a.To > 0 {
			from, to := replay.EventIndex(a.From), replay.EventIndex(a.To)
			ends = append(ends, optimizerEnd{to, a.Name, f.optimizerCaller(from, to)})
		}
	}
	if len(ends) > 0 {
		slices.SortStableFunc(ends, func(a, b optimizerEnd) int { return cmp.Compare(a.at, b.at) })
		return f.stepEnds(f.lastOfEach(ends))
	}
	ranges := f.namingRanges()
	cuts := f.byRanges(ranges)
	f.ranged = cuts != nil
	return cuts
}

// optimizerEnd is where an optimizer's step ends.
type optimizerEnd struct {
	at     replay.EventIndex
	name   snapshot.StringID // of its annotation; 0 without one
	caller snapshot.FrameID  // the user's line that called it, or stacks.NoFrame
}

// optimizerCaller returns the user's line that called an optimizer with events between
// from and to. From call to call, from must not decrease.
func (f *finder) optimizerCaller(from, to replay.EventIndex) snapshot.FrameID {
	e := f.Device.Events
	f.works = max(f.works, from)
	for int(f.works) < e.Len() && f.activity(f.works) != stacks.InOptimizer {
		f.works++
	}
	if f.works >= to {
		return stacks.NoFrame
	}
	id := e.Stack[f.works]
	caller, known := f.callers[id]
	if !known {
		if f.callers == nil {
			f.callers = map[snapshot.StackID]snapshot.FrameID{}
		}
		caller = f.Stacks.OptimizerCaller(id)
		f.callers[id] = caller
	}
	return caller
}

// activity returns what the program was doing in an event of its own; NoActivity in
// those of the driver, and in completions, which other streams decide.
func (f *finder) activity(i replay.EventIndex) stacks.Activity {
	switch e := f.Device.Events; e.Action[i] {
	case snapshot.Alloc:
		return f.Activities.Alloc(e.Stack[i])
	case snapshot.Free, snapshot.FreeRequested:
		return f.Activities.Free(e.Stack[i])
	}
	return stacks.NoActivity
}

// lastOfEach keeps the last of several optimizers' steps that follow each other
// directly: nothing but optimizers allocates between them.
func (f *finder) lastOfEach(ends []optimizerEnd) []optimizerEnd {
	e := f.Device.Events
	works := func(from, to replay.EventIndex) bool {
		for i := from; i < to; i++ {
			if e.Action[i] == snapshot.Alloc && f.Activities.Alloc(e.Stack[i]) != stacks.InOptimizer {
				return true
			}
		}
		return false
	}
	kept := ends[:1]
	for _, end := range ends[1:] {
		if last := &kept[len(kept)-1]; works(last.at, end.at) {
			kept = append(kept, end)
		} else {
			*last = end
		}
	}
	return kept
}

// stepEnds returns where steps end: after the optimizer's, or the last of a round if
// several optimizers take turns, and after those that the gradient scaler of mixed
// precision skipped.
func (f *finder) stepEnds(ends []optimizerEnd) []replay.EventIndex {
	if len(ends) == 0 {
		return nil
	}
	skipped := f.skippedSteps(ends)
	f.skipped = len(skipped)
	var cuts []replay.EventIndex
	round := roundOf(ends)
	for i, end := range ends {
		if i%round == round-1 {
			cuts = append(cuts, end.at)
		}
	}
	cuts = append(cuts, skipped...)
	slices.Sort(cuts)
	return f.settled(cuts)
}

// longestRound is the maximum number of optimizers' steps in a loop, such as five of
// a critic and one of a generator.
const longestRound = 16

// roundOf returns after how many ends the order of optimizers repeats: 1 unless several
// take turns.
func roundOf(ends []optimizerEnd) int {
	for round := 1; round <= min(longestRound, len(ends)/2); round++ {
		again := true
		for i := round; again && i < len(ends); i++ {
			again = ends[i].name == ends[i-round].name && ends[i].caller == ends[i-round].caller
		}
		if again {
			return round
		}
	}
	return 1
}

// skippedSteps returns where steps end in which the gradient scaler found an overflow and
// did not call the optimizer.
func (f *finder) skippedSteps(ends []optimizerEnd) []replay.EventIndex {
	var skipped []replay.EventIndex
	const none = timeline.Never
	first, last := none, none // of the events since the scaler began its step
	next := 0                 // of ends
	for i := range replay.EventIndex(f.Device.Events.Len()) {
		activity := f.activity(i)
		switch {
		case activity == stacks.NoActivity:
		case f.Stacks.Facts[f.Device.Events.Stack[i]].Has(stacks.FactScalerStep):
			if first == none {
				first = i
			}
			last = i
		case first != none && (activity == stacks.InForward || activity == stacks.InBackward):
			for next < len(ends) && ends[next].at <= first {
				next++
			}
			if next == len(ends) || ends[next].at > i {
				skipped = append(skipped, last+1)
			}
			first = none
		}
	}
	return skipped
}

// settled moves the ends of steps after the events that still belong to them: those that
// follow directly and in which an optimizer or the gradient scaler works, or gradients
// are clipped or dropped. A step does not leave the range that names it.
func (f *finder) settled(ends []replay.EventIndex) []replay.EventIndex {
	e := f.Device.Events
	ranges := f.namingRanges()
	for j, end := range ends {
		for len(ranges) > 0 && f.Annotations[ranges[0]].To < int(end) {
			ranges = ranges[1:]
		}
		limit := e.Len()
		if len(ranges) > 0 && f.Annotations[ranges[0]].From < int(end) {
			limit = f.Annotations[ranges[0]].To
		}
		for i := end; int(i) < limit; i++ {
			if e.Action[i] == snapshot.FreeCompleted && f.Activities.Free(e.Stack[i]) == stacks.InOptimizer {
				end = i + 1
				continue
			}
			activity := f.activity(i)
			if activity == stacks.NoActivity {
				continue
			}
			if activity != stacks.InOptimizer && activity != stacks.InZeroGrad && activity != stacks.InClipping &&
				!f.Stacks.Facts[e.Stack[i]].Has(stacks.FactScalerStep) {
				break
			}
			end = i + 1
		}
		ends[j] = end
	}
	return slices.Compact(ends)
}

// byOptimizer returns nil if the optimizer stops allocating: fused optimizers, and SGD
// with momentum, allocate only in their first step.
func (f *finder) byOptimizer() []replay.EventIndex {
	var ends []optimizerEnd
	for _, run := range f.Phases {
		if run.Phase == stacks.InOptimizer {
			ends = append(ends, optimizerEnd{run.Last + 1, 0, f.optimizerCaller(run.Start, run.Last+1)})
		}
	}
	if f.silentAfter(ends) {
		return nil
	}
	return f.stepEnds(ends)
}

// silentAfter reports whether the last of the optimizer's steps is followed by more
// backward calls than any step contains.
func (f *finder) silentAfter(ends []optimizerEnd) bool {
	calls := f.backwardCalls()
	if len(calls) == 0 {
		calls = f.backwardRuns()
	}
	most, next := 0, 0
	for _, end := range ends {
		n := 0
		for ; next < len(calls) && calls[next] < end.at; next++ {
			n++
		}
		most = max(most, n)
	}
	return len(calls)-next > most
}

func (f *finder) byBackward() []replay.EventIndex { return f.backwardEnds(f.backwardCalls()) }

func (f *finder) byBackwardRuns() []replay.EventIndex { return f.backwardEnds(f.backwardRuns()) }

// backwardCalls returns where the gradient of the loss itself is made, which the thread
// that calls backward does before the engine starts.
func (f *finder) backwardCalls() []replay.EventIndex {
	e := f.Device.Events
	var calls []replay.EventIndex
	begun := false // so was the allocation before: one call for several losses
	for i, action := range e.Action {
		if action != snapshot.Alloc {
			continue
		}
		facts := f.Stacks.Facts[e.Stack[i]]
		root := facts.Has(stacks.FactBackwardRoot) && !facts.Has(stacks.FactEngine)
		if root && !begun {
			calls = append(calls, replay.EventIndex(i))
		}
		begun = root
	}
	return calls
}

func (f *finder) backwardRuns() []replay.EventIndex {
	var starts []replay.EventIndex
	for _, run := range f.Phases {
		if run.Phase == stacks.InBackward {
			starts = append(starts, run.Start)
		}
	}
	return starts
}

// backwardEnds returns where backward passes end that begin at the given events. The last
// one has no end if memory ran out in it, or if the recording ends in it: it is then
// shorter than three quarters of the one before.
func (f *finder) backwardEnds(starts []replay.EventIndex) []replay.EventIndex {
	e := f.Device.Events
	n := replay.EventIndex(e.Len())
	ends := make([]replay.EventIndex, len(starts))
	for j, start := range starts {
		next := n
		if j+1 < len(starts) {
			next = starts[j+1]
		}
		ends[j] = start + 1
		inPass, failed := true, false
		for i := start; i < next; i++ {
			switch f.activity(i) {
			case stacks.InBackward:
				ends[j] = i + 1
			case stacks.InForward:
				inPass = false
			}
			failed = failed || inPass && e.Action[i] == snapshot.OOM
		}
		cut := ends[j] == n && j > 0 && 4*(n-start) < 3*(ends[j-1]-starts[j-1])
		if next == n && (failed || cut) {
			ends = ends[:j]
		}
	}
	return f.settled(ends)
}
