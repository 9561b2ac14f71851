package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// maxFailures bounds the failures that are kept. Only the first few are meaningful: a
// real program would behave differently after the first one.
const maxFailures = 100

// predict serves the recorded requests under other settings.
func (run *Run) predict(settings allocator.Settings, o Options) *Served {
	settings.Build = run.settings.Build
	s := &Stream{Settings: settings, Before: run.start.live, Ops: run.ops, run: run}
	return s.Serve(o)
}

// Serve serves the requests.
func (s *Stream) Serve(o Options) *Served {
	n := len(s.Requests)
	if s.Requests == nil {
		n = len(s.run.r.Device.Allocations)
	}
	x := &server{run: s.run, stream: s, p: &Served{Settings: s.Settings, Options: o}, op: -1, event: replay.None,
		at: make([]uint64, n), waiting: map[uint64]int32{}}
	x.begin()
	for time := range max(o.Times, 1) {
		if time > 0 {
			x.beginAgain()
		}
		for i := range s.Ops {
			if o.Strict && x.p.Fails() {
				break
			}
			x.op = i
			x.serve(s.Ops[i])
		}
	}
	x.event = replay.EventIndex(s.run.r.Device.Events.Len())
	x.measure()
	x.p.Calls = x.device.calls
	if x.layout != nil {
		x.p.Layout = x.layout.finish()
	}
	if o.Record != nil {
		x.p.Segments = x.a.Segments()
	}
	return x.p
}

// server is the state of serving a stream.
type server struct {
	run    *Run
	stream *Stream
	a      *allocator.Allocator
	device *device // unless Options.Driver is given
	p      *Served

	at      []uint64         // by request: its address now; 0: it is not live, or was not served
	waiting map[uint64]int32 // pending requests, by address

	layout *layoutTracer // nil: not asked for

	abandoned   int               // entries of run.abandoned that have been applied
	reserved    int64             // bytes
	op          int               // under way
	event       replay.EventIndex // event of that op
	measured    bool              // fragmentation was measured in this op
	lastMeasure replay.EventIndex // the event of the latest measurement
}

// begin builds the state before the first op.
func (x *server) begin() {
	run, o := x.run, x.p.Options
	x.device = run.newDevice(o.Limit, o.Placement)
	if o.DeviceMemory > 0 {
		x.device.model = o.DeviceMemory
	} else if x.stream.Requests != nil {
		active, _ := x.stream.ActivePeak()
		x.device.model = max(x.device.model, 2*active)
	}
	if o.Driver == nil {
		x.a = allocator.New(x.p.Settings, x.device)
	} else {
		x.a = allocator.New(x.p.Settings, o.Driver)
	}
	if x.p.Settings.GCThreshold > 0 || x.p.Settings.RejectAtLimit {
		x.a.SetMemoryFraction(1)
	}
	if o.Traced {
		x.layout = newLayoutTracer(x.stream, x.a)
	}
	x.a.Emit = x.emitBefore
	if o.Anew || x.stream.Requests != nil {
		x.layAnew()
	} else {
		x.device.hold(&run.start)
		if x.a.Restore(run.start.segments, run.start.reservations) != nil {
			x.p.TooMuch = true // the pages of expandable segments have another size under these settings
		}
		for _, id := range run.start.live {
			x.at[id] = run.r.Device.Allocations[id].Addr
		}
	}
	x.device.calls = Calls{}
	x.device.before = x.beforeCall
	x.reserved = x.a.Reserved()
	x.p.ReservedPeak, x.p.PeakEvent = x.reserved, replay.None
	x.addToCurve(0)
	x.a.Emit = x.emit
}

// layAnew allocates anew the requests that are live before the first op.
func (x *server) layAnew() {
	for _, id := range x.stream.Before {
		if x.at[id] != 0 {
			continue
		}
		r := x.stream.request(id)
		addr, err := x.allocate(r)
		if err != nil {
			if !x.p.TooMuch {
				x.p.TooMuchBytes = x.p.Settings.RoundSize(max(r.Bytes, 0))
			}
			x.p.TooMuch = true
			continue
		}
		x.served(id, addr)
	}
}

// beginAgain restores the state before the first op from the state after the last: it
// frees what was made since, and allocates again what was freed.
func (x *server) beginAgain() {
	before := make([]bool, len(x.at))
	for _, id := range x.stream.Before {
		before[id] = true
	}
	for id, addr := range x.at {
		if addr == 0 || before[id] {
			continue
		}
		if _, waits := x.waiting[addr]; waits {
			_ = x.a.CompleteFree(addr)
		} else {
			_ = x.a.Free(addr)
		}
		x.at[id] = 0
	}
	x.layAnew()
}

func (x *server) serve(o Op) {
	if x.op == x.stream.Again {
		x.abandoned = 0
	}
	x.event = o.Event
	x.measured = false
	for ; x.abandoned < len(x.run.abandoned) && x.run.abandoned[x.abandoned].event <= o.Event; x.abandoned++ {
		_ = x.a.ReleasePool(x.run.abandoned[x.abandoned].pool) // fails if the pool does not exist under these settings
	}
	switch o.Kind {
	case Allocate, AllocateFailed:
		x.request(o)
	case EmptyCache:
		if !x.p.Options.KeepCache {
			x.beforeCall()
			x.a.EmptyCache()
		}
	default:
		x.free(o)
	}
}

func (x *server) request(o Op) {
	var r Request
	if o.Kind == AllocateFailed {
		r = x.run.failedRequest(o.Event)
	} else {
		r = x.stream.request(o.Request)
	}
	retries := x.a.Stats().Retries
	addr, err := x.allocate(r)
	switch {
	case err != nil:
		x.fail(FailedRequest{o.Event, x.p.Settings.RoundSize(max(r.Bytes, 0)), o.Kind == AllocateFailed})
	case o.Kind == AllocateFailed:
		// The recording does not say how long the program would have kept it.
		_ = x.a.Free(addr)
		x.p.Avoided++
	default:
		x.served(o.Request, addr)
	}
	x.p.Retries += int(x.a.Stats().Retries - retries)
}

func (x *server) allocate(r Request) (addr uint64, err error) {
	if x.layout != nil {
		x.layout.request = r
	}
	return x.a.AllocIn(r.Pool, r.Bytes, r.Stream)
}

// served records where a request lies.
func (x *server) served(id int32, addr uint64) {
	x.at[id] = addr
	if x.layout != nil {
		x.layout.place(id, addr, x.event)
	}
}

func (x *server) fail(f FailedRequest) {
	if x.p.FailedOf++; len(x.p.Failures) < maxFailures {
		x.p.Failures = append(x.p.Failures, f)
	}
}

func (x *server) free(o Op) {
	addr := x.at[o.Request]
	if addr == 0 {
		return // the request was not served
	}
	switch o.Kind {
	case Free:
		_ = x.a.Free(addr)
		x.at[o.Request] = 0
	case RequestFree:
		if x.a.RequestFree(addr) == nil {
			x.waiting[addr] = o.Request
		}
		return
	case CompleteFree:
		// Releasing cached memory waits for all streams and has completed the free
		// already; another allocation may have the address now.
		if id, waits := x.waiting[addr]; waits && id == o.Request {
			_ = x.a.CompleteFree(addr)
		}
		x.at[o.Request] = 0
	}
	if x.layout != nil {
		x.layout.end(o.Request, x.event)
	}
}

// emitBefore follows the allocator's events before the first op.
func (x *server) emitBefore(e allocator.Event) {
	x.trace(e)
	if record := x.p.Options.Record; record != nil {
		record(-1, e)
	}
}

// emit follows the allocator's events: reserved memory and completed frees.
func (x *server) emit(e allocator.Event) {
	if e.Action == snapshot.FreeCompleted && len(x.waiting) > 0 {
		delete(x.waiting, e.Addr)
	}
	if record := x.p.Options.Record; record != nil {
		record(x.op, e)
	}
	sign := e.Action.ReservedSign()
	if sign == 0 {
		return
	}
	if x.reserved += sign * e.Size; x.reserved > x.p.ReservedPeak {
		x.p.ReservedPeak, x.p.PeakEvent = x.reserved, x.event
	}
	x.addToCurve(int(x.event) + 1)
	x.trace(e)
}

// trace follows reserved memory, for the layout.
func (x *server) trace(e allocator.Event) {
	if x.layout != nil {
		x.layout.event(e, x.event)
	}
}

// addToCurve records the reserved memory from a state on.
func (x *server) addToCurve(state int) {
	if !x.p.Options.Traced {
		return
	}
	if n := len(x.p.Curve); n > 0 && x.p.Curve[n-1].State == state {
		x.p.Curve[n-1].Bytes = x.reserved
		return
	}
	x.p.Curve = append(x.p.Curve, CurvePoint{state, x.reserved})
}

// measurements is the approximate number of measurements of fragmentation in a
// prediction. Each measurement visits all free blocks.
const measurements = 200

// beforeCall measures fragmentation before the first call of the driver in an op.
func (x *server) beforeCall() {
	if !x.measured && x.event-x.lastMeasure >= replay.EventIndex(x.run.r.Device.Events.Len()/measurements) {
		x.measure()
	}
	x.measured = true
}

// measure is like layout.FragmentationOf, for the model's free blocks.
func (x *server) measure() {
	x.lastMeasure = x.event
	var bytes int64
	for b := range x.a.FreeBlocks() {
		if b.Size < x.run.typical {
			bytes += b.Size - b.Returnable
		}
	}
	x.p.Fragmentation = max(x.p.Fragmentation, bytes)
}
