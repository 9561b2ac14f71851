package analysis

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// MaxOOMs bounds the failures that [FindOOMs] looks into: the last ones, since
// a program that survives hundreds was trying out how much it may use.
const MaxOOMs = 100

// OOM is one request that failed, and the allocator when it did. Bytes of blocks
// are rounded ones.
type OOM struct {
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

	Verdict OOMVerdict
	// LastPieces qualifies [OOMPressure]: the free bytes would have added up to
	// this request, but hardly anything else was left.
	LastPieces    bool
	WouldFit      WouldFit
	Fragmentation Fragmentation // smaller pieces than the request count

	After Aftermath
}

// Visible is what PyTorch could use of the device: reserved, and free on it.
func (o *OOM) Visible() int64 { return o.Reserved + o.DeviceFree }

// Outside is what is used outside of PyTorch's allocator, as far as Capacity is known.
func (o *OOM) Outside() int64 { return max(o.Capacity-o.Visible(), 0) }

// InPieces reports whether the free bytes, on the device too, add up to the
// request with more to spare than the last pieces.
func (o *OOM) InPieces() bool {
	return o.FreeSame+o.DeviceFree >= o.Requested && 100*o.Active < inUsePercent*o.Visible()
}

// State is the state of the allocator at the failure: its caches are emptied, and
// nothing has unwound yet.
func (o *OOM) State() int { return int(o.Event) }

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

// FindOOMs looks into the requests that failed, in the order of events, the last
// [MaxOOMs] of them. Capacity is that of the device in bytes; 0 if it is not known.
func FindOOMs(d *replay.Device, layouts *LayoutHistory, capacity int64) []OOM {
	list := failedRequests(d.Events)
	list = list[max(len(list)-MaxOOMs, 0):]
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
		o.look(l)
		o.judge()
		o.WouldFit = o.wouldFit(l, layouts.Settings)
	}
	findAftermath(d, list)
	return list
}

// failedRequests are the oom events, several of one request as one. It is the
// same request as long as its size and stream are and nothing was allocated.
func failedRequests(e *snapshot.Events) []OOM {
	var list []OOM
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
		o := OOM{
			Event: replay.EventIndex(i), Attempts: 1, Requested: size, Stream: e.Stream[i], Stack: e.Stack[i],
			SizeClass: sizeClassOf(size), Needed: allocator.SegmentSize(size), DeviceFree: deviceFree(e, i),
		}
		if e.Pool != nil {
			o.Pool = e.Pool[i]
		}
		if list = append(list, o); len(list) >= 2*MaxOOMs {
			list = slices.Delete(list, 0, MaxOOMs)
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
