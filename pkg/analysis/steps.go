package analysis

import (
	"sort"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// StepMethod is how the steps of a recording were found. The first method that
// finds any is used.
type StepMethod uint8

const (
	NoSteps             StepMethod = iota // no repetition: one step, or part of one
	StepsByAnnotation                     // ends of Optimizer.step, else starts of ProfilerStep, else ranges called step 1, step 2 ...
	StepsByOptimizer                      // the last event of each run of the optimizer
	StepsByBackward                       // the gradient that each call of backward starts from
	StepsByBackwardRuns                   // the first event of each backward pass
	StepsByUserSites                      // a line of the user that allocates again and again
	StepsByForward                        // a module that is called again and again
)

var stepMethods = [...]struct{ key, word string }{
	NoSteps:             {"none", "steps"},
	StepsByAnnotation:   {"annotation", "steps"},
	StepsByOptimizer:    {"optimizer", "steps"},
	StepsByBackward:     {"backward", "backward calls"},
	StepsByBackwardRuns: {"backward_runs", "backward calls"},
	StepsByUserSites:    {"user_sites", "iterations"},
	StepsByForward:      {"forward", "iterations"},
}

// Key names the method in files: "optimizer".
func (m StepMethod) Key() string { return stepMethods[m].key }

// Word is what the method counts: "steps", "backward calls" (several make a
// step when gradients are accumulated) or "iterations".
func (m StepMethod) Word() string { return stepMethods[m].word }

// Steps is a device's history cut where one training step ends and the next
// begins.
type Steps struct {
	Method StepMethod

	// Boundaries are ascending and above 0. A boundary b is the first event of
	// a step, and so also the state between the two steps; the last boundary is
	// the last state when the recording ends with a step.
	Boundaries []replay.EventIndex

	// Steps are the stretches between boundaries, with what comes before the
	// first and after the last. Step j begins at boundary j-1 and ends at
	// boundary j. Empty when no steps were found.
	Steps []Step

	// hint says that what was taken for iterations may be the layers of one call.
	hint bool
}

// Step is one step of training, or what the word of the method says.
type Step struct {
	StateRange
	Name     snapshot.StringID // of the profiler's or the script's range around its end; 0 for none
	Complete bool              // it begins and ends in the recording
}

// FindSteps cuts a device's history into steps.
func FindSteps(in StepInput) *Steps {
	f := &stepFinder{StepInput: in}
	for _, try := range []struct {
		method StepMethod
		find   func() []replay.EventIndex
	}{
		{StepsByAnnotation, f.byAnnotation},
		{StepsByOptimizer, f.byOptimizer},
		{StepsByBackward, f.byBackward},
		{StepsByBackwardRuns, f.byBackwardRuns},
		{StepsByUserSites, f.byUserSites},
		{StepsByForward, f.byForward},
	} {
		if found := try.find(); len(found) > 0 {
			return f.cut(try.method, found)
		}
	}
	return &Steps{}
}

// StepInput is what steps are found by, all of one device.
type StepInput struct {
	Stacks      *StackFacts
	Device      *replay.Device
	Activities  *markers
	Phases      *Phases
	Annotations []AnnotationRange
}

// stepFinder is what the methods look at.
type stepFinder struct {
	StepInput
	numbered bool // the steps are ranges that the script numbered
}

// cut makes steps of boundaries, which are ascending. One at 0 ends no step but
// says that the first one is whole.
func (f *stepFinder) cut(method StepMethod, found []replay.EventIndex) *Steps {
	whole := found[0] == 0
	if whole {
		found = found[1:]
	}
	if len(found) == 0 {
		return &Steps{}
	}
	s := &Steps{Method: method, Boundaries: found}
	switch method {
	case StepsByForward:
		s.hint = true
	case StepsByUserSites:
		s.hint = f.goesOn(found[len(found)-1])
	}
	from, last := 0, f.Device.States()-1
	for _, b := range found {
		s.Steps = append(s.Steps, Step{StateRange: StateRange{from, int(b)}, Complete: from > 0 || whole})
		from = int(b)
	}
	if from < last {
		s.Steps = append(s.Steps, Step{StateRange: StateRange{from, last}})
	}
	f.name(s.Steps)
	return s
}

// name gives each step the name of the range in which it ends: a step of the
// profiler, else one that the script numbered. What follows the last boundary may
// be the rest of a step that has its name already.
func (f *stepFinder) name(steps []Step) {
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
func (f *stepFinder) namingRanges() []int {
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
func (s *Steps) Ranges() []StateRange {
	ranges := make([]StateRange, len(s.Steps))
	for i := range s.Steps {
		ranges[i] = s.Steps[i].StateRange
	}
	return ranges
}

// At is the index in Steps of the step that a state belongs to: the one of the
// event before it. -1 when there are no steps.
func (s *Steps) At(state int) int {
	if len(s.Steps) == 0 {
		return -1
	}
	return s.of(replay.EventIndex(max(state-1, 0)))
}

// of is the number of boundaries at or before an event: the step it happens in.
func (s *Steps) of(event replay.EventIndex) int {
	return sort.Search(len(s.Boundaries), func(j int) bool { return s.Boundaries[j] > event })
}
