package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ServeOptions say on what device a stream is served, and how.
type ServeOptions struct {
	Limit     int64 // memory available to PyTorch in bytes; 0: no limit
	Downwards bool  // the driver puts each range below the one before
	KeepCache bool  // calls of empty_cache are left out
	Times     int   // how often the steps are served, one time after another; 0 is 1
	Strict    bool  // stop at the first request that fails

	// Driver gives the memory; nil: a simulated device of Limit bytes. Record is called
	// with every event of the allocator, and the step that it belongs to, -1 for what is
	// live from the start. With it, Served has the Segments at the end.
	Driver allocator.Driver
	Record func(step int, e allocator.Event)
}

// Served is what serving a stream needed.
type Served struct {
	ReservedPeak int64 // bytes
	PeakStep     int   // in which the peak is reached; -1: before the first step
	Retries      int   // requests that released all cached memory and asked the driver again

	Failed      int // requests
	FailedAt    int // the step of the first one; -1: before the first step
	FailedBytes int64

	Segments []allocator.Segment // at the end, with ServeOptions.Record
}

// Serve serves the requests from an empty cache.
func (s *Stream) Serve(o ServeOptions) Served {
	x := &server{stream: s, o: o, at: make([]uint64, len(s.Requests)), step: -1}
	model := o.Limit // bytes
	if model == 0 {
		model = usualMemory
	}
	simulated := &device{limit: o.Limit, model: model, placement: placeUpwards,
		addresses: &addresses{}, served: map[int64]int{}, freed: map[int64][]uint64{}, held: map[uint64]int64{},
		above: newMallocs, below: newMallocs, nextReservation: newReservations, before: func() {}}
	if o.Downwards {
		simulated.placement = placeDownwards
	}
	driver := o.Driver
	if driver == nil {
		driver = simulated
	}
	x.a = allocator.New(s.Settings, driver)
	if s.Settings.GCThreshold > 0 && o.Limit > 0 {
		x.a.SetMemoryFraction(1)
	}
	x.a.Emit = x.follow
	for _, r := range s.Before {
		x.allocate(r)
	}
	for time := range max(o.Times, 1) {
		if time > 0 {
			x.begin()
		}
		for i := range s.Steps {
			if x.step = i; o.Strict && x.Failed > 0 {
				break
			}
			x.serve(s.Steps[i])
		}
	}
	if x.Retries = int(x.a.Stats().Retries); o.Record != nil {
		x.Segments = x.a.Segments()
	}
	return x.Served
}

// server is the state of serving a stream.
type server struct {
	Served
	stream   *Stream
	o        ServeOptions
	a        *allocator.Allocator
	at       []uint64 // by request: its address now; 0: it is not live
	waits    map[uint64]int32
	reserved int64
	step     int
}

func (x *server) allocate(id int32) {
	r := x.stream.Requests[id]
	addr, err := x.a.AllocIn(r.Pool, r.Bytes, r.Stream)
	if err != nil {
		if x.Failed == 0 {
			x.FailedAt, x.FailedBytes = x.step, x.stream.Settings.RoundSize(max(r.Bytes, 0))
		}
		x.Failed++
		return
	}
	x.at[id] = addr
}

func (x *server) serve(s Step) {
	switch s.Kind {
	case Allocate:
		x.allocate(s.Request)
		return
	case AllocateTry:
		x.allocate(s.Request)
	case EmptyCache:
		if !x.o.KeepCache {
			x.a.EmptyCache()
		}
		return
	case AbandonPool:
		_ = x.a.ReleasePool(s.Pool) // fails if nothing was allocated in it
		return
	}
	addr := x.at[s.Request]
	if addr == 0 {
		return // it was not served
	}
	switch s.Kind {
	case FreeLater:
		if x.a.RequestFree(addr) == nil {
			if x.waits == nil {
				x.waits = map[uint64]int32{}
			}
			x.waits[addr] = s.Request
		}
		return
	case FreeDone:
		// Releasing cached memory waits for all streams and has completed the free
		// already; another request may have the address now.
		if id, waits := x.waits[addr]; waits && id == s.Request {
			_ = x.a.CompleteFree(addr)
		}
	default:
		_ = x.a.Free(addr)
	}
	x.at[s.Request] = 0
}

// begin makes the state before the first step again, from that after the last: what was
// made since is given back, and what was there at first is allocated where it is gone.
func (x *server) begin() {
	before := make([]bool, len(x.at))
	for _, r := range x.stream.Before {
		before[r] = true
	}
	for id, addr := range x.at {
		if addr == 0 || before[id] {
			continue
		}
		if _, waits := x.waits[addr]; waits {
			_ = x.a.CompleteFree(addr)
		} else {
			_ = x.a.Free(addr)
		}
		x.at[id] = 0
	}
	for _, r := range x.stream.Before {
		if x.at[r] == 0 {
			x.allocate(r)
		}
	}
}

// follow follows the reserved memory and completed frees.
func (x *server) follow(e allocator.Event) {
	if e.Action == snapshot.FreeCompleted && len(x.waits) > 0 {
		delete(x.waits, e.Addr)
	}
	if x.o.Record != nil {
		x.o.Record(x.step, e)
	}
	if sign := e.Action.ReservedSign(); sign != 0 {
		if x.reserved += sign * e.Size; x.reserved > x.ReservedPeak {
			x.ReservedPeak, x.PeakStep = x.reserved, x.step
		}
	}
}
