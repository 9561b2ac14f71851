package whatif

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Stream is what a program asks of the allocator: the requests of a recording, in a
// form that can be changed and served from an empty cache.
type Stream struct {
	Settings allocator.Settings

	// Requests are those of a recording by index in replay.Device.Allocations, and
	// behind them those that failed or were added.
	Requests []Request
	Before   []int32 // requests that are live from the start, in the order in which they are served
	Steps    []Step
}

// Request is a request for memory.
type Request struct {
	Bytes  int64
	Stream allocator.Stream
	Pool   snapshot.Pool
}

// Step is one call of the allocator, or the end of a free's wait for other streams.
type Step struct {
	Kind    StepKind
	Request int32             // an index into Stream.Requests; for EmptyCache and AbandonPool, none
	Event   replay.EventIndex // of the recording, at which it happened
	Pool    snapshot.Pool     // of AbandonPool
}

// StepKind is what happens in a step.
type StepKind uint8

const (
	Allocate    StepKind = iota // a request
	AllocateTry                 // a request that failed in the recording; given back at once if it is served
	Free                        // a free that is completed at once
	FreeLater                   // a free that waits for other streams
	FreeDone                    // the end of that wait
	EmptyCache                  // a call of torch.cuda.empty_cache
	AbandonPool                 // a private pool loses its last user
)

var stepKinds = [...]StepKind{stepAlloc: Allocate, stepFail: AllocateTry, stepFree: Free, stepRequest: FreeLater,
	stepComplete: FreeDone, stepEmpty: EmptyCache}

// Stream is what the recorded program asked for.
func (run *Run) Stream() *Stream {
	s := run.emptyStream()
	s.Before = slices.Clone(run.start.live)
	s.addSteps(run, replay.None, replay.EventIndex(run.r.Device.Events.Len()))
	return s
}

// StreamBetween is what the recorded program asked for between two states. What is live
// in the first of them is there from the start.
func (run *Run) StreamBetween(from, to replay.EventIndex) *Stream {
	s := run.emptyStream()
	d := run.r.Device
	for i := range d.Allocations {
		if d.Allocations[i].LiveIn(int(from)) {
			s.Before = append(s.Before, int32(i))
		}
	}
	slices.SortFunc(s.Before, func(x, y int32) int {
		return cmp.Or(cmp.Compare(d.Allocations[x].Addr, d.Allocations[y].Addr), cmp.Compare(x, y))
	})
	s.addSteps(run, from, to-1)
	return s
}

func (run *Run) emptyStream() *Stream {
	d := run.r.Device
	n := len(d.Allocations)
	s := &Stream{Settings: run.settings.Settings, Requests: make([]Request, n, n+run.Failed)}
	for i := range d.Allocations {
		r := run.requestOf(int32(i))
		s.Requests[i] = Request{r.bytes, r.stream, r.pool}
	}
	return s
}

// addSteps adds the steps of the events from first to last.
func (s *Stream) addSteps(run *Run, first, last replay.EventIndex) {
	abandoned := run.abandoned
	s.Steps = make([]Step, 0, len(run.steps)+len(abandoned))
	for _, x := range run.steps {
		if x.event > last {
			break
		}
		for len(abandoned) > 0 && abandoned[0].event <= x.event {
			s.Steps = append(s.Steps, Step{Kind: AbandonPool, Event: x.event, Pool: abandoned[0].pool})
			abandoned = abandoned[1:]
		}
		unreadable := x.id == noAllocation && x.kind != stepFail && x.kind != stepEmpty
		if x.event < first || unreadable {
			continue
		}
		step := Step{Kind: stepKinds[x.kind], Request: x.id, Event: x.event}
		if x.kind == stepFail {
			r := run.request(x)
			step.Request = int32(len(s.Requests))
			s.Requests = append(s.Requests, Request{r.bytes, r.stream, r.pool})
		}
		s.Steps = append(s.Steps, step)
	}
}

// Clone is a copy that can be changed independently.
func (s *Stream) Clone() *Stream {
	c := *s
	c.Requests, c.Before, c.Steps = slices.Clone(s.Requests), slices.Clone(s.Before), slices.Clone(s.Steps)
	return &c
}

// ActivePeak is the most bytes that are live at the same time, in requested bytes, and
// the step after which they are first; -1 is before the first step. Requests that failed
// do not count.
func (s *Stream) ActivePeak() (bytes int64, step int) { return s.ActivePeakFrom(0) }

// ActivePeakFrom is the peak from just before a step on.
func (s *Stream) ActivePeakFrom(first int) (bytes int64, step int) {
	now := int64(0)
	for _, r := range s.Before {
		now += s.Requests[r].Bytes
	}
	bytes, step = now, -1
	for i, x := range s.Steps {
		if i == first {
			bytes, step = now, i-1
		}
		switch x.Kind {
		case Allocate:
			if now += s.Requests[x.Request].Bytes; now > bytes {
				bytes, step = now, i
			}
		case Free, FreeDone:
			now -= s.Requests[x.Request].Bytes
		}
	}
	return bytes, step
}

// LiveAfter are the requests that are live after a step; -1 is before the first.
func (s *Stream) LiveAfter(step int) []bool {
	live := make([]bool, len(s.Requests))
	for _, r := range s.Before {
		live[r] = true
	}
	for _, x := range s.Steps[:step+1] {
		switch x.Kind {
		case Allocate:
			live[x.Request] = true
		case Free, FreeDone:
			live[x.Request] = false
		}
	}
	return live
}
