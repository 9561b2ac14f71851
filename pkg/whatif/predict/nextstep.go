package predict

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// nextStep describes which requests of a first step remain in the one after it.
type nextStep struct {
	stays     []int32           // requests that are made once: optimizer state, parameters, workspaces
	gradients []int32           // live at the end: dropped before the next forward pass, or only before backward
	replaced  []int32           // live at the end, until the next step makes them again
	backward  replay.EventIndex // where backward begins
}

// nextStepOf returns nil unless the optimizer's state is born in the only step of the
// model's recording. Such a recording understates the run: in later steps that state is
// there during the passes, too.
func nextStepOf(m *model) *nextStep {
	if !m.whole || m.r.Peaks().First.Bytes == 0 {
		return nil
	}
	d, f := m.r.Device, m.r.Families()
	n := &nextStep{backward: replay.EventIndex(d.Events.Len())}
	for _, run := range m.r.Phases() {
		if run.Phase == stacks.InBackward {
			n.backward = run.Start
			break
		}
	}
	for _, request := range m.requests {
		if !d.Allocations[request].LiveAtEnd() {
			continue
		}
		switch {
		case f.Family(int(request)) == families.Gradient:
			n.gradients = append(n.gradients, request)
		case f.MadeOnce(int(request)):
			n.stays = append(n.stays, request)
		default:
			n.replaced = append(n.replaced, request)
		}
	}
	return n
}

// streams returns the recorded step and the one after it: with the gradients of the first
// dropped before the forward pass, and kept until backward. The second step begins at
// index second.
func (n *nextStep) streams(s *whatif.Stream) (gone, alive *whatif.Stream, second int) {
	gone = n.goOn(s, 0)
	if len(n.gradients) == 0 {
		return gone, gone, len(s.Ops)
	}
	return gone, n.goOn(s, n.backward), len(s.Ops)
}

// goOn adds a second step to the first, with the same requests except those that stay.
// The gradients of the first are dropped at an event.
func (n *nextStep) goOn(s *whatif.Stream, drop replay.EventIndex) *whatif.Stream {
	next := s.Clone()
	next.Again = len(s.Ops)
	next.Ops = slices.Grow(next.Ops, len(s.Ops)+len(n.replaced)+len(n.gradients))
	stays, replaced := setOf(n.stays), setOf(n.replaced)
	again := map[int32]int32{} // by request of the first step
	gradients := n.gradients
	free := func(request int32, event replay.EventIndex) {
		next.Ops = append(next.Ops, whatif.Op{Kind: whatif.Free, Request: request, Event: event})
	}
	for _, x := range s.Ops {
		for ; len(gradients) > 0 && x.Event >= drop; gradients = gradients[1:] {
			free(gradients[0], x.Event)
		}
		switch x.Kind {
		case whatif.EmptyCache, whatif.AllocateFailed:
			next.Ops = append(next.Ops, x)
			continue
		case whatif.Allocate:
			if stays[x.Request] {
				continue
			}
			again[x.Request] = int32(len(next.Requests))
			next.Requests = append(next.Requests, s.Requests[x.Request])
		}
		first := x.Request
		id, is := again[first]
		if !is {
			continue // from before the first step, and freed in it
		}
		x.Request = id
		next.Ops = append(next.Ops, x)
		if x.Kind == whatif.Allocate && replaced[first] {
			free(first, x.Event)
		}
	}
	return next
}

func setOf(requests []int32) map[int32]bool {
	set := map[int32]bool{}
	for _, r := range requests {
		set[r] = true
	}
	return set
}
