package families

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
)

// decidePreExisting finds the rules for allocations from before the recording;
// those born in it must have been decided.
//
// How they were freed decides first. Blocks that stay and have no stack are
// compared by size with the gradients and the optimizer state born in the
// recording.
func (ev *evidence) decidePreExisting(rules []Rule) {
	pre := ev.d.Allocations[:ev.d.PreExisting]
	var sizes []int64
	for i := range pre {
		a := &pre[i]
		switch {
		case timeline.FreedAt(a) != timeline.Never:
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
		if a := &pre[i]; a.Stack == 0 && timeline.FreedAt(a) == timeline.Never {
			rules[i] = census.decide(a.Size)
		}
	}
}

func (ev *evidence) preExistingFreed(a *replay.Allocation) Rule {
	switch facts := ev.st.Facts[a.FreeStack]; ev.activities.Free(a.FreeStack) {
	case stacks.InOptimizer:
		return optimizerFreedInStep
	case stacks.InZeroGrad:
		return gradientZeroed
	case stacks.InBackward:
		if facts.Has(stacks.FactRelease) {
			return activationGraphReleased
		}
		return activationBeforeRecording
	case stacks.InLoading:
		return parameterReplaced
	}
	return freedByUser
}

// preExistingBlock decides for a block of the final segments whose stack the allocator
// still had although its alloc event is not in the trace.
func (ev *evidence) preExistingBlock(a *replay.Allocation) Rule {
	facts := ev.st.Facts[a.Stack]
	activity := ev.st.Activity[a.Stack]
	switch {
	case facts.Has(stacks.FactWorkspace):
		return workspaceByName
	case facts.Has(stacks.FactReplica):
		return parameterReplica
	case facts.Has(stacks.FactScatter):
		return inputScattered
	case isCuBLASWorkspace(a):
		return workspaceBySize
	case facts.Has(stacks.FactCommunication):
		return communicationByName
	case facts.Has(stacks.FactKVCache) && (activity == stacks.InForward || activity == stacks.InUserCode):
		return cacheByName
	}
	switch activity {
	case stacks.InOptimizer:
		return optimizerBlock
	case stacks.InBackward:
		return gradientBlock
	case stacks.InLoading:
		if facts.Has(stacks.FactOptimizerLoad) {
			return optimizerLoaded
		}
		return parameterLoaded
	case stacks.InForward:
		return activationBlock
	}
	if facts.Has(stacks.FactTransfer) {
		return inputMoved
	}
	return undecided
}

// sizeCensus counts, for each size of a resident block, those blocks, and the gradients
// and optimizer state of that size.
type sizeCensus struct {
	sizes []int64 // distinct, ascending; the slices below are parallel to it

	blocks       []int32
	gradients    []int32 // born in the recording
	oldGradients []int32 // left by the last backward pass before it
	optimizer    []int32 // born in the recording

	backwards      int32 // backward passes that left gradients, of any size
	gradientsBorn  bool
	optimizerKnown bool // state of the optimizer that is not among the resident blocks
	backwardRan    bool
}

// countSizes takes the sizes of the resident blocks, in any order, and the rules
// of all other allocations.
func (ev *evidence) countSizes(blocks []int64, rules []Rule) *sizeCensus {
	slices.Sort(blocks)
	sizes := slices.Compact(slices.Clone(blocks))
	c := &sizeCensus{
		sizes:        sizes,
		blocks:       make([]int32, len(sizes)),
		gradients:    make([]int32, len(sizes)),
		oldGradients: make([]int32, len(sizes)),
		optimizer:    make([]int32, len(sizes)),
		backwardRan:  ev.nextBackward[0] != timeline.Never,
	}
	for _, size := range blocks {
		c.add(c.blocks, size)
	}
	pre, born := ev.d.Allocations[:ev.d.PreExisting], rules[ev.d.PreExisting:]
	for i := range pre {
		switch {
		case rules[i].family() == Gradient:
			c.add(c.oldGradients, pre[i].Size)
		case rules[i] == optimizerBlock:
			c.optimizerKnown = true
		}
	}
	lastRun := -2
	ev.eachBirth(func(i int, b *birth) {
		switch born[i].family() {
		case Gradient:
			c.gradientsBorn = true
			c.add(c.gradients, b.Size)
			if b.run != lastRun {
				c.backwards++
				lastRun = b.run
			}
		case Optimizer:
			c.optimizerKnown = true
			c.add(c.optimizer, b.Size)
		}
	})
	return c
}

func (c *sizeCensus) add(counts []int32, size int64) {
	if i, is := slices.BinarySearch(c.sizes, size); is {
		counts[i]++
	}
}

// gradientsPerBackward returns how many gradients of a size one backward pass leaves.
func (c *sizeCensus) gradientsPerBackward(i int) float64 {
	born := float64(c.gradients[i]) / float64(max(c.backwards, 1))
	return max(born, float64(c.oldGradients[i]))
}

// decide returns the rule for resident blocks of a size. Each parameter has one gradient
// of its size in each backward pass, so if there are more blocks than gradients,
// some of them are not parameters.
func (c *sizeCensus) decide(size int64) Rule {
	i, is := slices.BinarySearch(c.sizes, size)
	if !is {
		return residentBlock
	}
	gradients := c.gradientsPerBackward(i)
	switch {
	case gradients > 0 && float64(c.blocks[i]) <= 1.25*gradients+1:
		return parameterLikeGradients
	case gradients > 0 && c.optimizerKnown:
		return parameterNextToOptimizer
	case gradients > 0:
		return parameterOrOptimizer
	case c.optimizer[i] > 0 && c.backwardRan && !c.gradientsBorn:
		return parameterOrGradient
	case c.optimizer[i] > 0:
		return parameterLikeOptimizer
	}
	return residentBlock
}
