package measures

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// leastBatched: smaller tensors are counts and means, which do not grow with the batch.
const leastBatched = 512

// halve halves what grows with the batch: inputs, activations, outputs, and the temporaries
// of the passes. A tensor that is as large as a weight, or half as large, stays as it is: a
// recording does not show whether it grows with the batch or is a copy of the weight.
func (p *training) halve() bool {
	weights := p.weightSizes()
	changed := false
	for id := range int32(len(p.Requests)) {
		if r := &p.Requests[id]; p.batched(id) && !weights[r.Bytes] && !weights[2*r.Bytes] {
			r.Bytes = (r.Bytes + 1) / 2
			changed = true
		}
	}
	return changed
}

// halveDoubtful halves what halve left.
func (p *training) halveDoubtful() {
	weights := p.weightSizes()
	for id := range int32(len(p.Requests)) {
		r := &p.Requests[id]
		recorded := p.r.Device.Allocations[r.Of].Size
		if p.batched(id) && r.Bytes == recorded && (weights[recorded] || weights[2*recorded]) {
			r.Bytes = (r.Bytes + 1) / 2
		}
	}
}

// batched reports whether a request may grow with the batch.
func (p *training) batched(id int32) bool {
	if p.Requests[id].Bytes < leastBatched || p.temporaryOfOptimizer(id) {
		return false
	}
	switch p.family(id) {
	case families.Activation, families.Input, families.Output, families.Temporary, families.Cache:
		return true
	}
	return false
}

// accumulate runs each step twice with half the batch: the gradients of the first half
// stay, and those of the second are added to them.
func (p *training) accumulate() bool {
	passes := p.passes()
	if len(passes) == 0 || !p.halve() {
		return false
	}
	e := newEdit()
	for _, pass := range passes {
		p.repeat(e, pass)
	}
	p.apply(e)
	return true
}

// passes returns the forward and backward passes, each pair as one range of states; none
// if a step has several, because it accumulates already.
func (p *training) passes() []timeline.Range {
	var list []timeline.Range
	phases := p.r.Phases()
	optimized := true
	for i := 0; i+1 < len(phases); i++ {
		switch {
		case phases[i].Phase == stacks.InOptimizer:
			optimized = true
		case phases[i].Phase == stacks.InForward && phases[i+1].Phase == stacks.InBackward:
			if !optimized {
				return nil
			}
			optimized = false
			list = append(list, timeline.Range{From: int(phases[i].Start), To: int(phases[i+1].Last) + 1})
		}
	}
	return list
}

// repeat inserts a copy of a pass after it.
func (p *training) repeat(e *edit, pass timeline.Range) {
	from, to := replay.EventIndex(pass.From), replay.EventIndex(pass.To)
	left := map[int32]int32{} // by request that outlives the pass and is not a gradient: its copy
	var second []whatif.Op
	first, end := p.Between(from, to)
	for _, o := range p.Ops[first:end] {
		if o.Request == whatif.NoRequest {
			continue
		}
		switch again, live := left[o.Request]; {
		case o.Kind == whatif.Allocate && p.family(o.Request) == families.Workspace: // exists by now
		case o.Kind == whatif.Allocate:
			again = p.Copy(o.Request)
			second = append(second, whatif.Op{Kind: whatif.Allocate, Event: to, Request: again})
			if p.family(o.Request) == families.Gradient { // added to the gradient of the first half
				second = append(second, whatif.Op{Kind: whatif.Free, Event: to, Request: again})
			} else {
				left[o.Request] = again
			}
		case live: // freed, at once or when another stream is done; its copy at once
			delete(left, o.Request)
			second = append(second, whatif.Op{Kind: whatif.Free, Event: to, Request: again})
		}
	}
	// A variable's old tensor is freed when the second half assigns a new one.
	replaced := map[int32]int32{} // by copy: the original
	for id, again := range left {
		e.freedFor[id] = again
		replaced[again] = id
	}
	ops := make([]whatif.Op, 0, len(second)+len(left))
	for _, o := range second {
		ops = append(ops, o)
		if id, is := replaced[o.Request]; is {
			ops = append(ops, whatif.Op{Kind: whatif.Free, Event: to, Request: id})
		}
	}
	e.insert(to, ops...)
}
