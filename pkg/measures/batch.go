package measures

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// batchReading is how to read a tensor that is as large as a weight, or half as large: a
// recording does not tell whether it grows with the batch, or is a copy of the weight.
type batchReading uint8

const (
	doubtfulKept batchReading = iota // it stays as it is
	allHalved                        // it grows with the batch
)

// leastBatched: smaller tensors are counts and means, which do not grow with the batch.
const leastBatched = 512

// halve makes half of everything that grows with the batch: inputs, activations, outputs,
// and the temporaries of the passes.
func (p *training) halve(doubt batchReading) bool {
	weights := p.weightSizes()
	changed := false
	for id := range int32(len(p.Requests)) {
		if r := &p.Requests[id]; p.batched(id) && (doubt == allHalved || !weights[r.Bytes] && !weights[2*r.Bytes]) {
			r.Bytes = (r.Bytes + 1) / 2
			changed = true
		}
	}
	return changed
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

// accumulate makes each step with half the batch twice: the gradients of the first half
// stay, and those of the second are added to them.
func (p *training) accumulate(doubt batchReading) bool {
	passes := p.passes()
	if len(passes) == 0 || !p.halve(doubt) {
		return false
	}
	e := newEdit()
	for _, pass := range passes {
		p.repeat(e, pass)
	}
	p.apply(e)
	return true
}

// passes are the forward and backward passes, each pair as one range of states. There
// are none if a step has several: it accumulates already.
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

// repeat makes a pass a second time behind it.
func (p *training) repeat(e *edit, pass timeline.Range) {
	from, to := replay.EventIndex(pass.From), replay.EventIndex(pass.To)
	again := map[int32]int32{} // by request of the pass: the second one
	origin := map[int32]int32{}
	gradients := map[int32]bool{}
	left := map[int32]bool{} // requests of the pass that outlive it
	var second []whatif.Op
	first, end := p.Between(from, to)
	for _, o := range p.Ops[first:end] {
		if o.Request == whatif.NoRequest {
			continue
		}
		other, known := again[o.Request]
		switch {
		case o.Kind == whatif.Allocate && p.family(o.Request) == families.Workspace: // there by now
		case o.Kind == whatif.Allocate:
			other = p.Copy(o.Request)
			again[o.Request], origin[other], left[o.Request] = other, o.Request, true
			second = append(second, whatif.Op{Kind: whatif.Allocate, Event: to, Request: other})
			if p.family(o.Request) == families.Gradient {
				gradients[o.Request] = true
				// It is added to that of the first half.
				second = append(second, whatif.Op{Kind: whatif.Free, Event: to, Request: other})
			}
		case known && left[o.Request]: // freed, at once or when another stream is done; the second one at once
			delete(left, o.Request)
			if !gradients[o.Request] {
				second = append(second, whatif.Op{Kind: whatif.Free, Event: to, Request: other})
			}
		}
	}
	// What a variable holds goes when the second half binds it anew.
	for id := range left {
		if !gradients[id] {
			e.freedFor[id] = again[id]
		}
	}
	ops := make([]whatif.Op, 0, len(second)+len(left))
	for _, o := range second {
		ops = append(ops, o)
		if id := origin[o.Request]; o.Kind == whatif.Allocate && left[id] && !gradients[id] {
			ops = append(ops, whatif.Op{Kind: whatif.Free, Event: to, Request: id})
		}
	}
	e.insert(to, ops...)
}
