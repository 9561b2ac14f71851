package measures

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// edit is a change of lifetimes.
type edit struct {
	ends     map[int32]replay.EventIndex // by request: it is freed before this event, and nowhere else
	gone     map[int32]bool              // requests that are not made
	freedFor map[int32]int32             // by request: the one that is freed in its place
	inserts  []insertion
}

// insertion is ops that come before the first recorded one of an event or a later one.
type insertion struct {
	event replay.EventIndex
	ops   []whatif.Op
}

func newEdit() *edit {
	return &edit{ends: map[int32]replay.EventIndex{}, gone: map[int32]bool{}, freedFor: map[int32]int32{}}
}

// insert adds ops before an event. Those of one event stay in the order in which they
// were added, and frees by ends come before them.
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
