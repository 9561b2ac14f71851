package testsnap

import (
	"math/rand/v2"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// RandomTape allocates and frees tensors of a few stacks at random.
func RandomTape(seed uint64, events int) *Tape {
	rng := rand.New(rand.NewPCG(seed, 0))
	stacks := []string{Loop, Module, Engine, Step, Dataset, InitGroup}
	t := TimedTape()
	var held []Tensor
	for range events {
		if stack := stacks[rng.IntN(len(stacks))]; len(held) == 0 || rng.IntN(5) < 3 {
			held = append(held, t.Alloc(stack, int64(rng.IntN(1000))))
		} else {
			i := rng.IntN(len(held))
			t.Free(held[i], stack)
			held = append(held[:i], held[i+1:]...)
		}
		t.Now += int64(rng.IntN(3))
	}
	return t
}

// RandomStacks are the stacks of [RandomSnapshot]: recursion, one function in two files, a call of
// a call, no user frame, no Python, nothing.
var RandomStacks = []string{
	"",
	Loop,
	"model.py|attend\nmodel.py|forward\n" + Loop,
	"model.py|forward\nmodel.py|forward\n" + Loop,
	"other.py|forward\n" + Loop,
	"at::_ops::mm::call(x)\nmodel.py|forward\n" + Module,
	"at::_ops::mm::call(x)\n" + Engine,
	"/v/site-packages/einops/einops.py|reduce",
	"malloc\nmain",
}

// RandomSnapshot is a trace with occasional missing events and overlapping addresses,
// with two streams and, in the final segments, two pools.
func RandomSnapshot(r *rand.Rand) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	var stacks []snapshot.StackID
	for _, text := range RandomStacks {
		stacks = append(stacks, c.Stack(Frames(text)...))
	}
	actions := []snapshot.Action{snapshot.Alloc, snapshot.Alloc, snapshot.Alloc, snapshot.FreeRequested,
		snapshot.FreeRequested, snapshot.FreeCompleted, snapshot.FreeCompleted, snapshot.Free, snapshot.SnapshotTaken}
	c.Trace(0)
	for range r.IntN(80) {
		c.Event(0, snapshot.EventText{
			Action: actions[r.IntN(len(actions))], Addr: 512 * uint64(1+r.IntN(9)), Size: int64(r.IntN(5)) * 100,
			Stream: 7 * uint64(r.IntN(2)), Stack: stacks[r.IntN(len(stacks))],
		})
	}
	for segment := range uint64(2) {
		var blocks []snapshot.Block
		for block := range uint64(4) {
			blocks = append(blocks, snapshot.Block{
				Address: 512 * (1 + 4*segment + block), Size: 512, RequestedSize: int64(r.IntN(512)),
				State: snapshot.BlockState(r.IntN(3)), Stack: stacks[r.IntN(len(stacks))],
			})
		}
		pool := c.Pool(snapshot.Pool{A: segment})
		c.Segment(snapshot.Segment{Address: 512 * (1 + 4*segment), TotalSize: 2048, Pool: pool}, blocks...)
	}
	return c.Snapshot()
}
