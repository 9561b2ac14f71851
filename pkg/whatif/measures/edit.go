package measures

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// training is a training's stream of requests, which edits change.
type training struct {
	*whatif.Stream
	r *analysis.Recording
}

func (p *training) clone() *training { return &training{p.Stream.Clone(), p.r} }

// family returns the family of a request.
func (p *training) family(id int32) families.Family {
	return p.r.Families().Family(int(p.Requests[id].Of))
}

// stack returns the stack that made a request.
func (p *training) stack(id int32) snapshot.StackID {
	return p.r.Device.Allocations[p.Requests[id].Of].Stack
}

// temporaryOfOptimizer reports whether an optimizer's step made a request and freed it.
func (p *training) temporaryOfOptimizer(id int32) bool {
	return p.family(id) == families.Temporary && p.r.Stacks.Facts[p.stack(id)].Has(stacks.FactOptimizer)
}

// edit is a change of lifetimes.
type edit struct {
	ends     map[int32]replay.EventIndex // by request: it is freed before this event, and nowhere else
	gone     map[int32]bool              // requests that are not made
	freedFor map[int32]int32             // by request: the one that is freed in its place
	inserts  []insertion
}

// insertion is a list of ops to insert before the first recorded op of an event or a
// later one.
type insertion struct {
	event replay.EventIndex
	ops   []whatif.Op
}

func newEdit() *edit {
	return &edit{ends: map[int32]replay.EventIndex{}, gone: map[int32]bool{}, freedFor: map[int32]int32{}}
}

// insert adds ops before an event. Ops of one event stay in the order in which they were
// added, after frees by ends.
func (e *edit) insert(event replay.EventIndex, ops ...whatif.Op) {
	e.inserts = append(e.inserts, insertion{event, ops})
}

// apply makes the changes.
func (p *training) apply(e *edit) {
	var inserts []insertion
	for id, event := range e.ends {
		inserts = append(inserts, insertion{event, []whatif.Op{{Kind: whatif.Free, Event: event, Request: id}}})
	}
	slices.SortFunc(inserts, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.ops[0].Request, b.ops[0].Request))
	})
	inserts = append(inserts, e.inserts...)
	slices.SortStableFunc(inserts, func(a, b insertion) int { return cmp.Compare(a.event, b.event) })
	named := make([]bool, len(p.Requests)) // by request: the edit is about it
	for id := range e.ends {
		named[id] = true
	}
	for id := range e.gone {
		named[id] = true
	}
	for id := range e.freedFor {
		named[id] = true
	}
	ops := make([]whatif.Op, 0, len(p.Ops)+len(inserts))
	next := 0
	for _, o := range p.Ops {
		for ; next < len(inserts) && inserts[next].event <= o.Event; next++ {
			ops = append(ops, inserts[next].ops...)
		}
		if o.Request != whatif.NoRequest && named[o.Request] {
			if e.gone[o.Request] {
				continue
			}
			if _, moved := e.ends[o.Request]; moved && o.Kind != whatif.Allocate {
				continue
			}
			if id, other := e.freedFor[o.Request]; other && o.Kind != whatif.Allocate {
				o.Request = id
			}
		}
		ops = append(ops, o)
	}
	for ; next < len(inserts); next++ {
		ops = append(ops, inserts[next].ops...)
	}
	p.Ops = ops
	p.Before = slices.DeleteFunc(p.Before, func(id int32) bool { return e.gone[id] })
}
