package measures

import (
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/analysis/peaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Edits change a training in place and report whether there was anything to change.

func isForward(r timeline.PhaseRun) bool { return r.Phase == stacks.InForward }

// phaseAt is the phase in which an event is; 0 before the first.
func (p *training) phaseAt(event replay.EventIndex) stacks.Activity {
	phases := p.r.Phases()
	i := sort.Search(len(phases), func(i int) bool { return phases[i].Start > event })
	if i == 0 {
		return 0
	}
	return phases[i-1].Phase
}

// family is what a request is for.
func (p *training) family(id int32) families.Family {
	return p.r.Families().Family(int(p.Requests[id].Of))
}

// stack is who made a request.
func (p *training) stack(id int32) snapshot.StackID {
	return p.r.Device.Allocations[p.Requests[id].Of].Stack
}

// temporaryOfOptimizer reports whether an optimizer's step made a request and freed it.
func (p *training) temporaryOfOptimizer(id int32) bool {
	return p.family(id) == families.Temporary && p.r.Stacks.Facts[p.stack(id)].Has(stacks.FactOptimizer)
}

// nextStep makes a recorded first step the one after it: the optimizer's state and the
// workspaces are there from the start.
func (p *training) nextStep() {
	e := newEdit()
	rules := p.r.Families().Rules
	var state []int32
	for id := range p.Requests {
		a := &p.r.Device.Allocations[id]
		lasting := rules[id].BuildsOptimizer() || p.family(int32(id)) == families.Workspace
		if !a.PreExisting() && lasting && timeline.FreedAt(a) == timeline.Never {
			e.gone[int32(id)] = true
			state = append(state, int32(id))
		}
	}
	p.apply(e)
	p.Before = append(p.Before, state...)
}

// cut ends lifetimes that could be shorter, and makes what is needed again later anew.
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
			// It lives on after the cut, where it is made anew.
			again := p.Copy(id)
			e.freedFor[id] = again
			e.insert(replay.EventIndex(c.From), whatif.Op{Kind: whatif.Free, Event: replay.EventIndex(c.From), Request: id})
			e.insert(replay.EventIndex(c.To+1), whatif.Op{Kind: whatif.Allocate, Event: replay.EventIndex(c.To + 1), Request: again})
			continue
		}
		e.ends[id] = replay.EventIndex(c.From)
	}
	p.apply(e)
	return len(cuts) > 0
}

// foreach reports whether an optimizer of torch that works on all parameters at once made
// a request and freed it in its step; fusible, whether that optimizer can be fused.
func (p *training) foreach(id int32) (is, fusible bool) {
	if !p.temporaryOfOptimizer(id) || !p.r.Stacks.Facts[p.stack(id)].Has(stacks.FactForeach) {
		return false, false
	}
	s := p.r.Snapshot
	for _, frame := range s.Stacks.Frames(p.stack(id)) {
		switch s.String(s.Frames[frame].Name) {
		case "_multi_tensor_adam", "_multi_tensor_adamw", "_multi_tensor_sgd", "_multi_tensor_adagrad":
			return true, true
		}
	}
	return true, false
}

// dropTemporaries makes the optimizer's steps without temporaries.
func (p *training) dropTemporaries() bool {
	e := newEdit()
	for id := range int32(len(p.Requests)) {
		if _, fusible := p.foreach(id); fusible {
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
	last := map[snapshot.StackID]int32{} // by stack: the temporary that was asked for last
	live := map[int32]bool{}
	for _, o := range p.Ops {
		if o.Request == whatif.NoRequest {
			continue
		}
		if is, _ := p.foreach(o.Request); !is {
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

// leastState is the least bytes of a tensor that an 8-bit optimizer quantizes.
const leastState = 16 << 10

// eightBit makes a quarter of the optimizer's state that has a parameter's size, with one
// scale of four bytes for 256 elements.
func (p *training) eightBit() bool {
	weights := p.weightSizes()
	changed := false
	for id := range int32(len(p.Requests)) {
		r := &p.Requests[id]
		if p.family(id) == families.Optimizer && r.Bytes >= leastState && weights[r.Bytes] {
			r.Bytes = r.Bytes/4 + r.Bytes/64
			changed = true
		}
	}
	return changed
}

// weightSizes are the sizes of parameters and of gradients, in bytes.
func (p *training) weightSizes() map[int64]bool {
	sizes := map[int64]bool{}
	for i := range p.r.Device.Allocations {
		switch p.r.Families().Family(i) {
		case families.Parameter, families.Gradient, families.ParameterOrGradient:
			sizes[p.r.Device.Allocations[i].Size] = true
		}
	}
	return sizes
}

// shard leaves one part in n of the optimizer's state, and of the temporaries of its step.
func (p *training) shard(n int64) bool {
	changed := false
	for id := range int32(len(p.Requests)) {
		if p.family(id) == families.Optimizer || p.temporaryOfOptimizer(id) {
			p.Requests[id].Bytes = (p.Requests[id].Bytes + n - 1) / n
			changed = changed || p.family(id) == families.Optimizer
		}
	}
	return changed
}

// shardFamilies leaves one part in n of what is made for some purposes.
func (p *training) shardFamilies(n int64, of ...families.Family) bool {
	changed := false
	for id := range int32(len(p.Requests)) {
		if slices.Contains(of, p.family(id)) {
			p.Requests[id].Bytes = (p.Requests[id].Bytes + n - 1) / n
			changed = true
		}
	}
	return changed
}

// shardWeights leaves one part in n of gradients and parameters, and the parameters of
// two calls of the block that repeats: one is gathered while the other works.
func (p *training) shardWeights(n int64) bool {
	blocks := p.r.Modules().Blocks
	if len(blocks) == 0 {
		return false
	}
	whole := whatif.Request{}
	for i := range p.r.Device.Allocations {
		if p.r.Families().Family(i) == families.Parameter {
			whole.Bytes += p.r.Device.Allocations[i].Size
		}
	}
	whole.Bytes = 2 * whole.Bytes / int64(len(blocks[0].Largest().Calls))
	if whole.Bytes == 0 {
		return false
	}
	changed := p.shardFamilies(n, families.Gradient, families.Parameter)
	p.Requests = append(p.Requests, whole)
	p.Before = append(p.Before, int32(len(p.Requests)-1))
	return changed
}

// offload leaves nothing of the optimizer's state, nor of the temporaries of its step.
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

// checkpoint keeps nothing of the calls of the block that repeats but their outputs. The
// backward pass makes each call again before it needs what the call had kept.
func (p *training) checkpoint() bool {
	blocks := p.r.Modules().Blocks
	if len(blocks) == 0 {
		return false
	}
	changed := false
	e := newEdit()
	for _, pass := range blocks[0].Passes {
		for i := range pass.Calls {
			if c := &pass.Calls[i]; len(c.Kept) > 0 {
				p.recompute(e, c, pass.Backward)
				changed = true
			}
		}
	}
	p.apply(e)
	return changed
}

// recompute lets go of what a call keeps at its end, and makes the call again before the
// node of the backward pass that needs any of it first, if the recording comes to that.
func (p *training) recompute(e *edit, c *modules.Call, backward timeline.PhaseRun) {
	free := timeline.Never
	for _, id := range c.Kept {
		free = min(free, timeline.FreedAt(&p.r.Device.Allocations[id]))
	}
	if backward.Events == 0 || free > backward.Last {
		for _, id := range c.Kept {
			e.ends[id] = c.End
		}
		return
	}
	requests, kept, output, end := c.Requests, c.Kept, c.Output, c.End
	again := map[int32]int32{} // by request of the call: the second one
	var made []whatif.Op
	from, to := p.Between(p.r.Device.Allocations[requests[0]].Start, end)
	for _, o := range p.Ops[from:to] {
		if o.Request == whatif.NoRequest {
			continue
		}
		other, known := again[o.Request]
		if _, own := slices.BinarySearch(requests, o.Request); o.Kind == whatif.Allocate && own &&
			p.madeAgain(o.Request, kept, output, end) {
			again[o.Request] = p.Copy(o.Request)
			made = append(made, whatif.Op{Kind: whatif.Allocate, Request: again[o.Request]})
		} else if o.Kind != whatif.Allocate && known {
			made = append(made, whatif.Op{Kind: o.Kind, Request: other})
		}
	}
	at := p.needed(end, free)
	if id, known := again[output]; known {
		made = append(made, whatif.Op{Kind: whatif.Free, Request: id})
	}
	for i := range made {
		made[i].Event = at
	}
	e.insert(at, made...)
	for _, id := range kept {
		e.freedFor[id] = again[id]
		e.insert(end, whatif.Op{Kind: whatif.Free, Event: end, Request: id})
	}
}

// needed is the event with which a node of the backward pass begins that frees something
// with another one: its first request. A node lets go of what was saved for it when it is
// done, and the nodes before it have done so. Without C++ frames it is the last request.
func (p *training) needed(from, free replay.EventIndex) replay.EventIndex {
	at := from
	first, end := p.Between(from, free)
	released := p.r.Stacks.Facts[p.r.Device.Events.Stack[free]].Has(stacks.FactRelease)
	found := false
	for i := end - 1; i >= first; i-- {
		o := &p.Ops[i]
		switch {
		case o.Kind == whatif.Allocate && (p.phaseAt(o.Event) == stacks.InBackward || !found):
			if found && !released {
				return at
			}
			at, found = o.Event, true
		case o.Kind == whatif.Free && found && p.freedByGraph(o.Request):
			return at
		}
	}
	return at
}

// freedByGraph reports whether a node of the backward pass freed a request.
func (p *training) freedByGraph(id int32) bool {
	a := &p.r.Device.Allocations[p.Requests[id].Of]
	return p.r.Stacks.Facts[a.FreeStack].Has(stacks.FactRelease)
}

// madeAgain reports whether a request of a call is made again: it is kept, or the output,
// or over before the call is. Others, such as workspaces, are made once.
func (p *training) madeAgain(id int32, kept []int32, output int32, end replay.EventIndex) bool {
	_, keeps := slices.BinarySearch(kept, id)
	return id == output || keeps ||
		timeline.FreedAt(&p.r.Device.Allocations[id]) <= end
}
