package predict

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// nextStep says what of a first step is there in the one after it.
type nextStep struct {
	stays     []int32           // requests that are made once: optimizer state, parameters, workspaces
	gradients []int32           // live at the end: dropped before the next forward pass, or only before backward
	replaced  []int32           // live at the end, until the next step has made them again
	backward  replay.EventIndex // where backward begins
}

// nextStepOf is nil unless the optimizer's state is born in the only step of the model's
// recording. Such a recording understates the run: in later steps that state is there
// during the passes, too.
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
		switch family := f.Family(int(request)); family {
		case families.Gradient:
			n.gradients = append(n.gradients, request)
		case families.Parameter, families.Optimizer, families.Workspace, families.Communication, families.Cache:
			n.stays = append(n.stays, request)
		default:
			if f.Rules[request].BuildsOptimizer() {
				n.stays = append(n.stays, request)
			} else {
				n.replaced = append(n.replaced, request)
			}
		}
	}
	return n
}

// streams are the step after a first one: with the gradients of the first gone before
// the forward pass, and with them alive until backward.
func (n *nextStep) streams(s *whatif.Stream) (gone, alive *whatif.Stream) {
	gone = n.after(s, nil)
	if len(n.gradients) == 0 {
		return gone, gone
	}
	return gone, n.after(s, n.gradients)
}

// after is the step after the first, in which some gradients of it are alive until
// backward.
func (n *nextStep) after(s *whatif.Stream, gradients []int32) *whatif.Stream {
	next := s.Clone()
	next.Before = append(next.Before, n.stays...)
	again := func(request int32) int32 { // what is left of the step before
		id := int32(len(next.Requests))
		next.Requests = append(next.Requests, s.Requests[request])
		next.Before = append(next.Before, id)
		return id
	}
	old := map[int32]int32{}
	for _, request := range n.replaced {
		old[request] = again(request)
	}
	var drops []int32
	for _, request := range gradients {
		drops = append(drops, again(request))
	}
	stays := map[int32]bool{}
	for _, request := range n.stays {
		stays[request] = true
	}
	next.Steps = slices.Grow(next.Steps[:0], len(s.Steps)+len(old)+len(drops))
	for _, x := range s.Steps {
		for ; len(drops) > 0 && x.Event >= n.backward; drops = drops[1:] {
			next.Steps = append(next.Steps, whatif.Step{Kind: whatif.Free, Request: drops[0], Event: x.Event})
		}
		if x.Kind == whatif.Allocate && stays[x.Request] {
			continue
		}
		next.Steps = append(next.Steps, x)
		if id, is := old[x.Request]; is && x.Kind == whatif.Allocate {
			next.Steps = append(next.Steps, whatif.Step{Kind: whatif.Free, Request: id, Event: x.Event})
		}
	}
	return next
}
