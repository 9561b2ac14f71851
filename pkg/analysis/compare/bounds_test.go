package compare

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestDifferentProgramsBounds: half has to match.
func TestDifferentProgramsBounds(t *testing.T) {
	for matched, want := range map[int64]bool{49: true, 50: false, 51: false} {
		if got := (&Comparison{MatchedBytes: matched, StackBytes: 100}).DifferentPrograms(); got != want {
			t.Errorf("%d of 100 match: %t", matched, got)
		}
	}
}

// TestLiveAllocations counts what is live in the state that is compared.
func TestLiveAllocations(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	c.Trace(0)
	for i, size := range []int64{100, 20, 3} {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i+1) * 512, Size: size})
	}
	c.Event(0, snapshot.EventText{Action: snapshot.Free, Addr: 512, Size: 100})
	d := replay.Replay(c.Snapshot(), 0)
	for state, want := range []struct {
		bytes int64
		live  int
	}{{0, 0}, {100, 1}, {120, 2}, {123, 3}, {23, 2}} {
		if got := totalsOf(&Side{Device: d}, state); got.Bytes != want.bytes || got.LiveAllocations != want.live {
			t.Errorf("state %d: %d bytes in %d allocations, want %+v", state, got.Bytes, got.LiveAllocations, want)
		}
	}
}
