package stacks

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

const (
	loop   = testsnap.Loop
	module = testsnap.Module
	engine = testsnap.Engine
)

func TestSiteKeys(t *testing.T) {
	const (
		mm     = "at::_ops::mm::call(x)\n"
		add    = "at::_ops::add_Tensor::call(x)\n"
		attend = "/home/me/proj/model.py|attend\n"
	)
	tests := []struct {
		name       string
		a, b       string
		path, site bool // are equal
	}{
		{"same", mm + attend + loop, mm + attend + loop, true, true},
		{"lines moved", "x.cpp\n" + mm + attend + loop, mm + attend + loop, true, true},
		{"other folder", mm + attend + loop, mm + "/root/proj/model.py|attend\n" + loop, true, true},
		{"other package of the same name", mm + attend + loop, mm + "/home/me/old/model.py|attend\n" + loop,
			false, true},
		{"other operator", mm + attend + loop, add + attend + loop, false, false},
		{"other function", mm + attend + loop, mm + "/home/me/proj/model.py|forward\n" + loop, false, false},
		{"other caller", mm + attend + loop, mm + attend + "/home/me/proj/eval.py|main", false, true},
		{"other launcher", mm + attend + loop, mm + attend + loop + "\n/v/lib/python3.12/runpy.py|_run_code",
			false, true},
		{"the interpreter's own frames", mm + attend + loop, mm + attend + loop + "\n<frozen runpy>|_run_code",
			true, true},
		{"wrappers come and go", mm + attend + module, mm + attend + "torch/nn/modules/module.py|_wrapped_call_impl\n" +
			module, true, true},
		{"other environment", mm + "/a/site-packages/x/y.py|f\n" + loop, mm + "/b/dist-packages/x/y.py|f\n" + loop,
			true, true},
		{"other library function", mm + "x/site-packages/y.py|f\n" + attend, mm + "x/site-packages/y.py|g\n" + attend,
			false, false},
		{"another notebook", mm + "/tmp/ipykernel_41/1805.py|fit", mm + "/tmp/ipykernel_7/99.py|fit", true, true},
		{"another cell", mm + "/tmp/ipykernel_41/1805.py|fit", mm + "/tmp/ipykernel_41/1805.py|train", false, false},
		{"compiled again", mm + "/tmp/torchinductor_me/3u/c3.py|call\n" + loop,
			mm + "/tmp/torchinductor_me/4v/d4.py|call\n" + loop, true, true},
		{"qualified names", mm + "m.py|Model.attend\n" + loop, mm + "m.py|attend\n" + loop, true, true},
		{"backward and not", mm + engine, mm + "main", false, false},
		{"backward of others", mm + engine, add + engine, false, false},
		{"C++ only", "malloc\nmain", "malloc\nstart", true, true},
		{"texts that run together", "ab.py|c\nd.py|e", "a.py|bc\nd.py|e", false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := keysOf(test.a, true), keysOf(test.b, true)
			if got := a.Path == b.Path; got != test.path {
				t.Errorf("paths are equal: %v, want %v", got, test.path)
			}
			if got := a.Site == b.Site; got != test.site {
				t.Errorf("sites are equal: %v, want %v", got, test.site)
			}
		})
	}
}

// TestSiteKeysWithoutOperators compares a recording with its Python frames alone.
func TestSiteKeysWithoutOperators(t *testing.T) {
	if keysOf("at::_ops::mm::call(x)\n"+module, false) != keysOf(module, false) {
		t.Error("C++ frames are part of the keys")
	}
	if keysOf("at::_ops::mm::call(x)\n"+engine, false) != (Keys{}) {
		t.Error("a stack without Python frames has a key")
	}
	if keysOf("", true) != (Keys{}) {
		t.Error("the empty stack has a key")
	}
}

func keysOf(stack string, operators bool) Keys {
	st, id := stackOf(stack)
	return NewKeyer(st, operators).Keys(id)
}

func TestPortableFile(t *testing.T) {
	tests := []struct{ file, want string }{
		{"/home/me/proj/model.py", "proj/model.py"},
		{`C:\Users\me\proj\model.py`, "proj/model.py"},
		{"model.py", "model.py"},
		{"", ""},
		{"/v/lib/python3.11/site-packages/torch/nn/functional.py", "torch/nn/functional.py"},
		{"/v/site-packages/a/site-packages/b.py", "b.py"},
		{"/usr/lib/python3.12/threading.py", "threading.py"},
		{"/usr/lib64/python3/x/y.py", "x/y.py"},
		{"/src/pytorch/torch/optim/adam.py", "torch/optim/adam.py"},
		{"torch/optim/adam.py", "torch/optim/adam.py"},
		{"/home/me/torch/train.py", "torch/train.py"},
		{"<ipython-input-3-0af1>", generatedFile},
		{"/tmp/ipykernel_4/18.py", generatedFile},
		{"/tmp/torchinductor_me/3u/c3uxh.py", generatedFile},
	}
	for _, test := range tests {
		if got := portableFile(Slashed(test.file)); got != test.want {
			t.Errorf("%s: %q, want %q", test.file, got, test.want)
		}
	}
}

// TestSiteKeysOfManyStacks makes sure that a keyer carries nothing over from one
// stack to the next.
func TestSiteKeysOfManyStacks(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	var ids []snapshot.StackID
	for _, text := range testsnap.RandomStacks {
		ids = append(ids, c.Stack(testsnap.Frames(text)...))
	}
	st := Read(c.Snapshot())
	keyer := NewKeyer(st, true)
	for i, text := range testsnap.RandomStacks {
		if got, want := keyer.Keys(ids[i]), keysOf(text, true); got != want {
			t.Errorf("stack %d has other keys next to others", i)
		}
	}
}
