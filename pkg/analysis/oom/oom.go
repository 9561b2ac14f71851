package oom

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// MaxFailures bounds the failures that [FindOOMs] looks into: the last ones, since
// a program that survives hundreds was trying out how much it may use.
const MaxFailures = 100

// Failure is one request that failed, and the allocator when it did. Bytes of blocks
// are rounded ones.
type Failure struct {
	Event    replay.EventIndex // its oom event; of several attempts the last
	Attempts int               // oom events in a row of one request, without an allocation between them

	Requested  int64 // rounded
	Stream     snapshot.StreamID
	Pool       snapshot.PoolID // the default pool where events do not say it
	SizeClass  snapshot.SizeClass
	Stack      snapshot.StackID
	Needed     int64 // bytes of a new segment for it: what PyTorch's message names
	DeviceFree int64 // free on the device after the cache was emptied

	Reserved int64
	Active   int64 // in live blocks, pending ones included
	Pending  int64

	// Pools are what was cached where, those that may serve the request first,
	// then by free bytes.
	Pools        []PoolFree
	FreeSame     int64 // free where the request may be served
	LargestSame  int64 // largest free piece there
	FreeOther    int64 // free for its size class on other streams or in other pools
	LargestOther int64

	// Capacity of the device in bytes as far as it is known: what the user gave,
	// else what other moments of the recording prove; never a guess.
	Capacity      int64
	CapacityGiven bool

	Verdict Verdict
	// LastPieces qualifies [OOMPressure]: the free bytes would have added up to
	// this request, but hardly anything else was left.
	LastPieces    bool
	WouldFit      WouldFit
	Fragmentation layout.Fragmentation // smaller pieces than the request count

	After Aftermath
}

// Visible is what PyTorch could use of the device: reserved, and free on it.
func (o *Failure) Visible() int64 { return o.Reserved + o.DeviceFree }

// Outside is what is used outside of PyTorch's allocator, as far as Capacity is known.
func (o *Failure) Outside() int64 { return max(o.Capacity-o.Visible(), 0) }

// InPieces reports whether the free bytes, on the device too, add up to the
// request with more to spare than the last pieces.
func (o *Failure) InPieces() bool {
	return o.FreeSame+o.DeviceFree >= o.Requested && 100*o.Active < inUsePercent*o.Visible()
}

// State is the state of the allocator at the failure: its caches are emptied, and
// nothing has unwound yet.
func (o *Failure) State() int { return int(o.Event) }

// PoolFree is the cached memory of one stream and size class of a pool.
type PoolFree struct {
	Stream    snapshot.StreamID
	Pool      snapshot.PoolID
	SizeClass snapshot.SizeClass
	Serves    bool // the failed request

	Segments int
	Reserved int64
	Active   int64
	Free     int64
	Largest  int64 // largest free piece
}

// Find looks into the requests that failed, in the order of events, the last
// [MaxOOMs] of them. Capacity is that of the device in bytes; 0 if it is not known.
func Find(d *replay.Device, layouts *layout.History, capacity int64) []Failure {
	list := failedRequests(d.Events)
	list = list[max(len(list)-MaxFailures, 0):]
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
		o.decide()
		o.WouldFit = o.wouldFit(l, layouts.Settings)
	}
	findAftermath(d, list)
	return list
}

// failedRequests are the oom events, several of one request as one. It is the
// same request as long as its size and stream are and nothing was allocated.
func failedRequests(e *snapshot.Events) []Failure {
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
			SizeClass: layout.SizeClassOf(size), Needed: allocator.SegmentSize(size), DeviceFree: deviceFree(e, i),
		}
		if e.Pool != nil {
			o.Pool = e.Pool[i]
		}
		if list = append(list, o); len(list) >= 2*MaxFailures {
			list = slices.Delete(list, 0, MaxFailures)
		}
	}
	return list
}

// deviceFree is what an oom event says was free: it has that for an address.
func deviceFree(e *snapshot.Events, i int) int64 {
	if free := e.Addr[i]; free <= replay.MaxSize {
		return int64(free)
	}
	return 0
}

// describe takes from the layout at the failure what the allocator held, and where.
func (o *Failure) describe(l *layout.Map) {
	o.Reserved, o.Active, o.Pending = l.ReservedBytes, l.ActiveBytes, l.PendingBytes
	o.Fragmentation = layout.FragmentationOf(l, max(o.Requested, 1))
	type served struct {
		stream snapshot.StreamID
		pool   snapshot.PoolID
		class  snapshot.SizeClass
	}
	at := map[served]int{}
	for i := range l.Segments {
		seg := &l.Segments[i]
		kind := served{seg.Stream, seg.Pool, seg.SizeClass}
		n, known := at[kind]
		if !known {
			n = len(o.Pools)
			at[kind] = n
			o.Pools = append(o.Pools, PoolFree{
				Stream: kind.stream, Pool: kind.pool, SizeClass: kind.class,
				Serves: kind == served{o.Stream, o.Pool, o.SizeClass},
			})
		}
		o.Pools[n].add(l, seg)
	}
	for i := range o.Pools {
		switch p := &o.Pools[i]; {
		case p.Serves:
			o.FreeSame += p.Free
			o.LargestSame = max(o.LargestSame, p.Largest)
		case p.SizeClass == o.SizeClass:
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
	Allocs, Frees int   // alloc events, and frees, up to the end
	ActiveThen    int64 // requested bytes, at the failure
	ActiveAtEnd   int64 // requested bytes, in the last state

	// Unwound: the file was written after the error had let go of much, so its
	// end is no picture of the failure.
	Unwound bool
	// WentOn: the program allocated again, so it survived the failure.
	WentOn bool
}

// findAftermath fills After of failures in the order of events.
func findAftermath(d *replay.Device, list []Failure) {
	allocs, frees, i := 0, 0, d.Events.Len()
	for n := len(list) - 1; n >= 0; n-- {
		for ; i > list[n].State(); i-- {
			switch d.Events.Action[i-1] {
			case snapshot.Alloc:
				allocs++
			case snapshot.Free, snapshot.FreeCompleted:
				frees++
			}
		}
		after := Aftermath{
			Allocs: allocs, Frees: frees,
			ActiveThen: d.ActiveBytes()[list[n].State()], ActiveAtEnd: d.Totals.FinalBytes,
		}
		// Cleaning up after an error allocates little; going on frees about as
		// often as it allocates.
		after.Unwound = frees > 0 && 10*allocs <= frees && after.ActiveAtEnd < after.ActiveThen/10*9
		after.WentOn = allocs > 0 && !after.Unwound
		list[n].After = after
	}
}
