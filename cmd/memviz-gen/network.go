package main

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

const floatBytes = 4

// shape is a small GPT and what is fed to it.
type shape struct {
	layers, width, heads, vocabulary int64
	batch, length                    int64
	eager                            bool // attention keeps its scores, length x length a head
}

func (s shape) tokens() int64 { return s.batch * s.length }

// op is one operator of the forward pass.
type op struct {
	name    string
	out     int64 // bytes of its result
	extra   int64 // bytes that it saves for backward besides its result
	saved   bool  // backward needs its result
	weights []int // parameters it uses
	calls   []snapshot.FrameText
}

// parameter is a weight with its gradient and optimizer state.
type parameter struct {
	tensor
	name     string
	frozen   bool // it has no gradient
	gradient *tensor
	moments  []tensor
}

const modelFile = "/home/ada/gpt/model.py"

// How network builds a model: the embedding, each layer's operators, the final
// norm and the head. The first calls of each operator are those of the whole model.
const (
	opsOfLayer = 10
	callsOfGPT = 3
)

// network lists the parameters and operators of a GPT.
func network(s shape) (params []parameter, ops []op) {
	weight := func(name string, elements int64) int {
		params = append(params, parameter{name: name, tensor: tensor{bytes: elements * floatBytes}})
		return len(params) - 1
	}
	row := s.tokens() * floatBytes
	d := s.width
	attended := row * s.heads // the logarithms of the scores' sums
	if s.eager {
		attended *= s.length
	}
	gpt := append(moduleCall[:2:2], py(modelFile, 96, "forward"))
	add := func(o op, calls ...snapshot.FrameText) {
		o.calls = append(gpt[:len(gpt):len(gpt)], calls...)
		ops = append(ops, o)
	}
	module := func(line int32, file string, fileLine int32) []snapshot.FrameText {
		return append(append([]snapshot.FrameText{py(modelFile, line, "forward")}, moduleCall...),
			py(site+"nn/modules/"+file, fileLine, "forward"))
	}

	add(op{name: "embedding", out: row * d, weights: []int{weight("wte", s.vocabulary*d)}},
		append(moduleCall[:2:2], py(site+"nn/modules/sparse.py", 192, "forward"),
			py(site+"nn/functional.py", 2546, "embedding"))...)
	for i := range s.layers {
		name := func(part string) string { return fmt.Sprintf("h.%d.%s", i, part) }
		block := append(moduleCall[:2:2], py(modelFile, 63, "forward"))
		sub := func(o op, calls []snapshot.FrameText) { add(o, append(block[:len(block):len(block)], calls...)...) }
		attention, mlp := moduleCall[:2:2], append(moduleCall[:2:2], py(modelFile, 48, "forward"))
		sub(op{name: "native_layer_norm", out: row * d, extra: 2 * row, saved: true,
			weights: []int{weight(name("ln_1"), 2*d)}},
			module(64, "normalization.py", 229)[1:])
		sub(op{name: "linear", out: row * 3 * d, saved: true, weights: []int{weight(name("attn.qkv"), 3*d*d)}},
			append(attention[:2:2], module(24, "linear.py", 134)...))
		sub(op{name: "scaled_dot_product_attention", out: row * d, extra: attended, saved: true},
			append(attention[:2:2], py(modelFile, 29, "forward")))
		sub(op{name: "linear", out: row * d, weights: []int{weight(name("attn.proj"), d*d)}},
			append(attention[:2:2], module(31, "linear.py", 134)...))
		sub(op{name: "add", out: row * d, saved: true}, []snapshot.FrameText{py(modelFile, 64, "forward")})
		sub(op{name: "native_layer_norm", out: row * d, extra: 2 * row, saved: true,
			weights: []int{weight(name("ln_2"), 2*d)}},
			module(65, "normalization.py", 229)[1:])
		sub(op{name: "linear", out: row * 4 * d, saved: true, weights: []int{weight(name("mlp.fc"), 4*d*d)}},
			append(mlp[:3:3], module(49, "linear.py", 134)[1:]...))
		sub(op{name: "gelu", out: row * 4 * d, saved: true}, append(mlp[:3:3], module(50, "activation.py", 816)[1:]...))
		sub(op{name: "linear", out: row * d, weights: []int{weight(name("mlp.proj"), 4*d*d)}},
			append(mlp[:3:3], module(51, "linear.py", 134)[1:]...))
		sub(op{name: "add", out: row * d, saved: true}, []snapshot.FrameText{py(modelFile, 65, "forward")})
	}
	add(op{name: "native_layer_norm", out: row * d, extra: 2 * row, saved: true, weights: []int{weight("ln_f", 2*d)}},
		module(104, "normalization.py", 229)[1:]...)
	add(op{name: "linear", out: row * s.vocabulary, saved: true, weights: []int{weight("lm_head", s.vocabulary*d)}},
		module(105, "linear.py", 134)[1:]...)
	return params, ops
}
