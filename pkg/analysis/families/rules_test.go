package families

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// Names of the tests' own language, see package tapes.
const (
	loop      = testsnap.Loop
	module    = testsnap.Module
	engine    = testsnap.Engine
	step      = testsnap.Step
	initGroup = testsnap.InitGroup
	loading   = testsnap.Loading
	zeroGrad  = testsnap.ZeroGrad
	clipGrad  = testsnap.ClipGrad
	dataset   = testsnap.Dataset
	toDevice  = testsnap.ToDevice
	release   = testsnap.Release
	native    = testsnap.Native
)

type (
	tape   = testsnap.Tape
	tensor = testsnap.Tensor
)

// ruleCase records a history and names the rule that must decide the family of
// one tensor in it.
type ruleCase struct {
	name   string
	record func(t *tape) tensor
	want   Rule
}

func (c ruleCase) check(t *testing.T) {
	tape := testsnap.NewTape()
	x := c.record(tape)
	f, d := classify(tape, nil)
	got := ruleOf(t, f, d, x)
	if got != c.want {
		t.Errorf("%s: %s\nwant %s: %s", got.family().Key(), rules[got].because, c.want.family().Key(),
			rules[c.want].because)
	}
}

func ruleOf(t *testing.T, f *Assignment, d *replay.Device, x tensor) Rule {
	t.Helper()
	for i := range d.Allocations {
		if d.Allocations[i].Addr == x.Addr {
			return f.Rules[i]
		}
	}
	t.Fatal("the tensor is not in the replay")
	return undecided
}

const cublasWorkspace = 8_519_680

var bornCases = []ruleCase{
	{"workspace", func(t *tape) tensor {
		return t.Alloc("at::cuda::getCurrentCUDABlasHandle(bool)\n"+module, 512)
	}, workspaceByName},
	{"collective in backward", func(t *tape) tensor {
		return t.Alloc("c10d::Reducer::initialize_buckets()\n"+engine, 512)
	}, communicationByName},
	{"key-value cache", func(t *tape) tensor {
		return t.Alloc("cache_utils.py|update\n"+module, 512)
	}, cacheByName},
	{"key-value cache outside a model", func(t *tape) tensor {
		return t.Alloc("cache_utils.py|update\n"+loop, 512)
	}, undecided},

	{"optimizer init", func(t *tape) tensor { return t.Freed(initGroup, step) }, optimizerBuilt},
	{"optimizer state", func(t *tape) tensor {
		x := t.Alloc(step, 512)
		t.Run(4, step)
		t.Run(4, module)
		return x
	}, optimizerOutlivesStep},
	{"moment replaced in the next step", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc(step, 512)
		t.Run(4, step)
		t.Run(4, module)
		t.Run(4, step)
		t.Free(x, step)
		return x
	}, optimizerOutlivesStep},
	{"optimizer state, trace ends", func(t *tape) tensor { t.Run(4, step); return t.Alloc(step, 512) },
		optimizerStepCut},
	{"optimizer scratch", func(t *tape) tensor { t.Run(4, step); return t.Freed(step, step) }, temporaryOfStep},

	{"staging buffer", func(t *tape) tensor { return t.Freed(loading, loading) }, temporaryOfLoading},
	{"staging buffer of 50 events", func(t *tape) tensor { return t.Across(loading, 48, loading, loading) },
		temporaryOfLoading},
	{"replaced weight", func(t *tape) tensor { return t.Across(loading, 52, loading, loading) }, parameterLoaded},
	{"weight freed by forward", func(t *tape) tensor {
		t.Run(4, loading)
		x := t.Alloc(loading, 512)
		t.Run(4, module)
		t.Free(x, loop)
		return x
	}, parameterLoaded},
	{"weight", func(t *tape) tensor { return t.Alloc(loading, 512) }, parameterLoaded},
	{"loaded optimizer state", func(t *tape) tensor {
		return t.Alloc("torch/optim/optimizer.py|load_state_dict\n"+loop, 512)
	}, optimizerLoaded},

	{"accumulated gradient", func(t *tape) tensor {
		return t.Freed("torch::autograd::AccumulateGrad::apply(x)\n"+engine, engine)
	}, gradientAccumulated},
	{"recomputed", func(t *tape) tensor {
		return t.Freed("torch/utils/checkpoint.py|recompute_fn\n"+engine, engine)
	}, activationRecomputed},
	{"recomputed, freed by user code", func(t *tape) tensor {
		return t.Freed("torch/utils/checkpoint.py|recompute_fn\n"+engine, loop)
	}, temporaryOfBackward},
	{"scratch of backward", func(t *tape) tensor { return t.Freed(engine, engine) }, temporaryOfBackward},
	{"backward goes on at the end", func(t *tape) tensor {
		x := t.Alloc(engine, 512)
		t.Run(4, engine)
		t.Run(9, loop)
		return x
	}, gradientBackwardCut},
	{"a later backward goes on at the end", func(t *tape) tensor {
		x := t.Alloc(engine, 512)
		t.Run(4, engine)
		t.Run(4, module)
		t.Run(4, engine)
		return x
	}, gradientOutlivesBackward},
	{"backward is over at the end", func(t *tape) tensor {
		x := t.Alloc(engine, 512)
		t.Run(4, engine)
		t.Run(10, loop)
		return x
	}, gradientOutlivesBackward},
	{"a stray of backward in forward at the end", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc(engine, 512)
		t.Run(4, module)
		return x
	}, gradientOutlivesBackward},
	{"gradient", func(t *tape) tensor {
		x := t.Alloc(engine, 512)
		t.Run(4, engine)
		t.Run(4, step)
		t.Free(x, zeroGrad)
		return x
	}, gradientOutlivesBackward},

	{"saved for backward", func(t *tape) tensor { return t.Freed(module, release+loop) }, activationReleased},
	{"user tensor saved for backward", func(t *tape) tensor { return t.Freed(loop, release+engine) },
		activationReleased},
	{"moved input saved for backward", func(t *tape) tensor { return t.Freed(toDevice, release+engine) },
		activationOfUser},
	{"clip norm saved for backward", func(t *tape) tensor { return t.Freed(clipGrad, release+engine) },
		activationReleased},
	{"C++ tensor saved for backward", func(t *tape) tensor { return t.Freed(native, release+engine) },
		activationReleased},

	{"cuBLAS workspace in backward without frames", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc("", cublasWorkspace)
		t.Run(4, "")
		t.Run(10, loop)
		return x
	}, workspaceBySize},
	{"gradients of the size of a workspace, without frames", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc("", cublasWorkspace)
		t.Run(4, "")
		t.Alloc("", cublasWorkspace)
		t.Run(10, loop)
		return x
	}, gradientOutlivesBackward},
	{"gradient of the size of a workspace", func(t *tape) tensor {
		x := t.Alloc(engine, cublasWorkspace)
		t.Run(4, engine)
		t.Run(10, loop)
		return x
	}, gradientOutlivesBackward},
	{"DistributedDataParallel's buckets", func(t *tape) tensor {
		x := t.Alloc("torch/nn/parallel/distributed.py|_ddp_init_helper\ntorch/nn/parallel/distributed.py|__init__\n"+
			loop, 512)
		t.Train()
		return x
	}, communicationByName},
	{"DistributedDataParallel's new buckets", func(t *tape) tensor {
		return t.Alloc("torch/nn/parallel/distributed.py|_pre_forward\n"+module, 512)
	}, communicationByName},
	{"DistributedDataParallel's copy of its inputs", func(t *tape) tensor {
		t.Run(4, loop)
		return t.Freed("torch/distributed/utils.py|_to_kwargs\ntorch/nn/parallel/distributed.py|_pre_forward\n"+module,
			engine)
	}, activationFreedInBackward},
	{"cuBLAS workspace in forward", func(t *tape) tensor { return t.Alloc(module, cublasWorkspace) }, workspaceBySize},
	{"cuBLAS workspace in user code", func(t *tape) tensor { return t.Alloc(loop, cublasWorkspace) }, workspaceBySize},
	{"freed by user code, of the size of a workspace", func(t *tape) tensor {
		x := t.Alloc(loop, cublasWorkspace)
		t.Free(x, loop)
		return x
	}, temporaryOutsideForward},
	{"freed, of the size of a workspace", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc(module, cublasWorkspace)
		t.Free(x, module)
		return x
	}, temporaryOfForward},

	{"parameter of user code", func(t *tape) tensor {
		x := t.Alloc("model.py|__init__\n"+loop, 512)
		t.Run(4, module)
		t.Run(4, engine)
		return x
	}, parameterBeforeForward},
	{"the same with nothing but a step", func(t *tape) tensor {
		x := t.Alloc("model.py|__init__\n"+loop, 512)
		t.Run(4, module)
		t.Run(4, step)
		return x
	}, parameterBeforeForward},
	{"the same without training", func(t *tape) tensor {
		x := t.Alloc("model.py|__init__\n"+loop, 512)
		t.Run(4, module)
		return x
	}, inputByLifetime},
	{"the same without a forward pass", func(t *tape) tensor {
		x := t.Alloc("model.py|__init__\n"+loop, 512)
		t.Run(4, engine)
		return x
	}, undecided},
	{"the same, freed", func(t *tape) tensor {
		x := t.Alloc("model.py|__init__\n"+loop, 512)
		t.Run(4, module)
		t.Run(4, engine)
		t.Free(x, loop)
		return x
	}, inputByLifetime},
	{"the same at a site used again", func(t *tape) tensor {
		x := t.Alloc("model.py|__init__\n"+loop, 512)
		t.Run(4, module)
		t.Run(4, engine)
		t.Run(1, "model.py|__init__\n"+loop)
		return x
	}, inputByLifetime},
	{"user tensor freed in backward", func(t *tape) tensor { return t.Freed(loop, engine) }, activationOfUser},
	{"loaded sample freed in backward", func(t *tape) tensor { return t.Freed(dataset, engine) }, activationOfUser},
	{"held", func(t *tape) tensor {
		t.Run(4, module)
		t.Alloc("metrics.py|append", 512)
		return t.Alloc("metrics.py|append", 512)
	}, heldByUser},
	{"freed where others are held", func(t *tape) tensor {
		t.Alloc("metrics.py|append", 512)
		t.Alloc("metrics.py|append", 512)
		return t.Freed("metrics.py|append", loop)
	}, temporaryOutsideForward},
	{"held, but moved to the device", func(t *tape) tensor {
		x := t.Alloc(toDevice, 512)
		t.Alloc(toDevice, 512)
		t.Run(4, module)
		return x
	}, inputMoved},
	{"loaded sample", func(t *tape) tensor { return t.Freed(dataset, loop) }, inputLoaded},
	{"moved, seen by forward", func(t *tape) tensor { return t.Across(toDevice, 8, module, loop) }, inputMoved},
	{"moved, alive for long", func(t *tape) tensor { return t.Across(toDevice, 20, loop, loop) }, inputMoved},
	{"moved, short", func(t *tape) tensor { return t.Across(toDevice, 18, loop, loop) }, temporaryOutsideForward},
	{"made by user code, seen by forward", func(t *tape) tensor { return t.Across(loop, 8, module, loop) },
		inputByLifetime},
	{"an input's sibling", func(t *tape) tensor {
		t.Across("train.py|batch", 8, module, loop)
		t.Run(4, step)
		return t.Freed("train.py|batch", loop)
	}, inputLikeItsSite},
	{"an output where inputs are", func(t *tape) tensor {
		t.Across("train.py|batch", 8, module, loop)
		t.Run(4, module)
		return t.Across("train.py|batch", 8, engine, loop)
	}, inputLikeItsSite},
	{"a live sibling of an input", func(t *tape) tensor {
		t.Across("train.py|batch", 8, module, loop)
		t.Run(4, engine)
		return t.Alloc("train.py|batch", 512)
	}, undecided},
	{"a live sibling of an input that a backward pass leaves", func(t *tape) tensor {
		t.Across("train.py|batch", 8, module, loop)
		t.Run(4, module)
		x := t.Alloc("train.py|batch", 512)
		t.Run(4, engine)
		return x
	}, outputKept},
	{"user scratch", func(t *tape) tensor { return t.Freed(loop, loop) }, temporaryOutsideForward},
	{"clip norm", func(t *tape) tensor { return t.Freed(clipGrad, loop) }, temporaryOfClipping},
	{"scratch of zero_grad", func(t *tape) tensor { return t.Freed(zeroGrad, loop) }, temporaryOfClipping},
	{"kept clip norm", func(t *tape) tensor { return t.Alloc(clipGrad, 512) }, undecided},
	{"one kept by user code", func(t *tape) tensor { return t.Alloc(loop, 512) }, undecided},
	{"C++ only", func(t *tape) tensor { return t.Freed(native, native) }, undecided},

	{"activation", func(t *tape) tensor { return t.Freed(module, engine) }, activationFreedInBackward},
	{"scratch of forward", func(t *tape) tensor { return t.Freed(module, module) }, temporaryOfForward},
	{"scratch of forward, freed without a stack that says by whom", func(t *tape) tensor {
		return t.Freed(module, native)
	}, temporaryOfForward},
	{"output that its caller drops", func(t *tape) tensor { return t.Freed(module, loop) }, outputDropped},
	{"output of the last iteration, in inference", func(t *tape) tensor {
		t.Run(2, module)
		x := t.Alloc(testsnap.Head, 512)
		t.Run(1, loop) // the next batch
		t.Run(2, module)
		t.Free(x, loop)
		return x
	}, outputOfLastIteration},
	{"output of the last iteration, in training", func(t *tape) tensor {
		t.Run(2, module)
		x := t.Alloc(testsnap.Head, 512)
		t.Run(4, engine)
		t.Run(4, step)
		t.Run(2, module)
		t.Free(x, loop)
		return x
	}, outputOfLastIteration},
	{"logits that are dropped before the next forward pass", func(t *tape) tensor {
		t.Run(2, module)
		x := t.Alloc(testsnap.Head, 512)
		t.Run(4, engine)
		t.Free(x, loop)
		t.Run(2, module)
		return x
	}, outputAfterBackward},
	{"memory that a failure unwinds", func(t *tape) tensor {
		x := t.Alloc(module, 512)
		t.Emit(snapshot.OOM, t.Fresh(1<<40), module)
		t.Free(x, loop)
		return x
	}, temporaryOfForward},
	{"where other outputs are", func(t *tape) tensor {
		for range 2 {
			t.Freed(testsnap.Head, loop)
		}
		return t.Freed(testsnap.Head, native)
	}, outputLikeItsSite},
	{"where temporaries are", func(t *tape) tensor {
		for range 2 {
			t.Freed(testsnap.Head, module)
			t.Run(1, loop)
		}
		return t.Freed(testsnap.Head, loop)
	}, temporaryLikeItsSite},
	{"the last of two layers that share a call site", func(t *tape) (x tensor) {
		for range 4 {
			t.Freed(testsnap.Head, module)
			x = t.Freed(testsnap.Head, loop)
		}
		return x
	}, outputDropped},
	{"a replica of DataParallel", func(t *tape) tensor {
		return t.Freed(
			"torch/nn/parallel/comm.py|broadcast_coalesced\ntorch/nn/parallel/replicate.py|replicate\n"+module,
			loop)
	}, parameterReplica},
	{"a part of a batch of DataParallel", func(t *tape) tensor {
		return t.Freed("torch/nn/parallel/comm.py|scatter\ntorch/nn/parallel/scatter_gather.py|scatter_kwargs\n"+module,
			engine)
	}, inputScattered},
	{"gradients that DataParallel adds up", func(t *tape) tensor {
		return t.Alloc("torch/nn/parallel/comm.py|broadcast_coalesced\n"+engine, 512)
	}, communicationByName},
	{"user scratch in forward", func(t *tape) tensor { t.Run(4, module); return t.Freed(loop, loop) },
		temporaryOfForwardUser},
	{"free requested in forward, completed after it", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc(module, 512)
		t.Emit(snapshot.FreeRequested, x, module)
		t.Run(4, engine)
		t.Emit(snapshot.FreeCompleted, x, module)
		return x
	}, temporaryOfForward},
	{"free requested, completion not recorded", func(t *tape) tensor {
		t.Run(4, module)
		x := t.Alloc(module, 512)
		t.Emit(snapshot.FreeRequested, x, module)
		return x
	}, temporaryOfForward},
	{"replaced at its address without a free", func(t *tape) tensor {
		x := t.Alloc(module, 512)
		t.Emit(snapshot.Alloc, x, module)
		return x
	}, temporaryOfForward},
	{"logits", func(t *tape) tensor { return t.Across(module, 8, engine, loop) }, outputAfterBackward},
	{"no backward", func(t *tape) tensor { return t.Across(module, 8, step, native) }, temporaryAfterForward},
	{"retained", func(t *tape) tensor {
		x := t.Alloc(module, 512)
		t.Alloc(module, 512)
		t.Run(2, module)
		t.Run(4, engine)
		return x
	}, activationRetained},
	{"one of two kept", func(t *tape) tensor {
		x := t.Alloc(module, 512)
		t.Run(1, module)
		t.Run(4, engine)
		return x
	}, outputKept},
	{"few of a site kept", func(t *tape) tensor {
		x := t.Alloc(module, 512)
		t.Run(2, module)
		t.Run(4, engine)
		return x
	}, outputKept},
	{"trace ends in forward, site keeps", func(t *tape) tensor {
		t.Alloc(module, 512)
		t.Run(1, module)
		return t.Alloc(module, 512)
	}, activationForwardCut},
	{"trace ends in forward, forward keeps", func(t *tape) tensor {
		t.Run(9, module)
		t.Alloc("a.cpp\n"+module, 512)
		return t.Alloc("b.cpp\n"+module, 512)
	}, activationForwardCut},
	{"trace ends in forward, graphs are released without backward", func(t *tape) tensor {
		for range 9 {
			t.Freed(module, release+loop)
		}
		return t.Alloc("b.cpp\n"+module, 512)
	}, activationForwardCut},
	{"the same in user code", func(t *tape) tensor {
		t.Run(9, module)
		t.Alloc("a.cpp\n"+module, 512)
		t.Alloc("b.cpp\n"+module, 512)
		return t.Alloc(loop, 512)
	}, activationForwardCutUser},
	{"trace ends out of memory in backward", func(t *tape) tensor {
		t.Run(9, module)
		t.Alloc("a.cpp\n"+module, 512)
		x := t.Alloc("b.cpp\n"+module, 512)
		t.Run(4, engine)
		t.Emit(snapshot.OOM, t.Fresh(512), engine)
		return x
	}, activationForwardCut},
	{"forward keeps little", func(t *tape) tensor {
		t.Run(12, module)
		t.Alloc("a.cpp\n"+module, 512)
		return t.Alloc("b.cpp\n"+module, 512)
	}, outputWithoutGrad},
	{"too few to tell", func(t *tape) tensor {
		t.Run(7, module)
		t.Alloc("a.cpp\n"+module, 512)
		return t.Alloc("b.cpp\n"+module, 512)
	}, outputWithoutGrad},
}

var preExistingCases = []ruleCase{
	{"old moment", func(t *tape) tensor { return t.FreeOld(512, step) }, optimizerFreedInStep},
	{"old gradient", func(t *tape) tensor { return t.FreeOld(512, zeroGrad) }, gradientZeroed},
	{"old saved tensor", func(t *tape) tensor { return t.FreeOld(512, release+engine) }, activationGraphReleased},
	{"old tensor freed in backward", func(t *tape) tensor { return t.FreeOld(512, engine) }, activationBeforeRecording},
	{"freed by the autograd thread without frames", func(t *tape) tensor {
		t.Run(1, module)
		return t.FreeOld(512, "")
	}, activationBeforeRecording},
	{"replaced weight", func(t *tape) tensor { return t.FreeOld(512, loading) }, parameterReplaced},
	{"freed by user code", func(t *tape) tensor { return t.FreeOld(512, loop) }, freedByUser},
	{"freed by user code, next to resident blocks", func(t *tape) tensor {
		t.Resident(4, 512)
		return t.FreeOld(512, loop)
	}, freedByUser},
	{"freed by forward", func(t *tape) tensor { return t.FreeOld(512, module) }, freedByUser},

	{"block: workspace", func(t *tape) tensor {
		return t.Block(512, "at::cuda::getCurrentCUDABlasHandle(bool)\n"+module)
	}, workspaceByName},
	{"block: size of a workspace", func(t *tape) tensor { return t.Block(cublasWorkspace, module) }, workspaceBySize},
	{"block: replica", func(t *tape) tensor {
		return t.Block(512, "torch/nn/parallel/replicate.py|replicate\n"+module)
	}, parameterReplica},
	{"block: part of a batch", func(t *tape) tensor {
		return t.Block(512, "torch/nn/parallel/scatter_gather.py|scatter\n"+module)
	}, inputScattered},
	{"block: collective", func(t *tape) tensor { return t.Block(512, "c10d::f()\n"+loop) }, communicationByName},
	{"block: cache of a model", func(t *tape) tensor { return t.Block(512, "cache_utils.py|update\n"+module) },
		cacheByName},
	{"block: cache of a loop", func(t *tape) tensor { return t.Block(512, "cache_utils.py|update\n"+loop) },
		cacheByName},
	{"block: step", func(t *tape) tensor { return t.Block(512, step) }, optimizerBlock},
	{"block: backward", func(t *tape) tensor { return t.Block(512, engine) }, gradientBlock},
	{"block: loading", func(t *tape) tensor { return t.Block(512, loading) }, parameterLoaded},
	{"block: loaded optimizer", func(t *tape) tensor {
		return t.Block(512, "torch/optim/optimizer.py|load_state_dict\n"+loop)
	}, optimizerLoaded},
	{"block: forward", func(t *tape) tensor { return t.Block(512, module) }, activationBlock},
	{"block: moved", func(t *tape) tensor { return t.Block(512, toDevice) }, inputMoved},
	{"block: user code", func(t *tape) tensor { return t.Block(512, loop) }, undecided},

	{"resident", func(t *tape) tensor { return t.Resident(1, 512) }, residentBlock},
	{"resident in a forward-only recording", func(t *tape) tensor { t.Run(9, module); return t.Resident(4, 512) },
		residentBlock},
	{"no gradient of its size", func(t *tape) tensor { t.Gradients(4, 1024); return t.Resident(4, 512) },
		residentBlock},
	{"as many as gradients", func(t *tape) tensor { t.Gradients(4, 512); return t.Resident(4, 512) },
		parameterLikeGradients},
	{"few more than gradients", func(t *tape) tensor { t.Gradients(4, 512); return t.Resident(6, 512) },
		parameterLikeGradients},
	{"more than gradients", func(t *tape) tensor { t.Gradients(4, 512); return t.Resident(7, 512) },
		parameterOrOptimizer},
	{"gradients of two passes", func(t *tape) tensor {
		t.Gradients(4, 512)
		t.Run(4, module)
		t.Gradients(4, 512)
		return t.Resident(7, 512)
	}, parameterOrOptimizer},
	{"as many as old gradients", func(t *tape) tensor {
		for range 4 {
			t.Block(512, engine)
		}
		return t.Resident(4, 512)
	}, parameterLikeGradients},
	{"more than old gradients", func(t *tape) tensor {
		t.Block(512, engine)
		return t.Resident(4, 512)
	}, parameterOrOptimizer},
	{"more than gradients, state is born", func(t *tape) tensor {
		t.Gradients(4, 512)
		t.Alloc(initGroup, 64)
		return t.Resident(12, 512)
	}, parameterNextToOptimizer},
	{"more than gradients, state is an old block", func(t *tape) tensor {
		t.Gradients(4, 512)
		t.Block(64, step)
		return t.Resident(12, 512)
	}, parameterNextToOptimizer},
	{"state of its size, no backward", func(t *tape) tensor {
		t.Alloc(initGroup, 512)
		return t.Resident(2, 512)
	}, parameterLikeOptimizer},
	{"no state of its size, gradients kept in place", func(t *tape) tensor {
		t.Run(4, engine)
		t.Alloc(initGroup, 64)
		return t.Resident(2, 512)
	}, residentBlock},
	{"state of its size, gradients of another", func(t *tape) tensor {
		t.Gradients(1, 64)
		t.Alloc(initGroup, 512)
		return t.Resident(2, 512)
	}, parameterLikeOptimizer},
	{"state of its size, gradients kept in place", func(t *tape) tensor {
		t.Run(4, engine)
		t.Alloc(initGroup, 512)
		return t.Resident(2, 512)
	}, parameterOrGradient},
}

func TestBornRules(t *testing.T) {
	for _, c := range bornCases {
		t.Run(c.name, c.check)
	}
}

func TestPreExistingRules(t *testing.T) {
	for _, c := range preExistingCases {
		t.Run(c.name, c.check)
	}
}

// TestRuleTable: every rule has a case above, a family, and words that can stand
// in a sentence.
func TestRuleTable(t *testing.T) {
	cased := map[Rule]bool{}
	for _, list := range [][]ruleCase{bornCases, preExistingCases} {
		for _, c := range list {
			cased[c.want] = true
		}
	}
	for _, rule := range ruleOfCategory { // TestCategories
		cased[rule] = true
	}
	said := map[string]Rule{}
	for r := range Rule(ruleCount) {
		because := rules[r].because
		if !cased[r] {
			t.Errorf("rule %d (%s) has no case", r, because)
		}
		if because == "" || strings.HasSuffix(because, ".") {
			t.Errorf("rule %d: bad clause %q", r, because)
		}
		if other, again := said[because]; again {
			t.Errorf("rules %d and %d both say %q", other, r, because)
		}
		said[because] = r
		if (r.family() == Unknown) != (r == undecided || r == heldByUser || r == freedByUser) {
			t.Errorf("rule %d (%s) has family %s", r, because, r.family().Key())
		}
	}
}

// classify decides the families of a tape with the rules of a person, or nil.
func classify(t *tape, o *Overrides) (*Assignment, *replay.Device) {
	s, d := t.Replay()
	st := stacks.Read(s)
	m := stacks.ActivitiesOf(st, d.Events)
	return Find(st, d, m, timeline.FindPhases(m, d.Events), o.Apply(st)), d
}
