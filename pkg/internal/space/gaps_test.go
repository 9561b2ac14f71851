package space

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGapList compares random changes with a sorted slice.
func TestGapList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var l list
	var want []uint64
	most := 0
	for step := range 20_000 {
		key := keyOf(random.Uint32N(40), random.Uint32N(1000))
		at, has := slices.BinarySearch(want, key)
		c := l.find(key)
		if g, is := l.at(c); is != (at < len(want)) || is && g.key != want[at] {
			t.Fatalf("step %d: found %x, want position %d of %d", step, g.key, at, len(want))
		}
		n := random.Uint32N(300)
		to, _ := l.skip(c, n)
		if g, is := l.at(to); is != (at+int(n) < len(want)) || is && g.key != want[at+int(n)] {
			t.Fatalf("step %d: skipping %d finds %x", step, n, g.key)
		}
		switch {
		case has && (step/2000%2 == 1 || random.IntN(4) == 0):
			l.remove(key)
			want = slices.Delete(want, at, at+1)
		case !has && step/2000%2 == 0:
			l.add(entry{key, int32(step)})
			want = slices.Insert(want, at, key)
		case len(want) > 0 && step/2000%2 == 1:
			at := random.IntN(len(want))
			l.remove(want[at])
			want = slices.Delete(want, at, at+1)
		}
		most = max(most, len(l.chunks))
	}
	if most < 20 {
		t.Errorf("at most %d chunks", most)
	}
}
