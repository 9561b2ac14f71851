package stacks

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Facts is what the names on a stack prove about the call, as a bit set. A stack has
// the facts of all its frames.
type Facts uint32

const (
	FactPython Facts = 1 << iota // a Python frame
	FactNative                   // a C++ frame

	FactEngine        // the autograd engine runs the call
	FactAccumulate    // AccumulateGrad stores a gradient
	FactRelease       // the autograd graph frees saved tensors
	FactWorkspace     // scratch memory of cuBLAS, cuDNN or CUB
	FactCommunication // collectives; also from Python names
	FactTransfer      // a tensor is made from host data or moved to the device
	FactBackwardCall  // Python that only runs to start or inside backward
	FactOptimizer     // an optimizer's step; user-written ones run inside torch's own step hook
	FactOptimizerInit // an optimizer builds its state
	FactOptimizerLoad // an optimizer's state is loaded
	FactZeroGrad      // gradients are dropped
	FactClipGrad      // gradients are clipped
	FactLoad          // a model is built, loaded or moved
	FactForward       // a module, or a function named forward
	FactDataLoader    // torch.utils.data
	FactCheckpoint    // activation checkpointing
	FactKVCache       // a key-value cache, by its name
	FactFunctionApply // torch/autograd/function.py: apply; backward when it is the root Python frame
	FactModuleCall    // one call of a module
	FactReducerCall   // DistributedDataParallel's forward, which calls its reducer in C++
	FactBackwardRoot  // the thread that calls backward, before the engine takes over
	FactScalerStep    // the gradient scaler of mixed precision takes a step, or leaves it out
	FactReplica       // DataParallel copies parameters to another device
	FactForeach       // an optimizer works on all parameters at once
	FactScatter       // DataParallel hands parts of a batch to the devices

	FactCollector          // Python's cycle collector frees
	FactCollectorExplicit  // the collector was called by name: gc.collect()
	FactCollectorAutomatic // the collector ran by itself, out of an allocation or between bytecodes
	FactExceptionDealloc   // an exception is dropped
	FactFrameDealloc       // a Python frame or a traceback is dropped
)

// Has reports whether f has at least one of several facts.
func (f Facts) Has(any Facts) bool { return f&any != 0 }

// symbolWords are parts of C++ symbols that mean something.
var symbolWords = []struct {
	facts Facts
	words []string
}{
	{FactEngine, []string{"torch::autograd::Engine::"}},
	{FactAccumulate, []string{"AccumulateGrad"}},
	{FactRelease, []string{"release_variables", "SavedVariable::reset_data"}},
	{FactWorkspace, []string{"getNewWorkspace", "setWorkspaceForHandle", "CUDABlasLtWorkspace",
		"getCurrentCUDABlasHandle", "raw_cudnn_", "run_conv_plan", "run_single_conv", "cub::"}},
	{FactCommunication, []string{"c10d::", "nccl", "ProcessGroup", "Reducer::"}},
}

// nativeFacts returns the facts of a C++ frame.
func nativeFacts(symbol string) Facts {
	f := FactNative | interpreterFacts(symbol)
	for _, row := range symbolWords {
		if containsAny(symbol, row.words...) {
			f |= row.facts
		}
	}
	if isTransfer(symbol) {
		f |= FactTransfer
	}
	return f
}

// transferMethods are the Python methods of a tensor, as C++ knows them, that
// bring data to the device. Casts (_to_copy) and scratch buffers (zeros, empty,
// ones, arange) are not among them.
var transferMethods = map[string]bool{
	"to": true, "cuda": true, "npu": true, "pin_memory": true,
	"randint": true, "rand": true, "randn": true, "tensor": true, "from_numpy": true,
}

func isTransfer(symbol string) bool {
	if strings.Contains(symbol, "tensor_ctor") {
		return true
	}
	_, rest, found := strings.Cut(symbol, "THPVariable_")
	if !found {
		return false
	}
	method := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz_"))
	return transferMethods[rest[:method]]
}

// interpreterSymbols are functions of CPython that show why it frees an object. An
// allocator of CPython frees only through the cycle collector, which it starts when
// enough objects were made. Ordinary destructors (subtype_dealloc, dict_dealloc,
// THPVariable_clear) are missing here because they run for every object.
var interpreterSymbols = map[string]Facts{
	"gc_collect_main":          FactCollector,
	"gc_collect_region":        FactCollector,
	"gc_collect_with_callback": FactCollector,
	"delete_garbage":           FactCollector,

	"gc_collect_generations": FactCollector | FactCollectorAutomatic,
	"_Py_RunGC":              FactCollector | FactCollectorAutomatic,
	"_PyObject_GC_New":       FactCollector | FactCollectorAutomatic,
	"_PyObject_GC_NewVar":    FactCollector | FactCollectorAutomatic,
	"PyType_GenericAlloc":    FactCollector | FactCollectorAutomatic,

	"gc_collect":      FactCollector | FactCollectorExplicit,
	"gc_collect_impl": FactCollector | FactCollectorExplicit,
	"PyGC_Collect":    FactCollector | FactCollectorExplicit,

	"BaseException_dealloc": FactExceptionDealloc,
	"tb_dealloc":            FactFrameDealloc,
	"frame_dealloc":         FactFrameDealloc,
}

// interpreterFacts returns the facts of a C function of CPython; compilers append
// suffixes such as .constprop.0 to its name.
func interpreterFacts(symbol string) Facts {
	name, _, _ := strings.Cut(symbol, ".")
	if strings.HasPrefix(name, "_PyGC_Collect") {
		return FactCollector | FactCollectorExplicit
	}
	return interpreterSymbols[name]
}

// CollectorFrame returns the innermost frame of a stack that shows the cycle collector.
func (st *Table) CollectorFrame(id snapshot.StackID) snapshot.FrameID {
	for _, frame := range st.Snapshot.Stacks.Frames(id) {
		if st.FrameClass[frame] != Internal {
			continue
		}
		name := st.Snapshot.String(st.Snapshot.Frames[frame].Name)
		if interpreterFacts(name).Has(FactCollector) {
			return frame
		}
	}
	return NoFrame
}

// OptimizerCaller returns the user's frame that called the optimizer on a stack, or
// NoFrame.
func (st *Table) OptimizerCaller(id snapshot.StackID) snapshot.FrameID {
	caller := NoFrame
	for _, frame := range slices.Backward(st.Snapshot.Stacks.Frames(id)) {
		site := st.Frame(frame)
		path := Slashed(site.File)
		switch {
		case st.FrameClass[frame] == UserCode:
			caller = frame
		case kindOf(path).python() &&
			pythonFacts(factsOfFile(path), factsOfFunction(baseFunction(site.Function))).Has(FactOptimizer):
			return caller
		}
	}
	return caller
}

// Activity is what the program was doing when a stack was recorded.
type Activity byte

const (
	NoActivity   Activity = 0   // no frames
	InBackward   Activity = 'B' // recomputation inside backward included
	InOptimizer  Activity = 'O'
	InZeroGrad   Activity = 'Z'
	InClipping   Activity = 'C'
	InForward    Activity = 'F'
	InLoading    Activity = 'L'
	InDataLoader Activity = 'D'
	InUserCode   Activity = 'U' // any other Python
	InNative     Activity = 'N' // C++ only
)

// Phases are the activities that are phases of training, in the order in which pages name them.
var Phases = [...]Activity{InLoading, InForward, InBackward, InOptimizer}

// PhaseName returns the name of a phase of training: load, forward, backward or optimizer;
// "" for other activities.
func (a Activity) PhaseName() string {
	switch a {
	case InLoading:
		return "load"
	case InForward:
		return "forward"
	case InBackward:
		return "backward"
	case InOptimizer:
		return "optimizer"
	}
	return ""
}

// activity reads the facts of a whole stack; the first that applies wins.
func (f Facts) activity() Activity {
	switch {
	case f.Has(FactEngine | FactBackwardCall):
		return InBackward
	case f.Has(FactOptimizer) && !f.Has(FactForward):
		return InOptimizer
	case f.Has(FactZeroGrad):
		return InZeroGrad
	case f.Has(FactClipGrad):
		return InClipping
	case f.Has(FactForward):
		return InForward
	case f.Has(FactLoad):
		return InLoading
	case f.Has(FactDataLoader):
		return InDataLoader
	case f.Has(FactPython):
		return InUserCode
	case f.Has(FactNative):
		return InNative
	}
	return NoActivity
}

// activityFacts are the facts that show an activity.
var activityFacts = map[Activity]Facts{
	InBackward:   FactEngine | FactBackwardCall,
	InOptimizer:  FactOptimizer,
	InZeroGrad:   FactZeroGrad,
	InClipping:   FactClipGrad,
	InForward:    FactForward,
	InLoading:    FactLoad,
	InDataLoader: FactDataLoader,
}

// deciding returns the facts of a whole stack that show most about what its memory was
// for.
func (f Facts) deciding() Facts {
	if names := f & (FactWorkspace | FactCommunication); names != 0 {
		return names
	}
	activity := f.activity()
	if activity == InForward && f.Has(FactKVCache) {
		return FactKVCache
	}
	return activityFacts[activity]
}

// Activities finds the activity of each stack of one device's events.
//
// When Python frames were recorded and C++ frames were not, stacks of the
// autograd engine's thread are empty, and hardly any others are: an empty stack
// then means backward.
type Activities struct {
	of                    []Activity // by stack
	emptyAlloc, emptyFree Activity   // of the empty stack
}

// ActivitiesOf looks at the stacks of all events of a device.
func ActivitiesOf(st *Table, e *snapshot.Events) *Activities {
	a := &Activities{of: st.Activity}
	var allocs, frees Facts
	for i, action := range e.Action {
		switch f := st.Facts[e.Stack[i]]; action {
		case snapshot.Alloc:
			allocs |= f
		case snapshot.Free, snapshot.FreeRequested, snapshot.FreeCompleted:
			frees |= f
		}
	}
	if (allocs | frees).Has(FactNative) {
		return a
	}
	if allocs.Has(FactPython) {
		a.emptyAlloc = InBackward
	}
	if frees.Has(FactPython) { // otherwise frees were recorded without stacks
		a.emptyFree = InBackward
	}
	return a
}

// Alloc returns the activity of a stack that allocated.
func (a *Activities) Alloc(id snapshot.StackID) Activity {
	if id == 0 {
		return a.emptyAlloc
	}
	return a.of[id]
}

// Free returns the activity of a stack that freed.
func (a *Activities) Free(id snapshot.StackID) Activity {
	if id == 0 {
		return a.emptyFree
	}
	return a.of[id]
}
