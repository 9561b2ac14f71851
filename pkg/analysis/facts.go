package analysis

import "strings"

// facts is what the names on a stack prove about the call, as a bit set. A
// stack has the facts of all its frames.
type facts uint32

const (
	factPython facts = 1 << iota // a Python frame
	factNative                   // a C++ frame

	factEngine        // the autograd engine runs the call
	factAccumulate    // AccumulateGrad stores a gradient
	factRelease       // the autograd graph lets go of saved tensors
	factWorkspace     // scratch memory of cuBLAS, cuDNN or CUB
	factCommunication // collectives; also from Python names
	factTransfer      // a tensor is made from host data or moved to the device
	factBackwardCall  // Python that only runs to start or inside backward
	factOptimizer     // an optimizer's step; user-written ones run inside torch's own step hook
	factOptimizerInit // an optimizer builds its state
	factOptimizerLoad // an optimizer's state is loaded
	factZeroGrad      // gradients are dropped
	factClipGrad      // gradients are clipped
	factLoad          // a model is built, loaded or moved
	factForward       // a module, or a function called forward
	factDataLoader    // torch.utils.data
	factCheckpoint    // activation checkpointing
	factKVCache       // a key-value cache, by its name
	factFunctionApply // torch/autograd/function.py: apply; backward when it is the root Python frame
	factModuleCall    // one call of a module
	factReducerCall   // DistributedDataParallel's forward, from where it calls its reducer without more Python
	factBackwardRoot  // the thread that calls backward, before the engine takes over

	factCollector          // Python's cycle collector frees
	factCollectorExplicit  // the collector was called by name: gc.collect()
	factCollectorAutomatic // the collector ran by itself, out of an allocation or between bytecodes
	factExceptionDealloc   // an exception is dropped
	factFrameDealloc       // a Python frame or a traceback is dropped
)

func (f facts) has(any facts) bool { return f&any != 0 }

// symbolWords are parts of C++ symbols that mean something.
var symbolWords = []struct {
	facts facts
	words []string
}{
	{factEngine, []string{"torch::autograd::Engine::"}},
	{factAccumulate, []string{"AccumulateGrad"}},
	{factRelease, []string{"release_variables", "SavedVariable::reset_data"}},
	{factWorkspace, []string{"getNewWorkspace", "setWorkspaceForHandle", "CUDABlasLtWorkspace",
		"getCurrentCUDABlasHandle", "raw_cudnn_", "run_conv_plan", "run_single_conv", "cub::"}},
	{factCommunication, []string{"c10d::", "nccl", "ProcessGroup", "Reducer::"}},
}

// nativeFacts are the facts of a C++ frame.
func nativeFacts(symbol string) facts {
	f := factNative | interpreterFacts(symbol)
	for _, row := range symbolWords {
		if containsAny(symbol, row.words...) {
			f |= row.facts
		}
	}
	if isTransfer(symbol) {
		f |= factTransfer
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
