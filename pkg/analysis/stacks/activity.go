package stacks

import (
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// marker is the one word for what a stack was doing, from its facts.
type Activity byte

const (
	NoActivity   Activity = 0   // no frames
	InBackward   Activity = 'B' // recomputation inside backward included
	InOptimizer  Activity = 'O'
	InZeroGrad   Activity = 'Z'
	InClipping   Activity = 'C'
	InForward    Activity = 'F'
	InLoading    Activity = 'L'
	InDataLoader Activity = 'D'
	InUserCode   Activity = 'U' // any other Python
	InNative     Activity = 'N' // C++ only
)

// marker reads the facts of a whole stack; the first that applies wins.
func (f Facts) activity() Activity {
	switch {
	case f.Has(FactEngine | FactBackwardCall):
		return InBackward
	case f.Has(FactOptimizer) && !f.Has(FactForward):
		return InOptimizer
	case f.Has(FactZeroGrad):
		return InZeroGrad
	case f.Has(FactClipGrad):
		return InClipping
	case f.Has(FactForward):
		return InForward
	case f.Has(FactLoad):
		return InLoading
	case f.Has(FactDataLoader):
		return InDataLoader
	case f.Has(FactPython):
		return InUserCode
	case f.Has(FactNative):
		return InNative
	}
	return NoActivity
}

// markerFacts are the facts that a marker is read from.
var activityFacts = map[Activity]Facts{
	InBackward:   FactEngine | FactBackwardCall,
	InOptimizer:  FactOptimizer,
	InZeroGrad:   FactZeroGrad,
	InClipping:   FactClipGrad,
	InForward:    FactForward,
	InLoading:    FactLoad,
	InDataLoader: FactDataLoader,
}

// telling are the facts of a whole stack that rules go by first.
func (f Facts) telling() Facts {
	if names := f & (FactWorkspace | FactCommunication); names != 0 {
		return names
	}
	marker := f.activity()
	if marker == InForward && f.Has(FactKVCache) {
		return FactKVCache
	}
	return activityFacts[marker]
}

// markers gives the marker of each stack of one device's events.
//
// When Python frames were recorded and C++ frames were not, the autograd
// engine's thread has no frames at all, and little else has none: an empty stack
// then means backward.
type Activities struct {
	of                    []Activity // by stack
	emptyAlloc, emptyFree Activity   // of the empty stack
}

func ActivitiesOf(st *Table, e *snapshot.Events) *Activities {
	m := &Activities{of: st.Activity}
	var allocs, frees Facts
	for i, action := range e.Action {
		switch f := st.Facts[e.Stack[i]]; action {
		case snapshot.Alloc:
			allocs |= f
		case snapshot.Free, snapshot.FreeRequested, snapshot.FreeCompleted:
			frees |= f
		}
	}
	if (allocs | frees).Has(FactNative) {
		return m
	}
	if allocs.Has(FactPython) {
		m.emptyAlloc = InBackward
	}
	if frees.Has(FactPython) { // else frees were recorded without stacks
		m.emptyFree = InBackward
	}
	return m
}

// alloc is what was going on when a stack allocated.
func (m *Activities) Alloc(id snapshot.StackID) Activity {
	if id == 0 {
		return m.emptyAlloc
	}
	return m.of[id]
}

// free is what was going on when a stack freed.
func (m *Activities) Free(id snapshot.StackID) Activity {
	if id == 0 {
		return m.emptyFree
	}
	return m.of[id]
}
