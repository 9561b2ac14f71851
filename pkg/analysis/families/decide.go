package families

import (
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// decideBirth finds the rule for an allocation born in the recording. Unambiguous
// names come first, then the activity in which it was born.
func (ev *evidence) decideBirth(b *birth) Rule {
	switch {
	case b.facts.Has(stacks.FactWorkspace):
		return workspaceByName
	case b.facts.Has(stacks.FactReplica):
		return parameterReplica
	case b.facts.Has(stacks.FactScatter):
		return inputScattered
	case b.facts.Has(stacks.FactCommunication):
		return communicationByName
	case b.facts.Has(stacks.FactKVCache) && b.activity == stacks.InForward:
		return cacheByName
	}
	switch b.activity {
	case stacks.InOptimizer:
		return bornInStep(b)
	case stacks.InLoading:
		return bornInLoading(b)
	case stacks.InBackward:
		return ev.bornInBackward(b)
	}
	if b.freeFacts.Has(stacks.FactRelease) && !(b.activity == stacks.InUserCode && b.facts.Has(stacks.FactTransfer)) {
		return activationReleased
	}
	switch b.activity {
	case stacks.InForward:
		if !b.freed() && isCuBLASWorkspace(b.Allocation) {
			return workspaceBySize
		}
		return ev.bornInForward(b)
	case stacks.InUserCode:
		return ev.bornInUserCode(b)
	case stacks.InDataLoader:
		if b.freeActivity == stacks.InBackward {
			return activationOfUser
		}
		return inputLoaded
	case stacks.InZeroGrad, stacks.InClipping:
		if b.freed() {
			return temporaryOfClipping
		}
	}
	return undecided
}

func bornInStep(b *birth) Rule {
	switch {
	case b.facts.Has(stacks.FactOptimizerInit):
		return optimizerBuilt
	case b.freedInRun():
		return temporaryOfStep
	case b.runOpen:
		return optimizerStepCut
	}
	return optimizerOutlivesStep
}

// shortLoading is the maximum lifetime of a staging buffer while a model is loaded, in
// events.
const shortLoading = 50

func bornInLoading(b *birth) Rule {
	switch {
	case b.freedInRun() && b.lifetime() <= shortLoading:
		return temporaryOfLoading
	case b.facts.Has(stacks.FactOptimizerLoad):
		return optimizerLoaded
	}
	return parameterLoaded
}

func (ev *evidence) bornInBackward(b *birth) Rule {
	switch {
	case b.facts.Has(stacks.FactAccumulate):
		return gradientAccumulated
	case b.facts.Has(stacks.FactCheckpoint) && b.freeActivity == stacks.InBackward:
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

// isUnnamedWorkspace reports whether a tensor that outlives backward is the workspace
// that cuBLAS has for each thread. Without frames only the size shows it, and a gradient
// may have that size too; but gradients come again in every step, while the workspace is
// made once.
func (ev *evidence) isUnnamedWorkspace(b *birth) bool {
	return b.Stack == 0 && !b.freed() && isCuBLASWorkspace(b.Allocation) && ev.unnamedWorkspaces == 1
}

// inputMinLifetime is the minimum lifetime of a tensor made by user code that is data and
// not scratch memory, in events.
const inputMinLifetime = 20

// bornInUserCode decides for Python without another activity, such as a training loop or
// a loss function.
func (ev *evidence) bornInUserCode(b *birth) Rule {
	transfer := b.facts.Has(stacks.FactTransfer)
	beforeForward := ev.nextForward[0] != timeline.Never && b.site.lastBirth < ev.nextForward[0]
	seesForward := b.freedAt > ev.nextForward[b.run+1]
	switch {
	case !b.freed() && isCuBLASWorkspace(b.Allocation):
		return workspaceBySize
	case !b.freed() && beforeForward && ev.trained:
		return parameterBeforeForward
	case b.freeActivity == stacks.InBackward:
		return activationOfUser
	case !b.freed() && b.site.survivors >= 2 && !transfer:
		return heldByUser
	case transfer && (seesForward || b.lifetime() > inputMinLifetime):
		return inputMoved
	case seesForward:
		return inputByLifetime
	case b.phase == stacks.InForward:
		return ev.bornInForward(b)
	case b.freed():
		return temporaryOutsideForward
	}
	return undecided
}

// bornInForward decides for allocations of modules, and of user code while a
// forward pass runs.
func (ev *evidence) bornInForward(b *birth) Rule {
	user := b.activity == stacks.InUserCode
	backwardAt := ev.nextBackward[b.run+1]
	switch {
	case b.freeActivity == stacks.InBackward:
		return activationFreedInBackward
	case !user && b.freedByCaller() && b.freedAt > ev.nextIteration(b.Start):
		return outputOfLastIteration
	case !user && b.freedByCaller() && (b.freedInRun() || backwardAt > b.freedAt) && !ev.failsIn(b.Start, b.freedAt):
		return outputDropped
	case b.freedInRun() && user:
		return temporaryOfForwardUser
	case b.freedInRun():
		return temporaryOfForward
	case b.freed() && backwardAt < b.freedAt:
		return outputAfterBackward
	case b.freed():
		return temporaryAfterForward
	case backwardAt != timeline.Never && b.site.outlives():
		return activationRetained
	case backwardAt != timeline.Never:
		return outputKept
	case !ev.keepsForGrad && !b.site.outlives():
		return outputWithoutGrad
	case user:
		return activationForwardCutUser
	}
	return activationForwardCut
}

// alignOutputs makes what one call site allocates in the same place of each forward pass
// all outputs or all temporaries: whatever most of them are, and outputs if one of them
// is never freed. A list of layers may call one site several times in a pass, of which
// the last one makes the output.
func (ev *evidence) alignOutputs(rules []Rule) {
	type place struct {
		stack snapshot.StackID
		nth   int32 // time in its pass
	}
	type census struct {
		outputs, temporaries int
		live                 bool
	}
	counts := map[place]*census{}
	nth := make([]int32, len(rules))
	last := map[snapshot.StackID]struct {
		pass replay.EventIndex
		n    int32
	}{}
	ev.eachBirth(func(i int, b *birth) {
		if b.activity != stacks.InForward {
			return
		}
		l := last[b.Stack]
		if next := ev.nextPass(b.Start); next != l.pass {
			l.pass, l.n = next, 0
		}
		nth[i] = l.n
		l.n++
		last[b.Stack] = l
		if rules[i].family() == Output {
			p := place{b.Stack, nth[i]}
			if counts[p] == nil {
				counts[p] = &census{}
			}
			counts[p].outputs++
			counts[p].live = counts[p].live || !b.freed()
		}
	})
	each := func(visit func(i int, b *birth, c *census)) {
		ev.eachBirth(func(i int, b *birth) {
			if b.activity != stacks.InForward || rules[i].family() != Output && rules[i].family() != Temporary {
				return
			}
			if c := counts[place{b.Stack, nth[i]}]; c != nil {
				visit(i, b, c)
			}
		})
	}
	each(func(i int, _ *birth, c *census) {
		if rules[i].family() == Temporary {
			c.temporaries++
		}
	})
	each(func(i int, b *birth, c *census) {
		switch output := c.live || c.outputs >= c.temporaries; {
		case output && rules[i].family() == Temporary:
			rules[i] = outputLikeItsSite
		case !output && rules[i].family() == Output:
			rules[i] = temporaryLikeItsSite
		}
	})
}
