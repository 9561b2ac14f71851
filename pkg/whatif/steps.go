package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// stepKind is what happens in a step.
type stepKind uint8

const (
	stepAlloc    stepKind = iota // a request that was served
	stepFail                     // a request that failed
	stepFree                     // a free that is completed at once
	stepRequest                  // a free that waits for other streams
	stepComplete                 // the end of that wait
	stepEmpty                    // a call of empty_cache
)

// step is one call of the allocator, or the end of a free's wait for other streams.
type step struct {
	kind  stepKind
	event replay.EventIndex // its alloc, oom or last free event; for stepEmpty the event after its releases
	id    int32             // the allocation, an index into replay.Device.Allocations
}

// stepper turns events into steps.
type stepper struct {
	d      *replay.Device
	of     []int32 // by event: the allocation that it starts, frees or ends, or noAllocation
	owners map[replay.EventIndex]replay.EventIndex
	list   []step
	late   int // how many steps at the end of the list are stepComplete
}

const noAllocation = -1

// stepsOf are the steps of a recording. owners are the releases that belong to requests
// and so are no calls of empty_cache; see oom.Retries.
func stepsOf(d *replay.Device, owners map[replay.EventIndex]replay.EventIndex) []step {
	s := &stepper{d: d, of: allocationOf(d), owners: owners}
	n := d.Events.Len()
	s.list = make([]step, 0, n/2+1)
	retried := false
	for i := replay.EventIndex(0); int(i) < n; i++ {
		switch id := s.of[i]; d.Events.Action[i] {
		case snapshot.Alloc:
			s.request(step{stepAlloc, i, id}, retried)
			retried = false
		case snapshot.OOM:
			// Nothing was released if nothing was cached.
			s.request(step{stepFail, i, noAllocation}, true)
			retried = false
		case snapshot.Free, snapshot.FreeRequested, snapshot.FreeCompleted:
			if id != noAllocation {
				i = s.free(i, id)
			}
		case snapshot.SegmentFree, snapshot.SegmentUnmap:
			if _, owned := owners[i]; owned {
				retried = true
				continue
			}
			s.empty(i + 1)
		}
	}
	return s.list
}

// allocationOf is, for each event, the index of the allocation that it is about.
func allocationOf(d *replay.Device) []int32 {
	list := make([]int32, d.Events.Len())
	for i := range list {
		list[i] = noAllocation
	}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		for _, event := range [...]replay.EventIndex{a.End, a.FreeRequested, a.Start} {
			if event != replay.None {
				list[event] = int32(i)
			}
		}
	}
	return list
}

// request adds a request. One that released cached memory first waited for all streams,
// so it caused the completions just before it, and goes in front of them.
func (s *stepper) request(x step, retried bool) {
	at := len(s.list)
	if retried {
		at -= s.late
	} else {
		s.late = 0
	}
	s.list = slices.Insert(s.list, at, x)
}

// free adds a step for a free and returns the step's last event.
func (s *stepper) free(i replay.EventIndex, id int32) replay.EventIndex {
	a := &s.d.Allocations[id]
	next := i + 1
	switch {
	case a.FreeRequested == i && a.End == next && s.d.Events.CompletedAtOnce(int(next)):
		s.add(step{stepFree, next, id})
		return next
	case a.FreeRequested == i && a.End != i:
		s.add(step{stepRequest, i, id})
		return i
	case a.FreeRequested == i || a.FreeRequested == replay.None:
		s.add(step{stepFree, i, id})
		return i
	}
	s.list = append(s.list, step{stepComplete, i, id})
	s.late++
	return i
}

// empty adds a call of empty_cache that released something just before an event.
func (s *stepper) empty(until replay.EventIndex) {
	if n := len(s.list); n > 0 && s.list[n-1].kind == stepEmpty && s.list[n-1].event == until-1 {
		s.list[n-1].event = until
		return
	}
	s.add(step{stepEmpty, until, noAllocation})
}

func (s *stepper) add(x step) {
	s.list = append(s.list, x)
	s.late = 0
}
