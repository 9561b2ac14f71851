package measures

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// leastState is the size in bytes from which an 8-bit optimizer quantizes a tensor.
const leastState = 16 << 10

// eightBit quarters the optimizer's state that has a parameter's size, and adds one scale
// of four bytes per 256 elements.
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

// weightSizes returns the sizes of parameters and of gradients, in bytes.
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

// shard leaves 1/n of the optimizer's state, and of the temporaries of its step.
func (p *training) shard(n int64) bool {
	if p.isSharded() {
		return false
	}
	changed := false
	for id := range int32(len(p.Requests)) {
		if p.family(id) == families.Optimizer || p.temporaryOfOptimizer(id) {
			p.Requests[id].Bytes = (p.Requests[id].Bytes + n - 1) / n
			changed = changed || p.family(id) == families.Optimizer
		}
	}
	return changed
}

// shardFamilies leaves 1/n of each tensor of some families.
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

// shardWeights leaves 1/n of gradients and parameters, and the parameters of two calls of
// the block that repeats: one is gathered while the other works.
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
