// Package oom explains why a request for memory failed, and what would have helped.
//
// It is based on the out-of-memory events of a recording, which have the size of the
// request and the free memory of the device, and on the memory map of the allocator at
// that moment (package layout). Arithmetic on these distinguishes five verdicts: see
// [Verdict]. [CapacityOf] returns what is known about the device.
//
// What it cannot see: the device's total memory and what other processes used, unless the
// user gives the capacity; limits that were set by a call such as
// set_per_process_memory_fraction; and the requests that the program would have made
// next.
package oom

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// maxFailures bounds the failures that [Find] explains, the last ones. A program that
// survives hundreds was probing how much it may use.
const maxFailures = 100

// Failure is a request that failed, and the allocator at that moment. Bytes of
// blocks are rounded up, as the allocator does.
type Failure struct {
	Event    replay.EventIndex // its oom event; of several attempts the last
	Attempts int               // oom events of the same request, without an allocation between them

	Requested int64 // rounded
	Stream    snapshot.StreamID
	pool      snapshot.PoolID // the default pool if events do not record it
	sizeClass snapshot.SizeClass
	Stack     snapshot.StackID
	// Before are the requests with the same stack that were served before it, and
	// LargestBefore the bytes of the largest, rounded. Both are 0 without stacks.
	Before        int
	LargestBefore int64
	Needed        int64 // bytes of a new segment for it, the number in PyTorch's error message
	DeviceFree    int64 // free on the device after the cache was emptied

	Reserved int64
	Active   int64 // in live blocks, pending ones included
	InUse    int64 // requested bytes of live blocks: Active without rounding
	Pending  int64

	// Pools are the pools with their cached memory: first the one that may serve the
	// request, then the others by free bytes.
	Pools        []PoolFree
	FreeSame     int64 // free where the request may be served
	LargestSame  int64 // largest free piece of it
	FreeOther    int64 // free for its size class on other streams or in other pools
	LargestOther int64

	// Capacity of the device in bytes, as far as known: the user's figure, else what the
	// rest of the recording proves. It is never a guess.
	Capacity      int64
	CapacityGiven bool

	Refusal Refusal
	Verdict Verdict
	// LastPieces qualifies [Pressure]: the free bytes would have added up to this
	// request, but hardly anything else was free.
	LastPieces    bool
	WouldFit      WouldFit
	Fragmentation layout.Fragmentation // smaller pieces than the request count

	After Aftermath
}

// Visible returns what PyTorch could use of the device: reserved memory and free memory
// of the device.
func (o *Failure) Visible() int64 { return o.Reserved + o.DeviceFree }

// Outside returns the bytes used outside of PyTorch's allocator; 0 if Capacity does not
// show it.
func (o *Failure) Outside() int64 { return max(o.Capacity-o.Visible(), 0) }

// InPieces reports whether the free bytes, including the device's, add up to the request
// although memory was not full.
func (o *Failure) InPieces() bool {
	return o.FreeSame+o.DeviceFree >= o.Requested && 100*o.Active < inUsePercent*o.Visible()
}

// Pool returns the pool that the request asked for: the default one if events do not
// record it.
func (o *Failure) Pool() snapshot.PoolID { return o.pool }

// State returns the state of the allocator at the failure: its cache is emptied, and the
// error has not freed anything yet.
func (o *Failure) State() int { return int(o.Event) }

// PoolFree is the cached memory of one stream and size class of a pool.
type PoolFree struct {
	Stream    snapshot.StreamID
	Pool      snapshot.PoolID
	SizeClass snapshot.SizeClass
	Serves    bool // it may serve the failed request

	Segments int
	Reserved int64
	Active   int64
	Free     int64
	Largest  int64 // largest free piece
}

// Find explains the failed requests, in the order of events, only the last of very many.
// capacity is the device's, in bytes, 0 if unknown.
func Find(d *replay.Device, layouts *layout.History, capacity int64) []Failure {
	list := failedRequests(d.Events, layouts.Settings)
	list = list[max(len(list)-maxFailures, 0):]
	if len(list) == 0 {
		return list
	}
	states := make([]int, len(list))
	for i := range list {
		states[i] = list[i].State()
	}
	known := CapacityOf(d, capacity)
	i := len(list)
	for l := range layouts.All(states...) {
		i--
		o := &list[i]
		o.CapacityGiven = known.Given > 0
		o.Capacity = max(known.Given, known.AtLeast)
		o.describe(l)
		o.Refusal = o.refusal(layouts.Settings)
		o.decide()
		o.WouldFit = o.wouldFit(l, layouts.Settings)
	}
	findEarlier(d.Events, list, layouts.Settings)
	findAftermath(d, list)
	return list
}

// Larger reports whether the request is at least 5 % larger than all earlier requests of
// the same code.
func (o *Failure) Larger() bool {
	return o.Before >= minBefore && o.Requested-o.LargestBefore >= o.LargestBefore/20
}

// minBefore is the number of requests needed to know what a call site usually asks for.
const minBefore = 2

// findEarlier compares failures, in the order of events, with earlier requests of the
// same code.
func findEarlier(e *snapshot.Events, list []Failure, settings *layout.Settings) {
	type requests struct {
		n       int
		largest int64
	}
	of := map[snapshot.StackID]*requests{}
	for i := range list {
		if list[i].Stack != 0 {
			of[list[i].Stack] = &requests{}
		}
	}
	next := 0
	for i, action := range e.Action {
		if next == len(list) {
			break
		}
		if known := of[e.Stack[i]]; known != nil && action == snapshot.Alloc {
			known.n++
			known.largest = max(known.largest, settings.RoundSize(min(max(e.Size[i], 0), replay.MaxSize)))
		}
		if i == list[next].State() {
			if known := of[list[next].Stack]; known != nil {
				list[next].Before, list[next].LargestBefore = known.n, known.largest
			}
			next++
		}
	}
}

// failedRequests returns the requests of the oom events; events of the same size and
// stream without an allocation between them are one request.
func failedRequests(e *snapshot.Events, settings *layout.Settings) []Failure {
	var list []Failure
	same := false
	for i, action := range e.Action {
		if action == snapshot.Alloc {
			same = false
		}
		if action != snapshot.OOM {
			continue
		}
		size := min(max(e.Size[i], 0), replay.MaxSize)
		if n := len(list); same && list[n-1].Requested == size && list[n-1].Stream == e.Stream[i] {
			list[n-1].Event = replay.EventIndex(i)
			list[n-1].DeviceFree = deviceFree(e, i)
			list[n-1].Attempts++
			continue
		}
		same = true
		o := Failure{
			Event: replay.EventIndex(i), Attempts: 1, Requested: size, Stream: e.Stream[i], Stack: e.Stack[i],
			sizeClass: layout.SizeClassOf(size), Needed: settings.SegmentSize(size), DeviceFree: deviceFree(e, i),
		}
		if e.Pool != nil {
			o.pool = e.Pool[i]
		}
		if list = append(list, o); len(list) >= 2*maxFailures {
			list = slices.Delete(list, 0, maxFailures)
		}
	}
	return list
}

// deviceFree returns the free memory of the device from an oom event, which has it in
// place of an address.
func deviceFree(e *snapshot.Events, i int) int64 {
	if free := e.Addr[i]; free <= replay.MaxSize {
		return int64(free)
	}
	return 0
}

// pool identifies the memory that may serve a request: blocks do not move between pools.
type pool struct {
	stream snapshot.StreamID
	pool   snapshot.PoolID
	class  snapshot.SizeClass
}

// describe takes from the memory map at the failure what the allocator held, and
// where.
func (o *Failure) describe(l *layout.Map) {
	o.Reserved, o.Active, o.Pending = l.ReservedBytes, l.ActiveBytes, l.PendingBytes
	o.Fragmentation = layout.FragmentationOf(l, max(o.Requested, 1))
	at := map[pool]int{}
	for i := range l.Segments {
		seg := &l.Segments[i]
		kind := pool{seg.Stream, seg.Pool, seg.SizeClass}
		n, known := at[kind]
		if !known {
			n = len(o.Pools)
			at[kind] = n
			o.Pools = append(o.Pools, PoolFree{
				Stream: kind.stream, Pool: kind.pool, SizeClass: kind.class,
				Serves: kind == pool{o.Stream, o.pool, o.sizeClass},
			})
		}
		o.Pools[n].add(l, seg)
	}
	for i := range o.Pools {
		switch p := &o.Pools[i]; {
		case p.Serves:
			o.FreeSame += p.Free
			o.LargestSame = max(o.LargestSame, p.Largest)
		case p.SizeClass == o.sizeClass:
			o.FreeOther += p.Free
			o.LargestOther = max(o.LargestOther, p.Largest)
		}
	}
	slices.SortStableFunc(o.Pools, func(x, y PoolFree) int {
		switch {
		case x.Serves:
			return -1
		case y.Serves:
			return 1
		}
		return cmp.Compare(y.Free, x.Free)
	})
}

func (p *PoolFree) add(l *layout.Map, seg *layout.Segment) {
	p.Segments++
	p.Reserved += seg.Size
	p.Active += seg.ActiveBytes
	p.Free += seg.FreeBytes()
	for _, x := range l.ExtentsOf(seg) {
		if x.Allocation == layout.NoAllocation {
			p.Largest = max(p.Largest, x.Size)
		}
	}
}

// Aftermath is what the recording shows after a failure.
type Aftermath struct {
	// Unwound means that the file was written after the error had freed much memory, so
	// its end does not show the failure.
	Unwound bool
	// WentOn means that the program survived the failure and allocated again.
	WentOn bool
}

// findAftermath fills After of failures in the order of events.
func findAftermath(d *replay.Device, list []Failure) {
	active, allocs, frees, i := d.ActiveBytes(), 0, 0, d.Events.Len()
	for n := len(list) - 1; n >= 0; n-- {
		for ; i > list[n].State(); i-- {
			switch d.Events.Action[i-1] {
			case snapshot.Alloc:
				allocs++
			case snapshot.Free, snapshot.FreeCompleted:
				frees++
			}
		}
		list[n].InUse = active[list[n].State()]
		// Cleaning up after an error allocates little; going on frees about as
		// often as it allocates.
		unwound := frees > 0 && 10*allocs <= frees && d.Totals.FinalBytes < list[n].InUse/10*9
		list[n].After = Aftermath{Unwound: unwound, WentOn: allocs > 0 && !unwound}
	}
}
