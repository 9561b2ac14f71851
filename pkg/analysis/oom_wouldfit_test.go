package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
)

// chop is a program that ends in a failure: tensors come and go in random order
// on a small device, most of them of a few sizes, until one does not fit.
func chop(t *testing.T, g *gpu, rng *rand.Rand) {
	t.Helper()
	sizes := make([]int64, 6)
	for i := range sizes {
		sizes[i] = 1<<20 + rng.Int64N([]int64{8 << 20, 60 << 20, 500 << 20}[i/2])
	}
	for g.Stats().OOMs == 0 {
		if rng.IntN(100) < 45 && len(g.live) > 0 {
			g.drop(t, rng.IntN(len(g.live)))
		} else {
			g.alloc(sizes[rng.IntN(len(sizes))], 0)
		}
	}
}

func TestMeasure(t *testing.T) {
	type k struct {
		name string
		v    OOMVerdict
		says bool
		ok   bool
	}
	got := map[k]int{}
	ms := map[k]int{}
	run := func(name string, seed uint64, f func(g *gpu, d *shrinkingDriver, rng *rand.Rand)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		d := newDevice(deviceMemory, 0)
		g := newGPU(t, "", d)
		f(g, d, rng)
		script := g.script
		o := FindOOMs(g.stop(), 0)[0]
		g2 := newGPU(t, "expandable_segments:True", newDevice(deviceMemory, 0))
		got[k{name, o.Verdict, o.WouldFit.WithExpandable, g2.again(t, script)}]++
		if o.WouldFit.MaxSplit > 0 && o.Verdict == OOMFragmented {
			g3 := newGPU(t, "", newDevice(deviceMemory, 0))
			g3.Configure(allocator.Settings{MaxSplitSize: o.WouldFit.MaxSplit})
			ms[k{name, o.Verdict, true, g3.again(t, script)}]++
		}
		if o.WouldFit.Never {
			if g2 := newGPU(t, "expandable_segments:True", newDevice(deviceMemory, 0)); g2.again(t, script) {
				t.Error("never")
			}
		}
	}
	for seed := range uint64(100) {
		run("chop", seed, func(g *gpu, d *shrinkingDriver, rng *rand.Rand) { chop(t, g, rng) })
		run("second", seed, func(g *gpu, d *shrinkingDriver, rng *rand.Rand) { oomStories[1].run(t, g, d, rng) })
		run("big second", seed, func(g *gpu, d *shrinkingDriver, rng *rand.Rand) {
			g.everySecond(t, 40<<20+rng.Int64N(100<<20), 0, d, 400<<20)
			g.alloc(g.inactive()/10*(3+rng.Int64N(5))+1, 0)
		})
		run("weights in cache", seed, func(g *gpu, d *shrinkingDriver, rng *rand.Rand) {
			// large buffers are freed, small long-lived ones chop them up
			var n int
			for n = 0; n < 12; n++ {
				g.alloc(gib+rng.Int64N(200<<20), 0)
			}
			for range 12 {
				g.drop(t, 0)
				g.alloc(2<<20+rng.Int64N(20<<20), 0)
			}
			g.alloc(4*gib+rng.Int64N(4*gib), 0)
			for g.Stats().OOMs == 0 {
				g.alloc(gib, 0)
			}
		})
	}
	for k, n := range got {
		t.Log(k, n)
	}
	t.Log("maxsplit")
	for k, n := range ms {
		t.Log(k, n)
	}
}
