package testsnap

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Stacks of a training job, innermost first: one frame per line, Python frames as
// file|function, others as a C++ symbol.
const (
	Loop      = "train.py|main"
	Module    = "torch/nn/modules/module.py|_call_impl\n" + Loop
	Engine    = "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)"
	Step      = "torch/optim/adam.py|_multi_tensor_adam\ntorch/optim/optimizer.py|wrapper\n" + Loop
	InitGroup = "torch/optim/adam.py|_init_group\n" + Step
	Loading   = "torch/nn/modules/module.py|_apply\ntorch/nn/modules/module.py|to\n" + Loop
	ZeroGrad  = "torch/optim/optimizer.py|zero_grad\n" + Loop
	ClipGrad  = "torch/nn/utils/clip_grad.py|clip_grad_norm_\n" + Loop
	Dataset   = "torch/utils/data/dataloader.py|__next__\n" + Loop
	ToDevice  = "torch::autograd::THPVariable_to(_object*, _object*, _object*)\n" + Loop
	Release   = "torch::autograd::SavedVariable::reset_data()\n"
	Native    = "c10::StorageImpl::~StorageImpl()"
)

// Stacks of parts of a model.
const (
	LossGrad  = "torch/autograd/__init__.py|_make_grads\ntorch/_tensor.py|backward\n" + Loop
	Outer     = Module                                                               // a module at depth 1
	Inner     = "torch/nn/modules/module.py|_call_impl\nblock.py|forward\n" + Module // at depth 2
	Head      = "head.py|project\n" + Module
	Embedding = "embedding.py|look_up\n" + Module
)

// Frames reads the notation above; a frame's line is its place in the stack.
func Frames(text string) []snapshot.FrameText {
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

// UserLine is the stack of a script's line that allocates.
func UserLine(function string) string { return "x.py|" + function + "\ntrain.py|main" }

// Tape records the history of device 0, event by event.
type Tape struct {
	*snapshot.Composer
	next uint64 // address
	Now  int64  // microseconds, one per event
}

// NewTape makes a tape without any metadata.
func NewTape() *Tape { return NewTapeIn(snapshot.Format{}) }

// TimedTape makes a tape on which events have times.
func TimedTape() *Tape { return NewTapeIn(snapshot.Format{HasTime: true}) }

// NewTapeIn makes a tape in a format.
func NewTapeIn(format snapshot.Format) *Tape {
	t := &Tape{Composer: snapshot.NewComposer(format), next: 1 << 20}
	t.Trace(0)
	return t
}

// Tensor is an allocation on a tape, at an address that no other has.
type Tensor struct {
	Addr uint64
	Size int64
}

// Fresh makes a tensor at an unused address.
func (t *Tape) Fresh(size int64) Tensor {
	t.next += 1 << 30
	return Tensor{t.next, size}
}

// Emit records an event of a tensor.
func (t *Tape) Emit(action snapshot.Action, x Tensor, stack string) {
	t.Now++
	t.Event(0, snapshot.EventText{
		Action: action, Addr: x.Addr, Size: x.Size, Stack: t.Stack(Frames(stack)...), TimeMicros: t.Now,
	})
}

// Alloc records an allocation from a stack.
func (t *Tape) Alloc(stack string, size int64) Tensor {
	x := t.Fresh(size)
	t.Emit(snapshot.Alloc, x, stack)
	return x
}

// Free records a free from a stack.
func (t *Tape) Free(x Tensor, stack string) { t.Emit(snapshot.Free, x, stack) }

// FreeOld frees a tensor from before the recording.
func (t *Tape) FreeOld(size int64, stack string) Tensor {
	x := t.Fresh(size)
	t.Free(x, stack)
	return x
}

// Block adds a tensor from before the recording that stays.
func (t *Tape) Block(size int64, stack string) Tensor {
	x := t.Fresh(size)
	t.Segment(snapshot.Segment{Address: x.Addr, TotalSize: size}, snapshot.Block{
		Address: x.Addr, Size: size, RequestedSize: size,
		Stack: t.Stack(Frames(stack)...), State: snapshot.ActiveAllocated,
	})
	return x
}

// Run records n tensors that a stack allocates and frees at once: 2n events.
func (t *Tape) Run(n int, stack string) {
	for range n {
		t.Free(t.Alloc(stack, 512), stack)
	}
}

// Annotated runs body inside an annotated range.
func (t *Tape) Annotated(name string, body func()) {
	t.Annotation(name, true, t.Now)
	body()
	t.Annotation(name, false, t.Now)
}

// Freed records an allocation that is freed at once.
func (t *Tape) Freed(stack, by string) Tensor {
	x := t.Alloc(stack, 512)
	t.Free(x, by)
	return x
}

// Across records an allocation that is freed after n events of other stacks.
func (t *Tape) Across(stack string, n int, of string, by string) Tensor {
	x := t.Alloc(stack, 512)
	t.Run((n+1)/2, of)
	t.Free(x, by)
	return x
}

// Gradients records a backward pass that leaves n gradients of a size.
func (t *Tape) Gradients(n int, size int64) {
	for range n {
		t.Alloc("torch::autograd::AccumulateGrad::apply(x)\n"+Engine, size)
	}
	t.Run(4, Engine)
}

// Resident adds n blocks of a size without a stack and returns one of them.
func (t *Tape) Resident(n int, size int64) (x Tensor) {
	for range n {
		x = t.Block(size, "")
	}
	return x
}

// Train records a step from forward to optimizer, of a model of three layers.
func (t *Tape) Train() {
	t.Run(4, Module)
	t.Run(4, Engine)
	t.Run(4, Step)
}

// Replay ends the recording.
func (t *Tape) Replay() (*snapshot.Snapshot, *replay.Device) {
	s := t.Snapshot()
	return s, replay.Replay(s, 0)
}

// TrainingLoop records steps of a model. Each layer leaves activations for
// backward and a gradient for the optimizer.
func TrainingLoop(steps, layers int) *Tape {
	t := NewTape()
	var deep strings.Builder
	for i := range 40 {
		fmt.Fprintf(&deep, "at::native::dispatch%d(at::Tensor const&)\n", i)
	}
	activations := make([]Tensor, layers)
	gradients := make([]Tensor, layers)
	forward, backward := make([]string, layers), make([]string, layers)
	for i := range layers {
		forward[i] = fmt.Sprintf("%smodel.py|layer%d\n%s", deep.String(), i, Module)
		backward[i] = fmt.Sprintf("at::_ops::mm::call(x)\nnode%d\n%s%s", i, deep.String(), Engine)
	}
	for range steps {
		batch := t.Alloc(ToDevice, 4096)
		for i := range layers {
			t.Free(t.Alloc(forward[i], 64), forward[i])
			activations[i] = t.Alloc(forward[i], 1024)
		}
		for i := range layers {
			gradients[i] = t.Alloc(backward[i], 256)
			t.Free(activations[i], Release+backward[i])
		}
		for range layers {
			t.Free(t.Alloc(Step, 256), Step)
		}
		for i := range layers {
			t.Free(gradients[i], ZeroGrad)
		}
		t.Free(batch, Loop)
	}
	return t
}
