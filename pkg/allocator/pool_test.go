package allocator

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBlockSet compares a blockSet with a sorted slice through growth over
// many chunks and back to nothing.
func TestBlockSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var set blockSet
	var want []key
	compare := func(a, b key) int {
		switch {
		case a.less(b):
			return -1
		case b.less(a):
			return 1
		}
		return 0
	}
	largest := 0
	for step := range 20_000 {
		grow := step < 8000 && random.IntN(4) > 0 || step >= 8000 && random.IntN(4) == 0
		k := key{Stream(random.IntN(3)), 512 * random.Int64N(40), 512 * random.Uint64N(1000)}
		i, found := slices.BinarySearchFunc(want, k, compare)
		switch {
		case grow && !found:
			set.insert(k, &block{stream: k.stream, size: k.size, addr: k.addr})
			want = slices.Insert(want, i, k)
		case !grow && len(want) > 0:
			i = min(i, len(want)-1)
			set.remove(want[i])
			want = slices.Delete(want, i, i+1)
		}
		largest = max(largest, len(set.chunks))
		if step%50 != 0 {
			continue
		}
		checkOrder(t, &set, freeKey)
		i, _ = slices.BinarySearchFunc(want, k, compare)
		var got []key
		for b := range set.from(k) {
			got = append(got, freeKey(b))
		}
		if !slices.Equal(got, want[i:]) {
			t.Fatalf("step %d: %d blocks from %+v, want %d", step, len(got), k, len(want)-i)
		}
	}
	if largest < 10 || set.len > 100 {
		t.Errorf("%d chunks at most and %d blocks at the end: not the growth and decline this test is about", largest,
			set.len)
	}
}
