package redact

import (
	"math/rand/v2"
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
