// Package allocator is a model of PyTorch's native CUDA caching allocator
// (c10/cuda/CUDACachingAllocator.cpp, behaviour of torch 2.0 to 2.11). Fed a
// stream of requests it returns the addresses that PyTorch would return,
// emits the events that PyTorch would record, and can list its segments and
// blocks as a snapshot would.
//
// An [Allocator] serves one device. What it cannot decide itself, such as
// where cudaMalloc puts a range and when the memory is exhausted, it asks a
// [Driver]; [SimulatedDriver] is one with a fixed capacity. It knows nothing of
// call stacks and clocks: whoever drives it adds those in [Allocator.Emit].
//
// # How a request is served
//
// The request is rounded (rounding.go) and the rounded size picks the small or
// the large pool of the default pool or of a private one (privatepool.go).
// The best fitting free block of the stream serves it (alloc.go), and what
// is left over becomes a free block again. If none fits, the allocator asks the
// driver for a segment (alloc.go) or maps more pages of an expandable one
// (expandable.go). If the driver refuses, cached memory is given back and the
// driver is asked again (release.go); if that fails too, the request is out of memory.
//
// A freed block joins its free neighbours (free.go), unless other streams
// still use it (also free.go).
//
// Nothing depends on the order of a map or on time: the same calls give the
// same addresses and events.
package allocator

import "github.com/memviz-go/memviz/pkg/snapshot"

// Stream is a raw CUDA stream handle; 0 is the default stream.
type Stream uint64

// Event is an entry of the trace that PyTorch would record. Its size in bytes is
// the requested one for Alloc, FreeRequested and FreeCompleted, the rounded one
// for OOM, the active memory for SnapshotTaken, and that of the range for the rest.
type Event struct {
	Action     snapshot.Action
	Addr       uint64 // 0 for OOM and SnapshotTaken
	Size       int64
	Stream     Stream
	DeviceFree int64 // bytes the device still has; OOM only
}

// Allocator is the caching allocator of one device. It is not safe for concurrent use.
type Allocator struct {
	// Emit, if set, gets every event in the order PyTorch records them, before the
	// call that caused it returns. It must not call the allocator.
	Emit func(Event)

	settings Settings
	driver   Driver
	allowed  int64 // most bytes to reserve; meaningful if limited
	limited  bool  // SetMemoryFraction was called

	shared   *sizePools     // the default pool
	private  []*privatePool // in the order they were begun
	captures []capture      // under way, in the order they were begun

	blocks   map[uint64]*block // live blocks by address
	queues   []eventQueue      // outstanding events, by stream
	deferred []*block          // pending blocks whose events wait for the end of all captures
	held     []*block          // pending blocks that wait for CompleteFree, oldest first
	stats    Stats
	spare    *block // list of blocks to use again
}

// New is an allocator that holds no memory yet.
func New(settings Settings, driver Driver) *Allocator {
	return &Allocator{
		settings: settings,
		driver:   driver,
		shared:   newSizePools(snapshot.Pool{}),
		blocks:   map[uint64]*block{},
	}
}

// Configure changes the settings from the next call on. What is held stays as
// it is: segments of the other kind are not converted.
func (a *Allocator) Configure(settings Settings) { a.settings = settings }

// SetMemoryFraction limits what is reserved to a fraction, from 0 to 1, of the
// device's total memory (torch.cuda.set_per_process_memory_fraction).
func (a *Allocator) SetMemoryFraction(fraction float64) {
	_, total := a.driver.Memory()
	a.allowed = int64(fraction * float64(total))
	a.limited = true
}

// EmptyCache waits for all streams, then gives every segment that is wholly free,
// and every wholly free page of an expandable one, back to the driver
// (torch.cuda.empty_cache). While memory goes to a private pool it does nothing.
func (a *Allocator) EmptyCache() {
	if len(a.captures) == 0 {
		a.releaseCached()
	}
}

func (a *Allocator) emit(action snapshot.Action, addr uint64, size int64, stream Stream) {
	if a.Emit != nil {
		a.Emit(Event{Action: action, Addr: addr, Size: size, Stream: stream})
	}
}

// Stat is a number of bytes now and at its highest.
type Stat struct{ Current, Peak int64 }

func (s *Stat) add(n int64) {
	s.Current += n
	s.Peak = max(s.Peak, s.Current)
}

// Stats are the counters of an allocator since it was made (torch.cuda.memory_stats).
type Stats struct {
	Requested Stat // bytes asked for, of active blocks
	Allocated Stat // bytes of allocated blocks
	Active    Stat // bytes of allocated blocks and of those that other streams still use
	Reserved  Stat // bytes held from the driver; the peak counts what a failed request held for a moment, too

	Retries int64 // requests that gave all cached memory back and asked the driver again
	OOMs    int64 // requests that failed
}

// Stats are the counters so far.
func (a *Allocator) Stats() Stats { return a.stats }

// Reserved is the memory held from the driver, in bytes.
func (a *Allocator) Reserved() int64 { return a.stats.Reserved.Current }

// reserve counts n bytes got from the driver, or given back if negative.
func (a *Allocator) reserve(p *pool, n int64) {
	p.reserved += n
	a.stats.Reserved.add(n)
}
