// Package whatif serves the requests of a recording again, with the allocator
// model of package allocator, to predict what other settings would have done.
//
// A [Run] is a recording prepared for that: the allocator's state before the first event,
// rebuilt from the final segments (start.go), and the requests in order (ops.go). Its
// [Proof] shows whether serving them under the recorded settings gives every recorded
// address and every recorded driver call. Predictions are made only if it does:
// [Run.Study] serves the requests under other settings on a simulated device (serve.go,
// device.go).
//
// A recording does not hold everything that this needs. Missing are:
//
//   - The device's memory: taken from the requests that failed (limit.go), or from
//     Question.Capacity; otherwise there is no limit.
//   - When other streams finish with a block: at the same place among the requests
//     as in the recording.
//   - Calls of empty_cache: wherever segments were released, unless the releases
//     belong to a request that the driver had refused (oom.Retries).
//   - In what order pre-existing allocations were made: they are allocated again in
//     address order, and memory cached at that time is left out. The recorded
//     settings are predicted in the same way, as the reference.
//   - What the program does after a request fails: it continues without that block.
package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Run is the recording of one device, prepared to be served again. It is safe for
// concurrent use.
type Run struct {
	r         *analysis.Recording
	settings  *layout.Settings
	ops       []Op
	start     start
	pools     []snapshot.PoolID // by allocation; nil if all are in the default pool
	typical   int64             // bytes; free blocks smaller than this count as fragmentation
	addresses addresses

	// Limit is the memory available to PyTorch, as far as refused requests show it.
	Limit Limit
	// Requests counts the recorded requests, Failed those among them that failed.
	Requests, Failed int
	// Retries counts requests that released cached memory and asked the driver again,
	// as far as the recording shows; EmptyCaches counts calls of
	// torch.cuda.empty_cache that released something.
	Retries, EmptyCaches int

	// Proof is how far the model reproduces the recording under its own settings.
	// Unless it holds there are no predictions.
	Proof     Proof
	abandoned []abandonment
}

// New prepares a recording and serves it once under its own settings, to obtain the
// Proof.
func New(r *analysis.Recording) *Run {
	settings := r.Settings()
	retries := r.Retries()
	run := &Run{
		r: r, settings: settings, ops: opsOf(r.Device, retries.Owners), start: startOf(r, settings), pools: poolsOf(r),
		typical: layout.TypicalRequest(r.Device.Events), Limit: limitOf(r.Device, settings, retries),
		Retries: len(retries.List),
	}
	for i := range run.ops {
		switch run.ops[i].Kind {
		case Allocate:
			run.Requests++
		case AllocateFailed:
			run.Requests++
			run.Failed++
		case EmptyCache:
			run.EmptyCaches++
		}
	}
	run.prove()
	run.addresses = run.findAddresses()
	return run
}

// Recording returns the recording that the run was made from.
func (run *Run) Recording() *analysis.Recording { return run.r }

// Settings returns the recorded settings.
func (run *Run) Settings() *layout.Settings { return run.settings }

// ReservedPeak returns the recorded peak of reserved memory, in bytes.
func (run *Run) ReservedPeak() int64 { return run.r.Device.Totals.ReservedPeakBytes }

// PreExisting returns the number of pre-existing allocations, the bytes they requested,
// and the bytes that were cached at the start.
func (run *Run) PreExisting() (allocations int, live, cached int64) {
	return len(run.start.live), run.start.liveBytes, run.start.cached
}

// FirstFailure returns the first oom event of the recording; failed is false if there is
// none.
func (run *Run) FirstFailure() (event replay.EventIndex, failed bool) {
	for i := range run.ops {
		if run.ops[i].Kind == AllocateFailed {
			return run.ops[i].Event, true
		}
	}
	return replay.None, false
}

// Waits reports whether any freed block was pending: another stream still used it.
func (run *Run) Waits() bool {
	return slices.ContainsFunc(run.ops, func(o Op) bool { return o.Kind == RequestFree })
}

// LowerBound returns the bytes that an allocator without any waste would have needed: the
// peak of active memory, each request rounded up to 512 bytes, failed ones included.
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

// failedBytes returns the bytes that failed requests asked for, by oom event.
func (run *Run) failedBytes() map[replay.EventIndex]int64 {
	list := map[replay.EventIndex]int64{}
	for i := range run.ops {
		if o := &run.ops[i]; o.Kind == AllocateFailed {
			list[o.Event] = max(run.r.Device.Events.Size[o.Event], 0)
		}
	}
	return list
}

// poolsOf returns the pool of each allocation, the default pool if unknown; nil if the
// snapshot has no private pools.
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

// request returns the request that made an allocation.
func (run *Run) request(allocation int32) Request {
	a := &run.r.Device.Allocations[allocation]
	x := Request{Bytes: a.Size, Stream: run.stream(a.Stream), Of: allocation}
	if run.pools != nil {
		x.Pool = run.r.Snapshot.Pools[run.pools[allocation]]
	}
	return x
}

// failedRequest returns the request of an oom event.
func (run *Run) failedRequest(event replay.EventIndex) Request {
	e := run.r.Device.Events
	// The event has the rounded size, so take the padding off again.
	x := Request{Bytes: e.Size[event] - run.settings.Build.Padding, Stream: run.stream(e.Stream[event]), Of: NoRequest}
	if e.Pool != nil {
		x.Pool = run.r.Snapshot.Pools[e.Pool[event]]
	}
	return x
}

// stream returns the handle of a stream.
func (run *Run) stream(id snapshot.StreamID) allocator.Stream {
	return allocator.Stream(run.r.Snapshot.Streams[id])
}

// requestOf returns the recorded request of an op.
func (run *Run) requestOf(o Op) Request {
	if o.Kind == AllocateFailed {
		return run.failedRequest(o.Event)
	}
	return run.request(o.Request)
}

// countPools counts the pools of GPUs in a file, the default one included.
func countPools(s *snapshot.Snapshot) int {
	if len(s.SegmentsOf(snapshot.Pinned)) == 0 {
		return len(s.Pools)
	}
	used := map[snapshot.PoolID]bool{0: true}
	for i := range s.Segments {
		if s.Segments[i].Device != snapshot.Pinned {
			used[s.Segments[i].Pool] = true
		}
	}
	for i := range s.Traces {
		for _, pool := range s.Traces[i].Events.Pool { // host memory always has the default one
			used[pool] = true
		}
	}
	return len(used)
}
