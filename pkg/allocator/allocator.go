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
