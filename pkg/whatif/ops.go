package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// opFinder turns events into ops.
type opFinder struct {
	d      *replay.Device
	of     []int32 // by event: the allocation that it starts, frees or ends, or NoRequest
	owners map[replay.EventIndex]replay.EventIndex
	list   []Op
	late   int // number of ops at the end of the list that are CompleteFree
}

// opsOf returns the ops of a recording. owners are the releases that belong to requests
// and so are not calls of empty_cache; see oom.Retries.
func opsOf(d *replay.Device, owners map[replay.EventIndex]replay.EventIndex) []Op {
	s := &opFinder{d: d, of: allocationOf(d), owners: owners}
	n := d.Events.Len()
	s.list = make([]Op, 0, n/2+1)
	retried := false
	for i := replay.EventIndex(0); int(i) < n; i++ {
		switch id := s.of[i]; d.Events.Action[i] {
		case snapshot.Alloc:
			s.request(Op{Allocate, i, id}, retried)
			retried = false
		case snapshot.OOM:
			// Nothing was released if nothing was cached.
			s.request(Op{AllocateFailed, i, NoRequest}, true)
			retried = false
		case snapshot.Free, snapshot.FreeRequested, snapshot.FreeCompleted:
			if id != NoRequest {
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

// allocationOf returns, for each event, the index of the allocation that it is about.
func allocationOf(d *replay.Device) []int32 {
	list := make([]int32, d.Events.Len())
	for i := range list {
		list[i] = NoRequest
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
func (s *opFinder) request(x Op, retried bool) {
	at := len(s.list)
	if retried {
		at -= s.late
	} else {
		s.late = 0
	}
	s.list = slices.Insert(s.list, at, x)
}

// free adds an op for a free and returns the op's last event.
func (s *opFinder) free(i replay.EventIndex, id int32) replay.EventIndex {
	a := &s.d.Allocations[id]
	next := i + 1
	switch {
	case a.FreeRequested == i && a.End == next && s.d.Events.CompletedAtOnce(int(next)):
		s.add(Op{Free, next, id})
		return next
	case a.FreeRequested == i && a.End != i:
		s.add(Op{RequestFree, i, id})
		return i
	case a.FreeRequested == i || a.FreeRequested == replay.None:
		s.add(Op{Free, i, id})
		return i
	}
	s.list = append(s.list, Op{CompleteFree, i, id})
	s.late++
	return i
}

// empty adds a call of empty_cache that released something just before an event.
func (s *opFinder) empty(until replay.EventIndex) {
	if n := len(s.list); n > 0 && s.list[n-1].Kind == EmptyCache && s.list[n-1].Event == until-1 {
		s.list[n-1].Event = until
		return
	}
	s.add(Op{EmptyCache, until, NoRequest})
}

func (s *opFinder) add(x Op) {
	s.list = append(s.list, x)
	s.late = 0
}
