package analysis

import (
	"fmt"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

func TestSites(t *testing.T) {
	const (
		mm   = "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)"
		add  = "at::_ops::add_Tensor::redispatch(c10::DispatchKeySet)"
		node = "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)"
		lib  = "/v/site-packages/einops/einops.py|reduce"
	)
	tests := []struct {
		name, stack, site, operator string
		backward                    bool
	}{
		{"nothing", "", "", "", false},
		{"user", loop, "train.py:1:main", "", false},
		{"innermost user frame", mm + "\n" + lib + "\nmodel.py|attend\n" + loop, "model.py:3:attend", "aten::mm", false},
		{"user wrapper", "utils.py|wrapper\n" + loop, "utils.py:1:wrapper", "", false},
		{"innermost operator", mm + "\n" + add + "\n" + loop, "train.py:3:main", "aten::mm", false},
		{"operator with overload", add + "\n" + loop, "train.py:2:main", "aten::add_Tensor", false},
		{"library only", "torch/nn/modules/module.py|_call_impl\n" + lib, "/v/site-packages/einops/einops.py:2:reduce", "", false},
		{"innermost of two libraries", lib + "\n/v/site-packages/x.py|y", "/v/site-packages/einops/einops.py:1:reduce", "", false},
		{"autograd", mm + "\n" + node + "\n" + engine, "autograd aten::mm", "aten::mm", true},
		{"autograd without operator", "malloc\n" + node + "\n" + engine, "autograd MmBackward0", "MmBackward0", true},
		{"autograd of an extension", "malloc\n" + engine, "autograd", "", true},
		{"backward of user code", "ops.py|backward\n" + engine, "ops.py:1:backward", "", true},
		{"C++ only", mm + "\nmain", "aten::mm", "aten::mm", false},
		{"operator as a template argument", "wrap<&at::_ops::mm::call>(x)\n" + loop, "train.py:2:main", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st, id := stackOf(test.stack)
			if got := st.Site(id).String(); got != test.site {
				t.Errorf("site %q, want %q", got, test.site)
			}
			if got := st.Operator[id]; got != test.operator {
				t.Errorf("operator %q, want %q", got, test.operator)
			}
			if got := st.Backward[id]; got != test.backward {
				t.Errorf("backward %v, want %v", got, test.backward)
			}
		})
	}
}

func TestShade(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	one := c.Stack(frames("a.cpp\n" + loop)...)
	other := c.Stack(frames("b.cpp\n" + loop)...)
	var used [shades]int
	for i := range 1000 {
		c.Stack(frames(fmt.Sprintf("model.py|layer%d", i))...)
	}
	st := Stacks(c.Snapshot())
	if st.Shade[0] != 2 {
		t.Errorf("the empty stack has shade %d, want 2", st.Shade[0])
	}
	if st.Shade[one] != st.Shade[other] {
		t.Errorf("one site has shades %d and %d", st.Shade[one], st.Shade[other])
	}
	for _, s := range st.Shade {
		used[s]++
	}
	for s, n := range used {
		if n < 150 || n > 250 {
			t.Errorf("shade %d serves %d of 1000 sites", s, n)
		}
	}
}

func TestOperatorAndNode(t *testing.T) {
	tests := []struct{ symbol, operator, node string }{
		{"at::_ops::mm::call(at::Tensor const&)", "aten::mm", ""},
		{"at::_ops::_to_copy::redispatch(x)", "aten::_to_copy", ""},
		{"at::_ops::", "", ""},
		{"mm::call(x)", "", ""},
		{"at::native::mm(x)", "", ""},
		{"torch::autograd::generated::MmBackward0::apply(x)", "", "MmBackward0"},
		{"torch::autograd::AccumulateGrad::apply(x)", "", "AccumulateGrad"},
		{"torch::autograd::CppNode<flash::AttnBackward>::apply(x)", "", "AttnBackward"},
		{"torch::autograd::generated::MmBackward0", "", ""},
		{"torch::autograd::PyNode::apply(x)", "", ""},
	}
	for _, test := range tests {
		t.Run(test.symbol, func(t *testing.T) {
			if got := operatorOf(test.symbol); got != test.operator {
				t.Errorf("operator %q, want %q", got, test.operator)
			}
			if got := autogradNodeOf(test.symbol); got != test.node {
				t.Errorf("node %q, want %q", got, test.node)
			}
		})
	}
}
