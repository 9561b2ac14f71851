package stacks

import (
	"strings"
)

// fileFacts is what the file of a Python frame says: facts that hold for all its
// functions, and places where the function decides.
type fileFacts struct {
	facts Facts
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
	placeDataParallel                   // torch/nn/parallel/distributed.py
)

// tellingFiles are files, and folders with a slash at the end, by what they say.
var tellingFiles = []struct {
	place place
	facts Facts
	paths []string
}{
	{placeModule, 0, []string{"nn/modules/module.py"}},
	{placeModules, 0, []string{"torch/nn/modules/"}},
	{placeOptimizer, 0, []string{"torch/optim/", "apex/optimizers/", "bitsandbytes/optim/"}},
	{placeAutograd, 0, []string{"torch/autograd/__init__.py", "torch/autograd/graph.py"}},
	{placeSavedTensors, 0, []string{"torch/autograd/graph.py"}},
	{placeFunction, 0, []string{"torch/autograd/function.py"}},
	{placeDataParallel, 0, []string{"torch/nn/parallel/distributed.py"}},
	{placeTensor, 0, []string{"torch/_tensor.py"}},
	{placeCheckpoint, FactCheckpoint, []string{"torch/utils/checkpoint.py"}},
	{0, FactCommunication, []string{"distributed_c10d.py"}},
	{0, FactLoad, []string{"torch/serialization.py", "nn/init.py", "nn/parameter.py", "safetensors/"}},
	{0, FactDataLoader, []string{"torch/utils/data/"}},
}

// factsOfFile looks at a slashed file name.
func factsOfFile(file string) fileFacts {
	var f fileFacts
	for _, row := range tellingFiles {
		for _, path := range row.paths {
			if strings.HasSuffix(path, "/") && inFolder(file, path) || isFile(file, path) {
				f.place |= row.place
				f.facts |= row.facts
			}
		}
	}
	if isOptimizerFile(file) {
		f.place |= placeOptimizer
	}
	if strings.Contains(file, clipGradWord) {
		f.facts |= FactClipGrad
	}
	if isKVCache(file) {
		f.facts |= FactKVCache
	}
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

const (
	deepspeed       = "deepspeed/"
	optimizerPrefix = "optim"
	clipGradWord    = "clip_grad"
)

// deepspeedOptimizers are parts of the names of its optimizers.
var deepspeedOptimizers = []string{"optim", "zero"}

// isOptimizerFile recognises optimizers that tellingFiles does not list.
func isOptimizerFile(file string) bool {
	if inFolder(file, deepspeed) && containsAny(file[strings.Index(file, deepspeed):], deepspeedOptimizers...) {
		return true
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	return strings.HasPrefix(base, optimizerPrefix)
}

// functionFacts is what the name of a Python function says: facts that hold in
// every file, and facts that hold in some places.
type functionFacts struct {
	facts Facts
	in    []placeFact
}

type placeFact struct {
	place place
	facts Facts
}

// functionsInPlaces are functions that mean something in one place only.
var functionsInPlaces = []struct {
	place     place
	facts     Facts
	functions []string // a trailing * stands for any ending
}{
	{placeModule, FactForward | FactModuleCall, []string{"_call_impl"}},
	{placeModule, FactLoad, []string{"_apply", "to", "cuda", "half", "float", "double", "bfloat16", "convert"}},
	{placeModules, FactLoad, []string{"__init__"}},
	{placeAutograd, FactBackwardCall, []string{"backward", "grad", "_make_grads", "_engine_run_backward"}},
	{placeTensor, FactBackwardCall, []string{"backward"}},
	{placeAutograd | placeTensor, FactBackwardRoot, []string{"backward", "_make_grads"}},
	// Saved tensors are only asked for by backward: recomputation and offloading start here.
	{placeCheckpoint, FactBackwardCall, []string{"unpack_hook"}},
	{placeSavedTensors, FactBackwardCall, []string{"unpack_from_cpu"}},
	{placeFunction, FactFunctionApply, []string{"apply"}},
	// The reducer has buckets that gradients are averaged in, and makes new ones after the first step.
	{placeDataParallel, FactCommunication, []string{"_ddp_init_helper"}},
	{placeDataParallel, FactReducerCall, []string{"_pre_forward"}},
	{placeOptimizer, FactOptimizer, []string{"step", "wrapper", "_use_grad", "_use_grad_for_differentiable",
		"_init_group", "_init_state", "_multi_tensor*", "_single_tensor*", "_fused*"}},
	{placeOptimizer, FactOptimizer | FactOptimizerInit, []string{"_init_group", "_init_state", "init_state"}},
	{placeOptimizer, FactOptimizerLoad, []string{"load_state_dict"}},
}

// tellingFunctions are functions that mean something in every file.
var tellingFunctions = map[string]Facts{
	"_backward_impl": FactBackwardCall,
	"forward":        FactForward,
	"zero_grad":      FactZeroGrad,
}

// tellingWords are parts of functions' names that mean something in every file.
var tellingWords = []struct {
	facts Facts
	words []string
}{
	{FactClipGrad, []string{clipGradWord}},
	{FactCommunication, []string{"all_reduce", "reduce_scatter", "_all_gather", "broadcast_coalesced"}},
	{FactLoad, []string{"load_state_dict", "from_pretrained", "set_module_tensor_to_device",
		"init_weight", "load_weight", "load_model", "load_checkpoint"}},
}

// factsOfFunction looks at the last part of a Python function's name.
func factsOfFunction(name string) functionFacts {
	f := functionFacts{facts: tellingFunctions[name]}
	for _, row := range functionsInPlaces {
		if matchesAny(name, row.functions) {
			f.in = append(f.in, placeFact{row.place, row.facts})
		}
	}
	for _, row := range tellingWords {
		if containsAny(name, row.words...) {
			f.facts |= row.facts
		}
	}
	if isKVCache(name) {
		f.facts |= FactKVCache
	}
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
func pythonFacts(file fileFacts, function functionFacts) Facts {
	f := FactPython | file.facts | function.facts
	for _, in := range function.in {
		if file.place&in.place != 0 {
			f |= in.facts
		}
	}
	if file.place&placeFunction != 0 {
		f &^= FactForward // the caller of a user's autograd.Function, not a forward itself
	}
	return f
}

// cacheWords are parts of the names of key-value caches, in lower case.
var cacheWords = []string{"kvcache", "kv_cache", "past_key_value", "cache_utils", "static_cache", "paged_attention"}

func isKVCache(name string) bool { return containsAny(strings.ToLower(name), cacheWords...) }
