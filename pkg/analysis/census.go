package analysis

import "slices"

// sizeCensus counts, for each size that a resident block has, those blocks and
// the gradients and optimizer state of the same size.
type sizeCensus struct {
	sizes []int64 // distinct, ascending; the index of the counts

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
		backwardRan:  ev.nextBackward[0] != never,
	}
	for _, size := range blocks {
		c.add(c.blocks, size)
	}
	pre, born := ev.d.Allocations[:ev.d.PreExisting], rules[ev.d.PreExisting:]
	for i := range pre {
		switch {
		case rules[i].Family() == Gradient:
			c.add(c.oldGradients, pre[i].Size)
		case rules[i] == optimizerBlock:
			c.optimizerKnown = true
		}
	}
	lastRun := -2
	ev.eachBirth(func(i int, b *birth) {
		switch born[i].Family() {
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

// gradientsPerBackward is how many gradients of a size one backward pass leaves.
func (c *sizeCensus) gradientsPerBackward(i int) float64 {
	born := float64(c.gradients[i]) / float64(max(c.backwards, 1))
	return max(born, float64(c.oldGradients[i]))
}

// decide is the rule for resident blocks of a size. A parameter has one gradient
// of its size in each backward pass, so more blocks than that hold something else
// as well.
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
