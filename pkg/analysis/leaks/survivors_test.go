package leaks

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestHeld compares what sites hold at each boundary with a look at every
// allocation, for random histories cut at random.
func TestHeld(t *testing.T) {
	for seed := range uint64(30) {
		s, d := testsnap.RandomTape(seed, 300).Replay()
		rng := rand.New(rand.NewPCG(seed, 2))
		list := &steps.List{Method: steps.ByOptimizer}
		for b := 1 + rng.IntN(20); b <= 300; b += 1 + rng.IntN(40) {
			list.Boundaries = append(list.Boundaries, replay.EventIndex(b))
		}
		l := &Findings{device: d, steps: list}
		sites := map[snapshot.StackID][]survivor{}
		for stack, lives := range survivorsOf(d, list).all() {
			sites[stack] = lives
		}
		for stack := range snapshot.StackID(s.Stacks.Len()) {
			want := bruteHeld(d, list, stack)
			if got := bytesAt(sites[stack], len(want)); !slices.Equal(got, want) {
				t.Errorf("seed %d, stack %d: survivors hold %v, want %v", seed, stack, got, want)
			}
			one := &Leak{Sites: []Site{{Stack: stack}}}
			if got := l.BytesAtBoundaries(one); !slices.Equal(got, want) {
				t.Errorf("seed %d, stack %d: held %v, want %v", seed, stack, got, want)
			}
		}
	}
}

func bruteHeld(d *replay.Device, list *steps.List, stack snapshot.StackID) []int64 {
	held := make([]int64, len(list.Boundaries))
	for i := range d.Allocations {
		a := &d.Allocations[i]
		for j, b := range list.Boundaries {
			if a.Stack == stack && !a.PreExisting() && a.LiveIn(int(b)) {
				held[j] += a.Size
			}
		}
	}
	return held
}
