package stacks

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// names is what the texts of a snapshot's frames say. Frames share few files and
// functions, so each text is read once.
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

// symbol is what a C++ function's name says.
type symbol struct {
	facts    Facts
	operator string
	node     string
}

func readSymbol(name string) symbol {
	return symbol{nativeFacts(name), operatorOf(name), autogradNodeOf(name)}
}

// operatorOf is the operator that a dispatcher entry such as
// at::_ops::mm::call(...) calls, written aten::mm, or "".
func operatorOf(symbol string) string {
	rest, is := strings.CutPrefix(symbol, "at::_ops::")
	name, _, _ := strings.Cut(rest, "::")
	if !is || name == "" {
		return ""
	}
	return "aten::" + name
}

// autogradNodeOf is the node whose gradient a symbol such as
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
