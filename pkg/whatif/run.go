// Package whatif serves the requests of a recording again, by the model of the
// allocator in [allocator], to say what other settings would have done.
//
// A [Run] is a recording made ready for that: the state that it starts from,
// rebuilt from the final segments (start.go), and its requests in order (steps.go).
// Its [Proof] is that serving them under the recorded settings gives every recorded
// address and every recorded driver call. Only a run that is reproduced
// supports predictions: [Run.Predict] serves the requests under other settings on
// a simulated device (device.go), and [Run.Study] does it for many at once.
//
// What a recording cannot tell is treated like this:
//
//   - The device's memory: what failed requests show of it (limit.go), or what a
//     person says; else there is no limit.
//   - When streams are done with a block: where the recording has it, in the order
//     of requests.
//   - Calls of empty_cache: where they were recorded. Releases that belong to a
//     failing request are no such calls (oom.Retries).
//   - What was live before the recording: laid out anew, in the order of addresses,
//     without what was cached then. Its own order is not recorded. The recorded
//     settings are predicted in the same way, to compare with.
//   - What the program does after a request fails: it goes on without that block.
package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Run is a device's recording made ready to be served again. It may be used by
// several goroutines.
type Run struct {
	r         *analysis.Recording
	settings  *layout.Settings
	steps     []step
	start     start
	pools     []snapshot.PoolID // by allocation; nil if all are in the default pool
	typical   int64             // bytes of a large request, for fragmentation
	addresses addresses

	// Limit is what the refused requests of the recording say of the memory that
	// PyTorch may have.
	Limit Limit
	// Requests are the recorded ones, Failed those of them that failed.
	Requests, Failed int
	// Retries are requests that gave memory back to be served, as far as the
	// recording tells; EmptyCaches are calls of torch.cuda.empty_cache that did.
	Retries, EmptyCaches int

	// Proof is how far the model reproduces the recording under its settings. Only
	// if it holds are predictions worth anything.
	Proof     Proof
	abandoned []abandonment
}

// New makes a recording ready, and proves how far the model reproduces it.
func New(r *analysis.Recording) *Run {
	settings := r.Settings()
	retries := r.Retries()
	run := &Run{
		r: r, settings: settings, steps: stepsOf(r.Device, retries.Owners), start: startOf(r, settings), pools: poolsOf(r),
		typical: layout.TypicalRequest(r.Device.Events), Limit: limitOf(r.Device, settings, retries), Retries: len(retries.List),
	}
	for i := range run.steps {
		switch run.steps[i].kind {
		case stepAlloc:
			run.Requests++
		case stepFail:
			run.Requests++
			run.Failed++
		case stepEmpty:
			run.EmptyCaches++
		}
	}
	run.prove()
	run.addresses = run.findAddresses()
	return run
}

// Recording is what the run is of.
func (run *Run) Recording() *analysis.Recording { return run.r }

// Settings are those of the recording.
func (run *Run) Settings() *layout.Settings { return run.settings }

// ReservedPeak is the recorded peak of reserved memory, in bytes.
func (run *Run) ReservedPeak() int64 { return run.r.Device.Totals.ReservedPeakBytes }

// PreExisting is how many allocations were live before the recording, what they
// asked for in bytes, and how many bytes were cached beside them.
func (run *Run) PreExisting() (allocations int, live, cached int64) {
	return len(run.start.live), run.start.liveBytes, run.start.cached
}

// FirstFailure is the oom event of the first recorded request that failed.
func (run *Run) FirstFailure() (event replay.EventIndex, failed bool) {
	for i := range run.steps {
		if run.steps[i].kind == stepFail {
			return run.steps[i].event, true
		}
	}
	return replay.None, false
}

// Waits reports whether blocks waited for other streams.
func (run *Run) Waits() bool {
	return slices.ContainsFunc(run.steps, func(s step) bool { return s.kind == stepRequest })
}

// LowerBound is what an allocator without any waste would have needed, in bytes:
// the peak of active memory, each request rounded up to 512 bytes, those that
// failed included.
func (run *Run) LowerBound() int64 {
	d := run.r.Device
	change := make([]int64, d.States())
	for i := range d.Allocations {
		a := &d.Allocations[i]
		size := new(allocator.Settings).RoundSize(a.Size)
		change[a.Start+1] += size
		if a.End != replay.None {
			change[a.End+1] -= size
		}
	}
	var now, peak int64
	failed := run.failedBytes()
	for state, n := range change {
		now += n
		peak = max(peak, now+failed[replay.EventIndex(state)])
	}
	return peak
}

// failedBytes are what the requests that failed asked for, by their oom events.
func (run *Run) failedBytes() map[replay.EventIndex]int64 {
	list := map[replay.EventIndex]int64{}
	for i := range run.steps {
		if s := &run.steps[i]; s.kind == stepFail {
			list[s.event] = max(run.r.Device.Events.Size[s.event], 0)
		}
	}
	return list
}

// poolsOf are the private pools of allocations, as far as the file tells.
func poolsOf(r *analysis.Recording) []snapshot.PoolID {
	if len(r.Snapshot.Pools) < 2 {
		return nil
	}
	pools := r.Pools()
	list := make([]snapshot.PoolID, len(r.Device.Allocations))
	for i := range list {
		if id := pools.ID(&r.Device.Allocations[i]); id != layout.UnknownPool {
			list[i] = id
		}
	}
	return list
}

// request is what the program asks for in a step.
type request struct {
	bytes  int64
	stream allocator.Stream
	pool   snapshot.Pool
}

func (run *Run) request(s step) request {
	e := run.r.Device.Events
	if s.kind == stepFail { // its size is rounded already, which must not happen twice
		x := request{bytes: e.Size[s.event] - run.settings.Build.Padding, stream: run.stream(e.Stream[s.event])}
		if e.Pool != nil {
			x.pool = run.r.Snapshot.Pools[e.Pool[s.event]]
		}
		return x
	}
	return run.born(s.id)
}

// born is the request behind an allocation.
func (run *Run) born(id int32) request {
	a := &run.r.Device.Allocations[id]
	x := request{bytes: a.Size, stream: run.stream(a.Stream)}
	if run.pools != nil {
		x.pool = run.r.Snapshot.Pools[run.pools[id]]
	}
	return x
}

// stream is the handle of a stream.
func (run *Run) stream(id snapshot.StreamID) allocator.Stream {
	return allocator.Stream(run.r.Snapshot.Streams[id])
}
