package analysis

import (
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// marker is the one word for what a stack was doing, from its facts.
type marker byte

const (
	markerEmpty     marker = 0   // no frames
	markerBackward  marker = 'B' // recomputation inside backward included
	markerOptimizer marker = 'O'
	markerZeroGrad  marker = 'Z'
	markerClipGrad  marker = 'C'
	markerForward   marker = 'F'
	markerLoad      marker = 'L'
	markerData      marker = 'D'
	markerUser      marker = 'U' // any other Python
	markerNative    marker = 'N' // C++ only
)

// marker reads the facts of a whole stack; the first that applies wins.
func (f facts) marker() marker {
	switch {
	case f.has(factEngine | factBackwardCall):
		return markerBackward
	case f.has(factOptimizer) && !f.has(factForward):
		return markerOptimizer
	case f.has(factZeroGrad):
		return markerZeroGrad
	case f.has(factClipGrad):
		return markerClipGrad
	case f.has(factForward):
		return markerForward
	case f.has(factLoad):
		return markerLoad
	case f.has(factDataLoader):
		return markerData
	case f.has(factPython):
		return markerUser
	case f.has(factNative):
		return markerNative
	}
	return markerEmpty
}

// markerFacts are the facts that a marker is read from.
var markerFacts = map[marker]facts{
	markerBackward:  factEngine | factBackwardCall,
	markerOptimizer: factOptimizer,
	markerZeroGrad:  factZeroGrad,
	markerClipGrad:  factClipGrad,
	markerForward:   factForward,
	markerLoad:      factLoad,
	markerData:      factDataLoader,
}

// telling are the facts of a whole stack that rules go by first.
func (f facts) telling() facts {
	if names := f & (factWorkspace | factCommunication); names != 0 {
		return names
	}
	marker := f.marker()
	if marker == markerForward && f.has(factKVCache) {
		return factKVCache
	}
	return markerFacts[marker]
}

// markers gives the marker of each stack of one device's events.
//
// When Python frames were recorded and C++ frames were not, the autograd
// engine's thread has no frames at all, and little else has none: an empty stack
// then means backward.
type markers struct {
	of                    []marker // by stack
	emptyAlloc, emptyFree marker   // of the empty stack
}

func newMarkers(st *StackFacts, e *snapshot.Events) *markers {
	m := &markers{of: st.marker}
	var allocs, frees facts
	for i, action := range e.Action {
		switch f := st.facts[e.Stack[i]]; action {
		case snapshot.Alloc:
			allocs |= f
		case snapshot.Free, snapshot.FreeRequested, snapshot.FreeCompleted:
			frees |= f
		}
	}
	if (allocs | frees).has(factNative) {
		return m
	}
	if allocs.has(factPython) {
		m.emptyAlloc = markerBackward
	}
	if frees.has(factPython) { // else frees were recorded without stacks
		m.emptyFree = markerBackward
	}
	return m
}

// alloc is what was going on when a stack allocated.
func (m *markers) alloc(id snapshot.StackID) marker {
	if id == 0 {
		return m.emptyAlloc
	}
	return m.of[id]
}

// free is what was going on when a stack freed.
func (m *markers) free(id snapshot.StackID) marker {
	if id == 0 {
		return m.emptyFree
	}
	return m.of[id]
}
