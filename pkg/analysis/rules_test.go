package analysis

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ruleCase records a history and names the rule that must decide the family of
// one tensor in it.
type ruleCase struct {
	name   string
	record func(t *tape) tensor
	want   Rule
}

func (c ruleCase) check(t *testing.T) {
	tape := newTape()
	x := c.record(tape)
	f, d := classify(tape, nil)
	got := ruleOf(t, f, d, x)
	if got != c.want {
		t.Errorf("%s: %s\nwant %s: %s", got.Family(), got.Because(), c.want.Family(), c.want.Because())
	}
}

func ruleOf(t *testing.T, f *Families, d *replay.Device, x tensor) Rule {
	t.Helper()
	for i := range d.Allocations {
		if d.Allocations[i].Addr == x.addr {
			return f.Rules[i]
		}
	}
	t.Fatal("the tensor is not in the replay")
	return undecided
}

const cublasWorkspace = 8_519_680

var bornCases = []ruleCase{
	{"workspace", func(t *tape) tensor {
		return t.alloc("at::cuda::getCurrentCUDABlasHandle(bool)\n"+module, 512)
	}, workspaceByName},
	{"collective in backward", func(t *tape) tensor {
		return t.alloc("c10d::Reducer::initialize_buckets()\n"+engine, 512)
	}, communicationByName},
	{"key-value cache", func(t *tape) tensor {
		return t.alloc("cache_utils.py|update\n"+module, 512)
	}, cacheByName},
	{"key-value cache outside a model", func(t *tape) tensor {
		return t.alloc("cache_utils.py|update\n"+loop, 512)
	}, undecided},

	{"optimizer init", func(t *tape) tensor { return t.freed(initGroup, step) }, optimizerBuilt},
	{"optimizer state", func(t *tape) tensor {
		x := t.alloc(step, 512)
		t.run(4, step)
		t.run(4, module)
		return x
	}, optimizerOutlivesStep},
	{"moment replaced in the next step", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc(step, 512)
		t.run(4, step)
		t.run(4, module)
		t.run(4, step)
		t.free(x, step)
		return x
	}, optimizerOutlivesStep},
	{"optimizer state, trace ends", func(t *tape) tensor { t.run(4, step); return t.alloc(step, 512) },
		optimizerStepCut},
	{"optimizer scratch", func(t *tape) tensor { t.run(4, step); return t.freed(step, step) }, temporaryOfStep},

	{"staging buffer", func(t *tape) tensor { return t.freed(loading, loading) }, temporaryOfLoading},
	{"staging buffer of 50 events", func(t *tape) tensor { return t.across(loading, 48, loading, loading) },
		temporaryOfLoading},
	{"replaced weight", func(t *tape) tensor { return t.across(loading, 52, loading, loading) }, parameterLoaded},
	{"weight freed by forward", func(t *tape) tensor {
		t.run(4, loading)
		x := t.alloc(loading, 512)
		t.run(4, module)
		t.free(x, loop)
		return x
	}, parameterLoaded},
	{"weight", func(t *tape) tensor { return t.alloc(loading, 512) }, parameterLoaded},
	{"loaded optimizer state", func(t *tape) tensor {
		return t.alloc("torch/optim/optimizer.py|load_state_dict\n"+loop, 512)
	}, optimizerLoaded},

	{"accumulated gradient", func(t *tape) tensor {
		return t.freed("torch::autograd::AccumulateGrad::apply(x)\n"+engine, engine)
	}, gradientAccumulated},
	{"recomputed", func(t *tape) tensor {
		return t.freed("torch/utils/checkpoint.py|recompute_fn\n"+engine, engine)
	}, activationRecomputed},
	{"recomputed, freed by user code", func(t *tape) tensor {
		return t.freed("torch/utils/checkpoint.py|recompute_fn\n"+engine, loop)
	}, temporaryOfBackward},
	{"scratch of backward", func(t *tape) tensor { return t.freed(engine, engine) }, temporaryOfBackward},
	{"backward goes on at the end", func(t *tape) tensor {
		x := t.alloc(engine, 512)
		t.run(4, engine)
		t.run(9, loop)
		return x
	}, gradientBackwardCut},
	{"a later backward goes on at the end", func(t *tape) tensor {
		x := t.alloc(engine, 512)
		t.run(4, engine)
		t.run(4, module)
		t.run(4, engine)
		return x
	}, gradientOutlivesBackward},
	{"backward is over at the end", func(t *tape) tensor {
		x := t.alloc(engine, 512)
		t.run(4, engine)
		t.run(10, loop)
		return x
	}, gradientOutlivesBackward},
	{"a stray of backward in forward at the end", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc(engine, 512)
		t.run(4, module)
		return x
	}, gradientOutlivesBackward},
	{"gradient", func(t *tape) tensor {
		x := t.alloc(engine, 512)
		t.run(4, engine)
		t.run(4, step)
		t.free(x, zeroGrad)
		return x
	}, gradientOutlivesBackward},

	{"saved for backward", func(t *tape) tensor { return t.freed(module, release+loop) }, activationReleased},
	{"user tensor saved for backward", func(t *tape) tensor { return t.freed(loop, release+engine) },
		activationReleased},
	{"moved input saved for backward", func(t *tape) tensor { return t.freed(toDevice, release+engine) },
		activationOfUser},
	{"clip norm saved for backward", func(t *tape) tensor { return t.freed(clipGrad, release+engine) },
		activationReleased},
	{"C++ tensor saved for backward", func(t *tape) tensor { return t.freed(native, release+engine) },
		activationReleased},

	{"cuBLAS workspace in backward without frames", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc("", cublasWorkspace)
		t.run(4, "")
		t.run(10, loop)
		return x
	}, workspaceBySize},
	{"gradients of the size of a workspace, without frames", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc("", cublasWorkspace)
		t.run(4, "")
		t.alloc("", cublasWorkspace)
		t.run(10, loop)
		return x
	}, gradientOutlivesBackward},
	{"gradient of the size of a workspace", func(t *tape) tensor {
		x := t.alloc(engine, cublasWorkspace)
		t.run(4, engine)
		t.run(10, loop)
		return x
	}, gradientOutlivesBackward},
	{"DistributedDataParallel's buckets", func(t *tape) tensor {
		x := t.alloc("torch/nn/parallel/distributed.py|_ddp_init_helper\ntorch/nn/parallel/distributed.py|__init__\n"+
			loop, 512)
		t.train()
		return x
	}, communicationByName},
	{"DistributedDataParallel's new buckets", func(t *tape) tensor {
		return t.alloc("torch/nn/parallel/distributed.py|_pre_forward\n"+module, 512)
	}, communicationByName},
	{"DistributedDataParallel's copy of its inputs", func(t *tape) tensor {
		t.run(4, loop)
		return t.freed("torch/distributed/utils.py|_to_kwargs\ntorch/nn/parallel/distributed.py|_pre_forward\n"+module,
			engine)
	}, activationFreedInBackward},
	{"cuBLAS workspace in forward", func(t *tape) tensor { return t.alloc(module, cublasWorkspace) }, workspaceBySize},
	{"cuBLAS workspace in user code", func(t *tape) tensor { return t.alloc(loop, cublasWorkspace) }, workspaceBySize},
	{"freed by user code, of the size of a workspace", func(t *tape) tensor {
		x := t.alloc(loop, cublasWorkspace)
		t.free(x, loop)
		return x
	}, temporaryOutsideForward},
	{"freed, of the size of a workspace", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc(module, cublasWorkspace)
		t.free(x, module)
		return x
	}, temporaryOfForward},

	{"parameter of user code", func(t *tape) tensor {
		x := t.alloc("model.py|__init__\n"+loop, 512)
		t.run(4, module)
		t.run(4, engine)
		return x
	}, parameterBeforeForward},
	{"the same with nothing but a step", func(t *tape) tensor {
		x := t.alloc("model.py|__init__\n"+loop, 512)
		t.run(4, module)
		t.run(4, step)
		return x
	}, parameterBeforeForward},
	{"the same without training", func(t *tape) tensor {
		x := t.alloc("model.py|__init__\n"+loop, 512)
		t.run(4, module)
		return x
	}, inputByLifetime},
	{"the same without a forward pass", func(t *tape) tensor {
		x := t.alloc("model.py|__init__\n"+loop, 512)
		t.run(4, engine)
		return x
	}, undecided},
	{"the same, freed", func(t *tape) tensor {
		x := t.alloc("model.py|__init__\n"+loop, 512)
		t.run(4, module)
		t.run(4, engine)
		t.free(x, loop)
		return x
	}, inputByLifetime},
	{"the same at a site used again", func(t *tape) tensor {
		x := t.alloc("model.py|__init__\n"+loop, 512)
		t.run(4, module)
		t.run(4, engine)
		t.run(1, "model.py|__init__\n"+loop)
		return x
	}, inputByLifetime},
	{"user tensor freed in backward", func(t *tape) tensor { return t.freed(loop, engine) }, activationOfUser},
	{"loaded sample freed in backward", func(t *tape) tensor { return t.freed(dataset, engine) }, activationOfUser},
	{"held", func(t *tape) tensor {
		t.run(4, module)
		t.alloc("metrics.py|append", 512)
		return t.alloc("metrics.py|append", 512)
	}, heldByUser},
	{"freed where others are held", func(t *tape) tensor {
		t.alloc("metrics.py|append", 512)
		t.alloc("metrics.py|append", 512)
		return t.freed("metrics.py|append", loop)
	}, temporaryOutsideForward},
	{"held, but moved to the device", func(t *tape) tensor {
		x := t.alloc(toDevice, 512)
		t.alloc(toDevice, 512)
		t.run(4, module)
		return x
	}, inputMoved},
	{"loaded sample", func(t *tape) tensor { return t.freed(dataset, loop) }, inputLoaded},
	{"moved, seen by forward", func(t *tape) tensor { return t.across(toDevice, 8, module, loop) }, inputMoved},
	{"moved, alive for long", func(t *tape) tensor { return t.across(toDevice, 20, loop, loop) }, inputMoved},
	{"moved, short", func(t *tape) tensor { return t.across(toDevice, 18, loop, loop) }, temporaryOutsideForward},
	{"made by user code, seen by forward", func(t *tape) tensor { return t.across(loop, 8, module, loop) },
		inputByLifetime},
	{"an input's sibling", func(t *tape) tensor {
		t.across("train.py|batch", 8, module, loop)
		t.run(4, step)
		return t.freed("train.py|batch", loop)
	}, inputLikeItsSite},
	{"an output where inputs are", func(t *tape) tensor {
		t.across("train.py|batch", 8, module, loop)
		t.run(4, module)
		return t.across("train.py|batch", 8, engine, loop)
	}, inputLikeItsSite},
	{"a live sibling of an input", func(t *tape) tensor {
		t.across("train.py|batch", 8, module, loop)
		t.run(4, engine)
		return t.alloc("train.py|batch", 512)
	}, undecided},
	{"a live sibling of an input that a backward pass leaves", func(t *tape) tensor {
		t.across("train.py|batch", 8, module, loop)
		t.run(4, module)
		x := t.alloc("train.py|batch", 512)
		t.run(4, engine)
		return x
	}, outputKept},
	{"user scratch", func(t *tape) tensor { return t.freed(loop, loop) }, temporaryOutsideForward},
	{"clip norm", func(t *tape) tensor { return t.freed(clipGrad, loop) }, temporaryOfClipping},
	{"scratch of zero_grad", func(t *tape) tensor { return t.freed(zeroGrad, loop) }, temporaryOfClipping},
	{"kept clip norm", func(t *tape) tensor { return t.alloc(clipGrad, 512) }, undecided},
	{"one kept by user code", func(t *tape) tensor { return t.alloc(loop, 512) }, undecided},
	{"C++ only", func(t *tape) tensor { return t.freed(native, native) }, undecided},

	{"activation", func(t *tape) tensor { return t.freed(module, engine) }, activationFreedInBackward},
	{"scratch of forward", func(t *tape) tensor { return t.freed(module, loop) }, temporaryOfForward},
	{"user scratch in forward", func(t *tape) tensor { t.run(4, module); return t.freed(loop, loop) },
		temporaryOfForwardUser},
	{"free requested in forward, completed after it", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc(module, 512)
		t.event(snapshot.FreeRequested, x, loop)
		t.run(4, engine)
		t.event(snapshot.FreeCompleted, x, loop)
		return x
	}, temporaryOfForward},
	{"free requested, completion not recorded", func(t *tape) tensor {
		t.run(4, module)
		x := t.alloc(module, 512)
		t.event(snapshot.FreeRequested, x, loop)
		return x
	}, temporaryOfForward},
	{"replaced at its address without a free", func(t *tape) tensor {
		x := t.alloc(module, 512)
		t.event(snapshot.Alloc, x, module)
		return x
	}, temporaryOfForward},
	{"logits", func(t *tape) tensor { return t.across(module, 8, engine, loop) }, outputAfterBackward},
	{"no backward", func(t *tape) tensor { return t.across(module, 8, step, loop) }, temporaryAfterForward},
	{"retained", func(t *tape) tensor {
		x := t.alloc(module, 512)
		t.alloc(module, 512)
		t.run(2, module)
		t.run(4, engine)
		return x
	}, activationRetained},
	{"one of two kept", func(t *tape) tensor {
		x := t.alloc(module, 512)
		t.run(1, module)
		t.run(4, engine)
		return x
	}, outputKept},
	{"few of a site kept", func(t *tape) tensor {
		x := t.alloc(module, 512)
		t.run(2, module)
		t.run(4, engine)
		return x
	}, outputKept},
	{"trace ends in forward, site keeps", func(t *tape) tensor {
		t.alloc(module, 512)
		t.run(1, module)
		return t.alloc(module, 512)
	}, activationForwardCut},
	{"trace ends in forward, forward keeps", func(t *tape) tensor {
		t.run(9, module)
		t.alloc("a.cpp\n"+module, 512)
		return t.alloc("b.cpp\n"+module, 512)
	}, activationForwardCut},
	{"trace ends in forward, graphs are released without backward", func(t *tape) tensor {
		for range 9 {
			t.freed(module, release+loop)
		}
		return t.alloc("b.cpp\n"+module, 512)
	}, activationForwardCut},
	{"the same in user code", func(t *tape) tensor {
		t.run(9, module)
		t.alloc("a.cpp\n"+module, 512)
		t.alloc("b.cpp\n"+module, 512)
		return t.alloc(loop, 512)
	}, activationForwardCutUser},
	{"forward keeps little", func(t *tape) tensor {
		t.run(12, module)
		t.alloc("a.cpp\n"+module, 512)
		return t.alloc("b.cpp\n"+module, 512)
	}, outputWithoutGrad},
	{"too few to tell", func(t *tape) tensor {
		t.run(7, module)
		t.alloc("a.cpp\n"+module, 512)
		return t.alloc("b.cpp\n"+module, 512)
	}, outputWithoutGrad},
}

var preExistingCases = []ruleCase{
	{"old moment", func(t *tape) tensor { return t.freeOld(512, step) }, optimizerFreedInStep},
	{"old gradient", func(t *tape) tensor { return t.freeOld(512, zeroGrad) }, gradientZeroed},
	{"old saved tensor", func(t *tape) tensor { return t.freeOld(512, release+engine) }, activationGraphReleased},
	{"old tensor freed in backward", func(t *tape) tensor { return t.freeOld(512, engine) }, activationBeforeRecording},
	{"freed by the autograd thread without frames", func(t *tape) tensor {
		t.run(1, module)
		return t.freeOld(512, "")
	}, activationBeforeRecording},
	{"replaced weight", func(t *tape) tensor { return t.freeOld(512, loading) }, parameterReplaced},
	{"freed by user code", func(t *tape) tensor { return t.freeOld(512, loop) }, freedByUser},
	{"freed by user code, next to resident blocks", func(t *tape) tensor {
		t.resident(4, 512)
		return t.freeOld(512, loop)
	}, freedByUser},
	{"freed by forward", func(t *tape) tensor { return t.freeOld(512, module) }, freedByUser},

	{"block: workspace", func(t *tape) tensor {
		return t.block(512, "at::cuda::getCurrentCUDABlasHandle(bool)\n"+module)
	}, workspaceByName},
	{"block: size of a workspace", func(t *tape) tensor { return t.block(cublasWorkspace, module) }, workspaceBySize},
	{"block: collective", func(t *tape) tensor { return t.block(512, "c10d::f()\n"+loop) }, communicationByName},
	{"block: cache of a model", func(t *tape) tensor { return t.block(512, "cache_utils.py|update\n"+module) },
		cacheByName},
	{"block: cache of a loop", func(t *tape) tensor { return t.block(512, "cache_utils.py|update\n"+loop) },
		cacheByName},
	{"block: step", func(t *tape) tensor { return t.block(512, step) }, optimizerBlock},
	{"block: backward", func(t *tape) tensor { return t.block(512, engine) }, gradientBlock},
	{"block: loading", func(t *tape) tensor { return t.block(512, loading) }, parameterLoaded},
	{"block: loaded optimizer", func(t *tape) tensor {
		return t.block(512, "torch/optim/optimizer.py|load_state_dict\n"+loop)
	}, optimizerLoaded},
	{"block: forward", func(t *tape) tensor { return t.block(512, module) }, activationBlock},
	{"block: moved", func(t *tape) tensor { return t.block(512, toDevice) }, inputMoved},
	{"block: user code", func(t *tape) tensor { return t.block(512, loop) }, undecided},

	{"resident", func(t *tape) tensor { return t.resident(1, 512) }, residentBlock},
	{"resident in a forward-only recording", func(t *tape) tensor { t.run(9, module); return t.resident(4, 512) },
		residentBlock},
	{"no gradient of its size", func(t *tape) tensor { t.gradients(4, 1024); return t.resident(4, 512) },
		residentBlock},
	{"as many as gradients", func(t *tape) tensor { t.gradients(4, 512); return t.resident(4, 512) },
		parameterLikeGradients},
	{"few more than gradients", func(t *tape) tensor { t.gradients(4, 512); return t.resident(6, 512) },
		parameterLikeGradients},
	{"more than gradients", func(t *tape) tensor { t.gradients(4, 512); return t.resident(7, 512) },
		parameterOrOptimizer},
	{"gradients of two passes", func(t *tape) tensor {
		t.gradients(4, 512)
		t.run(4, module)
		t.gradients(4, 512)
		return t.resident(7, 512)
	}, parameterOrOptimizer},
	{"as many as old gradients", func(t *tape) tensor {
		for range 4 {
			t.block(512, engine)
		}
		return t.resident(4, 512)
	}, parameterLikeGradients},
	{"more than old gradients", func(t *tape) tensor {
		t.block(512, engine)
		return t.resident(4, 512)
	}, parameterOrOptimizer},
	{"more than gradients, state is born", func(t *tape) tensor {
		t.gradients(4, 512)
		t.alloc(initGroup, 64)
		return t.resident(12, 512)
	}, parameterNextToOptimizer},
	{"more than gradients, state is an old block", func(t *tape) tensor {
		t.gradients(4, 512)
		t.block(64, step)
		return t.resident(12, 512)
	}, parameterNextToOptimizer},
	{"state of its size, no backward", func(t *tape) tensor {
		t.alloc(initGroup, 512)
		return t.resident(2, 512)
	}, parameterLikeOptimizer},
	{"no state of its size, gradients kept in place", func(t *tape) tensor {
		t.run(4, engine)
		t.alloc(initGroup, 64)
		return t.resident(2, 512)
	}, residentBlock},
	{"state of its size, gradients of another", func(t *tape) tensor {
		t.gradients(1, 64)
		t.alloc(initGroup, 512)
		return t.resident(2, 512)
	}, parameterLikeOptimizer},
	{"state of its size, gradients kept in place", func(t *tape) tensor {
		t.run(4, engine)
		t.alloc(initGroup, 512)
		return t.resident(2, 512)
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
func classify(t *tape, o *Overrides) (*Families, *replay.Device) {
	s, d := t.replay()
	st := Stacks(s)
	m := newMarkers(st, d.Events)
	return Classify(st, m, FindPhases(m, d.Events), o.Apply(st), d), d
}
