package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Options say on what device, and from what state, a prediction is made.
type Options struct {
	// Limit is the memory available to PyTorch in bytes; 0 means no limit.
	Limit int64
	// Anew allocates the pre-existing allocations again under the new settings, in
	// address order, with nothing cached. Otherwise the run starts from the recorded
	// segments.
	Anew bool
	// Traced fills Prediction.Curve and Prediction.Layout.
	Traced    bool
	placement placement
}

// Prediction is what one setting would have done.
type Prediction struct {
	Settings allocator.Settings
	Options  Options

	ReservedPeak int64 // bytes
	PeakEvent    replay.EventIndex

	// Fragmentation is the most bytes that lay in free blocks too small for a typical
	// large request and could not be returned to the driver. It is measured before
	// driver calls and at the end.
	Fragmentation int64

	Calls   Calls // of the driver, without those for pre-existing allocations
	Retries int   // requests that released all cached memory and asked the driver again

	// Failures are the first maxFailures requests that fail; FailedOf counts all of
	// them. Avoided counts requests that failed in the recording and are served here.
	Failures []Failure
	FailedOf int
	Avoided  int
	// TooMuch: the pre-existing allocations alone do not fit.
	TooMuch bool

	Curve  []Reserved // with Options.Traced, by state
	Layout *Layout    // likewise
}

// Failure is a request that fails.
type Failure struct {
	Event    replay.EventIndex // its alloc or oom event
	Bytes    int64             // after rounding
	Recorded bool              // it failed in the recording as well
}

// Reserved is the reserved memory from a state until the next entry of the curve.
type Reserved struct {
	State int
	Bytes int64
}

// maxFailures bounds the failures that are kept. Only the first few mean anything: a
// real program would have taken another course after the first one.
const maxFailures = 100

// predict serves the requests under other settings.
func (run *Run) predict(settings allocator.Settings, o Options) *Prediction {
	return run.serve(run.recorded(), settings, o)
}

// serve serves a program. One that was edited starts anew.
func (run *Run) serve(load *workload, settings allocator.Settings, o Options) *Prediction {
	settings.Build = run.settings.Build
	x := &predictor{
		run: run, load: load, p: &Prediction{Settings: settings, Options: o}, at: make([]uint64, load.ids()),
		waiting: map[uint64]int32{},
	}
	x.begin()
	for i := range load.steps {
		x.step(load.steps[i])
	}
	x.event = replay.EventIndex(run.r.Device.Events.Len())
	x.measure()
	x.p.Calls = x.device.calls
	if x.layout != nil {
		x.p.Layout = x.layout.finish()
	}
	return x.p
}

// predictor is the state of one prediction.
type predictor struct {
	run    *Run
	load   *workload
	a      *allocator.Allocator
	device *device
	p      *Prediction

	at      []uint64         // by request: its address now; 0: it was not served
	waiting map[uint64]int32 // pending allocations, by address

	layout *layoutTracer // nil: not asked for

	abandoned   int               // entries of run.abandoned that have been applied
	reserved    int64             // bytes
	event       replay.EventIndex // of the step under way
	measured    bool              // fragmentation was looked at in this step
	lastMeasure replay.EventIndex // the event at which it was measured last
}

// begin builds the state before the first event.
func (x *predictor) begin() {
	run, o := x.run, x.p.Options
	x.device = run.newDevice(o.Limit, o.placement)
	x.device.before = func() {}
	x.a = allocator.New(x.p.Settings, x.device)
	if x.p.Settings.GCThreshold > 0 {
		x.a.SetMemoryFraction(1)
	}
	x.event = replay.None
	if o.Traced {
		x.layout = newLayoutTracer(run, x.a)
		x.a.Emit = x.trace
	}
	if o.Anew {
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

// layAnew allocates what is there before the first event, in order of address.
func (x *predictor) layAnew() {
	for _, id := range x.load.before {
		addr, err := x.alloc(x.load.request(id))
		if err != nil {
			x.p.TooMuch = true
			continue
		}
		x.served(id, addr)
	}
}

func (x *predictor) step(s step) {
	x.event = s.event
	x.measured = false
	for ; x.abandoned < len(x.run.abandoned) && x.run.abandoned[x.abandoned].event <= s.event; x.abandoned++ {
		_ = x.a.ReleasePool(x.run.abandoned[x.abandoned].pool) // fails if the pool does not exist under these settings
	}
	switch s.kind {
	case stepAlloc, stepFail:
		x.serve(s)
	case stepEmpty:
		x.beforeCall()
		x.a.EmptyCache()
	default:
		x.free(s)
	}
}

func (x *predictor) serve(s step) {
	var r request
	if s.kind == stepFail {
		r = x.run.request(s)
	} else {
		r = x.load.request(s.id)
	}
	retries := x.a.Stats().Retries
	addr, err := x.alloc(r)
	switch {
	case err != nil:
		x.fail(Failure{s.event, x.p.Settings.RoundSize(max(r.bytes, 0)), s.kind == stepFail})
	case s.kind == stepFail:
		// The recording does not say how long the program would have kept it.
		_ = x.a.Free(addr)
		x.p.Avoided++
	default:
		x.served(s.id, addr)
	}
	x.p.Retries += int(x.a.Stats().Retries - retries)
}

func (x *predictor) alloc(r request) (addr uint64, err error) {
	if x.layout != nil {
		x.layout.request = r
	}
	return x.a.AllocIn(r.pool, r.bytes, r.stream)
}

// served notes where an allocation lies.
func (x *predictor) served(id int32, addr uint64) {
	x.at[id] = addr
	if x.layout != nil {
		x.layout.place(id, addr)
	}
}

func (x *predictor) fail(f Failure) {
	if x.p.FailedOf++; len(x.p.Failures) < maxFailures {
		x.p.Failures = append(x.p.Failures, f)
	}
}

func (x *predictor) free(s step) {
	addr := x.at[s.id]
	if addr == 0 {
		return // the request was not served
	}
	switch s.kind {
	case stepFree:
		_ = x.a.Free(addr)
		x.at[s.id] = 0
	case stepRequest:
		if x.a.RequestFree(addr) == nil {
			x.waiting[addr] = s.id
		}
	case stepComplete:
		// Releasing cached memory waits for all streams and has completed the free
		// already; another allocation may have the address now.
		if id, waits := x.waiting[addr]; waits && id == s.id {
			_ = x.a.CompleteFree(addr)
		}
		x.at[s.id] = 0
	}
}

// emit follows the allocator's events: reserved memory and completed frees.
func (x *predictor) emit(e allocator.Event) {
	if e.Action == snapshot.FreeCompleted && len(x.waiting) > 0 {
		delete(x.waiting, e.Addr)
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

// trace follows what is reserved, for the layout.
func (x *predictor) trace(e allocator.Event) {
	if x.layout != nil {
		x.layout.event(e, x.event)
	}
}

// addToCurve records the reserved memory from a state on.
func (x *predictor) addToCurve(state int) {
	if !x.p.Options.Traced {
		return
	}
	if n := len(x.p.Curve); n > 0 && x.p.Curve[n-1].State == state {
		x.p.Curve[n-1].Bytes = x.reserved
		return
	}
	x.p.Curve = append(x.p.Curve, Reserved{state, x.reserved})
}

// measures is about how many times fragmentation is measured in a prediction. Each
// measurement visits all free blocks.
const measures = 200

// beforeCall measures fragmentation before the first call of the driver in a step.
func (x *predictor) beforeCall() {
	if !x.measured && x.event-x.lastMeasure >= replay.EventIndex(x.run.r.Device.Events.Len()/measures) {
		x.measure()
	}
	x.measured = true
}

// measure does what layout.FragmentationOf does, for the model's free blocks.
func (x *predictor) measure() {
	x.lastMeasure = x.event
	var bytes int64
	for b := range x.a.FreeBlocks() {
		if b.Size < x.run.typical {
			bytes += b.Size - b.Returnable
		}
	}
	x.p.Fragmentation = max(x.p.Fragmentation, bytes)
}
