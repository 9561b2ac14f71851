package leaks_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

const (
	destructor = "c10::TensorImpl::~TensorImpl()\nTHPVariable_clear(THPVariable*)\nsubtype_dealloc\n"
	explicit   = destructor + "delete_garbage.lto_priv.0\ngc_collect_main\ngc_collect_impl.isra.0\n" + testsnap.Loop
	automatic  = destructor + "gc_collect_main.constprop.0\n_Py_RunGC\n" + testsnap.Loop
	byObject   = destructor + "_PyObject_GC_New\n" + testsnap.Loop // a stripped interpreter
	unwinding  = destructor + "frame_dealloc\ntb_dealloc\nBaseException_dealloc\n" + testsnap.Loop
)

// TestCycles knows how each tensor was freed.
func TestCycles(t *testing.T) {
	tape := testsnap.NewTape()
	node, other := testsnap.UserLine("make_node"), testsnap.UserLine("make_other")
	nodes := []testsnap.Tensor{tape.Alloc(node, 100), tape.Alloc(node, 200), tape.Alloc(node, 300)}
	others := []testsnap.Tensor{tape.Alloc(other, 5000), tape.Alloc(other, 1)}
	tape.Block(7, "")
	tape.Train()
	tape.Free(nodes[0], explicit)
	tape.Free(others[0], byObject) // the same run of the collector
	tape.Train()
	tape.Free(nodes[1], automatic)
	tape.Free(nodes[2], destructor+testsnap.Loop) // an ordinary free
	tape.Free(others[1], unwinding)
	tape.FreeOld(50, automatic)
	r := recorded.Tape(tape)
	c := r.Cycles()

	if c.Allocations != 4 || c.Bytes != 5350 || !c.FreeStacks {
		t.Errorf("%d allocations of %d bytes", c.Allocations, c.Bytes)
	}
	if c.Collections != 2 {
		t.Errorf("%d collections, want 2", c.Collections)
	}
	if len(c.Cycles) != 3 {
		t.Fatalf("%d sites, want 3: %+v", len(c.Cycles), c.Cycles)
	}
	for i, want := range []struct {
		function, proof     string
		bytes               int64
		automatic, explicit int
		steps               int
	}{
		{"make_other", "_PyObject_GC_New", 5000, 1, 0, 1},
		{"make_node", "delete_garbage.lto_priv.0", 300, 1, 1, 2},
		{"", "gc_collect_main.constprop.0", 50, 1, 0, 2},
	} {
		got := c.Cycles[i]
		if function := r.Stacks.Site(got.Stack).Function; function != want.function {
			t.Errorf("site %d is %q, want %q", i, function, want.function)
		}
		if proof := r.Snapshot.String(r.Snapshot.Frames[got.Proof].Name); proof != want.proof {
			t.Errorf("proof of %s: %s, want %s", want.function, proof, want.proof)
		}
		if got.Bytes != want.bytes || got.Automatic != want.automatic || got.Explicit != want.explicit ||
			got.LongestSteps != want.steps {
			t.Errorf("%s: %+v, want %+v", want.function, got, want)
		}
	}
	if c.Unwound != (leaks.Unwound{Allocations: 1, Bytes: 1}) {
		t.Errorf("unwound %+v", c.Unwound)
	}
}

// TestNoCycles: what proves nothing is not counted.
func TestNoCycles(t *testing.T) {
	tests := []struct {
		name       string
		record     func(t *testsnap.Tape)
		freeStacks bool
	}{
		{"ordinary destructors", func(t *testsnap.Tape) { t.Free(t.Alloc(testsnap.Loop, 1), destructor+testsnap.Loop) }, true},
		{
			"Python frames only",
			func(t *testsnap.Tape) { t.Free(t.Alloc(testsnap.Loop, 1), "gc.py|gc_collect_main\n"+testsnap.Loop) },
			false,
		},
		{"the stack of the allocation, as stacks of frees are off", func(t *testsnap.Tape) {
			t.Free(t.Alloc(explicit, 1), explicit)
		}, false},
		{"an exception without frames", func(t *testsnap.Tape) {
			t.Free(t.Alloc(testsnap.Loop, 1), destructor+"BaseException_dealloc\n"+testsnap.Loop)
		}, true},
		{"never freed", func(t *testsnap.Tape) { t.Alloc(testsnap.Loop, 1) }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := testsnap.NewTape()
			test.record(tape)
			r := recorded.Tape(tape)
			c := leaks.FindCycles(r.Stacks, r.Device, &steps.List{})
			if len(c.Cycles) != 0 || c.Collections != 0 || c.Unwound != (leaks.Unwound{}) {
				t.Errorf("found %+v", c)
			}
			if c.FreeStacks != test.freeStacks {
				t.Errorf("stacks of frees: %v, want %v", c.FreeStacks, test.freeStacks)
			}
		})
	}
}

// TestIsCycle: memory that the collector freed at one of its sites is not a leak.
func TestIsCycle(t *testing.T) {
	cycles := &leaks.Cycles{Cycles: []leaks.Cycle{{Stack: 8}, {Stack: 3}}}
	for _, test := range []struct {
		kind  leaks.Kind
		sites []leaks.Site
		want  bool
	}{
		{leaks.Sawtooth, []leaks.Site{{Stack: 2}, {Stack: 3}}, true},
		{leaks.Sawtooth, []leaks.Site{{Stack: 2}, {Stack: 4}}, false},
		{leaks.Sawtooth, nil, false},
		{leaks.Grows, []leaks.Site{{Stack: 3}}, false},
	} {
		if got := (&leaks.Leak{Kind: test.kind, Sites: test.sites}).IsCycle(cycles); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
