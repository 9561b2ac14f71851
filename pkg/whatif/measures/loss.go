package measures

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// lossNeighbours is how far from a request of the loss, in requests, its logits, a cast
// of them or their gradient may be.
const lossNeighbours = 16

// lossInParts leaves 1/n of what the cross-entropy loss makes, of the logits that it reads
// and of their gradient: the last layer and the loss work on a part of the tokens at a
// time. It needs C++ frames, which show what the backward pass makes for it.
func (p *training) lossInParts(n int64) bool {
	isLoss := p.operatorsOfLoss()
	parts := map[int32]bool{}
	var logits int64 // bytes of the last request of the loss
	last := 0        // index of that request
	var made []int32 // all requests so far
	// all reports whether a request has as many elements, of its type or one half as large.
	all := func(id int32) bool {
		bytes := p.Requests[id].Bytes
		return (bytes == logits || 2*bytes == logits) && p.ofPass(id)
	}
	for _, o := range p.Ops {
		if o.Kind != whatif.Allocate {
			continue
		}
		at := len(made)
		made = append(made, o.Request)
		if isLoss[p.stack(o.Request)] && p.Requests[o.Request].Bytes >= leastBatched {
			logits, last = p.Requests[o.Request].Bytes, at
			parts[o.Request] = true
			for _, id := range made[max(at-lossNeighbours, 0):at] {
				parts[id] = parts[id] || all(id)
			}
		} else if at-last <= lossNeighbours && all(o.Request) {
			parts[o.Request] = true
		}
	}
	for id, is := range parts {
		if is {
			p.Requests[id].Bytes = (p.Requests[id].Bytes + n - 1) / n
		}
	}
	return len(parts) > 0
}

// operatorsOfLoss returns, by stack, whether an operator of cross-entropy is on it.
func (p *training) operatorsOfLoss() []bool {
	is := make([]bool, len(p.r.Stacks.Operator))
	for id, operator := range p.r.Stacks.Operator { // "aten::nll_loss_backward", "NllLossBackward0"
		operator = strings.ReplaceAll(strings.ToLower(operator), "_", "")
		for _, name := range [...]string{"logsoftmax", "nllloss", "crossentropy"} {
			is[id] = is[id] || strings.Contains(operator, name)
		}
	}
	return is
}

// ofPass reports whether a request is an activation, an output or a temporary.
func (p *training) ofPass(id int32) bool {
	switch p.family(id) {
	case families.Activation, families.Output, families.Temporary:
		return !p.temporaryOfOptimizer(id)
	}
	return false
}
