package stacks

import "github.com/memviz-go/memviz/pkg/snapshot"

// Activity is what the program was doing when a stack was recorded.
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

// activity reads the facts of a whole stack; the first that applies wins.
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

// activityFacts are the facts that show an activity.
var activityFacts = map[Activity]Facts{
	InBackward:   FactEngine | FactBackwardCall,
	InOptimizer:  FactOptimizer,
	InZeroGrad:   FactZeroGrad,
	InClipping:   FactClipGrad,
	InForward:    FactForward,
	InLoading:    FactLoad,
	InDataLoader: FactDataLoader,
}

// deciding are the facts of a whole stack that say most about what its memory
// was for.
func (f Facts) deciding() Facts {
	if names := f & (FactWorkspace | FactCommunication); names != 0 {
		return names
	}
	activity := f.activity()
	if activity == InForward && f.Has(FactKVCache) {
		return FactKVCache
	}
	return activityFacts[activity]
}

// Activities tells the activity of each stack of one device's events.
//
// When Python frames were recorded and C++ frames were not, stacks of the
// autograd engine's thread are empty, and hardly any others are: an empty stack
// then means backward.
type Activities struct {
	of                    []Activity // by stack
	emptyAlloc, emptyFree Activity   // of the empty stack
}

// ActivitiesOf looks at the stacks of all events of a device.
func ActivitiesOf(st *Table, e *snapshot.Events) *Activities {
	a := &Activities{of: st.Activity}
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
		return a
	}
	if allocs.Has(FactPython) {
		a.emptyAlloc = InBackward
	}
	if frees.Has(FactPython) { // else frees were recorded without stacks
		a.emptyFree = InBackward
	}
	return a
}

// Alloc is the activity of a stack that allocated.
func (a *Activities) Alloc(id snapshot.StackID) Activity {
	if id == 0 {
		return a.emptyAlloc
	}
	return a.of[id]
}

// Free is the activity of a stack that freed.
func (a *Activities) Free(id snapshot.StackID) Activity {
	if id == 0 {
		return a.emptyFree
	}
	return a.of[id]
}
