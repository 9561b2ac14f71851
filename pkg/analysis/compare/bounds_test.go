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

// TestNumbersOfRanks: numbers in names that are alike otherwise are ranks if they
// differ, and begin at 0 or leave none out; one file may have any.
func TestNumbersOfRanks(t *testing.T) {
	read := func(path []string) string { return path[0][1:] }
	none := func(n int) []string { return make([]string, n) }
	for _, test := range []struct{ paths, want []string }{
		{[]string{"a8"}, []string{"8"}}, {[]string{"a8", "a8"}, none(2)}, {[]string{"a8", "b9"}, none(2)},
		{[]string{"a8", "a9"}, []string{"8", "9"}}, {[]string{"a8", "a10"}, none(2)},
		{[]string{"a0", "a10"}, []string{"0", "10"}}, {[]string{"a128", "a256", "a512"}, none(3)},
		{[]string{"a0 pp4", "a1 pp4"}, []string{"0 pp4", "1 pp4"}},
		{[]string{"a0 pp4", "a1 pp6"}, none(2)},
		{[]string{"a0 pp0", "a3 pp2"}, []string{"0 pp0", "3 pp2"}},
	} {
		var paths [][]string
		for _, p := range test.paths {
			paths = append(paths, []string{p})
		}
		if got := eachFamily(paths, read); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.paths, got)
		}
	}
}
