package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestHeld compares what sites hold at each boundary with a look at every
// allocation, for random histories cut at random.
func TestHeld(t *testing.T) {
	for seed := range uint64(30) {
		s, d := randomTape(seed, 300).replay()
		rng := rand.New(rand.NewPCG(seed, 2))
		steps := &Steps{Method: StepsByOptimizer}
		for b := 1 + rng.IntN(20); b <= 300; b += 1 + rng.IntN(40) {
			steps.Boundaries = append(steps.Boundaries, replay.EventIndex(b))
		}
		l := &Leaks{device: d, steps: steps}
		sites := map[snapshot.StackID][]life{}
		for stack, lives := range livesAcrossSteps(d, steps).all() {
			sites[stack] = lives
		}
		for stack := range snapshot.StackID(s.Stacks.Len()) {
			want := bruteHeld(d, steps, stack)
			if got := heldAt(sites[stack], len(want)); !slices.Equal(got, want) {
				t.Errorf("seed %d, stack %d: lives hold %v, want %v", seed, stack, got, want)
			}
			one := &Leak{Sites: []LeakSite{{Stack: stack}}}
			if got := l.Held(one); !slices.Equal(got, want) {
				t.Errorf("seed %d, stack %d: held %v, want %v", seed, stack, got, want)
			}
		}
	}
}

func bruteHeld(d *replay.Device, steps *Steps, stack snapshot.StackID) []int64 {
	held := make([]int64, len(steps.Boundaries))
	for i := range d.Allocations {
		a := &d.Allocations[i]
		for j, b := range steps.Boundaries {
			if a.Stack == stack && !a.PreExisting() && a.LiveIn(int(b)) {
				held[j] += a.Size
			}
		}
	}
	return held
}
