package leaks

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Cycle is memory of one call site that Python's cycle collector freed, so that
// it was reachable from a reference cycle. Its free must have been recorded with
// C++ frames, by an interpreter that shows its symbols.
type Cycle struct {
	Stack snapshot.StackID // that allocated it; 0 if unknown
	// Proof is the innermost frame of a free that shows the collector:
	// gc_collect_main, or an allocator that started it.
	Proof       snapshot.FrameID
	Allocations int
	Bytes       int64
	Automatic   int // of the allocations: the collector ran by itself
	Explicit    int // of the allocations: gc.collect() was called, or Python ended

	// LongestSteps is the most boundaries of steps that one of the allocations outlived.
	// It does not measure the delay: the last use of a tensor is not recorded.
	LongestSteps int
}

// Unwound is memory that was freed because an exception that held its frames
// was dropped.
type Unwound struct {
	Allocations int
	Bytes       int64
}

// Cycles is what the stacks of frees show about how Python released memory.
// Without C++ frames in them, finding no cycle proves nothing.
type Cycles struct {
	Cycles      []Cycle // most bytes first
	Allocations int
	Bytes       int64
	Collections int // lower bound of the collector's runs that freed memory
	Unwound     Unwound
	// FreeStacks means that some free was recorded with C++ frames of its own.
	FreeStacks bool
}

// Without returns the findings without the leaks that are cycles.
func (l *Findings) Without(c *Cycles) *Findings {
	left := *l
	left.Leaks = slices.DeleteFunc(slices.Clone(l.Leaks), func(l Leak) bool { return l.IsCycle(c) })
	return &left
}

// IsCycle reports whether memory that is freed in bursts was freed by the cycle
// collector.
func (l *Leak) IsCycle(c *Cycles) bool {
	return l.Kind == Sawtooth && slices.ContainsFunc(l.Sites, func(site Site) bool {
		return slices.ContainsFunc(c.Cycles, func(c Cycle) bool { return c.Stack == site.Stack })
	})
}

// FindCycles looks at the stack of every free. The cost is linear in the
// allocations, and n log n in those that the collector freed.
func FindCycles(st *stacks.Table, d *replay.Device, steps *steps.List) *Cycles {
	c := &Cycles{}
	bySite := map[snapshot.StackID]int{}
	var collected []replay.EventIndex
	for i := range d.Allocations {
		a := &d.Allocations[i]
		end := timeline.FreedAt(a)
		// Recordings without stacks of frees repeat the stack of the allocation.
		if end == timeline.Never || a.FreeStack == a.Stack {
			continue
		}
		f := st.Facts[a.FreeStack]
		c.FreeStacks = c.FreeStacks || f.Has(stacks.FactNative)
		if f.Has(stacks.FactExceptionDealloc) && f.Has(stacks.FactFrameDealloc) {
			c.Unwound.Allocations++
			c.Unwound.Bytes += a.Size
		}
		if !f.Has(stacks.FactCollector) {
			continue
		}
		site, seen := bySite[a.Stack]
		if !seen {
			site = len(c.Cycles)
			bySite[a.Stack] = site
			c.Cycles = append(c.Cycles, Cycle{Stack: a.Stack, Proof: st.CollectorFrame(a.FreeStack)})
		}
		c.Cycles[site].add(a, f, end, steps)
		c.Allocations++
		c.Bytes += a.Size
		collected = append(collected, end)
	}
	slices.SortStableFunc(c.Cycles, func(a, b Cycle) int { return cmp.Compare(b.Bytes, a.Bytes) })
	c.Collections = stretches(d.Events, collected)
	return c
}

func (c *Cycle) add(a *replay.Allocation, free stacks.Facts, end replay.EventIndex, steps *steps.List) {
	c.Allocations++
	c.Bytes += a.Size
	switch {
	case free.Has(stacks.FactCollectorExplicit):
		c.Explicit++
	case free.Has(stacks.FactCollectorAutomatic):
		c.Automatic++
	}
	c.LongestSteps = max(c.LongestSteps, steps.Of(end)-steps.Of(a.Start))
}

// stretches counts the runs of frees without an allocation between them.
func stretches(e *snapshot.Events, frees []replay.EventIndex) int {
	slices.Sort(frees)
	n := 0
	for i, at := range frees {
		if i == 0 || slices.Contains(e.Action[frees[i-1]:at], snapshot.Alloc) {
			n++
		}
	}
	return n
}
