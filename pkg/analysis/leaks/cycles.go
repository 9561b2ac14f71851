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
	Stack snapshot.StackID // who allocated it; 0 when unknown
	// Proof is the innermost frame of a free that shows the collector:
	// gc_collect_main, or an allocator that started it.
	Proof       snapshot.FrameID
	Allocations int
	Bytes       int64
	Automatic   int // of the allocations: the collector ran by itself
	Explicit    int // of the allocations: gc.collect() was called, or Python ended
	First, Last int // of the allocations, by index into Device.Allocations

	// The longest life, which is no delay: the last use of a tensor is not
	// recorded. Allocations from before the recording count from its start.
	LongestEvents int
	LongestSteps  int // boundaries it outlived
}

// Unwound is memory that was freed because an exception that held its frames
// was dropped.
type Unwound struct {
	Allocations int
	Bytes       int64
	First, Last replay.EventIndex // of the frees
}

// Cycles is what the stacks of frees say about how Python let go of memory.
// Finding none proves nothing where their C++ frames are missing.
type Cycles struct {
	Cycles      []Cycle // most bytes first
	Allocations int
	Bytes       int64
	Collections int // stretches of such frees: at least so many runs of the collector freed memory
	Unwound     Unwound
	// FreeStacks says that some free was recorded with C++ frames of its own.
	FreeStacks bool
}

// FindCycles looks at the stack of every free. The cost is linear in the
// allocations, and n log n in those that the collector freed.
func FindCycles(st *stacks.Table, d *replay.Device, steps *steps.List) *Cycles {
	c := &Cycles{Unwound: Unwound{First: replay.None, Last: replay.None}}
	bySite := map[snapshot.StackID]int{}
	var collected []replay.EventIndex
	for i := range d.Allocations {
		a := &d.Allocations[i]
		end := timeline.FreedAt(a)
		// Recordings without stacks of frees repeat that of the allocation.
		if end == timeline.Never || a.FreeStack == a.Stack {
			continue
		}
		f := st.Facts[a.FreeStack]
		c.FreeStacks = c.FreeStacks || f.Has(stacks.FactNative)
		if f.Has(stacks.FactExceptionDealloc) && f.Has(stacks.FactFrameDealloc) {
			c.Unwound.add(a, end)
		}
		if !f.Has(stacks.FactCollector) {
			continue
		}
		site, seen := bySite[a.Stack]
		if !seen {
			site = len(c.Cycles)
			bySite[a.Stack] = site
			c.Cycles = append(c.Cycles, Cycle{Stack: a.Stack, Proof: st.CollectorFrame(a.FreeStack), First: i})
		}
		c.Cycles[site].add(i, a, f, end, steps)
		c.Allocations++
		c.Bytes += a.Size
		collected = append(collected, end)
	}
	slices.SortStableFunc(c.Cycles, func(a, b Cycle) int { return cmp.Compare(b.Bytes, a.Bytes) })
	c.Collections = stretches(d.Events, collected)
	return c
}

func (c *Cycle) add(i int, a *replay.Allocation, free stacks.Facts, end replay.EventIndex, steps *steps.List) {
	c.Allocations++
	c.Bytes += a.Size
	c.Last = i
	switch {
	case free.Has(stacks.FactCollectorExplicit):
		c.Explicit++
	case free.Has(stacks.FactCollectorAutomatic):
		c.Automatic++
	}
	c.LongestEvents = max(c.LongestEvents, int(end-a.Start))
	c.LongestSteps = max(c.LongestSteps, steps.Of(end)-steps.Of(a.Start))
}

func (u *Unwound) add(a *replay.Allocation, end replay.EventIndex) {
	if u.Allocations == 0 || end < u.First {
		u.First = end
	}
	u.Last = max(u.Last, end)
	u.Allocations++
	u.Bytes += a.Size
}

// stretches counts the runs of frees with no allocation between them.
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
