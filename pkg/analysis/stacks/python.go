package stacks

import (
	"strings"
)

// fileFacts is what the file of a Python frame shows: facts that hold for all its
// functions, and the file sets that give its function names a meaning.
type fileFacts struct {
	facts Facts
	files fileSet
}

// fileSet is a set of files, or kinds of files, in which some function names have
// a meaning that they do not have elsewhere.
type fileSet uint16

const (
	moduleFile       fileSet = 1 << iota // torch/nn/modules/module.py
	moduleFolder                         // torch/nn/modules/
	optimizerFile                        // torch's optimizers and similar ones
	autogradFile                         // torch/autograd/__init__.py, graph.py
	functionFile                         // torch/autograd/function.py
	tensorFile                           // torch/_tensor.py
	checkpointFile                       // torch/utils/checkpoint.py
	savedTensorsFile                     // torch/autograd/graph.py
	dataParallelFile                     // torch/nn/parallel/distributed.py
	scalerFile                           // torch/amp/grad_scaler.py
	replicateFile                        // torch/nn/parallel/replicate.py
	scatterFile                          // torch/nn/parallel/scatter_gather.py
)

// knownFiles are files, and folders with a slash at the end, by their facts.
var knownFiles = []struct {
	files fileSet
	facts Facts
	paths []string
}{
	{moduleFile, 0, []string{"nn/modules/module.py"}},
	{moduleFolder, 0, []string{"torch/nn/modules/"}},
	{optimizerFile, 0, []string{"torch/optim/", "apex/optimizers/", "bitsandbytes/optim/"}},
	{autogradFile, 0, []string{"torch/autograd/__init__.py", "torch/autograd/graph.py"}},
	{savedTensorsFile, 0, []string{"torch/autograd/graph.py"}},
	{functionFile, 0, []string{"torch/autograd/function.py"}},
	{dataParallelFile, 0, []string{"torch/nn/parallel/distributed.py"}},
	{tensorFile, 0, []string{"torch/_tensor.py"}},
	{scalerFile, 0, []string{"amp/grad_scaler.py"}},
	{replicateFile, 0, []string{"torch/nn/parallel/replicate.py"}},
	{scatterFile, 0, []string{"torch/nn/parallel/scatter_gather.py"}},
	{checkpointFile, FactCheckpoint, []string{"torch/utils/checkpoint.py"}},
	{0, FactCommunication, []string{"distributed_c10d.py"}},
	{0, FactLoad, []string{"torch/serialization.py", "nn/init.py", "nn/parameter.py", "safetensors/"}},
	{0, FactDataLoader, []string{"torch/utils/data/"}},
}

// factsOfFile looks at a slashed file name.
func factsOfFile(file string) fileFacts {
	var f fileFacts
	for _, row := range knownFiles {
		for _, path := range row.paths {
			if strings.HasSuffix(path, "/") && inFolder(file, path) || isFile(file, path) {
				f.files |= row.files
				f.facts |= row.facts
			}
		}
	}
	if isOptimizerFile(file) {
		f.files |= optimizerFile
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

// isOptimizerFile recognises optimizers that knownFiles does not list.
func isOptimizerFile(file string) bool {
	if inFolder(file, deepspeed) && containsAny(file[strings.Index(file, deepspeed):], deepspeedOptimizers...) {
		return true
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	return strings.HasPrefix(base, optimizerPrefix)
}

// functionFacts is what the name of a Python function shows: facts that hold in
// every file, and facts that hold in some files.
type functionFacts struct {
	facts Facts
	in    []fileFact
}

type fileFact struct {
	files fileSet
	facts Facts
}

// functionsOfFiles are functions that mean something in some files only.
var functionsOfFiles = []struct {
	files     fileSet
	facts     Facts
	functions []string // a trailing * matches any ending
}{
	{moduleFile, FactForward | FactModuleCall, []string{"_call_impl"}},
	{moduleFile, FactLoad, []string{"_apply", "to", "cuda", "half", "float", "double", "bfloat16", "convert"}},
	{moduleFolder, FactLoad, []string{"__init__"}},
	{autogradFile, FactBackwardCall, []string{"backward", "grad", "_make_grads", "_engine_run_backward"}},
	{tensorFile, FactBackwardCall, []string{"backward"}},
	{autogradFile | tensorFile, FactBackwardRoot, []string{"backward", "_make_grads"}},
	// Only backward asks for saved tensors: recomputation and offloading start here.
	{checkpointFile, FactBackwardCall, []string{"unpack_hook"}},
	{savedTensorsFile, FactBackwardCall, []string{"unpack_from_cpu"}},
	{functionFile, FactFunctionApply, []string{"apply"}},
	// The reducer has buckets that gradients are averaged in, and makes new ones after the first step.
	{dataParallelFile, FactCommunication, []string{"_ddp_init_helper"}},
	{dataParallelFile, FactReducerCall, []string{"_pre_forward"}},
	{replicateFile, FactReplica, []string{"replicate"}},
	{scatterFile, FactScatter, []string{"scatter", "scatter_kwargs"}},
	{scalerFile, FactScalerStep, []string{"step", "unscale_", "_unscale_grads_", "_maybe_opt_step", "update"}},
	{optimizerFile, FactOptimizer, []string{"step", "wrapper", "_use_grad", "_use_grad_for_differentiable",
		"_init_group", "_init_state", "_single_tensor*", "_fused*"}},
	{optimizerFile, FactOptimizer | FactForeach, []string{"_multi_tensor*"}},
	{optimizerFile, FactOptimizer | FactOptimizerInit, []string{"_init_group", "_init_state", "init_state"}},
	{optimizerFile, FactOptimizerLoad, []string{"load_state_dict"}},
}

// knownFunctions are functions that mean something in every file.
var knownFunctions = map[string]Facts{
	"_backward_impl": FactBackwardCall,
	"forward":        FactForward,
	"zero_grad":      FactZeroGrad,
}

// knownWords are parts of functions' names that mean something in every file.
var knownWords = []struct {
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
	f := functionFacts{facts: knownFunctions[name]}
	for _, row := range functionsOfFiles {
		if matchesAny(name, row.functions) {
			f.in = append(f.in, fileFact{row.files, row.facts})
		}
	}
	for _, row := range knownWords {
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

// pythonFacts combines the facts of a Python frame's file and function.
func pythonFacts(file fileFacts, function functionFacts) Facts {
	f := FactPython | file.facts | function.facts
	for _, in := range function.in {
		if file.files&in.files != 0 {
			f |= in.facts
		}
	}
	if file.files&functionFile != 0 {
		f &^= FactForward // the caller of a user's autograd.Function, not a forward itself
	}
	return f
}

// cacheWords are parts of the names of key-value caches, in lower case.
var cacheWords = []string{"kvcache", "kv_cache", "past_key_value", "cache_utils", "static_cache", "paged_attention"}

func isKVCache(name string) bool { return containsAny(strings.ToLower(name), cacheWords...) }
