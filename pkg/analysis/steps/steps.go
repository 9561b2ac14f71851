package steps

import (
	"math"
	"sort"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Method is how the steps of a recording were found. The first method that
// finds any is used.
type Method uint8

const (
	None           Method = iota // no repetition: one step, or part of one
	ByAnnotation                 // ends of Optimizer.step, else starts of ProfilerStep, else ranges called step 1, step 2 ...
	ByOptimizer                  // the last event of each run of the optimizer
	ByBackward                   // the gradient that each call of backward starts from
	ByBackwardRuns               // the first event of each backward pass
	ByUserSites                  // a line of the user that allocates again and again
	ByForward                    // a module that is called again and again
)

// methods are the key in files, the word for one, and how it found them.
var methods = [...]struct{ key, one, found string }{
	None:         {"none", "step", ""},
	ByAnnotation: {"annotation", "step", "named in the file"},
	ByOptimizer:  {"optimizer", "step", "found from optimizer frames; no annotations in the file"},
	ByBackward: {"backward", "backward call",
		"found from calls of backward; with gradient accumulation several make a step"},
	ByBackwardRuns: {"backward_runs", "backward call",
		"found from where backward begins; with gradient accumulation several make a step"},
	ByUserSites: {"user_sites", "iteration", "found from a line of your code that allocates again and again"},
	ByForward:   {"forward", "iteration", "found from a module that is called again and again"},
}

// Key names the method in files: "optimizer".
func (m Method) Key() string { return methods[m].key }

// Word is what the method counts, for n of them: "step", "backward calls"
// (several make a step when gradients are accumulated) or "iterations".
func (m Method) Word(n int) string {
	if n == 1 {
		return methods[m].one
	}
	return methods[m].one + "s"
}

// Found says how the method found them, as a clause without a full stop.
func (m Method) Found() string { return methods[m].found }

// List is a device's history cut where one training step ends and the next
// begins.
type List struct {
	Method Method

	// Boundaries are ascending and above 0. A boundary b is the first event of
	// a step, and so also the state between the two steps; the last boundary is
	// the last state when the recording ends with a step.
	Boundaries []replay.EventIndex

	// Steps are the stretches between boundaries, with what comes before the
	// first and after the last. Step j begins at boundary j-1 and ends at
	// boundary j. Empty when no steps were found.
	Steps []Step

	// hint says that what was taken for iterations may be the layers of one call.
	Guess bool
}

// Step is one step of training, or what the word of the method says.
type Step struct {
	timeline.Range
	Name     snapshot.StringID // of the profiler's or the script's range around its end; 0 for none
	Complete bool              // it begins and ends in the recording
}

// Find cuts a device's history into steps.
func Find(in Input) *List {
	f := &finder{Input: in}
	for _, try := range []struct {
		method Method
		find   func() []replay.EventIndex
	}{
		{ByAnnotation, f.byAnnotation},
		{ByOptimizer, f.byOptimizer},
		{ByBackward, f.byBackward},
		{ByBackwardRuns, f.byBackwardRuns},
		{ByUserSites, f.byUserSites},
		{ByForward, f.byForward},
	} {
		if found := try.find(); len(found) > 0 {
			return f.cut(try.method, found)
		}
	}
	return &List{}
}

// Input is what steps are found by, all of one device.
type Input struct {
	Stacks      *stacks.Table
	Device      *replay.Device
	Activities  *stacks.Activities
	Phases      timeline.Phases
	Annotations []timeline.Annotation
}

// finder is what the methods look at.
type finder struct {
	Input
	numbered bool // the steps are ranges that the script numbered
}

// cut makes steps of boundaries, which are ascending. One at 0 ends no step but
// says that the first one is whole.
func (f *finder) cut(method Method, found []replay.EventIndex) *List {
	whole := found[0] == 0
	if whole {
		found = found[1:]
	}
	if len(found) == 0 {
		return &List{}
	}
	s := &List{Method: method, Boundaries: found}
	switch method {
	case ByForward:
		s.Guess = true
	case ByUserSites:
		s.Guess = f.goesOn(found[len(found)-1])
	}
	from, last := 0, f.Device.States()-1
	for _, b := range found {
		s.Steps = append(s.Steps, Step{Range: timeline.Range{From: from, To: int(b)}, Complete: from > 0 || whole})
		from = int(b)
	}
	if from < last {
		s.Steps = append(s.Steps, Step{Range: timeline.Range{From: from, To: last}})
	}
	f.name(s.Steps)
	return s
}

// name gives each step the name of the range in which it ends: a step of the
// profiler, else one that the script numbered. What follows the last boundary may
// be the rest of a step that has its name already.
func (f *finder) name(steps []Step) {
	ranges := f.namingRanges()
	open, named := -1, -1
	for i := range steps {
		ends := steps[i].To - 1 // its last event
		for len(ranges) > 0 && f.Annotations[ranges[0]].From <= ends {
			open, ranges = ranges[0], ranges[1:]
		}
		rest := i == len(steps)-1 && !steps[i].Complete && open == named
		if open >= 0 && (f.numbered || ends < f.Annotations[open].To) && !rest {
			steps[i].Name, named = f.Annotations[open].Name, open
		}
	}
}

// namingRanges are the annotations, by index, that can give steps their names.
func (f *finder) namingRanges() []int {
	var ranges []int
	for i := range f.Annotations {
		if f.isNamed(i, profilerStep) {
			ranges = append(ranges, i)
		}
	}
	if ranges == nil {
		return f.numberedRanges()
	}
	return ranges
}

// Ranges are the stretches of the steps, for [PeaksOf].
func (s *List) Ranges() []timeline.Range {
	ranges := make([]timeline.Range, len(s.Steps))
	for i := range s.Steps {
		ranges[i] = s.Steps[i].Range
	}
	return ranges
}

// At is the index in Steps of the step that a state belongs to: the one of the
// event before it. -1 when there are no steps.
func (s *List) At(state int) int {
	if len(s.Steps) == 0 {
		return -1
	}
	return s.Of(replay.EventIndex(max(state-1, 0)))
}

// Growth is how the active bytes of a device change over a range of states. The
// page computes the same for a range that its user brushes (data/steps.js).
type Growth struct {
	timeline.Range
	Steps   int   // that have an event in the range; 0 when no steps were found
	Bytes   int64 // active in To less active in From
	PerStep int64 // rounded; 0 without steps
}

// Over is the growth over a range of states; active is by state.
func (s *List) Over(active []int64, over timeline.Range) Growth {
	g := Growth{Range: over, Bytes: active[over.To] - active[over.From]}
	if len(s.Steps) > 0 {
		g.Steps = s.At(over.To) - s.At(over.From+1) + 1
		g.PerStep = int64(math.Round(float64(g.Bytes) / float64(g.Steps)))
	}
	return g
}

// Growth is the growth from the end of the first step to that of the last one,
// and whether at least two steps end in the recording.
func (s *List) Growth(active []int64) (Growth, bool) {
	n := len(s.Boundaries)
	if n < 2 {
		return Growth{}, false
	}
	return s.Over(active, timeline.Range{From: int(s.Boundaries[0]), To: int(s.Boundaries[n-1])}), true
}

// Of is the number of boundaries at or before an event: the step it happens in.
func (s *List) Of(event replay.EventIndex) int {
	return sort.Search(len(s.Boundaries), func(j int) bool { return s.Boundaries[j] > event })
}
