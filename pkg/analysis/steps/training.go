package steps

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
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

func (f *finder) byAnnotation() []replay.EventIndex {
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

// lastOfEach keeps the last of several optimizers' steps that follow each other
// directly: nothing but optimizers allocates between them.
func (f *finder) lastOfEach(ends []replay.EventIndex) []replay.EventIndex {
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
		if last := &kept[len(kept)-1]; works(*last, end) {
			kept = append(kept, end)
		} else {
			*last = end
		}
	}
	return kept
}

// byOptimizer returns nil when the optimizer stops allocating: fused optimizers,
// and SGD with momentum, allocate in their first step only.
func (f *finder) byOptimizer() []replay.EventIndex {
	e := f.Device.Events
	var ends []replay.EventIndex
	for _, run := range f.Phases {
		if run.Phase != stacks.InOptimizer {
			continue
		}
		end := run.Last + 1
		for int(end) < e.Len() && e.Action[end] == snapshot.FreeCompleted &&
			f.Activities.Free(e.Stack[end]) == stacks.InOptimizer {
			end++
		}
		ends = append(ends, end)
	}
	if f.silentAfter(ends) {
		return nil
	}
	return ends
}

// silentAfter reports whether more backward calls follow the last of the
// optimizer's steps than any step contains.
func (f *finder) silentAfter(ends []replay.EventIndex) bool {
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
func (f *finder) byBackward() []replay.EventIndex {
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

func (f *finder) byBackwardRuns() []replay.EventIndex {
	var starts []replay.EventIndex
	for _, run := range f.Phases {
		if run.Phase == stacks.InBackward {
			starts = append(starts, run.Start)
		}
	}
	return starts
}

// namePattern is how scripts name the ranges of their steps: "step 12",
// "train_step_12", "epoch 3 batch 12/100". Other words with numbers do not count,
// since the layers of one forward pass are numbered as well.
var namePattern = regexp.MustCompile(
	`(?i)^(?:epoch[\s_:#=-]*\d+[\s,/_:-]*)?(?:train(?:ing)?[\s_:/-]*)?(?:step|iteration|iter|batch)[\s_:#=-]*(\d{1,18})(?:/\d+)?$`,
)

var digits = regexp.MustCompile(`\d+`)

// IsName reports whether an annotation is named like a step of a loop. Such a name
// has no word of the user's own.
func IsName(name string) bool { return namePattern.MatchString(name) }

// numberedRanges are the annotations, by index, with which a script numbered its
// steps: a run of at least two ranges in one lane, one after the other, whose
// names differ in their numbers only. Of several runs it is the one that covers
// most events, for a step contains its batches.
func (f *finder) numberedRanges() []int {
	type run struct {
		ranges  []int
		covered int // states
		last    int64
		broken  bool
	}
	type key struct {
		device snapshot.DeviceID
		lane   int
		form   string
	}
	runs := map[key]*run{}
	var order []*run
	for i := range f.Annotations {
		a := &f.Annotations[i]
		name := f.Stacks.Snapshot.String(a.Name)
		parts := namePattern.FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		number, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			continue
		}
		k := key{a.Device, a.Lane, digits.ReplaceAllString(strings.ToLower(name), "#")}
		r := runs[k]
		if r == nil {
			r = &run{}
			runs[k], order = r, append(order, r)
		} else {
			before := &f.Annotations[r.ranges[len(r.ranges)-1]]
			follows := number == r.last+1 || number < r.last // the next epoch counts anew
			r.broken = r.broken || before.NoEnd || a.NoStart || a.From < before.To || !follows
		}
		r.ranges, r.covered, r.last = append(r.ranges, i), r.covered+a.To-a.From, number
	}
	var most *run
	for _, r := range order {
		if !r.broken && len(r.ranges) > 1 && (most == nil || r.covered > most.covered) {
			most = r
		}
	}
	if most == nil {
		return nil
	}
	return most.ranges
}

// byNumbers cuts where each numbered range but the first starts and where the
// last one ends, so that there are as many steps as ranges. What lies before the
// first range, and what follows a range, belongs to its step.
func (f *finder) byNumbers() []replay.EventIndex {
	ranges := f.numberedRanges()
	if ranges == nil {
		return nil
	}
	var cuts []replay.EventIndex
	if !f.Annotations[ranges[0]].NoStart {
		cuts = append(cuts, 0) // the first step is whole
	}
	for _, i := range ranges[1:] {
		cuts = append(cuts, replay.EventIndex(f.Annotations[i].From))
	}
	if last := &f.Annotations[ranges[len(ranges)-1]]; !last.NoEnd {
		cuts = append(cuts, replay.EventIndex(last.To))
	}
	cuts = slices.Compact(cuts)
	if cuts[len(cuts)-1] == 0 {
		return nil // there are no events in any of them
	}
	return cuts
}
