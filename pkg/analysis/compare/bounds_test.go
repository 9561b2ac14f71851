package compare

import (
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestOutsideBounds: a rank differs if it is further from the median than the limit.
func TestOutsideBounds(t *testing.T) {
	s := RankSpread{Median: 100, Limit: 10}
	for bytes, want := range map[int64][2]bool{
		89: {true, false}, 90: {false, false}, 100: {false, false}, 110: {false, false}, 111: {true, true},
	} {
		if got := [2]bool{s.Outside(bytes), s.Above(bytes)}; got != want {
			t.Errorf("%d bytes: outside %t, above %t", bytes, got[0], got[1])
		}
	}
}

// TestDifferentProgramsBounds: half has to match.
func TestDifferentProgramsBounds(t *testing.T) {
	for matched, want := range map[int64]bool{49: true, 50: false, 51: false} {
		if got := (&Difference{MatchedBytes: matched, StackBytes: 100}).DifferentPrograms(); got != want {
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
		if got := totalsOf(Input{Device: d, State: state}); got.Bytes != want.bytes || got.LiveAllocations != want.live {
			t.Errorf("state %d: %d bytes in %d allocations, want %+v", state, got.Bytes, got.LiveAllocations, want)
		}
	}
}

// TestSharedLabel: what all of several files have is no rank; one file may have any.
func TestSharedLabel(t *testing.T) {
	read := func(path []string) string { return path[0] }
	for _, test := range []struct{ paths, want []string }{
		{[]string{"8"}, []string{"8"}}, {[]string{"8", "8"}, []string{"", ""}}, {[]string{"8", "9"}, []string{"8", "9"}},
	} {
		var paths [][]string
		for _, p := range test.paths {
			paths = append(paths, []string{p})
		}
		if got := eachPath(paths, read); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.paths, got)
		}
	}
}
