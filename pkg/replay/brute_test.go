package replay_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// interval is an allocation as brute force finds it.
type interval struct {
	addr       uint64
	size       int64
	start, end replay.EventIndex
	requested  replay.EventIndex
}

// bruteForce applies the rules of replay to each event by itself, looking
// forwards and backwards along its address. It shares no code with the replay.
func bruteForce(e *snapshot.Events, final map[uint64]int64) []interval {
	n := replay.EventIndex(e.Len())
	var out []interval
	openAtEnd := map[uint64]bool{}
	follow := func(at interval, from replay.EventIndex) {
		for j := from; j < n; j++ {
			if e.Addr[j] != at.addr {
				continue
			}
			switch e.Action[j] {
			case snapshot.Alloc:
				at.end = cmp.Or(at.requested+1, j+1) - 1 // the request if there was one, else here
				out = append(out, at)
				return
			case snapshot.FreeRequested:
				if at.requested == replay.None {
					at.requested = j
				}
			case snapshot.Free, snapshot.FreeCompleted:
				if e.Action[j] == snapshot.Free && at.requested == replay.None {
					at.requested = j
				}
				at.end = j
				out = append(out, at)
				return
			}
		}
		if _, live := final[at.addr]; live || at.requested == replay.None {
			openAtEnd[at.addr] = true
		} else {
			at.end = at.requested
		}
		out = append(out, at)
	}
	for i := range n {
		at := interval{addr: e.Addr[i], size: possible(e.Size[i]), start: replay.None, end: replay.None,
			requested: replay.None}
		switch e.Action[i] {
		case snapshot.Alloc:
			at.start = i
			follow(at, i+1)
		case snapshot.FreeRequested, snapshot.FreeCompleted, snapshot.Free:
			if !openBefore(e, i) {
				follow(at, i)
			}
		}
	}
	for addr, size := range final {
		if !openAtEnd[addr] {
			out = append(out, interval{addr, size, replay.None, replay.None, replay.None})
		}
	}
	return out
}

// openBefore reports whether an allocation is open at the address of event i just before it.
func openBefore(e *snapshot.Events, i replay.EventIndex) bool {
	for j := i - 1; j >= 0; j-- {
		if e.Addr[j] != e.Addr[i] {
			continue
		}
		switch e.Action[j] {
		case snapshot.Alloc, snapshot.FreeRequested:
			return true
		case snapshot.FreeCompleted, snapshot.Free:
			return false
		}
	}
	return false
}

func compare(a, b interval) int {
	return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end),
		cmp.Compare(a.requested, b.requested), cmp.Compare(a.size, b.size))
}

// random is a trace of a few addresses on which everything goes wrong now and
// then: events are missing, addresses overlap, frees repeat.
func random(r *rand.Rand) (*snapshot.Snapshot, map[uint64]int64) {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	actions := []snapshot.Action{snapshot.Alloc, snapshot.Alloc, snapshot.Alloc, snapshot.FreeRequested,
		snapshot.FreeRequested,
		snapshot.FreeCompleted, snapshot.FreeCompleted, snapshot.Free, snapshot.SegmentAlloc, snapshot.SegmentFree,
		snapshot.OOM, snapshot.SnapshotTaken}
	stack := c.Stack(snapshot.FrameText{File: "a.py", Line: 1, Name: "f"})
	for range r.IntN(60) {
		c.Event(0, snapshot.EventText{Action: actions[r.IntN(len(actions))], Addr: 512 * uint64(1+r.IntN(6)),
			Size: int64(1 + r.IntN(100)), Stack: stack})
	}
	c.Trace(0)
	final := map[uint64]int64{}
	var blocks []snapshot.Block
	for addr := range uint64(6) {
		state := snapshot.BlockState(r.IntN(3))
		size := int64(1 + r.IntN(100))
		blocks = append(blocks, snapshot.Block{Address: 512 * (addr + 1), Size: 512, RequestedSize: size, State: state})
		if state.Live() {
			final[512*(addr+1)] = size
		}
	}
	c.Segment(snapshot.Segment{Address: 512, TotalSize: 6 * 512}, blocks...)
	return c.Snapshot(), final
}

func TestAgainstBruteForce(t *testing.T) {
	for seed := range uint64(3000) {
		s, final := random(rand.New(rand.NewPCG(seed, 1)))
		if requireBruteForce(t, s, final); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzAgainstBruteForce compares the two on any stream of events, with sizes
// that no allocator has.
func FuzzAgainstBruteForce(f *testing.F) {
	f.Add([]byte{0, 1, 5, 1, 1, 5, 2, 1, 5}, []byte{1, 5})
	f.Add([]byte{2, 9, 1, 0, 9, 1, 0, 9, 2, 3, 9, 9, 4, 1, 200, 5, 1, 250}, []byte{9, 2, 65, 7})
	f.Add([]byte{0, 1, 255, 6, 1, 254, 7, 2, 253, 1, 1, 255, 0, 1, 252}, []byte{1, 255})
	f.Fuzz(func(t *testing.T, events, blocks []byte) {
		s, final := fuzzed(events[:min(len(events), 600)], blocks[:min(len(blocks), 64)])
		requireBruteForce(t, s, final)
	})
}

// oddSizes stand in for the sizes of the highest bytes.
var oddSizes = map[byte]int64{255: -1, 254: math.MinInt64, 253: math.MaxInt64, 252: 1 << 42, 251: 1<<42 + 1, 250: 0}

func fuzzedSize(b byte) int64 {
	if size, odd := oddSizes[b]; odd {
		return size
	}
	return int64(b)
}

// fuzzed makes three bytes an event and two bytes a final block.
func fuzzed(events, blocks []byte) (*snapshot.Snapshot, map[uint64]int64) {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	c.Trace(0)
	for ; len(events) >= 3; events = events[3:] {
		c.Event(0, snapshot.EventText{Action: snapshot.Action(events[0] % 16), Addr: uint64(events[1]%8) * 512,
			Size: fuzzedSize(events[2])})
	}
	final := map[uint64]int64{}
	seg := snapshot.Segment{TotalSize: 4096}
	var list []snapshot.Block
	for ; len(blocks) >= 2; blocks = blocks[2:] {
		b := snapshot.Block{Address: uint64(blocks[0]%8) * 512, Size: 512, RequestedSize: fuzzedSize(blocks[1]),
			State: snapshot.BlockState(blocks[0] >> 6 % 3)}
		if _, twice := final[b.Address]; twice {
			continue // an address has one block
		}
		list = append(list, b)
		if b.State.Live() {
			final[b.Address] = possible(b.RequestedSize)
		}
	}
	if len(list) > 0 {
		c.Segment(seg, list...)
	}
	return c.Snapshot(), final
}

// possible is a size as it may be counted.
func possible(size int64) int64 {
	if size < 0 || size > 1<<42 {
		return 0
	}
	return size
}

// requireBruteForce compares the replay of device 0 with brute force.
func requireBruteForce(t *testing.T, s *snapshot.Snapshot, final map[uint64]int64) {
	t.Helper()
	d := replay.Replay(s, 0)
	want := bruteForce(d.Events, final)
	var got []interval
	for i := range d.Allocations {
		a := &d.Allocations[i]
		got = append(got, interval{a.Addr, a.Size, a.Start, a.End, a.FreeRequested})
	}
	slices.SortFunc(got, compare)
	slices.SortFunc(want, compare)
	if !slices.Equal(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	checkStates(t, d, s)
}

// checkStates sums every state by itself.
func checkStates(t *testing.T, d *replay.Device, s *snapshot.Snapshot) {
	t.Helper()
	active, reserved := d.ActiveBytes(), d.ReservedBytes()
	if len(active) != d.Events.Len()+1 || len(reserved) != len(active) {
		t.Fatalf("%d and %d states for %d events", len(active), len(reserved), d.Events.Len())
	}
	peak, peakState := int64(-1), 0
	wantReserved := int64(0)
	for i := range s.Segments {
		wantReserved += s.Segments[i].TotalSize
	}
	for k := len(active) - 1; k >= 0; k-- {
		var sum int64
		var live []int32
		for i := range d.Allocations {
			a := &d.Allocations[i]
			if started, ended := int(a.Start) < k, a.End != replay.None && int(a.End) < k; started && !ended {
				sum += a.Size
				live = append(live, int32(i))
			}
		}
		if active[k] != sum || !slices.Equal(d.Live(nil, k), live) {
			t.Errorf("state %d: %d bytes active, brute force has %d", k, active[k], sum)
		}
		if sum >= peak {
			peak, peakState = sum, k
		}
		if reserved[k] != wantReserved {
			t.Errorf("state %d: %d bytes reserved, brute force has %d", k, reserved[k], wantReserved)
		}
		if k > 0 {
			switch d.Events.Action[k-1] {
			case snapshot.SegmentAlloc, snapshot.SegmentMap:
				wantReserved -= possible(d.Events.Size[k-1])
			case snapshot.SegmentFree, snapshot.SegmentUnmap:
				wantReserved += possible(d.Events.Size[k-1])
			}
		}
	}
	if d.Totals.PeakBytes != peak || d.Totals.PeakState != peakState {
		t.Errorf("peak %d in state %d, brute force has %d in %d", d.Totals.PeakBytes, d.Totals.PeakState, peak,
			peakState)
	}
	if d.Totals.BaselineBytes != active[0] || d.Totals.FinalBytes != active[len(active)-1] {
		t.Errorf("totals %+v", d.Totals)
	}
}
