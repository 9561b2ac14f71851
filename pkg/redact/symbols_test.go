package redact

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// Every frame means the same to all rules under its new names: paths and
// functions are put together from the words of the rules and words of others.
func TestRulesReadTheSame(t *testing.T) {
	words := stacks.Words()
	own := []string{"zebra", "Trainer", "x", "", "kv_Cache", "optimus", "my_clip_grad", "PagedKVCache", "lib",
		"python3.12", "a.b", "model.py", "adam.py", "optim.py", "C:", "home"}
	pieces := append(append(append(append(append([]string{}, words.Whole...), words.Prefixes...), words.Within...),
		words.AnyCase...), own...)
	identifiers := []string{"at", "native", "acme", "torch", "foo", "Tensor", "apply", "THPVariable_to", "_ops",
		"cubic", "mycub", "cub", "PyObject_Call", "const", "gc_collect_main", "x_AccumulateGrad", "MyBackward",
		"my_nccl_thing"}
	for _, word := range words.Symbols {
		identifiers = append(identifiers, strings.Split(strings.TrimSuffix(word, "::"), "::")...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	w := newWorker(&Options{Paths: true, Names: true, Salt: []byte("salt")})
	told := map[stacks.FrameReading]bool{}
	for range 200_000 {
		var parts []string
		for range 1 + random.IntN(6) {
			part := pick(pieces)
			if random.IntN(3) == 0 && !strings.Contains(part, ".") { // nothing is called x.pyy
				part += pick(pieces)
			}
			parts = append(parts, part)
		}
		file := strings.Join(parts, pick([]string{"/", "/", "/", `\`}))
		if !strings.Contains(parts[len(parts)-1], ".") {
			file += pick([]string{".py", ".py", "", ".cpp", ".ipynb"})
		}
		function := pick(pieces) + pick([]string{"", "", "_", "."}) + pick(pieces)
		if random.IntN(4) == 0 {
			file, function = pick([]string{"??", "", "/x/y.cpp"}), pick([]string{"", "", "at::_ops::mm::call("})
			for range random.IntN(9) {
				function += pick(identifiers) +
					pick([]string{"::", "::", "::apply(", "(", "<", ">", ")", ", ", " ",
						"::(anonymous namespace)::", "."})
			}
		}
		newFile, newFunction := w.file(file), w.function(file, function)
		want, got := stacks.ReadFrame(file, function), stacks.ReadFrame(newFile, newFunction)
		if got != want {
			t.Fatalf("%s: %s reads %+v, but %s: %s reads %+v", file, function, want, newFile, newFunction, got)
		}
		told[want] = true
	}
	if len(told) < 100 {
		t.Errorf("only %d different readings were tried", len(told))
	}
}

// TestWhoseSymbol: namespaces and prefixes show that a name is torch's only where nothing
// says that its file is somebody's own.
func TestWhoseSymbol(t *testing.T) {
	w := newWorker(&Options{Paths: true, Names: true, Salt: []byte("salt")})
	names := []string{"at::native::zebra(at::Tensor const&)", "torch::zebra", "cudnnZebra", "_Py_zebra",
		"c10::zebra::run()",
		"wrapper_CUDA_zebra", "PyObject_Zebra", "c10d::ops::zebra"}
	for file, public := range map[string]bool{
		"??": true, "": true, "RegisterCUDA_0.cpp": true, "tmpxft_00004e73_00000000-6_Indexing.cudafe1.cpp": true,
		"thread48.o": true, "./nptl/pthread_create.c": true, "./csu/../csu/libc-start.c": true,
		"/pytorch/aten/src/ATen/native/cuda/Zebra.cpp":                                            true,
		"/opt/pytorch/torch/csrc/autograd/engine.cpp":                                             true,
		"/usr/local/src/conda/python-3.12.3/Objects/call.c":                                       true,
		path.Join("/croot/python-split_1715024085344", "work", "build-static/Python/bytecodes.c"): true,
		"/build/gcc/libstdc++-v3/src/c++11/thread.cc":                                             true,
		"/usr/lib/python3.12/site-packages/torch/include/ATen/ops/mm.h":                           true,
		"/home/ada/zebra/kernel.cu":                                                               false,
		"/home/ada/zebra/engine.cpp":                                                              false,
		"kernel.cu":                                                                               false,
		"./kernel.cu":                                                                             false,
		"/home/ada/csrc/ops.cpp":                                                                  false,
		`C:\zebra\ops.cpp`:                                                                        false,
	} {
		for _, name := range names {
			if hidden := !strings.Contains(strings.ToLower(w.function(file, name)), "zebra"); hidden == public {
				t.Errorf("%s in %s is %s", name, file, w.function(file, name))
			}
		}
		c := NewCensus()
		c.Function(file, names[0])
		if found := len(c.Names()) > 0; found == public {
			t.Errorf("in %s the census finds %q", file, c.Names())
		}
	}
}

// TestStandardLibrary: what lies below the folder of a module of Python is Python's only
// if Python has it.
func TestStandardLibrary(t *testing.T) {
	for file, public := range map[string]bool{
		"/usr/lib/python3.12/threading.py": true, "/usr/lib/python3.12/asyncio/base_events.py": true,
		"/x/lib/python3.11/concurrent/futures/thread.py": true, "/usr/lib/python3.12/json/__init__.py": true,
		"/usr/lib/python3.12/email/zebra.py": false, "/home/ada/lib/python3.12/logging/zebra/model.py": false,
		"/usr/lib/python3.12/threading/zebra.py": false, "/usr/lib/python3.12/zebra.py": false,
		"/usr/lib/python3.12/random/train.py": false,
	} {
		if isPublicFile(file) != public {
			t.Errorf("%s: public is %t", file, !public)
		}
	}
}
