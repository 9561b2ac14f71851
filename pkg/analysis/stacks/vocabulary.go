package stacks

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Vocabulary is every part of a name that a rule looks at. Redaction has to keep
// these parts, or the rules give other results. They are words of torch, of Python
// and of common packages, never a user's own.
type Vocabulary struct {
	Whole    []string // files, folders, functions and C symbols
	Prefixes []string // that a file, folder or function begins with
	Within   []string // parts of files, folders and functions
	AnyCase  []string // the same, in lower case here and any case there
	Symbols  []string // parts of C++ names; with :: at the end, only in front of ::
}

// Words returns the vocabulary of all rules.
var Words = sync.OnceValue(func() *Vocabulary {
	whole := map[string]bool{"START": true, "END": true} // of user_defined events
	parts := func(path string) {
		for part := range strings.SplitSeq(path, "/") {
			whole[part] = true
		}
	}
	for _, row := range knownFiles {
		for _, path := range row.paths {
			parts(path)
		}
	}
	for _, path := range torchParts {
		parts(path)
	}
	for _, path := range []string{"torch", deepspeed, "site-packages", "dist-packages", "lib", "lib64", "Lib",
		".ipykernel", ".triton"} {
		parts(path)
	}
	for name := range knownFunctions {
		whole[name] = true
	}
	for name := range wrapperFunctions {
		whole[name] = true
	}
	for name := range interpreterSymbols {
		whole[name] = true
	}
	v := &Vocabulary{
		Prefixes: []string{optimizerPrefix, "ipykernel_", "torchinductor_", "python3"},
		Within:   slices.Concat([]string{clipGradWord}, deepspeedOptimizers),
		AnyCase:  slices.Concat(cacheWords, []string{"python", "conda"}),
	}
	for _, row := range functionsOfFiles {
		for _, name := range row.functions {
			if stem, open := strings.CutSuffix(name, "*"); open {
				v.Prefixes = append(v.Prefixes, stem)
			} else {
				whole[name] = true
			}
		}
	}
	for _, row := range knownWords {
		v.Within = append(v.Within, row.words...)
	}
	for _, row := range symbolWords {
		v.Symbols = append(v.Symbols, row.words...)
	}
	v.Symbols = append(v.Symbols, "tensor_ctor", "Backward")
	delete(whole, "")
	v.Whole = slices.Sorted(maps.Keys(whole))
	return v
})

// FrameReading is what rules read from the names of a frame. No rule distinguishes frames
// with equal readings.
type FrameReading struct {
	kind  fileKind
	class FrameClass
	facts Facts
	named bool // it names an operator or a node of autograd
}

// ReadFrame reads a frame's names.
func ReadFrame(file, function string) FrameReading {
	path := Slashed(file)
	r := FrameReading{kind: kindOf(path)}
	r.class = r.kind.class(baseFunction(function))
	if r.kind.python() {
		r.facts = pythonFacts(factsOfFile(path), factsOfFunction(baseFunction(function)))
	} else {
		symbol := readSymbol(function)
		r.facts, r.named = symbol.facts, symbol.operator+symbol.node != ""
	}
	return r
}

// Python reports whether it is a Python frame.
func (r FrameReading) Python() bool { return r.kind.python() }
