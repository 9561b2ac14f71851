package replay_test

import (
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// crowded is a trace in so little memory that allocations often overlap, or lie where no
// segment is.
func crowded(r *rand.Rand) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	c.Trace(0)
	actions := []snapshot.Action{alloc, alloc, alloc, requested, completed, completed, snapshot.Free}
	if r.IntN(3) > 0 {
		actions = append(actions, snapshot.SegmentAlloc, snapshot.SegmentFree, snapshot.SegmentMap,
			snapshot.SegmentUnmap)
	}
	for range r.IntN(40) {
		e := snapshot.EventText{Action: actions[r.IntN(len(actions))], Addr: uint64(r.IntN(space)),
			Size: int64(r.IntN(1 + r.IntN(12)))}
		if r.IntN(60) == 0 {
			e.Size = 1 << 43
		}
		c.Event(0, e)
	}
	for from := uint64(0); from < space && r.IntN(5) > 0; {
		seg := snapshot.Segment{Address: from, TotalSize: 1 + int64(r.IntN(30))}
		from += uint64(seg.TotalSize) + uint64(r.IntN(2)*r.IntN(5))
		block := snapshot.Block{Address: seg.Address, Size: seg.TotalSize, RequestedSize: int64(r.IntN(6)),
			State: snapshot.BlockState(r.IntN(3))}
		c.Segment(seg, block)
	}
	return c.Snapshot()
}

// space is how many addresses a crowded trace uses.
const space = 60

// placed counts, with every pair of allocations and a flag for each address, those
// outside every segment and those that reach into another one. hidden are those of
// which only an allocation further below says so than the next one that is live.
func placed(s *snapshot.Snapshot, d *replay.Device) (outside, overlapping, hidden int) {
	var held [2 * space]bool
	change := func(from uint64, size int64, taken bool) {
		for at := from; size > 0 && size <= replay.MaxSize && at < from+uint64(size); at++ {
			held[at] = taken
		}
	}
	for _, seg := range s.Segments {
		change(seg.Address, seg.TotalSize, true)
	}
	known, e := len(s.Segments) > 0, d.Events
	for i := e.Len() - 1; i >= 0; i-- {
		if sign := e.Action[i].ReservedSign(); sign != 0 {
			known = true
			// An impossible size counts as zero bytes, wherever it is.
			change(e.Addr[i], e.Size[i], sign < 0)
		}
	}
	look := func(i int) {
		a := &d.Allocations[i]
		to := a.Addr + uint64(a.Size)
		for at := a.Addr; known && at < max(to, a.Addr+1); at++ {
			if !held[at] {
				outside++
				break
			}
		}
		reached, below, nearest := false, false, -1
		for j := range d.Allocations {
			b := &d.Allocations[j]
			if live := j < i && (b.End == replay.None || b.End > a.Start); !live || b.PreExisting() && b.Version > 0 {
				continue
			}
			reached = reached || b.Addr > a.Addr && b.Addr < to
			if b.Addr < a.Addr {
				below = below || b.Addr+uint64(b.Size) > a.Addr
				if nearest < 0 || d.Allocations[nearest].Addr < b.Addr {
					nearest = j
				}
			}
		}
		switch {
		case reached, nearest >= 0 && d.Allocations[nearest].Addr+uint64(d.Allocations[nearest].Size) > a.Addr:
			overlapping++
		case below:
			hidden++
		}
	}
	next := 0
	for ; next < d.PreExisting; next++ {
		if d.Allocations[next].Version == 0 {
			look(next)
		}
	}
	for i, action := range e.Action {
		if action == alloc {
			look(next)
			next++
		} else if sign := action.ReservedSign(); sign != 0 {
			change(e.Addr[i], e.Size[i], sign > 0)
		}
	}
	return outside, overlapping, hidden
}

// TestSpace compares what lies outside segments, and what overlaps, with brute force.
func TestSpace(t *testing.T) {
	seen := [3]int{}
	for seed := range uint64(5000) {
		s := crowded(rand.New(rand.NewPCG(seed, 7)))
		d := replay.Replay(s, 0)
		outside, overlapping, hidden := placed(s, d)
		if got := d.Anomalies[replay.OutsideSegments]; got != outside {
			t.Fatalf("seed %d: %d allocations outside every segment, brute force has %d", seed, got, outside)
		}
		if got := d.Anomalies[replay.OverlappingRanges]; got != overlapping || got == 0 && hidden > 0 {
			t.Fatalf("seed %d: %d allocations overlap, brute force has %d and %d", seed, got, overlapping, hidden)
		}
		for i, n := range []int{outside, overlapping, hidden} {
			seen[i] += min(n, 1)
		}
	}
	if seen[0] < 500 || seen[1] < 500 || seen[2] < 50 {
		t.Errorf("of 5000 traces, only %v have what is compared", seen)
	}
}
