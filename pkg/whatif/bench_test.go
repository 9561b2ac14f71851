package whatif

import (
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// benchEvents is a large recording.
const benchEvents = 5_000_000

// BenchmarkRun makes a recording of 5 million events ready, which includes the
// proof, and predicts one setting on one core.
func BenchmarkRun(b *testing.B) {
	s := trainingShaped(benchEvents)
	d := replay.Replay(s, 0)
	r := analysis.NewRecording(analysis.NewSource(s), d)
	run := New(r)
	if !run.Proof.Holds() {
		b.Fatalf("not reproduced: %+v", run.Proof.First)
	}
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			New(r)
		}
	})
	for _, conf := range []string{"", "expandable_segments:True", "max_split_size_mb:128",
		"garbage_collection_threshold:0.8", "roundup_power2_divisions:8"} {
		setting, err := Parse(conf)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("predict/"+conf, func(b *testing.B) {
			for b.Loop() {
				run.predict(setting.Settings, Options{Limit: 80 << 30})
			}
		})
	}
}

// trainingShaped is steps over 2,500 activations with a temporary beside each,
// above tensors that stay. No step is quite like another.
func trainingShaped(events int) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true})
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", "")
	c.Trace(0)
	random := rand.New(rand.NewPCG(1, 2))
	a := allocator.New(allocator.Settings{}, allocator.NewSimulatedDriver(80<<30))
	a.Emit = func(e allocator.Event) {
		c.Event(0, snapshot.EventText{Action: e.Action, Addr: e.Addr, Size: e.Size, Stream: uint64(e.Stream)})
	}
	alloc := func(bytes int64) uint64 {
		addr, err := a.Alloc(bytes, 0)
		if err != nil {
			panic(err)
		}
		return addr
	}
	free := func(addr uint64) {
		if err := a.Free(addr); err != nil {
			panic(err)
		}
	}
	widths := make([]int64, 2500)
	for i := range widths {
		widths[i] = int64(1+random.IntN(256)) << 6
		alloc(int64(1+i%64) << 14)
	}
	for c.Len(0) < events {
		length := int64(32 + random.IntN(64))
		var saved []uint64
		for _, width := range widths {
			saved = append(saved, alloc(width*length))
			free(alloc(width*length/2 + 1))
		}
		for i := len(saved) - 1; i >= 0; i-- {
			free(saved[i])
		}
	}
	for _, seg := range a.Segments() {
		var blocks []snapshot.Block
		for _, x := range seg.Blocks {
			blocks = append(blocks, snapshot.Block{Address: x.Address, Size: x.Size, RequestedSize: x.RequestedSize,
				State: x.State})
		}
		c.Segment(snapshot.Segment{Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass}, blocks...)
	}
	return c.Snapshot()
}
