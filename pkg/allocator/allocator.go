// Package allocator is a model of PyTorch's native CUDA caching allocator
// (c10/cuda/CUDACachingAllocator.cpp, behaviour of torch 2.0 to 2.11). Fed a
// stream of requests it returns the addresses that PyTorch would return,
// emits the events that PyTorch would record, and can list its segments and
// blocks as a snapshot would.
//
// An [Allocator] serves one device. A [Driver] decides where ranges lie and when memory
// is exhausted; [SimulatedDriver] is one with a fixed capacity. The model has no call
// stacks and no clock: the caller adds those in [Allocator.Emit].
//
// # How a request is served
//
// The request is rounded (rounding.go) and the rounded size picks the small or
// the large pool of the default pool or of a private one (privatepool.go).
// The best fitting free block of the stream serves it, and the rest of that block
// becomes a free block. If none fits, the allocator asks the driver for a segment
// (alloc.go) or maps more pages of an expandable one (expandable.go). If the driver
// refuses, cached memory is released and the driver is asked again (release.go); if
// that fails too, the request is out of memory.
//
// A freed block joins its free neighbours, at once or when the other streams that use
// it have finished (free.go).
//
// Nothing depends on the order of a map or on time: the same calls give the
// same addresses and events.
package allocator

import "github.com/memviz-go/memviz/pkg/snapshot"

// Stream is a raw CUDA stream handle; 0 is the default stream.
type Stream uint64

// Event is an entry of the trace that PyTorch would record. Its size in bytes is
// the requested one for Alloc, FreeRequested and FreeCompleted, the rounded one
// for OOM, the active memory for SnapshotTaken, and the size of the range for the rest.
type Event struct {
	Action     snapshot.Action
	Addr       uint64 // 0 for OOM and SnapshotTaken
	Size       int64
	Stream     Stream
	DeviceFree int64 // free bytes of the device; OOM only
}

// Allocator is the caching allocator of one device. It is not safe for concurrent use.
type Allocator struct {
	// Emit, if set, is called with every event, in the order in which PyTorch records
	// them, before the call that caused the event returns. It must not call the allocator.
	Emit func(Event)

	settings Settings
	driver   Driver
	allowed  int64 // bytes that may be reserved, if limited
	limited  bool  // SetMemoryFraction was called

	shared   *sizePools     // the default pool
	private  []*privatePool // in the order in which they were made
	captures []capture      // under way, in the order in which they began

	blocks   map[uint64]*block // live blocks by address
	queues   []eventQueue      // outstanding events, by stream
	deferred []*block          // pending blocks whose events wait for the end of all captures
	held     []*block          // pending blocks that wait for CompleteFree, oldest first
	stats    Stats
	spare    *block // unused blocks, linked by next
}

// New returns an allocator that holds no memory yet.
func New(settings Settings, driver Driver) *Allocator {
	return &Allocator{
		settings: settings,
		driver:   driver,
		shared:   newSizePools(snapshot.Pool{}),
		blocks:   map[uint64]*block{},
	}
}

// Configure changes the settings from the next call on. Existing segments stay as they
// are.
func (a *Allocator) Configure(settings Settings) { a.settings = settings }

// SetMemoryFraction limits reserved memory to a fraction, from 0 to 1, of the
// device's total memory (torch.cuda.set_per_process_memory_fraction).
func (a *Allocator) SetMemoryFraction(fraction float64) {
	_, total := a.driver.Memory()
	a.allowed = int64(fraction * float64(total))
	a.limited = true
}

// EmptyCache waits for all streams, then returns every free segment, and every free page
// of expandable ones, to the driver (torch.cuda.empty_cache). It does nothing while a
// private pool is open.
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

// Stat is a number of bytes, now and at its peak.
type Stat struct{ Current, Peak int64 }

func (s *Stat) add(n int64) {
	s.Current += n
	s.Peak = max(s.Peak, s.Current)
}

// Stats are the counters of an allocator since it was made (torch.cuda.memory_stats).
type Stats struct {
	Requested Stat // bytes asked for, of active blocks
	Allocated Stat // bytes of allocated blocks
	Active    Stat // bytes of allocated blocks and of freed ones that other streams still use
	Reserved  Stat // bytes held from the driver; the peak includes memory that a failed request held briefly

	Retries int64 // requests that released all cached memory and asked the driver again
	OOMs    int64 // requests that failed
}

// Stats returns the counters so far.
func (a *Allocator) Stats() Stats { return a.stats }

// Reserved returns the memory held from the driver, in bytes.
func (a *Allocator) Reserved() int64 { return a.stats.Reserved.Current }

// BlockSize returns the size in bytes of the live block at an address; 0 if there is
// none.
func (a *Allocator) BlockSize(addr uint64) int64 {
	if b := a.blocks[addr]; b != nil {
		return b.size
	}
	return 0
}

// RoundSize rounds by the current settings.
func (a *Allocator) RoundSize(requested int64) int64 { return a.settings.RoundSize(requested) }

// reserve counts n bytes obtained from the driver, or returned if negative.
func (a *Allocator) reserve(p *pool, n int64) {
	p.reserved += n
	a.stats.Reserved.add(n)
}
