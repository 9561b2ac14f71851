package families

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ruleCase records a history and names the rule that must decide the family of
// one tensor in it.
type ruleCase struct {
	name   string
	record func(t *tapes.Tape) tapes.Tensor
	want   Rule
}

func (c ruleCase) check(t *testing.T) {
	tape := tapes.New()
	x := c.record(tape)
	f, d := classify(tape, nil)
	got := ruleOf(t, f, d, x)
	if got != c.want {
		t.Errorf("%s: %s\nwant %s: %s", got.Family(), got.Because(), c.want.Family(), c.want.Because())
	}
}

func ruleOf(t *testing.T, f *Assignment, d *replay.Device, x tapes.Tensor) Rule {
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
	{"workspace", func(t *tapes.Tape) tapes.Tensor {
		return t.Alloc("at::cuda::getCurrentCUDABlasHandle(bool)\n"+tapes.Module, 512)
	}, workspaceByName},
	{"collective in backward", func(t *tapes.Tape) tapes.Tensor {
		return t.Alloc("c10d::Reducer::initialize_buckets()\n"+tapes.Engine, 512)
	}, communicationByName},
	{"key-value cache", func(t *tapes.Tape) tapes.Tensor {
		return t.Alloc("cache_utils.py|update\n"+tapes.Module, 512)
	}, cacheByName},
	{"key-value cache outside a model", func(t *tapes.Tape) tapes.Tensor {
		return t.Alloc("cache_utils.py|update\n"+tapes.Loop, 512)
	}, undecided},

	{"optimizer init", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.InitGroup, tapes.Step) }, optimizerBuilt},
	{"optimizer state", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Step, 512)
		t.Run(4, tapes.Step)
		t.Run(4, tapes.Module)
		return x
	}, optimizerOutlivesStep},
	{"moment replaced in the next step", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc(tapes.Step, 512)
		t.Run(4, tapes.Step)
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Step)
		t.Free(x, tapes.Step)
		return x
	}, optimizerOutlivesStep},
	{"optimizer state, trace ends", func(t *tapes.Tape) tapes.Tensor { t.Run(4, tapes.Step); return t.Alloc(tapes.Step, 512) },
		optimizerStepCut},
	{"optimizer scratch", func(t *tapes.Tape) tapes.Tensor { t.Run(4, tapes.Step); return t.Freed(tapes.Step, tapes.Step) }, temporaryOfStep},

	{"staging buffer", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Loading, tapes.Loading) }, temporaryOfLoading},
	{"staging buffer of 50 events", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.Loading, 48, tapes.Loading, tapes.Loading) },
		temporaryOfLoading},
	{"replaced weight", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.Loading, 52, tapes.Loading, tapes.Loading) }, parameterLoaded},
	{"weight freed by forward", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Loading)
		x := t.Alloc(tapes.Loading, 512)
		t.Run(4, tapes.Module)
		t.Free(x, tapes.Loop)
		return x
	}, parameterLoaded},
	{"weight", func(t *tapes.Tape) tapes.Tensor { return t.Alloc(tapes.Loading, 512) }, parameterLoaded},
	{"loaded optimizer state", func(t *tapes.Tape) tapes.Tensor {
		return t.Alloc("torch/optim/optimizer.py|load_state_dict\n"+tapes.Loop, 512)
	}, optimizerLoaded},

	{"accumulated gradient", func(t *tapes.Tape) tapes.Tensor {
		return t.Freed("torch::autograd::AccumulateGrad::apply(x)\n"+tapes.Engine, tapes.Engine)
	}, gradientAccumulated},
	{"recomputed", func(t *tapes.Tape) tapes.Tensor {
		return t.Freed("torch/utils/checkpoint.py|recompute_fn\n"+tapes.Engine, tapes.Engine)
	}, activationRecomputed},
	{"recomputed, freed by user code", func(t *tapes.Tape) tapes.Tensor {
		return t.Freed("torch/utils/checkpoint.py|recompute_fn\n"+tapes.Engine, tapes.Loop)
	}, temporaryOfBackward},
	{"scratch of backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Engine, tapes.Engine) }, temporaryOfBackward},
	{"backward goes on at the end", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Engine, 512)
		t.Run(4, tapes.Engine)
		t.Run(9, tapes.Loop)
		return x
	}, gradientBackwardCut},
	{"a later backward goes on at the end", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Engine, 512)
		t.Run(4, tapes.Engine)
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Engine)
		return x
	}, gradientOutlivesBackward},
	{"backward is over at the end", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Engine, 512)
		t.Run(4, tapes.Engine)
		t.Run(10, tapes.Loop)
		return x
	}, gradientOutlivesBackward},
	{"a stray of backward in forward at the end", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc(tapes.Engine, 512)
		t.Run(4, tapes.Module)
		return x
	}, gradientOutlivesBackward},
	{"gradient", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Engine, 512)
		t.Run(4, tapes.Engine)
		t.Run(4, tapes.Step)
		t.Free(x, tapes.ZeroGrad)
		return x
	}, gradientOutlivesBackward},

	{"saved for backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Module, tapes.Release+tapes.Loop) }, activationReleased},
	{"user tensor saved for backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Loop, tapes.Release+tapes.Engine) },
		activationReleased},
	{"moved input saved for backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.ToDevice, tapes.Release+tapes.Engine) },
		activationOfUser},
	{"clip norm saved for backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.ClipGrad, tapes.Release+tapes.Engine) },
		activationReleased},
	{"C++ tensor saved for backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Native, tapes.Release+tapes.Engine) },
		activationReleased},

	{"cuBLAS workspace in backward without frames", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc("", cublasWorkspace)
		t.Run(4, "")
		t.Run(10, tapes.Loop)
		return x
	}, workspaceBySize},
	{"gradients of the size of a workspace, without frames", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc("", cublasWorkspace)
		t.Run(4, "")
		t.Alloc("", cublasWorkspace)
		t.Run(10, tapes.Loop)
		return x
	}, gradientOutlivesBackward},
	{"gradient of the size of a workspace", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Engine, cublasWorkspace)
		t.Run(4, tapes.Engine)
		t.Run(10, tapes.Loop)
		return x
	}, gradientOutlivesBackward},
	{"DistributedDataParallel's buckets", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("torch/nn/parallel/distributed.py|_ddp_init_helper\ntorch/nn/parallel/distributed.py|__init__\n"+
			tapes.Loop, 512)
		t.Train()
		return x
	}, communicationByName},
	{"DistributedDataParallel's new buckets", func(t *tapes.Tape) tapes.Tensor {
		return t.Alloc("torch/nn/parallel/distributed.py|_pre_forward\n"+tapes.Module, 512)
	}, communicationByName},
	{"DistributedDataParallel's copy of its inputs", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Loop)
		return t.Freed("torch/distributed/utils.py|_to_kwargs\ntorch/nn/parallel/distributed.py|_pre_forward\n"+tapes.Module,
			tapes.Engine)
	}, activationFreedInBackward},
	{"cuBLAS workspace in forward", func(t *tapes.Tape) tapes.Tensor { return t.Alloc(tapes.Module, cublasWorkspace) }, workspaceBySize},
	{"cuBLAS workspace in user code", func(t *tapes.Tape) tapes.Tensor { return t.Alloc(tapes.Loop, cublasWorkspace) }, workspaceBySize},
	{"freed by user code, of the size of a workspace", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Loop, cublasWorkspace)
		t.Free(x, tapes.Loop)
		return x
	}, temporaryOutsideForward},
	{"freed, of the size of a workspace", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc(tapes.Module, cublasWorkspace)
		t.Free(x, tapes.Module)
		return x
	}, temporaryOfForward},

	{"parameter of user code", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("model.py|__init__\n"+tapes.Loop, 512)
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Engine)
		return x
	}, parameterBeforeForward},
	{"the same with nothing but a step", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("model.py|__init__\n"+tapes.Loop, 512)
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Step)
		return x
	}, parameterBeforeForward},
	{"the same without training", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("model.py|__init__\n"+tapes.Loop, 512)
		t.Run(4, tapes.Module)
		return x
	}, inputByLifetime},
	{"the same without a forward pass", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("model.py|__init__\n"+tapes.Loop, 512)
		t.Run(4, tapes.Engine)
		return x
	}, undecided},
	{"the same, freed", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("model.py|__init__\n"+tapes.Loop, 512)
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Engine)
		t.Free(x, tapes.Loop)
		return x
	}, inputByLifetime},
	{"the same at a site used again", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc("model.py|__init__\n"+tapes.Loop, 512)
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Engine)
		t.Run(1, "model.py|__init__\n"+tapes.Loop)
		return x
	}, inputByLifetime},
	{"user tensor freed in backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Loop, tapes.Engine) }, activationOfUser},
	{"loaded sample freed in backward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Dataset, tapes.Engine) }, activationOfUser},
	{"held", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		t.Alloc("metrics.py|append", 512)
		return t.Alloc("metrics.py|append", 512)
	}, heldByUser},
	{"freed where others are held", func(t *tapes.Tape) tapes.Tensor {
		t.Alloc("metrics.py|append", 512)
		t.Alloc("metrics.py|append", 512)
		return t.Freed("metrics.py|append", tapes.Loop)
	}, temporaryOutsideForward},
	{"held, but moved to the device", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.ToDevice, 512)
		t.Alloc(tapes.ToDevice, 512)
		t.Run(4, tapes.Module)
		return x
	}, inputMoved},
	{"loaded sample", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Dataset, tapes.Loop) }, inputLoaded},
	{"moved, seen by forward", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.ToDevice, 8, tapes.Module, tapes.Loop) }, inputMoved},
	{"moved, alive for long", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.ToDevice, 20, tapes.Loop, tapes.Loop) }, inputMoved},
	{"moved, short", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.ToDevice, 18, tapes.Loop, tapes.Loop) }, temporaryOutsideForward},
	{"made by user code, seen by forward", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.Loop, 8, tapes.Module, tapes.Loop) },
		inputByLifetime},
	{"an input's sibling", func(t *tapes.Tape) tapes.Tensor {
		t.Across("train.py|batch", 8, tapes.Module, tapes.Loop)
		t.Run(4, tapes.Step)
		return t.Freed("train.py|batch", tapes.Loop)
	}, inputLikeItsSite},
	{"an output where inputs are", func(t *tapes.Tape) tapes.Tensor {
		t.Across("train.py|batch", 8, tapes.Module, tapes.Loop)
		t.Run(4, tapes.Module)
		return t.Across("train.py|batch", 8, tapes.Engine, tapes.Loop)
	}, inputLikeItsSite},
	{"a live sibling of an input", func(t *tapes.Tape) tapes.Tensor {
		t.Across("train.py|batch", 8, tapes.Module, tapes.Loop)
		t.Run(4, tapes.Engine)
		return t.Alloc("train.py|batch", 512)
	}, undecided},
	{"a live sibling of an input that a backward pass leaves", func(t *tapes.Tape) tapes.Tensor {
		t.Across("train.py|batch", 8, tapes.Module, tapes.Loop)
		t.Run(4, tapes.Module)
		x := t.Alloc("train.py|batch", 512)
		t.Run(4, tapes.Engine)
		return x
	}, outputKept},
	{"user scratch", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Loop, tapes.Loop) }, temporaryOutsideForward},
	{"clip norm", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.ClipGrad, tapes.Loop) }, temporaryOfClipping},
	{"scratch of zero_grad", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.ZeroGrad, tapes.Loop) }, temporaryOfClipping},
	{"kept clip norm", func(t *tapes.Tape) tapes.Tensor { return t.Alloc(tapes.ClipGrad, 512) }, undecided},
	{"one kept by user code", func(t *tapes.Tape) tapes.Tensor { return t.Alloc(tapes.Loop, 512) }, undecided},
	{"C++ only", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Native, tapes.Native) }, undecided},

	{"activation", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Module, tapes.Engine) }, activationFreedInBackward},
	{"scratch of forward", func(t *tapes.Tape) tapes.Tensor { return t.Freed(tapes.Module, tapes.Loop) }, temporaryOfForward},
	{"user scratch in forward", func(t *tapes.Tape) tapes.Tensor { t.Run(4, tapes.Module); return t.Freed(tapes.Loop, tapes.Loop) },
		temporaryOfForwardUser},
	{"free requested in forward, completed after it", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc(tapes.Module, 512)
		t.Emit(snapshot.FreeRequested, x, tapes.Loop)
		t.Run(4, tapes.Engine)
		t.Emit(snapshot.FreeCompleted, x, tapes.Loop)
		return x
	}, temporaryOfForward},
	{"free requested, completion not recorded", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Module)
		x := t.Alloc(tapes.Module, 512)
		t.Emit(snapshot.FreeRequested, x, tapes.Loop)
		return x
	}, temporaryOfForward},
	{"replaced at its address without a free", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Module, 512)
		t.Emit(snapshot.Alloc, x, tapes.Module)
		return x
	}, temporaryOfForward},
	{"logits", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.Module, 8, tapes.Engine, tapes.Loop) }, outputAfterBackward},
	{"no backward", func(t *tapes.Tape) tapes.Tensor { return t.Across(tapes.Module, 8, tapes.Step, tapes.Loop) }, temporaryAfterForward},
	{"retained", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Module, 512)
		t.Alloc(tapes.Module, 512)
		t.Run(2, tapes.Module)
		t.Run(4, tapes.Engine)
		return x
	}, activationRetained},
	{"one of two kept", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Module, 512)
		t.Run(1, tapes.Module)
		t.Run(4, tapes.Engine)
		return x
	}, outputKept},
	{"few of a site kept", func(t *tapes.Tape) tapes.Tensor {
		x := t.Alloc(tapes.Module, 512)
		t.Run(2, tapes.Module)
		t.Run(4, tapes.Engine)
		return x
	}, outputKept},
	{"trace ends in forward, site keeps", func(t *tapes.Tape) tapes.Tensor {
		t.Alloc(tapes.Module, 512)
		t.Run(1, tapes.Module)
		return t.Alloc(tapes.Module, 512)
	}, activationForwardCut},
	{"trace ends in forward, forward keeps", func(t *tapes.Tape) tapes.Tensor {
		t.Run(9, tapes.Module)
		t.Alloc("a.cpp\n"+tapes.Module, 512)
		return t.Alloc("b.cpp\n"+tapes.Module, 512)
	}, activationForwardCut},
	{"trace ends in forward, graphs are released without backward", func(t *tapes.Tape) tapes.Tensor {
		for range 9 {
			t.Freed(tapes.Module, tapes.Release+tapes.Loop)
		}
		return t.Alloc("b.cpp\n"+tapes.Module, 512)
	}, activationForwardCut},
	{"the same in user code", func(t *tapes.Tape) tapes.Tensor {
		t.Run(9, tapes.Module)
		t.Alloc("a.cpp\n"+tapes.Module, 512)
		t.Alloc("b.cpp\n"+tapes.Module, 512)
		return t.Alloc(tapes.Loop, 512)
	}, activationForwardCutUser},
	{"trace ends out of memory in backward", func(t *tapes.Tape) tapes.Tensor {
		t.Run(9, tapes.Module)
		t.Alloc("a.cpp\n"+tapes.Module, 512)
		x := t.Alloc("b.cpp\n"+tapes.Module, 512)
		t.Run(4, tapes.Engine)
		t.Emit(snapshot.OOM, t.Fresh(512), tapes.Engine)
		return x
	}, activationForwardCut},
	{"forward keeps little", func(t *tapes.Tape) tapes.Tensor {
		t.Run(12, tapes.Module)
		t.Alloc("a.cpp\n"+tapes.Module, 512)
		return t.Alloc("b.cpp\n"+tapes.Module, 512)
	}, outputWithoutGrad},
	{"too few to tell", func(t *tapes.Tape) tapes.Tensor {
		t.Run(7, tapes.Module)
		t.Alloc("a.cpp\n"+tapes.Module, 512)
		return t.Alloc("b.cpp\n"+tapes.Module, 512)
	}, outputWithoutGrad},
}

var preExistingCases = []ruleCase{
	{"old moment", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.Step) }, optimizerFreedInStep},
	{"old gradient", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.ZeroGrad) }, gradientZeroed},
	{"old saved tensor", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.Release+tapes.Engine) }, activationGraphReleased},
	{"old tensor freed in backward", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.Engine) }, activationBeforeRecording},
	{"freed by the autograd thread without frames", func(t *tapes.Tape) tapes.Tensor {
		t.Run(1, tapes.Module)
		return t.FreeOld(512, "")
	}, activationBeforeRecording},
	{"replaced weight", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.Loading) }, parameterReplaced},
	{"freed by user code", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.Loop) }, freedByUser},
	{"freed by user code, next to resident blocks", func(t *tapes.Tape) tapes.Tensor {
		t.Resident(4, 512)
		return t.FreeOld(512, tapes.Loop)
	}, freedByUser},
	{"freed by forward", func(t *tapes.Tape) tapes.Tensor { return t.FreeOld(512, tapes.Module) }, freedByUser},

	{"block: workspace", func(t *tapes.Tape) tapes.Tensor {
		return t.Block(512, "at::cuda::getCurrentCUDABlasHandle(bool)\n"+tapes.Module)
	}, workspaceByName},
	{"block: size of a workspace", func(t *tapes.Tape) tapes.Tensor { return t.Block(cublasWorkspace, tapes.Module) }, workspaceBySize},
	{"block: collective", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, "c10d::f()\n"+tapes.Loop) }, communicationByName},
	{"block: cache of a model", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, "cache_utils.py|update\n"+tapes.Module) },
		cacheByName},
	{"block: cache of a loop", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, "cache_utils.py|update\n"+tapes.Loop) },
		cacheByName},
	{"block: step", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, tapes.Step) }, optimizerBlock},
	{"block: backward", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, tapes.Engine) }, gradientBlock},
	{"block: loading", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, tapes.Loading) }, parameterLoaded},
	{"block: loaded optimizer", func(t *tapes.Tape) tapes.Tensor {
		return t.Block(512, "torch/optim/optimizer.py|load_state_dict\n"+tapes.Loop)
	}, optimizerLoaded},
	{"block: forward", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, tapes.Module) }, activationBlock},
	{"block: moved", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, tapes.ToDevice) }, inputMoved},
	{"block: user code", func(t *tapes.Tape) tapes.Tensor { return t.Block(512, tapes.Loop) }, undecided},

	{"resident", func(t *tapes.Tape) tapes.Tensor { return t.Resident(1, 512) }, residentBlock},
	{"resident in a forward-only recording", func(t *tapes.Tape) tapes.Tensor { t.Run(9, tapes.Module); return t.Resident(4, 512) },
		residentBlock},
	{"no gradient of its size", func(t *tapes.Tape) tapes.Tensor { t.Gradients(4, 1024); return t.Resident(4, 512) },
		residentBlock},
	{"as many as gradients", func(t *tapes.Tape) tapes.Tensor { t.Gradients(4, 512); return t.Resident(4, 512) },
		parameterLikeGradients},
	{"few more than gradients", func(t *tapes.Tape) tapes.Tensor { t.Gradients(4, 512); return t.Resident(6, 512) },
		parameterLikeGradients},
	{"more than gradients", func(t *tapes.Tape) tapes.Tensor { t.Gradients(4, 512); return t.Resident(7, 512) },
		parameterOrOptimizer},
	{"gradients of two passes", func(t *tapes.Tape) tapes.Tensor {
		t.Gradients(4, 512)
		t.Run(4, tapes.Module)
		t.Gradients(4, 512)
		return t.Resident(7, 512)
	}, parameterOrOptimizer},
	{"as many as old gradients", func(t *tapes.Tape) tapes.Tensor {
		for range 4 {
			t.Block(512, tapes.Engine)
		}
		return t.Resident(4, 512)
	}, parameterLikeGradients},
	{"more than old gradients", func(t *tapes.Tape) tapes.Tensor {
		t.Block(512, tapes.Engine)
		return t.Resident(4, 512)
	}, parameterOrOptimizer},
	{"more than gradients, state is born", func(t *tapes.Tape) tapes.Tensor {
		t.Gradients(4, 512)
		t.Alloc(tapes.InitGroup, 64)
		return t.Resident(12, 512)
	}, parameterNextToOptimizer},
	{"more than gradients, state is an old block", func(t *tapes.Tape) tapes.Tensor {
		t.Gradients(4, 512)
		t.Block(64, tapes.Step)
		return t.Resident(12, 512)
	}, parameterNextToOptimizer},
	{"state of its size, no backward", func(t *tapes.Tape) tapes.Tensor {
		t.Alloc(tapes.InitGroup, 512)
		return t.Resident(2, 512)
	}, parameterLikeOptimizer},
	{"no state of its size, gradients kept in place", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Engine)
		t.Alloc(tapes.InitGroup, 64)
		return t.Resident(2, 512)
	}, residentBlock},
	{"state of its size, gradients of another", func(t *tapes.Tape) tapes.Tensor {
		t.Gradients(1, 64)
		t.Alloc(tapes.InitGroup, 512)
		return t.Resident(2, 512)
	}, parameterLikeOptimizer},
	{"state of its size, gradients kept in place", func(t *tapes.Tape) tapes.Tensor {
		t.Run(4, tapes.Engine)
		t.Alloc(tapes.InitGroup, 512)
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
	said := map[string]Rule{}
	for r := range Rule(ruleCount) {
		because := r.Because()
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
		if (r.Family() == Unknown) != (r == undecided || r == heldByUser || r == freedByUser) {
			t.Errorf("rule %d (%s) has family %s", r, because, r.Family())
		}
		if r.Retained() && r.Family() != Activation {
			t.Errorf("rule %d (%s) is retained but no activation", r, because)
		}
	}
}

// classify decides the families of a tape with the rules of a person, or nil.
func classify(t *tapes.Tape, o *Overrides) (*Assignment, *replay.Device) {
	s, d := t.Replay()
	st := stacks.Read(s)
	m := stacks.ActivitiesOf(st, d.Events)
	return Find(st, m, timeline.FindPhases(m, d.Events), o.Apply(st), d), d
}
