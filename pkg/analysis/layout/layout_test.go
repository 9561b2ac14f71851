package layout_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// TestLayoutAgainstAllocator runs random programs on the model of PyTorch's
// allocator and holds the layout of every tenth state, walked back to from the
// end, against what the allocator listed when it was there.
func TestLayoutAgainstAllocator(t *testing.T) {
	for _, conf := range []string{
		"", "expandable_segments:True", "max_split_size_mb:30", "roundup_power2_divisions:4",
		"max_split_size_mb:21,max_non_split_rounding_mb:40",
		"expandable_segments:True,roundup_power2_divisions:[1:8,>:2]",
	} {
		for _, capacity := range []int64{600 << 20, 1 << 40} {
			for seed := range uint64(10) {
				g := testsnap.NewProgram(conf, allocator.NewSimulatedDriver(capacity))
				rng := rand.New(rand.NewPCG(seed, 3))
				want := map[int]string{}
				calls := 0
				g.Wander(rng, 1500, func() {
					calls++
					capture(t, g, conf, calls)
					if calls%10 == 0 {
						want[g.State()] = testsnap.SegmentsText(g.Segments())
					}
				})
				want[g.State()] = testsnap.SegmentsText(g.Segments())
				r := recorded.Snapshot(g.Stop())
				states := make([]int, 0, len(want))
				for state := range want {
					states = append(states, state)
				}
				seen := 0
				for l := range r.Layouts().All(states...) {
					seen++
					if l.Anomalies != (layout.Anomalies{}) {
						t.Fatalf("%q seed %d state %d: %+v", conf, seed, l.State, l.Anomalies)
					}
					if got, want := testsnap.FirstDifference(layoutText(r, l), want[l.State]); got != want {
						t.Fatalf("%q of %d bytes, seed %d, state %d of %d: got\n%s\nwant\n%s", conf, capacity, seed,
							l.State, r.Device.Events.Len(), got, want)
					}
				}
				if seen != len(want) {
					t.Fatalf("%d layouts of %d", seen, len(want))
				}
			}
		}
	}
}

// capture sends the requests of a stream to a private pool for a while. With
// max_split_size the pool may give segments back, and only events of newer torch
// versions say of which pool those were.
func capture(t *testing.T, g *testsnap.Program, conf string, calls int) {
	t.Helper()
	graph := snapshot.Pool{B: 7}
	var err error
	switch {
	case strings.Contains(conf, "max_split_size_mb"):
	case calls == 400:
		err = g.BeginPool(graph, func(s allocator.Stream) bool { return s == 0x200 })
	case calls == 500:
		err = g.EndPool(graph)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLayoutOfCutRecording begins to record in the middle of a program. What is
// reserved is known all the same; a block from before whose end shows nowhere may
// be taken for too small, never for too large.
func TestLayoutOfCutRecording(t *testing.T) {
	for _, conf := range []string{"", "expandable_segments:True"} {
		var off, active int64
		for seed := range uint64(20) {
			g := testsnap.NewProgram(conf, allocator.NewSimulatedDriver(600<<20))
			emit := g.Emit
			g.Emit = nil
			rng := rand.New(rand.NewPCG(seed, 6))
			g.Wander(rng, 600, func() {})
			g.Emit = emit
			want := map[int]allocator.Stats{0: g.Stats()}
			g.Wander(rng, 600, func() { want[g.State()] = g.Stats() })
			r := recorded.Snapshot(g.Stop())
			for state, stats := range want {
				l := r.Layouts().At(state)
				if l.ReservedBytes != stats.Reserved.Current || l.RequestedBytes != stats.Requested.Current {
					t.Fatalf("%q seed %d state %d: %d reserved, %d requested, want %+v", conf, seed, state,
						l.ReservedBytes, l.RequestedBytes, stats)
				}
				if l.Anomalies != (layout.Anomalies{}) || l.ActiveBytes > stats.Active.Current {
					t.Errorf("%q seed %d state %d: %d active, want %d: %+v", conf, seed, state, l.ActiveBytes,
						stats.Active.Current, l.Anomalies)
				}
				off += stats.Active.Current - l.ActiveBytes
				active += stats.Active.Current
			}
		}
		if off > active/1000 {
			t.Errorf("%q: %d of %d active bytes are missing", conf, off, active)
		}
		t.Logf("%q: %d of %d active bytes are missing", conf, off, active)
	}
}

// layoutText is the same of a layout.
func layoutText(r *analysis.Recording, l *layout.Map) string {
	var list []allocator.Segment
	for i := range l.Segments {
		s := &l.Segments[i]
		seg := allocator.Segment{
			Address: s.Address, TotalSize: s.Size, Stream: allocator.Stream(r.Snapshot.Streams[s.Stream]),
			Pool: r.Snapshot.Pools[s.Pool], SizeClass: s.SizeClass, Expandable: s.Expandable,
		}
		for _, x := range l.ExtentsOf(s) {
			b := allocator.Block{Address: x.Address, Size: x.Size, State: x.State}
			if x.Allocation != layout.NoAllocation {
				b.RequestedSize = r.Device.Allocations[x.Allocation].Size
			}
			seg.Blocks = append(seg.Blocks, b)
		}
		list = append(list, seg)
	}
	return testsnap.SegmentsText(list)
}
