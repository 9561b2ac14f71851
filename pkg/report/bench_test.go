package report

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// BenchmarkWriteHTML writes a loop of a hundred thousand allocations, most of
// which return to a few places and sizes, as in training.
func BenchmarkWriteHTML(b *testing.B) {
	in := []answer.Input{answer.NewInput("loop", loop(100_000))}
	b.ReportAllocs()
	for b.Loop() {
		if err := WriteHTML(io.Discard, "memviz", in); err != nil {
			b.Fatal(err)
		}
	}
}

// loop is a recording of n allocations in steps of 256, each step freed in
// reverse order by the next.
func loop(n int) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true})
	random := rand.New(rand.NewPCG(1, 2))
	const step = 256
	var stacks [step]snapshot.StackID
	for i := range stacks {
		stacks[i] = c.Stack(
			snapshot.FrameText{File: "model.py", Line: int32(i), Name: "forward"},
			snapshot.FrameText{File: "train.py", Line: 9, Name: "main"},
		)
	}
	now := int64(1_700_000_000_000_000)
	event := func(action snapshot.Action, i int) {
		now += 20 + random.Int64N(8)
		i %= step
		c.Event(0, snapshot.EventText{
			Action: action, Addr: 0x7f0000000000 + uint64(i)<<24, Size: int64(1+i%37) << 12, Stack: stacks[i],
			TimeMicros: now,
		})
	}
	for i := range n {
		if i%step == 0 && i > 0 {
			for j := i - 1; j >= i-step; j-- {
				event(snapshot.FreeRequested, j)
				event(snapshot.FreeCompleted, j)
			}
		}
		event(snapshot.Alloc, i)
	}
	return c.Snapshot()
}
