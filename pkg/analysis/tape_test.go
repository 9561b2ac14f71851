package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Stacks as a training job has them, innermost first: one frame a line, Python
// frames as file|function, others as a C++ symbol.
const (
	loop      = "train.py|main"
	module    = "torch/nn/modules/module.py|_call_impl\n" + loop
	engine    = "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)"
	step      = "torch/optim/adam.py|_multi_tensor_adam\ntorch/optim/optimizer.py|wrapper\n" + loop
	initGroup = "torch/optim/adam.py|_init_group\n" + step
	loading   = "torch/nn/modules/module.py|_apply\ntorch/nn/modules/module.py|to\n" + loop
	zeroGrad  = "torch/optim/optimizer.py|zero_grad\n" + loop
	clipGrad  = "torch/nn/utils/clip_grad.py|clip_grad_norm_\n" + loop
	dataset   = "torch/utils/data/dataloader.py|__next__\n" + loop
	toDevice  = "torch::autograd::THPVariable_to(_object*, _object*, _object*)\n" + loop
	release   = "torch::autograd::SavedVariable::reset_data()\n"
	native    = "c10::StorageImpl::~StorageImpl()"
)

// frames reads the notation above; a frame's line is its place in the stack.
func frames(text string) []snapshot.FrameText {
	if text == "" {
		return nil
	}
	var list []snapshot.FrameText
	for i, line := range strings.Split(text, "\n") {
		f := snapshot.FrameText{File: "??", Name: line, Line: int32(i + 1)}
		if file, name, python := strings.Cut(line, "|"); python {
			f.File, f.Name = file, name
		}
		list = append(list, f)
	}
	return list
}

// tape records the history of device 0, event by event.
type tape struct {
	*snapshot.Composer
	next uint64 // address
	now  int64  // microseconds: one an event
}

func newTape() *tape { return tapeOf(snapshot.Format{}) }

func tapeOf(format snapshot.Format) *tape {
	t := &tape{Composer: snapshot.NewComposer(format), next: 1 << 20}
	t.Trace(0)
	return t
}

// tensor is an allocation on a tape; its address is its own.
type tensor struct {
	addr uint64
	size int64
}

func (t *tape) fresh(size int64) tensor {
	t.next += 1 << 30
	return tensor{t.next, size}
}

func (t *tape) event(action snapshot.Action, x tensor, stack string) {
	t.now++
	t.Event(0, snapshot.EventText{
		Action: action, Addr: x.addr, Size: x.size, Stack: t.Stack(frames(stack)...), TimeMicros: t.now,
	})
}

func (t *tape) alloc(stack string, size int64) tensor {
	x := t.fresh(size)
	t.event(snapshot.Alloc, x, stack)
	return x
}

func (t *tape) free(x tensor, stack string) { t.event(snapshot.Free, x, stack) }

// freeOld frees a tensor that was there before the recording.
func (t *tape) freeOld(size int64, stack string) tensor {
	x := t.fresh(size)
	t.free(x, stack)
	return x
}

// block is a tensor that was there before the recording and stays.
func (t *tape) block(size int64, stack string) tensor {
	x := t.fresh(size)
	t.Segment(snapshot.Segment{Address: x.addr, TotalSize: size}, snapshot.Block{
		Address: x.addr, Size: size, RequestedSize: size,
		Stack: t.Stack(frames(stack)...), State: snapshot.ActiveAllocated,
	})
	return x
}

// run records n tensors that a stack allocates and frees at once: 2n events.
func (t *tape) run(n int, stack string) {
	for range n {
		t.free(t.alloc(stack, 512), stack)
	}
}

// annotated records what body does inside an annotated range.
func (t *tape) annotated(name string, body func()) {
	t.Annotation(name, true, t.now)
	body()
	t.Annotation(name, false, t.now)
}

// freed is an allocation freed at once.
func (t *tape) freed(stack, by string) tensor {
	x := t.alloc(stack, 512)
	t.free(x, by)
	return x
}

// across is an allocation that lives through n events of other stacks.
func (t *tape) across(stack string, n int, of string, by string) tensor {
	x := t.alloc(stack, 512)
	t.run((n+1)/2, of)
	t.free(x, by)
	return x
}

// gradients records a backward pass that leaves n of a size.
func (t *tape) gradients(n int, size int64) {
	for range n {
		t.alloc("torch::autograd::AccumulateGrad::apply(x)\n"+engine, size)
	}
	t.run(4, engine)
}

// resident adds n blocks of a size without a stack and returns one of them.
func (t *tape) resident(n int, size int64) (x tensor) {
	for range n {
		x = t.block(size, "")
	}
	return x
}

// randomTape holds and drops tensors of a few stacks at random.
func randomTape(seed uint64, events int) *tape {
	rng := rand.New(rand.NewPCG(seed, 0))
	stacks := []string{loop, module, engine, step, dataset, initGroup}
	t := timed()
	var held []tensor
	for range events {
		if stack := stacks[rng.IntN(len(stacks))]; len(held) == 0 || rng.IntN(5) < 3 {
			held = append(held, t.alloc(stack, int64(rng.IntN(1000))))
		} else {
			i := rng.IntN(len(held))
			t.free(held[i], stack)
			held = append(held[:i], held[i+1:]...)
		}
		t.now += int64(rng.IntN(3))
	}
	return t
}

// trainingLoop records steps of a model with layers, of which each leaves
// activations to backward and a gradient to the optimizer.
func trainingLoop(steps, layers int) *tape {
	t := newTape()
	var deep strings.Builder
	for i := range 40 {
		fmt.Fprintf(&deep, "at::native::dispatch%d(at::Tensor const&)\n", i)
	}
	activations := make([]tensor, layers)
	gradients := make([]tensor, layers)
	forward, backward := make([]string, layers), make([]string, layers)
	for i := range layers {
		forward[i] = fmt.Sprintf("%smodel.py|layer%d\n%s", deep.String(), i, module)
		backward[i] = fmt.Sprintf("at::_ops::mm::call(x)\nnode%d\n%s%s", i, deep.String(), engine)
	}
	for range steps {
		batch := t.alloc(toDevice, 4096)
		for i := range layers {
			t.free(t.alloc(forward[i], 64), forward[i])
			activations[i] = t.alloc(forward[i], 1024)
		}
		for i := range layers {
			gradients[i] = t.alloc(backward[i], 256)
			t.free(activations[i], release+backward[i])
		}
		for range layers {
			t.free(t.alloc(step, 256), step)
		}
		for i := range layers {
			t.free(gradients[i], zeroGrad)
		}
		t.free(batch, loop)
	}
	return t
}

// user is a line of the script that allocates.
func user(function string) string { return "x.py|" + function + "\ntrain.py|main" }

// Stacks of a random recording: recursion, one function in two files, a call of
// a call, no user frame, no Python, nothing.
var randomStacks = []string{
	"",
	loop,
	"model.py|attend\nmodel.py|forward\n" + loop,
	"model.py|forward\nmodel.py|forward\n" + loop,
	"other.py|forward\n" + loop,
	"at::_ops::mm::call(x)\nmodel.py|forward\n" + module,
	"at::_ops::mm::call(x)\n" + engine,
	"/v/site-packages/einops/einops.py|reduce",
	"malloc\nmain",
}

// randomSnapshot is a trace on which events are missing and addresses overlap
// now and then, with two streams and, in the final segments, two pools.
func randomSnapshot(r *rand.Rand) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	var stacks []snapshot.StackID
	for _, text := range randomStacks {
		stacks = append(stacks, c.Stack(frames(text)...))
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

// Stacks of parts of a model.
const (
	lossGrad  = "torch/autograd/__init__.py|_make_grads\ntorch/_tensor.py|backward\n" + loop
	outer     = module                                                               // a module at depth 1
	inner     = "torch/nn/modules/module.py|_call_impl\nblock.py|forward\n" + module // at depth 2
	head      = "head.py|project\n" + module
	embedding = "embedding.py|look_up\n" + module
)

// train is a step from forward to optimizer, of a model of three layers.
func (t *tape) train() {
	t.run(4, module)
	t.run(4, engine)
	t.run(4, step)
}

// timed is a tape whose events have times.
func timed() *tape { return tapeOf(snapshot.Format{HasTime: true}) }

// Units of sizes.
const (
	mib = 1 << 20
	gib = 1 << 30
)

// replay ends the recording.
func (t *tape) replay() (*snapshot.Snapshot, *replay.Device) {
	s := t.Snapshot()
	return s, replay.Replay(s, 0)
}
