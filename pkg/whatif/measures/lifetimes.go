package measures

import (
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/peaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Edits change a training in place and report whether there was anything to change.

// nextStep turns a recorded first step into the one after it: allocations made once, such
// as the optimizer's state, are there from the start.
func (p *training) nextStep() {
	e := newEdit()
	var once []int32
	for id := range p.Requests {
		a := &p.r.Device.Allocations[id]
		if !a.PreExisting() && timeline.FreedAt(a) == timeline.Never && p.r.Families().MadeOnce(id) {
			e.gone[int32(id)] = true
			once = append(once, int32(id))
		}
	}
	p.apply(e)
	p.Before = append(p.Before, once...)
}

// cut ends lifetimes that could be shorter, and allocates anew what is needed again
// later.
func (p *training) cut(m Measure) bool {
	kind := peaks.Gradients
	if m == DropOutputs {
		kind = peaks.LastOutputs
	}
	cuts := p.r.Peaks().Cuts[kind]
	e := newEdit()
	events := p.r.Device.Events.Len()
	for _, c := range cuts {
		id := int32(c.Allocation)
		if _, twice := e.ends[id]; twice {
			continue
		}
		a := &p.r.Device.Allocations[id]
		if a.End == replay.None && c.To < events || a.End != replay.None && c.To < int(a.End) {
			// It lives on after the cut, as a new allocation.
			again := p.Copy(id)
			e.freedFor[id] = again
			from, to := replay.EventIndex(c.From), replay.EventIndex(c.To+1)
			e.insert(from, whatif.Op{Kind: whatif.Free, Event: from, Request: id})
			e.insert(to, whatif.Op{Kind: whatif.Allocate, Event: to, Request: again})
			continue
		}
		e.ends[id] = replay.EventIndex(c.From)
	}
	p.apply(e)
	return len(cuts) > 0
}

// stopLeak frees what leaking sites accumulate when the next forward pass begins, or at the
// end of its step if that is earlier.
func (p *training) stopLeak() bool {
	kinds := map[snapshot.StackID]leaks.Kind{}
	for _, leak := range p.r.LeaksWithoutCycles().Leaks {
		for _, site := range leak.Sites {
			kinds[site.Stack] = leak.Kind
		}
	}
	if len(kinds) == 0 {
		return false
	}
	steps := p.r.Steps()
	ends := slices.Clone(steps.Boundaries)
	for _, run := range p.r.Phases() {
		if run.Phase == stacks.InForward {
			ends = append(ends, run.Start)
		}
	}
	slices.Sort(ends)
	e := newEdit()
	for i := p.r.Device.PreExisting; i < len(p.r.Device.Allocations); i++ {
		a := &p.r.Device.Allocations[i]
		kind, suspect := kinds[a.Stack]
		step := steps.Of(a.Start)
		if !suspect || step == len(steps.Boundaries) {
			continue
		}
		freed := timeline.FreedAt(a)
		if freed == timeline.Never || kind != leaks.Accumulates && freed >= steps.Boundaries[step] {
			at := sort.Search(len(ends), func(j int) bool { return ends[j] > a.Start })
			e.ends[int32(i)] = ends[at]
		}
	}
	p.apply(e)
	return len(e.ends) > 0
}

// foreach reports whether a foreach optimizer of torch made a request and freed it in its
// step.
func (p *training) foreach(id int32) bool {
	return p.temporaryOfOptimizer(id) && p.r.Stacks.Facts[p.stack(id)].Has(stacks.FactForeach)
}

// fusible reports whether a stack is of such an optimizer with a fused variant.
func (p *training) fusible(id snapshot.StackID) bool {
	s := p.r.Snapshot
	for _, frame := range s.Stacks.Frames(id) {
		switch s.String(s.Frames[frame].Name) {
		case "_multi_tensor_adam", "_multi_tensor_adamw", "_multi_tensor_sgd", "_multi_tensor_adagrad":
			return true
		}
	}
	return false
}

// dropTemporaries removes the temporaries of the optimizer's steps.
func (p *training) dropTemporaries() bool {
	e := newEdit()
	known := map[snapshot.StackID]bool{}
	for id := range int32(len(p.Requests)) {
		if !p.foreach(id) {
			continue
		}
		stack := p.stack(id)
		fusible, seen := known[stack]
		if !seen {
			fusible = p.fusible(stack)
			known[stack] = fusible
		}
		if fusible {
			e.gone[id] = true
		}
	}
	p.apply(e)
	return len(e.gone) > 0
}

// oneAtATime ends each temporary of a foreach optimizer where the next one of its line is
// asked for.
func (p *training) oneAtATime() bool {
	e := newEdit()
	last := map[snapshot.StackID]int32{} // by stack: the latest temporary
	live := map[int32]bool{}
	for _, o := range p.Ops {
		if o.Request == whatif.NoRequest {
			continue
		}
		if !p.foreach(o.Request) {
			continue
		}
		if o.Kind != whatif.Allocate {
			delete(live, o.Request)
			continue
		}
		stack := p.stack(o.Request)
		if before, known := last[stack]; known && live[before] {
			e.ends[before] = o.Event
		}
		last[stack], live[o.Request] = o.Request, true
	}
	p.apply(e)
	return len(e.ends) > 0
}

// offload removes the optimizer's state and the temporaries of its step.
func (p *training) offload() bool {
	e := newEdit()
	changed := false
	for id := range int32(len(p.Requests)) {
		if p.family(id) == families.Optimizer || p.temporaryOfOptimizer(id) {
			e.gone[id] = true
			changed = changed || p.family(id) == families.Optimizer
		}
	}
	p.apply(e)
	return changed
}
