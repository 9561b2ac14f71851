// Package steps finds where one step of training ends and the next begins.
//
// Snapshots do not record it, so [Find] tries one [Method] after another, the most
// certain first: annotations in the file, then the stacks of the optimizer and
// of backward, then code that allocates at regular distances. The first that
// finds anything is used. Later methods count less than a step: with gradient
// accumulation several calls of backward make one, and the layers of one forward
// pass may look like iterations ([List.Guess]).
//
// A step ends after its last own event: the work of the optimizer and the gradient
// scaler, and gradients that are clipped or dropped right after. Steps found only by
// calls of a module are called windows, because they may be anything.
//
// What it cannot see: steps of a program that allocates nothing in them, such as
// CUDA graphs that are replayed; and where a step without annotations really
// ends, which is somewhere between the last event that shows it and the next.
package steps

import (
	"math"
	"slices"
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
	ByAnnotation                 // ends of Optimizer.step, else ranges named ProfilerStep, else ranges named step 1 ...
	ByOptimizer                  // the last event of each run of the optimizer
	ByBackward                   // ends of backward passes, which begin with the gradient of a loss
	ByBackwardRuns               // ends of backward passes, where that gradient has no stack
	ByUserSites                  // a line of user code that allocates again and again
	ByForward                    // a module that is called again and again
)

// methods has the key of each method in files, the word for what it counts, and
// how it found them.
var methods = [...]struct{ key, one, found string }{
	None:         {"none", "step", ""},
	ByAnnotation: {"annotation", "step", "named in the file"},
	ByOptimizer:  {"optimizer", "step", "found from optimizer frames; no annotations in the file"},
	ByBackward: {"backward", "backward call",
		"found from calls of backward; with gradient accumulation several make a step"},
	ByBackwardRuns: {"backward_runs", "backward call",
		"found from where backward begins; with gradient accumulation several make a step"},
	ByUserSites: {"user_sites", "iteration", "found from a line of your code that allocates again and again"},
	ByForward:   {"forward", "window", "found from a module that is called again and again"},
}

// Key names the method in files: "optimizer".
func (m Method) Key() string { return methods[m].key }

// Word returns what the method counts, for n of them: "step", "backward calls"
// (several make a step when gradients are accumulated), "iterations" or "windows".
func (m Method) Word(n int) string {
	if n == 1 {
		return methods[m].one
	}
	return methods[m].one + "s"
}

// Found explains how the method found them, as a clause without a full stop.
func (m Method) Found() string { return methods[m].found }

// List is a device's history cut where one training step ends and the next
// begins.
type List struct {
	Method Method

	// Boundaries are ascending and above 0. A boundary b is the first event of
	// a step, and so also the state between the two steps; the last boundary is
	// the last state when the recording ends with a step.
	Boundaries []replay.EventIndex

	// Steps are the stretches between boundaries, with those before the first and after
	// the last. Step j begins at boundary j-1 and ends at boundary j. There are none if
	// no steps were found.
	Steps []Step

	// Skipped is how many of the steps the gradient scaler of mixed precision found an
	// overflow in, so that the optimizer was left out.
	Skipped int

	// Guess means that the iterations may be the layers of one forward pass.
	Guess bool
}

// Step is one step of training, or one of what [Method.Word] names.
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

// Input is the data that steps are found in, all of the same device.
type Input struct {
	Stacks      *stacks.Table
	Device      *replay.Device
	Activities  *stacks.Activities
	Phases      timeline.Phases
	Annotations []timeline.Annotation
}

// finder has a function for each method, which returns boundaries or nil.
type finder struct {
	Input
	skipped int               // steps by the gradient scaler
	ranged  bool              // the steps are annotated ranges
	last    replay.EventIndex // where the last iteration starts, of steps found by user sites
	naming  []int             // what namingRanges returns
	sought  bool              // naming is known
	// the first event of an optimizer from where optimizerCaller looked last
	works   replay.EventIndex
	callers map[snapshot.StackID]snapshot.FrameID // of optimizers
}

// cut makes steps of boundaries, which are ascending. A boundary at 0 ends no step: it
// means that the first step is complete.
func (f *finder) cut(method Method, found []replay.EventIndex) *List {
	whole := found[0] == 0
	if whole {
		found = found[1:]
	}
	if len(found) == 0 {
		return &List{}
	}
	s := &List{Method: method, Boundaries: found, Skipped: f.skipped}
	switch method {
	case ByForward:
		s.Guess = true
	case ByUserSites:
		s.Guess = f.goesOn(f.last)
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

// name gives each step the name of the annotation in which it ends: a step of the
// profiler, else one that the script numbered. The stretch after the last boundary
// gets no name if it is the rest of a step that has one.
func (f *finder) name(steps []Step) {
	ranges := f.namingRanges()
	open, named := -1, -1
	for i := range steps {
		ends := steps[i].To - 1 // its last event
		for len(ranges) > 0 && f.Annotations[ranges[0]].From <= ends {
			open, ranges = ranges[0], ranges[1:]
		}
		rest := i == len(steps)-1 && !steps[i].Complete && open == named
		if open >= 0 && (f.ranged || ends < f.Annotations[open].To) && !rest {
			steps[i].Name, named = f.Annotations[open].Name, open
		}
	}
}

// namingRanges returns the annotations, by index, that can give steps their names.
func (f *finder) namingRanges() []int {
	if !f.sought {
		f.sought = true
		if f.naming = f.named(profilerStep); f.naming == nil {
			f.naming = f.numberedRanges()
		}
	}
	return f.naming
}

// Ranges returns the stretches of the steps.
func (s *List) Ranges() []timeline.Range {
	ranges := make([]timeline.Range, len(s.Steps))
	for i := range s.Steps {
		ranges[i] = s.Steps[i].Range
	}
	return ranges
}

// Growth is how the active bytes of a device change over a range of states. The
// page computes the same for a range that its user brushes (data/lanes.js).
type Growth struct {
	timeline.Range
	Steps   int   // that end in the range
	Bytes   int64 // active in To less active in From
	PerStep int64 // rounded; 0 if no step ends
}

// Over returns the growth over a range of states; active is by state.
func (s *List) Over(active []int64, over timeline.Range) Growth {
	g := Growth{Range: over, Bytes: active[over.To] - active[over.From]}
	if len(s.Steps) > 0 {
		g.Steps = s.Of(replay.EventIndex(over.To)) - s.Of(replay.EventIndex(over.From))
	}
	if g.Steps > 0 {
		g.PerStep = int64(math.Round(float64(g.Bytes) / float64(g.Steps)))
	}
	return g
}

// minGrowthSteps is how many steps must end in a recording for its growth to be known:
// the first may be cut, and growth is from one to another.
const minGrowthSteps = 3

// Growth returns the growth from the second step to the last one that ends in the
// recording, each measured in the first of its states with the fewest bytes in rest,
// which is by state; and whether enough steps end. At the boundaries themselves the
// gradients of a step, and whatever else the next one frees, may still be live.
func (s *List) Growth(active, rest []int64) (Growth, bool) {
	n := len(s.Boundaries)
	if n < minGrowthSteps {
		return Growth{}, false
	}
	least := func(step int) int {
		from, to := int(s.Boundaries[step-1]), int(s.Boundaries[step])
		return from + slices.Index(rest[from:to], slices.Min(rest[from:to]))
	}
	return s.Over(active, timeline.Range{From: least(1), To: least(n - 1)}), true
}

// LastEnd returns the last state that lies between two steps, given the active bytes of
// every state; ok is false if none is known.
func (s *List) LastEnd(active []int64) (state int, ok bool) {
	k := len(s.Boundaries)
	if k == 0 {
		return 0, false
	}
	last := int(s.Boundaries[k-1])
	if s.Method == ByAnnotation || s.Method == ByOptimizer {
		return last, true
	}
	// Other boundaries may lie in the middle of a step: when backward begins,
	// activations are live. A step ends where memory is lowest between two of them.
	if k == 1 {
		return 0, false
	}
	least := last
	for state := last - 1; state >= int(s.Boundaries[k-2]); state-- {
		if active[state] < active[least] {
			least = state
		}
	}
	return least, true
}

// Of returns the index in Steps of the step in which an event happens: the number of
// boundaries at or before it.
func (s *List) Of(event replay.EventIndex) int {
	return sort.Search(len(s.Boundaries), func(j int) bool { return s.Boundaries[j] > event })
}
