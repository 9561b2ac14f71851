package stacks

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// siteCases are stacks with their known sites, for this rule and the page's.
const siteCases = "testdata/sites.json"

func TestSites(t *testing.T) {
	text, err := os.ReadFile(siteCases)
	if err != nil {
		t.Fatal(err)
	}
	var tests []struct {
		Case   string
		Frames []struct {
			File, Name, Class string
			Line              int32
		}
		Operator string
		Backward bool
		Site     Site
	}
	if err := json.Unmarshal(text, &tests); err != nil || len(tests) == 0 {
		t.Fatalf("%d cases: %v", len(tests), err)
	}
	classes := map[string]FrameClass{"user": UserCode, "library": LibraryPython, "internal": Internal}
	for _, test := range tests {
		t.Run(test.Case, func(t *testing.T) {
			c := snapshot.NewComposer(snapshot.Format{})
			var frames []snapshot.FrameText
			for _, f := range test.Frames {
				frames = append(frames, snapshot.FrameText{File: f.File, Line: f.Line, Name: f.Name})
			}
			id := c.Stack(frames...)
			st := Read(c.Snapshot())
			if got := st.Site(id); got != test.Site {
				t.Errorf("site %+v, want %+v", got, test.Site)
			}
			if st.Operator[id] != test.Operator || st.Backward[id] != test.Backward {
				t.Errorf("operator %q, backward %v; want %q, %v", st.Operator[id], st.Backward[id], test.Operator,
					test.Backward)
			}
			for i, frame := range c.Snapshot().Stacks.Frames(id) {
				if class := test.Frames[i].Class; st.FrameClass[frame] != classes[class] {
					t.Errorf("frame %d is of class %d, want %s", i, st.FrameClass[frame], class)
				}
			}
		})
	}
}

func TestShade(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	one := c.Stack(testsnap.Frames("a.cpp\n" + testsnap.Loop)...)
	other := c.Stack(testsnap.Frames("b.cpp\n" + testsnap.Loop)...)
	var used [shades]int
	for i := range 1000 {
		c.Stack(testsnap.Frames(fmt.Sprintf("model.py|layer%d", i))...)
	}
	st := Read(c.Snapshot())
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
