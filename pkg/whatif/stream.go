package whatif

import (
	"cmp"
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Stream is the sequence of a program's requests and frees, as recorded or as edited.
type Stream struct {
	Settings allocator.Settings // that it is served under

	// Requests are those of the recording by index in replay.Device.Allocations, followed
	// by those that an edit added. Failed requests are not included.
	Requests []Request
	Before   []int32 // requests that are live before the first op, in the order in which they are served
	Ops      []Op
	Again    int // the op from which the events of the recording are served once more; 0: none

	run *Run // the recorded run
}

// Request is a request for memory.
type Request struct {
	Bytes  int64
	Stream allocator.Stream
	Pool   snapshot.Pool
	Of     int32 // the recorded allocation that it is, or comes from: an index into replay.Device.Allocations
}

// Op is one call of the allocator, or the completion of a free that waited for other
// streams.
type Op struct {
	Kind    OpKind
	Event   replay.EventIndex // the recorded event at which it happened; see OpKind
	Request int32             // an index into Stream.Requests, or NoRequest
}

// OpKind is the kind of an op.
type OpKind uint8

const (
	Allocate       OpKind = iota // a request; the event is its alloc
	AllocateFailed               // a request that failed in the recording; the event is its oom, and it is NoRequest
	Free                         // a free that is completed at once; the event is the last of its events
	RequestFree                  // a free that waits for other streams
	CompleteFree                 // the end of that wait
	EmptyCache                   // a call of torch.cuda.empty_cache; the event is the one after its releases; NoRequest
)

// NoRequest is the request of an op that has none.
const NoRequest = -1

// Frees reports whether a request is no longer live after the op.
func (k OpKind) Frees() bool { return k == Free || k == CompleteFree }

// Stream returns what the recorded program asked for.
func (run *Run) Stream() *Stream {
	return run.streamOf(slices.Clone(run.start.live), slices.Clone(run.ops))
}

// StreamBetween returns what the recorded program asked for between two states.
// Allocations live in the first state are there before.
func (run *Run) StreamBetween(from, to replay.EventIndex) *Stream {
	d := run.r.Device
	var before []int32
	for i := range d.Allocations {
		if d.Allocations[i].LiveIn(int(from)) {
			before = append(before, int32(i))
		}
	}
	slices.SortFunc(before, func(x, y int32) int {
		return cmp.Or(cmp.Compare(d.Allocations[x].Addr, d.Allocations[y].Addr), cmp.Compare(x, y))
	})
	first, end := opsBetween(run.ops, from, to)
	return run.streamOf(before, slices.Clone(run.ops[first:end]))
}

func (run *Run) streamOf(before []int32, ops []Op) *Stream {
	s := &Stream{Settings: run.settings.Settings, Before: before, Ops: ops, run: run,
		Requests: make([]Request, len(run.r.Device.Allocations))}
	for i := range s.Requests {
		s.Requests[i] = run.request(int32(i))
	}
	return s
}

// Clone returns a copy that can be changed independently.
func (s *Stream) Clone() *Stream {
	c := *s
	c.Requests, c.Before, c.Ops = slices.Clone(s.Requests), slices.Clone(s.Before), slices.Clone(s.Ops)
	return &c
}

// request returns a request by its index. The stream for predicting settings has no
// Requests of its own, which saves as much memory as the recording takes.
func (s *Stream) request(id int32) Request {
	if s.Requests == nil {
		return s.run.request(id)
	}
	return s.Requests[id]
}

// Copy adds a request like another one and returns its index.
func (s *Stream) Copy(request int32) int32 {
	s.Requests = append(s.Requests, s.Requests[request])
	return int32(len(s.Requests) - 1)
}

// Between returns the ops with events from one up to but excluding another, as a range of
// indices.
func (s *Stream) Between(from, to replay.EventIndex) (first, end int) {
	return opsBetween(s.Ops, from, to)
}

func opsBetween(ops []Op, from, to replay.EventIndex) (first, end int) {
	at := func(event replay.EventIndex) int {
		return sort.Search(len(ops), func(i int) bool { return ops[i].Event >= event })
	}
	return at(from), at(to)
}

// ActivePeak returns the peak of requested bytes that are live, and the op after which it
// is first reached; -1 is before the first op. Failed requests do not count.
func (s *Stream) ActivePeak() (bytes int64, op int) { return s.ActivePeakFrom(0) }

// ActivePeakFrom returns the peak from just before an op on.
func (s *Stream) ActivePeakFrom(first int) (bytes int64, op int) {
	now := int64(0)
	for _, r := range s.Before {
		now += s.Requests[r].Bytes
	}
	bytes, op = now, -1
	for i, x := range s.Ops {
		if i == first {
			bytes, op = now, i-1
		}
		switch {
		case x.Kind == Allocate:
			if now += s.Requests[x.Request].Bytes; now > bytes {
				bytes, op = now, i
			}
		case x.Kind.Frees():
			now -= s.Requests[x.Request].Bytes
		}
	}
	return bytes, op
}

// LiveAfter returns which requests are live after an op; -1 is before the first.
func (s *Stream) LiveAfter(op int) []bool {
	live := make([]bool, len(s.Requests))
	for _, r := range s.Before {
		live[r] = true
	}
	for _, x := range s.Ops[:op+1] {
		switch {
		case x.Kind == Allocate:
			live[x.Request] = true
		case x.Kind.Frees():
			live[x.Request] = false
		}
	}
	return live
}
