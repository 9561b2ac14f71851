package oom_test

import (
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// chop makes tensors of a few sizes come and go in random order until one does
// not fit.
func chop(t *testing.T, g *testsnap.Program, _ *shrinkingDriver, rng *rand.Rand) {
	t.Helper()
	sizes := make([]int64, 6)
	for i := range sizes {
		sizes[i] = 1<<20 + rng.Int64N([]int64{8 << 20, 60 << 20, 500 << 20}[i/2])
	}
	for g.Stats().OOMs == 0 {
		if rng.IntN(100) < 45 && len(g.Live) > 0 {
			g.Drop(rng.IntN(len(g.Live)))
		} else {
			g.Ask(sizes[rng.IntN(len(sizes))], 0)
		}
	}
}

// settle frees large buffers and puts small tensors where they were, until a
// large request does not fit.
func settle(t *testing.T, g *testsnap.Program, _ *shrinkingDriver, rng *rand.Rand) {
	t.Helper()
	for range 12 {
		g.Ask(gib+rng.Int64N(200<<20), 0)
	}
	for range 12 {
		g.Drop(0)
		g.Ask(2<<20+rng.Int64N(20<<20), 0)
	}
	g.Ask(4*gib+rng.Int64N(4*gib), 0)
	for g.Stats().OOMs == 0 {
		g.Ask(gib, 0)
	}
}

// TestWouldFit runs programs that failed again, with the settings that
// arithmetic says would have helped, and counts how often it is right.
func TestWouldFit(t *testing.T) {
	stories := []oomStory{{name: "chop", run: chop}, {name: "settle", run: settle}, oomStories[0], oomStories[1]}
	type answers struct{ right, wrong, missed int }
	var expandable, maxSplit answers
	for _, story := range stories {
		for seed := range uint64(100) {
			r, script := story.record(t, "", seed)
			o := &r.OOMs(0)[0]
			pages := testsnap.NewProgram("expandable_segments:True", newDevice(deviceMemory, 0)).Again(script)
			switch {
			case o.WouldFit.Never && pages:
				t.Errorf("%s, seed %d: could be avoided: %+v", story.name, seed, o)
			case o.WouldFit.WithExpandable && pages:
				expandable.right++
			case o.WouldFit.WithExpandable:
				expandable.wrong++
			case pages:
				expandable.missed++
			}
			if o.InPieces() && o.WouldFit.MaxSplit > 0 {
				g := testsnap.NewProgram("", newDevice(deviceMemory, 0))
				g.Configure(allocator.Settings{MaxSplitSize: o.WouldFit.MaxSplit})
				if g.Again(script) {
					maxSplit.right++
				} else {
					maxSplit.wrong++
				}
			}
		}
	}
	t.Logf("expandable %+v, max split %+v", expandable, maxSplit)
	if x := expandable; x.right < 100 || 100*x.wrong > 5*x.right || x.missed > x.right {
		t.Errorf("expandable segments: %+v", x)
	}
	if x := maxSplit; x.right < 10 || x.wrong > 0 {
		t.Errorf("max_split_size: %+v", x)
	}
}
