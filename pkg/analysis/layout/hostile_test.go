package layout_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// TestLayoutsOfNonsense lays random events and segments out. Whatever they
// say, extents tile segments, segments do not overlap, and sums are sums.
func TestLayoutsOfNonsense(t *testing.T) {
	counted := layout.Anomalies{}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 4))
		c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
		c.Trace(0)
		addr := func() uint64 {
			switch rng.IntN(20) {
			case 0:
				return math.MaxUint64 - uint64(rng.IntN(4096))
			case 1:
				return rng.Uint64()
			}
			return 1<<30 + 512*uint64(rng.IntN(64))
		}
		size := func() int64 {
			switch rng.IntN(20) {
			case 0:
				return -rng.Int64N(math.MaxInt64)
			case 1:
				return rng.Int64()
			}
			return 512 * int64(rng.IntN(32))
		}
		for range rng.IntN(200) {
			c.Event(0, snapshot.EventText{
				Action: snapshot.Action(rng.IntN(int(snapshot.NoAction) + 1)), Addr: addr(), Size: size(),
				Stream: uint64(rng.IntN(3)),
			})
		}
		for range rng.IntN(6) {
			var blocks []snapshot.Block
			for range rng.IntN(6) {
				blocks = append(blocks,
					snapshot.Block{Address: addr(), Size: size(), RequestedSize: size(),
						State: snapshot.BlockState(rng.IntN(3))})
			}
			c.Segment(snapshot.Segment{Address: addr(), TotalSize: size(), Expandable: rng.IntN(2) == 0,
				SizeClass: snapshot.SizeClass(rng.IntN(3))}, blocks...)
		}
		r := recorded.Snapshot(c.Snapshot())
		states := []int{-5, r.Device.Events.Len() + 5}
		for range 10 {
			states = append(states, rng.IntN(r.Device.States()))
		}
		for l := range r.Layouts().All(states...) {
			holdTogether(t, l)
			layout.FragmentationOf(l, 1)
			a := &l.Anomalies
			counted.OverlappingRanges += a.OverlappingRanges
			counted.MissingRanges += a.MissingRanges
			counted.ImpossibleRanges += a.ImpossibleRanges
			counted.OverlappingBlocks += a.OverlappingBlocks
			counted.BlocksOutside += a.BlocksOutside
		}
		r.OOMs(1 << 34)
		r.Fragmentation()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if a := &counted; a.OverlappingRanges == 0 || a.MissingRanges == 0 || a.ImpossibleRanges == 0 ||
		a.OverlappingBlocks == 0 || a.BlocksOutside == 0 {
		t.Errorf("the nonsense was not bad enough: %+v", counted)
	}
}

// TestLayoutAnomalies counts the contradictions of one recording.
func TestLayoutAnomalies(t *testing.T) {
	tape := testsnap.NewTape()
	at := func(action snapshot.Action, addr uint64, size int64) {
		tape.Emit(action, testsnap.Tensor{Addr: addr, Size: size}, "")
	}
	at(snapshot.SegmentAlloc, 1<<30, 2*mib) // two segments that are gone at the end, though nothing freed them
	at(snapshot.SegmentAlloc, 2<<30, 2*mib)
	at(snapshot.SegmentAlloc, 3<<30, 0)
	at(snapshot.Alloc, 4096, 1536) // ends in the next block
	at(snapshot.Alloc, 4608, 1024)
	at(snapshot.Alloc, 5632, 1024) // ends beyond its segment
	at(snapshot.Alloc, 9000, 300)  // in no segment
	at(snapshot.Alloc, 10000, 400)
	tape.Segment(snapshot.Segment{Address: 4096, TotalSize: 2048})
	r := recorded.Tape(tape)
	for state, want := range map[int]layout.Anomalies{
		8: {OverlappingBlocks: 2, BlocksOutside: 2, BytesOutside: 700},
		0: {MissingRanges: 2, ImpossibleRanges: 1},
	} {
		l := r.Layouts().At(state)
		if l.Anomalies != want {
			t.Errorf("state %d: %+v, want %+v", state, l.Anomalies, want)
		}
		if seg := &l.Segments[0]; seg.FreeBytes() != 2048-seg.ActiveBytes || l.FreeBytes() != seg.FreeBytes() {
			t.Errorf("state %d: %d bytes free of 2048, %d live", state, seg.FreeBytes(), seg.ActiveBytes)
		}
	}
}

func holdTogether(t *testing.T, l *layout.Map) {
	t.Helper()
	var reserved, active, requested int64
	var end uint64
	next := int32(0)
	for i := range l.Segments {
		s := &l.Segments[i]
		if s.Address < end || s.Size <= 0 || s.FirstExtent != next {
			t.Errorf("state %d: segment %d is %+v, after one that ends at %#x", l.State, i, s, end)
		}
		end = s.Address
		live := int64(0)
		for _, x := range l.ExtentsOf(s) {
			if x.Address != end || x.Size <= 0 {
				t.Errorf("state %d: %+v after %#x", l.State, x, end)
			}
			if (x.Allocation == layout.NoAllocation) == x.State.Live() {
				t.Errorf("state %d: %+v", l.State, x)
			} else if x.State.Live() {
				live += x.Size
			}
			end += uint64(x.Size)
		}
		if end != s.Address+uint64(s.Size) || live != s.ActiveBytes {
			t.Errorf("state %d: extents of %+v end at %#x with %d bytes live", l.State, s, end, live)
		}
		next += s.ExtentCount
		reserved += s.Size
		active += s.ActiveBytes
		requested += s.RequestedBytes
	}
	if reserved != l.ReservedBytes || active != l.ActiveBytes || requested != l.RequestedBytes ||
		int(next) != len(l.Extents) {
		t.Errorf("state %d: sums %d, %d, %d are not %+v", l.State, reserved, active, requested, *l)
	}
}
