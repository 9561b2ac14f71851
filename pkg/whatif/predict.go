package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Options are the circumstances of a prediction.
type Options struct {
	// Limit is how much memory in bytes PyTorch may have; 0: any amount.
	Limit int64
	// Anew lays out what was live before the recording under the new settings, in the
	// order of addresses, and forgets what was cached. Else all is as it was recorded.
	Anew      bool
	Placement Placement
	// Curve keeps how reserved memory changes.
	Curve bool
}

// Prediction is what other settings would have done.
type Prediction struct {
	Settings allocator.Settings
	Options  Options

	ReservedPeak int64 // bytes
	PeakEvent    replay.EventIndex

	// Fragmentation is at its highest, in bytes, of FragmentationOf reserved, before
	// FragmentationEvent. It is measured when the cache cannot serve a request, and in the end.
	Fragmentation, FragmentationOf int64
	FragmentationEvent             replay.EventIndex

	Calls   Calls // of the driver, without those for what was live before the recording
	Retries int   // requests that gave all cached memory back and asked again

	// Failures are requests that fail, at most maxFailures of them; FailedOf is how
	// many do. Avoided are requests that are served although they were recorded to fail.
	Failures []Failure
	FailedOf int
	Avoided  int
	// TooMuch: what was live before the recording does not fit at all.
	TooMuch bool

	Curve []Reserved // if it was asked for
}

// Failure is a request that fails.
type Failure struct {
	Event    replay.EventIndex // its alloc or oom event
	Bytes    int64             // rounded
	Recorded bool              // it failed in the recording, too
}

// Reserved is reserved memory from a state on.
type Reserved struct {
	State int
	Bytes int64
}

// maxFailures bounds the failures that are kept: after the first one a program
// does something else than was recorded.
const maxFailures = 100

// Predict serves the requests under other settings.
func (run *Run) Predict(settings allocator.Settings, o Options) *Prediction {
	settings.Build = run.settings.Build
	x := &predictor{
		run: run, p: &Prediction{Settings: settings, Options: o}, at: make([]uint64, len(run.r.Device.Allocations)),
		waiting: map[uint64]int32{},
	}
	x.begin()
	for i := range run.steps {
		x.step(run.steps[i])
	}
	x.event = replay.EventIndex(run.r.Device.Events.Len())
	x.measure()
	x.p.Calls = x.device.calls
	return x.p
}

// predictor serves a run under other settings.
type predictor struct {
	run    *Run
	a      *allocator.Allocator
	device *device
	p      *Prediction

	at      []uint64         // by allocation: its address now; 0: it was not served
	waiting map[uint64]int32 // allocations that were given up and wait for other streams, by address

	abandoned   int               // of run.abandoned, so many are
	reserved    int64             // bytes
	event       replay.EventIndex // of the step under way
	measured    bool              // in this step
	lastMeasure replay.EventIndex
}

// begin makes the state that the run starts from.
func (x *predictor) begin() {
	run, o := x.run, x.p.Options
	x.device = run.newDevice(o.Limit, o.Placement)
	x.device.before = func() {}
	x.a = allocator.New(x.p.Settings, x.device)
	if x.p.Settings.GCThreshold > 0 {
		x.a.SetMemoryFraction(1)
	}
	if o.Anew {
		x.layAnew()
	} else {
		x.device.hold(&run.start)
		if x.a.Restore(run.start.segments, run.start.reservations) != nil {
			x.p.TooMuch = true // pages have another size under these settings
		}
		for _, id := range run.start.live {
			x.at[id] = run.r.Device.Allocations[id].Addr
		}
	}
	x.device.calls = Calls{}
	x.device.before = x.beforeCall
	x.reserved = x.a.Reserved()
	x.p.ReservedPeak, x.p.PeakEvent = x.reserved, replay.None
	x.keep(0)
	x.a.Emit = x.emit
}

// layAnew allocates what was live before the recording.
func (x *predictor) layAnew() {
	for _, id := range x.run.start.live {
		r := x.run.born(id)
		addr, err := x.a.AllocIn(r.pool, r.bytes, r.stream)
		if err != nil {
			x.p.TooMuch = true
			continue
		}
		x.at[id] = addr
	}
}

func (x *predictor) step(s step) {
	x.event = s.event
	x.measured = false
	for ; x.abandoned < len(x.run.abandoned) && x.run.abandoned[x.abandoned].event <= s.event; x.abandoned++ {
		_ = x.a.ReleasePool(x.run.abandoned[x.abandoned].pool) // it may not exist under these settings
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
	r := x.run.request(s)
	retries := x.a.Stats().Retries
	addr, err := x.a.AllocIn(r.pool, r.bytes, r.stream)
	switch {
	case err != nil:
		x.fail(Failure{s.event, x.p.Settings.RoundSize(max(r.bytes, 0)), s.kind == stepFail})
	case s.kind == stepFail:
		// What the program would have done with it is not recorded.
		_ = x.a.Free(addr)
		x.p.Avoided++
	default:
		x.at[s.id] = addr
	}
	x.p.Retries += int(x.a.Stats().Retries - retries)
}

func (x *predictor) fail(f Failure) {
	if x.p.FailedOf++; len(x.p.Failures) < maxFailures {
		x.p.Failures = append(x.p.Failures, f)
	}
}

func (x *predictor) free(s step) {
	addr := x.at[s.id]
	if addr == 0 {
		return // it was not served
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
		// If cached memory was given back meanwhile, it was completed then, and
		// another allocation may have the address.
		if id, waits := x.waiting[addr]; waits && id == s.id {
			_ = x.a.CompleteFree(addr)
		}
		x.at[s.id] = 0
	}
}

// emit follows what the allocator does.
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
	x.keep(int(x.event) + 1)
}

// keep adds to the curve what is reserved from a state on.
func (x *predictor) keep(state int) {
	if !x.p.Options.Curve {
		return
	}
	if n := len(x.p.Curve); n > 0 && x.p.Curve[n-1].State == state {
		x.p.Curve[n-1].Bytes = x.reserved
		return
	}
	x.p.Curve = append(x.p.Curve, Reserved{state, x.reserved})
}

// measures is how many times fragmentation is measured, about: each time costs a
// look at all that is free.
const measures = 200

// beforeCall measures fragmentation before the first call of the driver in a step.
func (x *predictor) beforeCall() {
	if !x.measured && x.event-x.lastMeasure >= replay.EventIndex(x.run.r.Device.Events.Len()/measures) {
		x.measure()
	}
	x.measured = true
}

// measure is [analysis.FragmentationOf] of the model.
func (x *predictor) measure() {
	x.lastMeasure = x.event
	var bytes int64
	for b := range x.a.FreeBlocks() {
		if b.Size < x.run.typical {
			bytes += b.Size - b.Returnable
		}
	}
	if bytes > x.p.Fragmentation || x.p.FragmentationOf == 0 {
		x.p.Fragmentation, x.p.FragmentationOf, x.p.FragmentationEvent = bytes, x.reserved, x.event
	}
}
