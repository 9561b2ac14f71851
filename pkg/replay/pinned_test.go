package replay_test

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestLateFreesAddUp: threads use host memory, and record many of their frees late, some long after
// other threads use that memory again. What reading makes of such a file adds up.
func TestLateFreesAddUp(t *testing.T) {
	type event struct {
		action   snapshot.Action
		addr     uint64
		recorded int // when, in events
	}
	late := 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 7))
		var events []event
		states := make([]snapshot.BlockState, 1+random.IntN(12))
		size := func(addr uint64) int64 { return 64 << (addr >> 20) }
		add := func(action snapshot.Action, addr uint64) {
			e := event{action, addr, len(events)}
			if isFree := action != snapshot.Alloc && action != snapshot.SegmentAlloc; isFree && random.IntN(20) == 0 {
				e.recorded += random.IntN([]int{6, 3000}[random.IntN(2)])
			}
			events = append(events, e)
		}
		for i := range states {
			add(snapshot.SegmentAlloc, uint64(i+1)<<20)
		}
		allocs := 0
		for range 5000 {
			i := random.IntN(len(states))
			switch addr := uint64(i+1) << 20; states[i] {
			case snapshot.Inactive:
				if random.IntN(10) == 0 {
					add(snapshot.SegmentFree, addr)
					add(snapshot.SegmentAlloc, addr)
				}
				allocs++
				add(snapshot.Alloc, addr)
				states[i] = snapshot.ActiveAllocated
			case snapshot.ActiveAllocated:
				add(snapshot.FreeRequested, addr)
				states[i] = snapshot.ActivePendingFree
			default:
				add(snapshot.FreeCompleted, addr)
				states[i] = snapshot.Inactive
			}
		}
		slices.SortStableFunc(events, func(x, y event) int { return cmp.Compare(x.recorded, y.recorded) })

		c := snapshot.NewComposer(snapshot.Format{HasHost: true})
		for _, e := range events {
			c.Event(snapshot.Pinned, snapshot.EventText{Action: e.action, Addr: e.addr, Size: size(e.addr)})
		}
		live, liveBytes := 0, int64(0)
		for i, state := range states {
			addr := uint64(i+1) << 20
			seg := snapshot.Segment{Device: snapshot.Pinned, Address: addr, TotalSize: size(addr)}
			if state.Live() {
				live, liveBytes = live+1, liveBytes+size(addr)
				seg.ActiveSize = size(addr)
			}
			if state == snapshot.ActiveAllocated {
				seg.AllocatedSize = size(addr)
			}
			c.Segment(seg, snapshot.Block{Address: addr, Size: size(addr), RequestedSize: size(addr), State: state})
		}
		var file bytes.Buffer
		if err := snapshot.Write(&file, c.Snapshot(), 4); err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.ReadPipe(&file, snapshot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		late += s.Trace(snapshot.Pinned).LateEvents
		d := replay.Replay(s, snapshot.Pinned)
		if !d.AddsUp() || d.Anomalies.Total() > 0 || len(d.Allocations) != allocs || d.Totals.LiveAtEnd != live ||
			d.Totals.FinalBytes != liveBytes {
			t.Fatalf("seed %d: it adds up: %t, with %d anomalies; %d allocations, want %d; %d live with %d bytes, "+
				"want %d with %d",
				seed, d.AddsUp(), d.Anomalies.Total(), len(d.Allocations), allocs, d.Totals.LiveAtEnd,
				d.Totals.FinalBytes,
				live, liveBytes)
		}
	}
	if late < 1000 {
		t.Errorf("%d events are late", late)
	}
}
