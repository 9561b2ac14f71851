package analysis

import "strings"

// fileFacts is what the file of a Python frame says: facts that hold for all its
// functions, and places where the function decides.
type fileFacts struct {
	facts facts
	place place
}

// place is a file, or a kind of file, in which some function names have a meaning.
type place uint16

const (
	placeModule       place = 1 << iota // torch/nn/modules/module.py
	placeModules                        // torch/nn/modules/
	placeOptimizer                      // torch's optimizers and those that are like them
	placeAutograd                       // torch/autograd/__init__.py, graph.py
	placeFunction                       // torch/autograd/function.py
	placeTensor                         // torch/_tensor.py
	placeCheckpoint                     // torch/utils/checkpoint.py
	placeSavedTensors                   // torch/autograd/graph.py
)

// factsOfFile looks at a slashed file name.
func factsOfFile(file string) fileFacts {
	var f fileFacts
	in := func(p place, is bool) {
		if is {
			f.place |= p
		}
	}
	in(placeModule, isFile(file, "nn/modules/module.py"))
	in(placeModules, inFolder(file, "torch/nn/modules/"))
	in(placeOptimizer, isOptimizerFile(file))
	in(placeAutograd, isFile(file, "torch/autograd/__init__.py") || isFile(file, "torch/autograd/graph.py"))
	in(placeSavedTensors, isFile(file, "torch/autograd/graph.py"))
	in(placeFunction, isFile(file, "torch/autograd/function.py"))
	in(placeTensor, isFile(file, "torch/_tensor.py"))
	in(placeCheckpoint, isFile(file, "torch/utils/checkpoint.py"))

	add := func(fact facts, is bool) {
		if is {
			f.facts |= fact
		}
	}
	add(factCommunication, isFile(file, "distributed_c10d.py"))
	add(factClipGrad, strings.Contains(file, "clip_grad"))
	add(factLoad, isFile(file, "torch/serialization.py") || isFile(file, "nn/init.py") ||
		isFile(file, "nn/parameter.py") || inFolder(file, "safetensors/"))
	add(factDataLoader, inFolder(file, "torch/utils/data/"))
	add(factCheckpoint, f.place&placeCheckpoint != 0)
	add(factKVCache, isKVCache(file))
	return f
}

// isFile reports whether file is path or ends in /path.
func isFile(file, path string) bool {
	return strings.HasSuffix(file, path) && (len(file) == len(path) || file[len(file)-len(path)-1] == '/')
}

// inFolder reports whether folder, which ends in a slash, is part of the path of file.
func inFolder(file, folder string) bool {
	return strings.HasPrefix(file, folder) || strings.Contains(file, "/"+folder)
}

func isOptimizerFile(file string) bool {
	if inFolder(file, "torch/optim/") || inFolder(file, "apex/optimizers/") || inFolder(file, "bitsandbytes/optim/") {
		return true
	}
	if inFolder(file, "deepspeed/") && containsAny(file[strings.Index(file, "deepspeed/"):], "optim", "zero") {
		return true
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	return strings.HasPrefix(base, "optim")
}

// functionFacts is what the name of a Python function says: facts that hold in
// every file, and facts that hold in some places.
type functionFacts struct {
	facts facts
	in    []placeFact
}

type placeFact struct {
	place place
	facts facts
}

// functionsInPlaces are functions that mean something in one place only.
var functionsInPlaces = []struct {
	place     place
	facts     facts
	functions []string // a trailing * stands for any ending
}{
	{placeModule, factForward | factModuleCall, []string{"_call_impl"}},
	{placeModule, factLoad, []string{"_apply", "to", "cuda", "half", "float", "double", "bfloat16", "convert"}},
	{placeModules, factLoad, []string{"__init__"}},
	{placeAutograd, factBackwardCall, []string{"backward", "grad", "_make_grads", "_engine_run_backward"}},
	{placeTensor, factBackwardCall, []string{"backward"}},
	{placeAutograd | placeTensor, factBackwardRoot, []string{"backward", "_make_grads"}},
	// Saved tensors are only asked for by backward: recomputation and offloading start here.
	{placeCheckpoint, factBackwardCall, []string{"unpack_hook"}},
	{placeSavedTensors, factBackwardCall, []string{"unpack_from_cpu"}},
	{placeFunction, factFunctionApply, []string{"apply"}},
	{placeOptimizer, factOptimizer, []string{"step", "wrapper", "_use_grad", "_use_grad_for_differentiable",
		"_init_group", "_init_state", "_multi_tensor*", "_single_tensor*", "_fused*"}},
	{placeOptimizer, factOptimizer | factOptimizerInit, []string{"_init_group", "_init_state", "init_state"}},
	{placeOptimizer, factOptimizerLoad, []string{"load_state_dict"}},
}

// factsOfFunction looks at the last part of a Python function's name.
func factsOfFunction(name string) functionFacts {
	var f functionFacts
	for _, row := range functionsInPlaces {
		if matchesAny(name, row.functions) {
			f.in = append(f.in, placeFact{row.place, row.facts})
		}
	}
	add := func(fact facts, is bool) {
		if is {
			f.facts |= fact
		}
	}
	add(factBackwardCall, name == "_backward_impl")
	add(factForward, name == "forward")
	add(factZeroGrad, name == "zero_grad")
	add(factClipGrad, strings.Contains(name, "clip_grad"))
	add(factCommunication, containsAny(name, "all_reduce", "reduce_scatter", "_all_gather", "broadcast_coalesced"))
	add(factLoad, containsAny(name, "load_state_dict", "from_pretrained", "set_module_tensor_to_device",
		"init_weight", "load_weight", "load_model", "load_checkpoint"))
	add(factKVCache, isKVCache(name))
	return f
}

func matchesAny(name string, patterns []string) bool {
	for _, p := range patterns {
		if stem, open := strings.CutSuffix(p, "*"); open && strings.HasPrefix(name, stem) || p == name {
			return true
		}
	}
	return false
}

// pythonFacts combines what file and function of a Python frame say.
func pythonFacts(file fileFacts, function functionFacts) facts {
	f := factPython | file.facts | function.facts
	for _, in := range function.in {
		if file.place&in.place != 0 {
			f |= in.facts
		}
	}
	if file.place&placeFunction != 0 {
		f &^= factForward // the caller of a user's autograd.Function, not a forward itself
	}
	return f
}

func isKVCache(name string) bool {
	return containsAny(strings.ToLower(name),
		"kvcache", "kv_cache", "past_key_value", "cache_utils", "static_cache", "paged_attention")
}
