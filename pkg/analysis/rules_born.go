package analysis

// decideBirth finds the rule for an allocation born in the recording. Names that
// can mean one thing only come first, then what was going on at its birth.
func (ev *evidence) decideBirth(b *birth) Rule {
	switch {
	case b.facts.has(factWorkspace):
		return workspaceByName
	case b.facts.has(factCommunication):
		return communicationByName
	case b.facts.has(factKVCache) && b.marker == markerForward:
		return cacheByName
	}
	switch b.marker {
	case markerOptimizer:
		return bornInStep(b)
	case markerLoad:
		return bornInLoading(b)
	case markerBackward:
		return ev.bornInBackward(b)
	}
	if b.freeFacts.has(factRelease) && !(b.marker == markerUser && b.facts.has(factTransfer)) {
		return activationReleased
	}
	switch b.marker {
	case markerForward:
		if !b.freed() && isCuBLASWorkspace(b.Allocation) {
			return workspaceBySize
		}
		return ev.bornInForward(b)
	case markerUser:
		return ev.bornInUserCode(b)
	case markerData:
		if b.freeMarker == markerBackward {
			return activationOfUser
		}
		return inputLoaded
	case markerZeroGrad, markerClipGrad:
		if b.freed() {
			return temporaryOfClipping
		}
	}
	return undecided
}

func bornInStep(b *birth) Rule {
	switch {
	case b.facts.has(factOptimizerInit):
		return optimizerBuilt
	case b.freedInRun():
		return temporaryOfStep
	case b.runOpen:
		return optimizerStepCut
	}
	return optimizerOutlivesStep
}

// shortLoading is how many events a staging buffer lives while a model is loaded.
const shortLoading = 50

func bornInLoading(b *birth) Rule {
	switch {
	case b.freedInRun() && b.life() <= shortLoading:
		return temporaryOfLoading
	case b.facts.has(factOptimizerLoad):
		return optimizerLoaded
	}
	return parameterLoaded
}

func (ev *evidence) bornInBackward(b *birth) Rule {
	switch {
	case b.facts.has(factAccumulate):
		return gradientAccumulated
	case b.facts.has(factCheckpoint) && b.freeMarker == markerBackward:
		return activationRecomputed
	case b.freedInRun():
		return temporaryOfBackward
	case ev.isUnnamedWorkspace(b):
		return workspaceBySize
	case b.runOpen && ev.backwardGoing:
		return gradientBackwardCut
	}
	return gradientOutlivesBackward
}

// isUnnamedWorkspace reports whether what backward leaves is cuBLAS's workspace of
// its thread. Without frames only the size tells, and a gradient may have that
// size too; but it comes again in the next step, and a workspace is made once.
func (ev *evidence) isUnnamedWorkspace(b *birth) bool {
	return b.Stack == 0 && !b.freed() && isCuBLASWorkspace(b.Allocation) && ev.unnamedOfItsSize == 1
}

// inputMinLife is how many events a tensor made by user code lives at least when
// it is data rather than scratch.
const inputMinLife = 20

// bornInUserCode decides for Python that is neither a module, an optimizer nor
// anything else that the markers know: a training loop, a loss function.
func (ev *evidence) bornInUserCode(b *birth) Rule {
	transfer := b.facts.has(factTransfer)
	beforeForward := ev.nextForward[0] != never && b.site.lastBirth < ev.nextForward[0]
	seesForward := b.freedAt > ev.nextForward[b.run+1]
	switch {
	case !b.freed() && isCuBLASWorkspace(b.Allocation):
		return workspaceBySize
	case !b.freed() && beforeForward && ev.trained:
		return parameterBeforeForward
	case b.freeMarker == markerBackward:
		return activationOfUser
	case !b.freed() && b.site.survivors >= 2 && !transfer:
		return heldByUser
	case transfer && (seesForward || b.life() > inputMinLife):
		return inputMoved
	case seesForward:
		return inputByLifetime
	case b.phase == PhaseForward:
		return ev.bornInForward(b)
	case b.freed():
		return temporaryOutsideForward
	}
	return undecided
}

// bornInForward decides for allocations of modules, and of user code while a
// forward pass runs.
func (ev *evidence) bornInForward(b *birth) Rule {
	user := b.marker == markerUser
	backwardAt := ev.nextBackward[b.run+1]
	switch {
	case b.freeMarker == markerBackward:
		return activationFreedInBackward
	case b.freedInRun() && user:
		return temporaryOfForwardUser
	case b.freedInRun():
		return temporaryOfForward
	case b.freed() && backwardAt < b.freedAt:
		return outputAfterBackward
	case b.freed():
		return temporaryAfterForward
	case backwardAt != never && b.site.outlives():
		return activationRetained
	case backwardAt != never:
		return outputKept
	case !ev.keepsForGrad && !b.site.outlives():
		return outputWithoutGrad
	case user:
		return activationForwardCutUser
	}
	return activationForwardCut
}
