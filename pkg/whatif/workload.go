package whatif

import (
	"cmp"
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/replay"
)

// workload is requests and frees in order: those of a recording, or what an edit made of
// them.
type workload struct {
	run    *Run
	before []int32 // requests that are live before the first step, in order of address
	steps  []step

	// requests are by the id that steps have. The first ids are the allocations of the
	// recording. It is nil for the recorded workload.
	requests []editedRequest
}

// editedRequest is a request of an edited workload.
type editedRequest struct {
	request
	of int32 // the allocation of the recording that it comes from
}

func (run *Run) recorded() *workload {
	return &workload{run: run, before: run.start.live, steps: run.steps}
}

// ids is one more than the highest id.
func (p *workload) ids() int {
	if p.requests == nil {
		return len(p.run.r.Device.Allocations)
	}
	return len(p.requests)
}

func (p *workload) request(id int32) request {
	if p.requests == nil {
		return p.run.requestOf(id)
	}
	return p.requests[id].request
}

// of is the allocation of the recording that a request comes from.
func (p *workload) of(id int32) int32 {
	if p.requests == nil {
		return id
	}
	return p.requests[id].of
}

// editable is a copy of the workload that can be changed.
func (p *workload) editable() *workload {
	c := &workload{run: p.run, before: slices.Clone(p.before), steps: slices.Clone(p.steps)}
	if p.requests != nil {
		c.requests = slices.Clone(p.requests)
		return c
	}
	c.requests = make([]editedRequest, p.ids())
	for id := range c.requests {
		c.requests[id] = editedRequest{p.run.requestOf(int32(id)), int32(id)}
	}
	return c
}

// copyOf adds a request like another one and returns its id.
func (p *workload) copyOf(id int32) int32 {
	p.requests = append(p.requests, p.requests[id])
	return int32(len(p.requests) - 1)
}

// between are the steps with events from one to before another, as a range of steps.
func (p *workload) between(from, to replay.EventIndex) (first, end int) {
	at := func(event replay.EventIndex) int {
		return sort.Search(len(p.steps), func(i int) bool { return p.steps[i].event >= event })
	}
	return at(from), at(to)
}

// activePeak is the most requested bytes that are live at a time, and the step that
// asks for the last of them: an index into steps, or -1 for what is there before.
func (p *workload) activePeak() (bytes int64, at int) {
	var now int64
	for _, id := range p.before {
		now += p.request(id).bytes
	}
	bytes, at = now, -1
	for i := range p.steps {
		switch s := &p.steps[i]; s.kind {
		case stepAlloc:
			if now += p.request(s.id).bytes; now > bytes {
				bytes, at = now, i
			}
		case stepFree, stepComplete:
			now -= p.request(s.id).bytes
		}
	}
	return bytes, at
}

// edit is a change of lifetimes in a workload.
type edit struct {
	ends     map[int32]replay.EventIndex // by request: it is freed before this event, and nowhere else
	gone     map[int32]bool              // requests that are not made
	freedFor map[int32]int32             // by request: the one that is freed in its place
	inserts  []insertion
}

// insertion is steps that come before the first recorded one of an event or a later one.
type insertion struct {
	event replay.EventIndex
	steps []step
}

func newEdit() *edit {
	return &edit{ends: map[int32]replay.EventIndex{}, gone: map[int32]bool{}, freedFor: map[int32]int32{}}
}

// insert adds steps before an event. Those of one event stay in the order in which they
// were added, and frees by ends come before them.
func (e *edit) insert(event replay.EventIndex, steps ...step) {
	e.inserts = append(e.inserts, insertion{event, steps})
}

// apply makes the changes. The workload must be editable.
func (p *workload) apply(e *edit) {
	var inserts []insertion
	for id, event := range e.ends {
		inserts = append(inserts, insertion{event, []step{{stepFree, event, id}}})
	}
	slices.SortFunc(inserts, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.steps[0].id, b.steps[0].id))
	})
	inserts = append(inserts, e.inserts...)
	slices.SortStableFunc(inserts, func(a, b insertion) int { return cmp.Compare(a.event, b.event) })
	steps := make([]step, 0, len(p.steps)+len(inserts))
	next := 0
	for _, s := range p.steps {
		for ; next < len(inserts) && inserts[next].event <= s.event; next++ {
			steps = append(steps, inserts[next].steps...)
		}
		if s.kind != stepFail && s.kind != stepEmpty {
			if e.gone[s.id] {
				continue
			}
			if _, moved := e.ends[s.id]; moved && s.kind != stepAlloc {
				continue
			}
			if id, other := e.freedFor[s.id]; other && s.kind != stepAlloc {
				s.id = id
			}
		}
		steps = append(steps, s)
	}
	for ; next < len(inserts); next++ {
		steps = append(steps, inserts[next].steps...)
	}
	p.steps = steps
	p.before = slices.DeleteFunc(p.before, func(id int32) bool { return e.gone[id] })
}
