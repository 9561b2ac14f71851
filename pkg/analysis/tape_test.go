package analysis

import (
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

// record ends the recording, ready for questions.
func (t *tape) record() *Recording {
	s := t.Snapshot()
	return NewRecording(NewSource(s), replay.Replay(s, 0))
}

// replay ends the recording.
func (t *tape) replay() (*StackFacts, *replay.Device) {
	s := t.Snapshot()
	return Stacks(s), replay.Replay(s, 0)
}

// recordingOf is a recording of stacks that were read already.
func recordingOf(st *StackFacts, d *replay.Device) *Recording {
	source := NewSource(st.snapshot)
	source.Stacks = st
	return NewRecording(source, d)
}

func markersOf(st *StackFacts, d *replay.Device) *markers { return newMarkers(st, d.Events) }

func phasesOf(st *StackFacts, d *replay.Device) *Phases {
	return FindPhases(newMarkers(st, d.Events), d.Events)
}

func classify(st *StackFacts, d *replay.Device) *Families {
	return classifyWith(nil, st, d)
}

func classifyWith(o *Overridden, st *StackFacts, d *replay.Device) *Families {
	return Classify(st, markersOf(st, d), phasesOf(st, d), o, d)
}
