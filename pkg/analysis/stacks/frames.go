package stacks

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// FrameClass is whose code a frame belongs to.
type FrameClass uint8

const (
	// UserCode is Python outside torch, the standard library and installed packages.
	UserCode FrameClass = iota
	// LibraryPython is Python of torch, the standard library or an installed package.
	LibraryPython
	// Internal is C++, the interpreter, and Python that only passes a call on.
	//
	// It covers every frame that torch/cuda/_memory_viz.py hides by substrings
	// of its name or file ("_start", "PyEval_", "ceval.c" ...): those are C and
	// C++. A Python function called train_start is not among them.
	Internal
)

// wrapperFunctions are library functions that only call the function passed to them.
// The same names in user code are user code.
var wrapperFunctions = map[string]bool{
	"_call_impl": true, "_wrapped_call_impl": true,
	"wrapper": true, "wrapped": true, "inner": true, "inner_fn": true, "impl_fn": true, "_fn": true,
	"compile_wrapper": true, "runtime_wrapper": true, "func_with_reraise": true,
	"decorate_context": true, "decorate_autocast": true, "decorate_fwd": true, "decorate_bwd": true,
	"_use_grad": true, "profile_hook_step": true, "new_forward": true,
	"handle_torch_function": true, "__torch_function__": true, "__torch_dispatch__": true,
	"_call_function_and_unflatten_output": true, "call_func_at_runtime_with_args": true,
}

// fileKind is what a file name shows about a frame.
type fileKind uint8

const (
	fileNative      fileKind = iota // not Python
	fileUser                        // Python
	fileLibrary                     // Python
	fileInterpreter                 // Python that the interpreter runs by itself: <frozen ...>
	fileString                      // code from a string: the user's when at module level
)

// class returns the class of a frame with this kind of file.
func (k fileKind) class(function string) FrameClass {
	switch {
	case k == fileNative, k == fileInterpreter, k == fileLibrary && wrapperFunctions[function]:
		return Internal
	case k == fileUser, k == fileString && function == "<module>":
		return UserCode
	}
	return LibraryPython
}

// python reports whether frames of such a file are Python frames.
func (k fileKind) python() bool { return k != fileNative }

// Slashed returns a file name with forward slashes, unlike on Windows.
func Slashed(file string) string { return strings.ReplaceAll(file, `\`, "/") }

// kindOf classifies a slashed file name.
func kindOf(file string) fileKind {
	if strings.HasPrefix(file, "<") && strings.Contains(file, ">") {
		return kindOfGenerated(file)
	}
	cell := isNotebookCell(file)
	switch {
	case !cell && !hasAny(strings.HasSuffix, file, ".py", ".pyc", ".pyw", ".ipynb"):
		return fileNative
	case isInstalled(file), isTorch(file), isGeneratedFile(file):
		return fileLibrary
	}
	return fileUser
}

// kindOfGenerated classifies the names that Python gives to code without a file.
func kindOfGenerated(file string) fileKind {
	switch {
	case strings.HasPrefix(file, "<frozen "):
		return fileInterpreter
	case file == "<string>": // python -c and exec, but also the methods of dataclasses
		return fileString
	case file == "<stdin>", hasAny(strings.HasPrefix, file, "<ipython-input-", "<cell ", "<command-", "<python-input-"):
		return fileUser
	}
	return fileLibrary // <eval_with_key>.7 of torch.fx, <decorator-gen>, <attrs generated ...>
}

// isNotebookCell reports whether a file is a cell that ipykernel wrote, such as
// /tmp/ipykernel_412/1805.py; some hosts omit the suffix.
func isNotebookCell(file string) bool {
	return strings.Contains(file, "/ipykernel_") || strings.Contains(file, "/.ipykernel/")
}

// isInstalled reports whether a file belongs to the standard library or to an
// installed package.
func isInstalled(file string) bool {
	if containsAny(file, "/site-packages/", "/dist-packages/", "/lib/python3", "/lib64/python3") {
		return true
	}
	// Windows keeps the standard library in C:/Python311/Lib or .../miniconda3/envs/x/lib.
	root, _, found := strings.Cut(strings.ToLower(file), "/lib/")
	return found && strings.Index(root, ":/") == 1 && containsAny(root, "python", "conda")
}

// isTorch reports whether a file is torch's own, even if torch runs from a source tree
// and not from site-packages.
func isTorch(file string) bool {
	const dir = "torch/"
	for rest := file; ; {
		i := strings.Index(rest, dir)
		if i < 0 {
			return false
		}
		inside := rest[i+len(dir):]
		if (i == 0 || rest[i-1] == '/') && hasAny(strings.HasPrefix, inside, torchParts...) {
			return true
		}
		rest = inside
	}
}

// torchParts are paths inside torch that appear on stacks and that no other folder
// called torch is likely to have.
var torchParts = []string{
	"nn/modules/", "nn/functional.py", "nn/parameter.py", "nn/init.py", "nn/parallel/", "nn/utils/",
	"optim/", "autograd/", "utils/data/", "utils/checkpoint.py", "utils/_contextlib.py", "utils/_device.py",
	"_tensor.py", "_ops.py", "functional.py", "serialization.py", "cuda/", "amp/", "distributed/",
	"_dynamo/", "_inductor/", "_functorch/", "_compile.py", "fx/", "jit/", "profiler/",
}

// isGeneratedFile reports whether a compiler wrote the file.
func isGeneratedFile(file string) bool {
	return strings.Contains(file, "/torchinductor_") || strings.Contains(file, "/.triton/")
}

// baseFunction returns a Python name without its qualifiers: some recorders write names
// such as Optimizer.profile_hook_step.<locals>.wrapper.
func baseFunction(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}

// classifyFrames gives the class of every interned frame.
func classifyFrames(s *snapshot.Snapshot, files []fileKind) []FrameClass {
	class := make([]FrameClass, len(s.Frames))
	for i, f := range s.Frames {
		class[i] = files[f.File].class(baseFunction(s.String(f.Name)))
	}
	return class
}

// hasAny reports whether is(s, part), such as strings.HasPrefix, holds for any part.
func hasAny(is func(s, part string) bool, s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return is(s, part) })
}

func containsAny(s string, parts ...string) bool { return hasAny(strings.Contains, s, parts...) }

// IsInterpreterNoise reports whether a C or C++ frame belongs to the recorder,
// the interpreter or the start of the process: the same on every stack.
func IsInterpreterNoise(file, function string) bool {
	if kindOf(file).python() {
		return false
	}
	return containsAny(function, "unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "_start",
		"__libc_start_main", "PyEval_", "PyObject_", "PyFunction_") ||
		containsAny(file, "core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "ceval.c",
			"pycore_ceval.h", "Objects/call.c", "Objects/methodobject.c", "cpython/abstract.h")
}

// names has the facts read from the texts of a snapshot's frames. Frames share few files
// and functions, so each text is read once.
type names struct {
	kind     []fileKind // by string, as a file
	facts    []Facts    // by frame
	operator []string   // by frame: "aten::mm" or ""
	node     []string   // by frame: "MmBackward0" or ""
}

func readNames(s *snapshot.Snapshot) *names {
	n := &names{
		kind:     make([]fileKind, len(s.Strings)),
		facts:    make([]Facts, len(s.Frames)),
		operator: make([]string, len(s.Frames)),
		node:     make([]string, len(s.Frames)),
	}
	files := make(map[snapshot.StringID]fileFacts)
	functions := make(map[snapshot.StringID]functionFacts)
	symbols := make(map[snapshot.StringID]symbol)
	for i, f := range s.Frames {
		file, seen := files[f.File]
		if !seen {
			path := Slashed(s.String(f.File))
			n.kind[f.File] = kindOf(path)
			file = factsOfFile(path)
			files[f.File] = file
		}
		if !n.kind[f.File].python() {
			symbol, seen := symbols[f.Name]
			if !seen {
				symbol = readSymbol(s.String(f.Name))
				symbols[f.Name] = symbol
			}
			n.facts[i], n.operator[i], n.node[i] = symbol.facts, symbol.operator, symbol.node
			continue
		}
		function, seen := functions[f.Name]
		if !seen {
			function = factsOfFunction(baseFunction(s.String(f.Name)))
			functions[f.Name] = function
		}
		n.facts[i] = pythonFacts(file, function)
	}
	return n
}

// symbol has the facts read from a C++ function's name.
type symbol struct {
	facts    Facts
	operator string
	node     string
}

func readSymbol(name string) symbol {
	return symbol{nativeFacts(name), operatorOf(name), autogradNodeOf(name)}
}

// operatorOf returns the operator that a dispatcher entry such as
// at::_ops::mm::call(...) calls, written aten::mm, or "".
func operatorOf(symbol string) string {
	rest, is := strings.CutPrefix(symbol, "at::_ops::")
	name, _, _ := strings.Cut(rest, "::")
	if !is || name == "" {
		return ""
	}
	return "aten::" + name
}

// autogradNodeOf returns the node whose gradient a symbol such as
// torch::autograd::generated::MmBackward0::apply(...) computes, or "".
func autogradNodeOf(symbol string) string {
	path, _, is := strings.Cut(symbol, "::apply(")
	if !is {
		return ""
	}
	// The last name, also of CppNode<extension::MyBackward>.
	node := strings.TrimRight(path[strings.LastIndexAny(path, ":<")+1:], ">")
	if node == "AccumulateGrad" || strings.Contains(node, "Backward") {
		return node
	}
	return ""
}

// IsGenerated reports whether a compiler wrote the file, whatever slashes its name has.
func IsGenerated(file string) bool { return isGeneratedFile(Slashed(file)) }
