package whatif

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
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
func (p *workload) halve(doubt batchReading) bool {
	weights := p.weightSizes()
	changed := false
	for id := range int32(len(p.requests)) {
		if r := &p.requests[id]; p.batched(id) && (doubt == allHalved || !weights[r.bytes] && !weights[2*r.bytes]) {
			r.bytes = (r.bytes + 1) / 2
			changed = true
		}
	}
	return changed
}

// batched reports whether a request may grow with the batch.
func (p *workload) batched(id int32) bool {
	if p.requests[id].bytes < leastBatched || p.temporaryOfOptimizer(id) {
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
func (p *workload) accumulate(doubt batchReading) bool {
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
func (p *workload) passes() []timeline.Range {
	var list []timeline.Range
	phases := p.run.r.Phases()
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
func (p *workload) repeat(e *edit, pass timeline.Range) {
	from, to := replay.EventIndex(pass.From), replay.EventIndex(pass.To)
	again := map[int32]int32{} // by request of the pass: the second one
	origin := map[int32]int32{}
	gradients := map[int32]bool{}
	left := map[int32]bool{} // requests of the pass that outlive it
	var second []step
	first, end := p.between(from, to)
	for _, s := range p.steps[first:end] {
		if s.kind == stepFail || s.kind == stepEmpty {
			continue
		}
		other, known := again[s.id]
		switch {
		case s.kind == stepAlloc && p.family(s.id) == families.Workspace: // there by now
		case s.kind == stepAlloc:
			other = p.copyOf(s.id)
			again[s.id], origin[other], left[s.id] = other, s.id, true
			second = append(second, step{stepAlloc, to, other})
			if p.family(s.id) == families.Gradient {
				gradients[s.id] = true
				second = append(second, step{stepFree, to, other}) // added to that of the first half
			}
		case known && left[s.id]: // freed, at once or when another stream is done; the second one at once
			delete(left, s.id)
			if !gradients[s.id] {
				second = append(second, step{stepFree, to, other})
			}
		}
	}
	// What a variable holds goes when the second half binds it anew.
	for id := range left {
		if !gradients[id] {
			e.freedFor[id] = again[id]
		}
	}
	steps := make([]step, 0, len(second)+len(left))
	for _, s := range second {
		steps = append(steps, s)
		if id := origin[s.id]; s.kind == stepAlloc && left[id] && !gradients[id] {
			steps = append(steps, step{stepFree, to, id})
		}
	}
	e.insert(to, steps...)
}
