package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
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
