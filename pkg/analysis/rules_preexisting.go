package analysis

import "github.com/memviz-go/memviz/pkg/replay"

// decidePreExisting finds the rules for allocations from before the recording;
// those born in it must have been decided.
//
// How they were freed speaks first. Blocks that stay and have no stack are
// compared by size with the gradients and the optimizer state that were born.
func (ev *evidence) decidePreExisting(rules []Rule) {
	pre := ev.d.Allocations[:ev.d.PreExisting]
	var sizes []int64
	for i := range pre {
		a := &pre[i]
		switch {
		case freedAt(a) != never:
			rules[i] = ev.preExistingFreed(a)
		case a.Stack != 0:
			rules[i] = ev.preExistingBlock(a)
		default:
			sizes = append(sizes, a.Size)
		}
	}
	if len(sizes) == 0 {
		return
	}
	census := ev.countSizes(sizes, rules)
	for i := range pre {
		if a := &pre[i]; a.Stack == 0 && freedAt(a) == never {
			rules[i] = census.decide(a.Size)
		}
	}
}

func (ev *evidence) preExistingFreed(a *replay.Allocation) Rule {
	switch facts := ev.st.facts[a.FreeStack]; ev.markers.free(a.FreeStack) {
	case markerOptimizer:
		return optimizerFreedInStep
	case markerZeroGrad:
		return gradientZeroed
	case markerBackward:
		if facts.has(factRelease) {
			return activationGraphReleased
		}
		return activationBeforeRecording
	case markerLoad:
		return parameterReplaced
	}
	return freedByUser
}

// preExistingBlock decides for a block of the final segments whose stack the
// allocator still knew although the event that made it is not in the trace.
func (ev *evidence) preExistingBlock(a *replay.Allocation) Rule {
	facts := ev.st.facts[a.Stack]
	marker := ev.st.marker[a.Stack]
	switch {
	case facts.has(factWorkspace):
		return workspaceByName
	case isCuBLASWorkspace(a):
		return workspaceBySize
	case facts.has(factCommunication):
		return communicationByName
	case facts.has(factKVCache) && (marker == markerForward || marker == markerUser):
		return cacheByName
	}
	switch marker {
	case markerOptimizer:
		return optimizerBlock
	case markerBackward:
		return gradientBlock
	case markerLoad:
		if facts.has(factOptimizerLoad) {
			return optimizerLoaded
		}
		return parameterLoaded
	case markerForward:
		return activationBlock
	}
	if facts.has(factTransfer) {
		return inputMoved
	}
	return undecided
}
