package allocator

import (
	"errors"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// FuzzAllocator runs a program made from the input and checks the invariants after
// every operation, that the events agree with the state, and that the same program gives the
// same events again.
func FuzzAllocator(f *testing.F) {
	for settings := range byte(len(fuzzSettings)) {
		f.Add([]byte{settings, 3, 0, 9, 0, 1, 12, 1, 2, 14, 0, 10, 0, 1, 12, 2, 0, 2, 5, 0, 14, 0, 4, 8, 1, 13, 0, 0,
			14, 0, 0})
		f.Add([]byte{settings, 0, 0, 19, 0, 1, 20, 0, 2, 18, 0, 8, 1, 0, 9, 0, 0, 3, 20, 0, 4, 19, 0, 5, 16, 4,
			14, 0, 0})
		f.Add([]byte{settings, 1, 15, 0, 0, 0, 9, 0, 1, 9, 1, 15, 1, 0, 10, 0, 0, 15, 2, 0, 14, 0, 0, 0, 9, 0, 15, 3, 0,
			2, 17, 0})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first := runFuzzProgram(t, data)
		if again := runFuzzProgram(t, data); !slices.Equal(first, again) {
			t.Fatal("the same program gave other events")
		}
	})
}

var fuzzSettings = []Settings{
	{},
	{Expandable: true},
	{MaxSplitSize: 32 * mib},
	{MaxSplitSize: 21 * mib, MaxNonSplitRounding: 40 * mib},
	{GCThreshold: 0.5},
	{RoundUpPower2Divisions: [powerOfTwoIntervals]int64{2, 4, 4, 8, 8}},
	{Expandable: true, MaxSplitSize: 32 * mib, GCThreshold: 0.3},
}

// fuzzSizes are requests around every limit there is.
var fuzzSizes = []int64{
	1, 512, 513, 10000, 100_000, mib / 2, mib - 512, mib, mib + 1,
	2 * mib, 5 * mib, 9*mib + 1, minLargeAlloc - 512, minLargeAlloc, minLargeAlloc + 1,
	19 * mib, largeBuffer, 21 * mib, 40 * mib, 63 * mib, 150 * mib,
}

const maxFuzzOps = 300

// fuzzer runs a program and keeps its own record of what should be live.
type fuzzer struct {
	*Allocator
	t      *testing.T
	live   []uint64         // addresses to free, oldest first
	sizes  map[uint64]int64 // requested bytes by address, until free_completed
	held   int64            // bytes, by the segment events
	events []Event
	fixed  bool // expandable segments were never turned on or off
}

func runFuzzProgram(t *testing.T, data []byte) []Event {
	if len(data) < 2 {
		return nil
	}
	capacity := int64(data[1]%8+1) * 50 * mib
	settings := fuzzSettings[int(data[0])%len(fuzzSettings)]
	f := &fuzzer{
		Allocator: New(settings, newStrictDriver(t, capacity)),
		t:         t,
		sizes:     map[uint64]int64{},
		fixed:     true,
	}
	f.Emit = f.record
	if settings.GCThreshold > 0 || data[1] >= 128 {
		f.SetMemoryFraction(0.9)
	}
	for op := range slices.Chunk(data[2:min(len(data), 2+3*maxFuzzOps)], 3) {
		if len(op) < 3 {
			break
		}
		f.do(op[0]%16, op[1], op[2])
		checkInvariants(t, f.Allocator)
		f.checkFragments()
		if f.held != f.Reserved() || len(f.sizes) != len(f.blocks) {
			t.Fatalf("events leave %d bytes reserved and %d blocks live, the state says %d and %d", f.held,
				len(f.sizes), f.Reserved(), len(f.blocks))
		}
	}
	f.finish()
	return f.events
}

func (f *fuzzer) do(op, x, y byte) {
	switch {
	case op < 8:
		f.alloc(fuzzSizes[int(x)%len(fuzzSizes)]+512*int64(y>>2), Stream(y%3))
	case op < 12 && len(f.live) > 0:
		i := int(x) % len(f.live)
		if err := f.Free(f.live[i]); err != nil {
			f.t.Fatal(err)
		}
		if err := f.Free(f.live[i]); !errors.Is(err, errNotAllocated) {
			f.t.Fatalf("freed twice: %v", err)
		}
		f.live = slices.Delete(f.live, i, i+1)
	case op == 12 && len(f.live) > 0:
		if err := f.RecordStream(f.live[int(x)%len(f.live)], Stream(y%4)); err != nil {
			f.t.Fatal(err)
		}
	case op == 13:
		f.Synchronize()
	case op == 14:
		f.EmptyCache()
	case op == 15:
		f.configure(x, y)
	}
}

// alloc checks the block that a request got against what it may be.
func (f *fuzzer) alloc(requested int64, stream Stream) {
	addr, err := f.Alloc(requested, stream)
	last := f.events[len(f.events)-1]
	if oom := (*OutOfMemoryError)(nil); errors.As(err, &oom) {
		if last.Action != snapshot.OOM || last.DeviceFree != oom.DeviceFree {
			f.t.Fatalf("%v, but the last event is %+v", err, last)
		}
		return
	}
	if err != nil || last.Action != snapshot.Alloc || last.Addr != addr {
		f.t.Fatalf("got %#x, %v, but the last event is %+v", addr, err, last)
	}
	f.live = append(f.live, addr)
	b, rounded := f.blocks[addr], f.settings.RoundSize(requested)
	if rest := b.size - rounded; rest < 0 || rest > f.largestRest(b, rounded) {
		f.t.Fatalf("block of %d bytes for a request of %d", b.size, rounded)
	}
	if b.stream != stream || (b.pool.class == snapshot.SizeClassSmall) != (rounded <= smallSize) {
		f.t.Fatalf("block of stream %d, class %d for %d bytes on stream %d", b.stream, b.pool.class, rounded, stream)
	}
}

// largestRest is what a block may be larger than its rounded request.
func (f *fuzzer) largestRest(b *block, rounded int64) int64 {
	switch {
	case b.pool.class == snapshot.SizeClassSmall || f.settings.Expandable:
		return 0
	case rounded >= f.settings.splitLimit():
		return f.settings.NonSplitRounding() - 512
	}
	return smallSize
}

// configure opens, closes and releases private pools and toggles expandable segments.
// Errors are fine here: the input includes invalid calls, too.
func (f *fuzzer) configure(x, y byte) {
	id := snapshot.Pool{B: uint64(y%3) + 1}
	switch x % 6 {
	case 0, 1:
		_ = f.BeginPool(id, func(s Stream) bool { return s == Stream(x%2) })
	case 2, 3:
		_ = f.EndPool(id)
	case 4:
		_ = f.ReleasePool(id)
	case 5:
		s := f.settings
		s.Expandable = !s.Expandable
		f.Configure(s)
		f.fixed = false
	}
}

// record follows the events: no block may be handed out twice.
func (f *fuzzer) record(e Event) {
	f.events = append(f.events, e)
	f.held += e.Action.ReservedSign() * e.Size
	switch e.Action {
	case snapshot.Alloc:
		if _, ok := f.sizes[e.Addr]; ok {
			f.t.Fatalf("%#x is handed out although it is live", e.Addr)
		}
		f.sizes[e.Addr] = e.Size
	case snapshot.FreeRequested, snapshot.FreeCompleted:
		if size, ok := f.sizes[e.Addr]; !ok || size != e.Size {
			f.t.Fatalf("%+v, but %d bytes are live there", e, size)
		}
		if e.Action == snapshot.FreeCompleted {
			delete(f.sizes, e.Addr)
		}
	}
}

// checkFragments checks that large segments of cudaMalloc hold no free piece too small
// to have been split off.
func (f *fuzzer) checkFragments() {
	if !f.fixed || f.settings.Expandable {
		return
	}
	for b := range f.shared.large.free.all() {
		if b.size <= smallSize {
			f.t.Fatalf("free block of %d bytes in a large segment", b.size)
		}
	}
}

// finish frees everything, after which nothing may be left.
func (f *fuzzer) finish() {
	for _, c := range slices.Clone(f.captures) {
		_ = f.EndPool(c.pool.id)
	}
	for _, p := range f.private {
		p.users = 0
	}
	for _, addr := range f.live {
		_ = f.Free(addr)
	}
	f.checkWhole()
	f.EmptyCache()
	checkInvariants(f.t, f.Allocator)
	if f.Reserved() != 0 || len(f.Segments()) != 0 || len(f.blocks) != 0 {
		f.t.Fatalf("%d bytes are reserved with nothing live", f.Reserved())
	}
	n := len(f.events)
	if f.EmptyCache(); len(f.events) != n {
		f.t.Fatalf("the second EmptyCache did %+v", f.events[n:])
	}
}

// checkWhole checks that with nothing pending every segment is one free block.
func (f *fuzzer) checkWhole() {
	f.finishEvents()
	for _, s := range f.Segments() {
		if len(s.Blocks) != 1 {
			f.t.Fatalf("segment at %#x is in %d pieces with nothing live", s.Address, len(s.Blocks))
		}
	}
}
