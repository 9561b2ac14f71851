package measures

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// lossNeighbours is how many requests before and after one of the loss may be its logits,
// a cast of them or their gradient.
const lossNeighbours = 16

// lossInParts leaves one part in n of what the cross-entropy loss makes, of the logits that
// it reads and of their gradient: the last layer and the loss work on a part of the tokens
// at a time. It needs C++ frames, which tell what the backward pass makes for it.
func (p *training) lossInParts(n int64) bool {
	isLoss := p.operatorsOfLoss()
	logits := int64(0) // bytes
	for _, o := range p.Ops {
		if o.Kind == whatif.Allocate && isLoss[p.stack(o.Request)] {
			logits = max(logits, p.Requests[o.Request].Bytes)
		}
	}
	if logits < leastBatched {
		return false
	}
	whole := func(id int32) bool { // for all tokens, in the loss's type or in one of half the size
		bytes := p.Requests[id].Bytes
		return bytes == logits || 2*bytes == logits
	}
	parts := map[int32]bool{}
	last := -lossNeighbours - 1 // the last request of the loss
	var made []int32            // all requests so far
	for _, o := range p.Ops {
		if o.Kind != whatif.Allocate {
			continue
		}
		made = append(made, o.Request)
		at := len(made) - 1
		if isLoss[p.stack(o.Request)] && whole(o.Request) {
			parts[o.Request], last = true, at
			for _, id := range made[max(at-lossNeighbours, 0):at] {
				parts[id] = parts[id] || whole(id) && p.ofPass(id)
			}
		} else if at-last <= lossNeighbours && whole(o.Request) && p.ofPass(o.Request) {
			parts[o.Request] = true
		}
	}
	for id, is := range parts {
		if is {
			p.Requests[id].Bytes = (p.Requests[id].Bytes + n - 1) / n
		}
	}
	return true
}

// operatorsOfLoss says, by stack, whether an operator of cross-entropy is on it.
func (p *training) operatorsOfLoss() []bool {
	is := make([]bool, len(p.r.Stacks.Operator))
	for id, operator := range p.r.Stacks.Operator {
		operator = strings.ToLower(operator)
		for _, name := range [...]string{"log_softmax", "logsoftmax", "nll_loss", "nllloss", "cross_entropy", "crossentropy"} {
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
