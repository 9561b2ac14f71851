package measures

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

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

// recompute frees what a call keeps when the call ends, and repeats the call before the
// first node of the backward pass that needs any of it, if the recording gets that far.
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
	again := map[int32]int32{} // by request of the call: its copy
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

// needed returns the event with which the node of the backward pass begins that frees a
// request: the node's first request. A node frees what was saved for it when it is done,
// as the nodes before it have. Without C++ frames it is the last request.
func (p *training) needed(from, free replay.EventIndex) replay.EventIndex {
	at := from
	first, end := p.Between(from, free)
	released := p.r.Stacks.Facts[p.r.Device.Events.Stack[free]].Has(stacks.FactRelease)
	found, phases := false, p.r.Phases()
	for i := end - 1; i >= first; i-- {
		o := &p.Ops[i]
		switch {
		case o.Kind == whatif.Allocate && (phases.At(o.Event) == stacks.InBackward || !found):
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
// or freed before the call ends. Others, such as workspaces, are made once.
func (p *training) madeAgain(id int32, kept []int32, output int32, end replay.EventIndex) bool {
	_, keeps := slices.BinarySearch(kept, id)
	return id == output || keeps ||
		timeline.FreedAt(&p.r.Device.Allocations[id]) <= end
}
