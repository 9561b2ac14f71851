package oom_test

import (
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// shrinkingDriver is a device of which others take a part while a program runs.
type shrinkingDriver struct {
	*allocator.SimulatedDriver
	outside int64 // used by others
}

func newDevice(capacity, outside int64) *shrinkingDriver {
	return &shrinkingDriver{allocator.NewSimulatedDriver(capacity), outside}
}

func (d *shrinkingDriver) Memory() (free, total int64) {
	free, total = d.SimulatedDriver.Memory()
	return max(free-d.outside, 0), total
}

func (d *shrinkingDriver) Malloc(size int64) (uint64, bool) {
	if free, _ := d.Memory(); size > free {
		return 0, false
	}
	return d.SimulatedDriver.Malloc(size)
}

func (d *shrinkingDriver) Map(addr uint64, size int64) bool {
	if free, _ := d.Memory(); size > free {
		return false
	}
	return d.SimulatedDriver.Map(addr, size)
}

// oomStory runs on a device until a request fails.
type oomStory struct {
	name          string
	want, unknown oom.Verdict // with the capacity given and without
	outside       int64       // least percent of the device that others use from the start
	run           func(t *testing.T, g *testsnap.Program, d *shrinkingDriver, rng *rand.Rand)
}

// fill asks for tensors of random sizes until one fails.
func fill(g *testsnap.Program, rng *rand.Rand, from, to int64, stream allocator.Stream) {
	for ok := true; ok; {
		_, ok = g.Ask(from+rng.Int64N(to-from), stream)
	}
}

// trainOn allocates and frees like a few training steps, and keeps weights.
func trainOn(t *testing.T, g *testsnap.Program, rng *rand.Rand, weights int) {
	t.Helper()
	for range weights {
		if _, ok := g.Ask(1<<20+rng.Int64N(60<<20), 0); !ok {
			t.Fatal("no room for weights")
		}
	}
	for range 3 {
		for range 40 {
			g.Ask(1<<10+rng.Int64N(50<<20), 0)
		}
		for len(g.Live) > weights {
			g.Drop(len(g.Live) - 1)
		}
	}
}

func pressure(t *testing.T, g *testsnap.Program, _ *shrinkingDriver, rng *rand.Rand) {
	t.Helper()
	trainOn(t, g, rng, 60)
	fill(g, rng, 1<<10, 120<<20, 0)
}

// everySecond fills the device with tensors of one size until little is left
// of it, and drops every second one.
func everySecond(t *testing.T, g *testsnap.Program, size int64, stream allocator.Stream, device *shrinkingDriver, left int64) {
	t.Helper()
	first := len(g.Live)
	for {
		if free, _ := device.Memory(); free < left {
			break
		}
		g.Ask(size, stream)
	}
	for i := len(g.Live) - 1; i >= first; i -= 2 {
		g.Drop(i)
	}
}

// inactive is what the cache holds.
func inactive(g *testsnap.Program) int64 { return g.Reserved() - g.Stats().Active.Current }

var oomStories = []oomStory{
	{name: "pressure", want: oom.Pressure, unknown: oom.Pressure, run: pressure},
	{name: "every second freed", want: oom.Fragmented, unknown: oom.Fragmented,
		run: func(t *testing.T, g *testsnap.Program, d *shrinkingDriver, rng *rand.Rand) {
			everySecond(t, g, 4<<20+rng.Int64N(6<<20), 0, d, 200<<20)
			g.Ask(inactive(g)/10*(3+rng.Int64N(5)), 0)
		}},
	{name: "every second freed on a side stream", want: oom.Other, unknown: oom.Other,
		run: func(t *testing.T, g *testsnap.Program, d *shrinkingDriver, rng *rand.Rand) {
			const side = 0x100
			everySecond(t, g, 4<<20+rng.Int64N(6<<20), side, d, 4*gib)
			free, _ := d.Memory()
			g.Ask(free+inactive(g)/10*(2+rng.Int64N(6)), 0)
		}},
	{name: "used outside", want: oom.Outside, unknown: oom.Pressure, outside: 15, run: pressure},
	{name: "used outside later", want: oom.Outside, unknown: oom.Outside,
		run: func(t *testing.T, g *testsnap.Program, d *shrinkingDriver, rng *rand.Rand) {
			for range 14 {
				g.Ask(gib, 0)
			}
			for len(g.Live) > 0 {
				g.Drop(0)
			}
			g.EmptyCache()
			d.outside = 5*gib + rng.Int64N(4*gib)
			pressure(t, g, d, rng)
		}},
	{name: "a limit of the process", want: oom.Limit, unknown: oom.Limit,
		run: func(t *testing.T, g *testsnap.Program, d *shrinkingDriver, rng *rand.Rand) {
			g.SetMemoryFraction(0.3 + 0.5*rng.Float64())
			pressure(t, g, d, rng)
		}},
}

// deviceMemory is what the device of a story has.
const deviceMemory = 16 * gib

// record runs the story with a seed, and returns what the program did.
func (s *oomStory) record(t *testing.T, conf string, seed uint64) (*analysis.Recording, []testsnap.Call) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	device := newDevice(deviceMemory, 0)
	if s.outside > 0 {
		device.outside = deviceMemory / 100 * (s.outside + rng.Int64N(36))
	}
	g := testsnap.NewProgram(conf, device)
	s.run(t, g, device, rng)
	if stats := g.Stats(); stats.OOMs == 0 {
		t.Fatalf("%s %q, seed %d: nothing failed", s.name, conf, seed)
	}
	return recorded.Snapshot(g.Stop()), g.Script
}

// TestOOMVerdicts finds why requests fail on a device where that is known, with
// the capacity given and without.
func TestOOMVerdicts(t *testing.T) {
	for _, conf := range []string{"", "expandable_segments:True"} {
		for _, story := range oomStories {
			for seed := range uint64(20) {
				r, _ := story.record(t, conf, seed)
				for capacity, want := range map[int64]oom.Verdict{deviceMemory: story.want, 0: story.unknown} {
					ooms := r.OOMs(capacity)
					if len(ooms) != 1 {
						t.Fatalf("%s %q, seed %d: %d failures", story.name, conf, seed, len(ooms))
					}
					if o := &ooms[0]; o.Verdict != want {
						t.Errorf("%s %q, seed %d, capacity %d: %s, want %s: %+v", story.name, conf, seed, capacity,
							o.Verdict.Key(), want.Key(), o)
					}
				}
			}
		}
	}
}

// TestFragmentationTellsApart holds the one number against programs that ran
// out of memory with fragmentation and without.
func TestFragmentationTellsApart(t *testing.T) {
	for _, conf := range []string{"", "expandable_segments:True"} {
		for _, story := range []struct {
			oomStory
			low, high float64
		}{{oomStories[0], 0, 0.05}, {oomStories[1], 0.15, 1}} {
			for seed := range uint64(20) {
				r, _ := story.record(t, conf, seed)
				o := &r.OOMs(0)[0]
				if share := o.Fragmentation.Share(); share < story.low || share > story.high {
					t.Errorf("%s %q, seed %d: %.3f of reserved is fragmentation", story.name, conf, seed, share)
				}
			}
		}
	}
}
