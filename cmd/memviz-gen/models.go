package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// moduleCall are the frames of module(x).
var moduleCall = []snapshot.FrameText{
	py(site+"nn/modules/module.py", 1779, "_wrapped_call_impl"),
	py(site+"nn/modules/module.py", 1790, "_call_impl"),
}

// call runs the forward of a module with these frames.
func (p *process) call(body func(), forward ...snapshot.FrameText) {
	p.inside(body, append(moduleCall[:2:2], forward...)...)
}

// The operators below consume x: they take over the caller's reference to it, as if
// the variable were bound to the result.

// linear is an nn.Linear: a matrix, and a bias unless there is none.
type linear struct {
	inputs, outputs int64 // features of a row
	weights         []*parameter
}

func newLinear(depth int, inputs, outputs int64, bias bool) linear {
	l := linear{inputs, outputs, []*parameter{newParameter(depth, inputs*outputs)}}
	if bias {
		l.weights = append(l.weights, newParameter(depth, outputs))
	}
	return l
}

// newParameter makes a weight on the CPU.
func newParameter(depth int, elements int64) *parameter {
	return &parameter{tensor: &tensor{bytes: elements * floatBytes}, depth: depth}
}

func (p *process) linear(l linear, x *tensor) (out *tensor) {
	p.call(func() {
		n := &node{name: "AddmmBackward0", op: "mm", micros: 40, weights: l.weights, matmul: true}
		if len(l.weights) == 1 {
			n.name = "MmBackward0"
		}
		saved := []*tensor{x}
		if p.autograd.cast {
			if !x.half {
				x = p.cast(x)
			}
			n.half, saved[0] = true, x
			for _, w := range l.weights {
				p.autograd.casts = append(p.autograd.casts, p.make(w.bytes/2, "_to_copy"))
			}
			saved = append(saved, p.autograd.casts[len(p.autograd.casts)-len(l.weights)])
		}
		out = p.make(x.bytes/l.inputs*l.outputs, "linear")
		p.workspace()
		out = p.result(n, out, x, saved...)
	}, py(site+"nn/modules/linear.py", 134, "forward"))
	return out
}

func (p *process) gelu(x *tensor) (out *tensor) {
	p.call(func() {
		out = p.make(x.bytes, "gelu")
		p.result(&node{name: "GeluBackward0", op: "gelu_backward", micros: 40}, out, x, x)
	}, py(site+"nn/modules/activation.py", 816, "forward"))
	return out
}

// cast turns float32 into float16, or back.
func (p *process) cast(x *tensor) *tensor {
	bytes := x.bytes / 2
	if x.half {
		bytes = x.bytes * 2
	}
	out := p.make(bytes, "_to_copy")
	if !x.grad { // not part of the graph
		p.drop(x)
	} else {
		p.result(&node{name: "ToCopyBackward0", op: "_to_copy"}, out, x)
	}
	out.half = !x.half
	return out
}

// mseLoss is F.mse_loss(output, y), the end of a graph. It consumes nothing.
func (p *process) mseLoss(output, y *tensor) (loss *tensor) {
	p.inside(func() {
		x := hold(output)
		if x.half {
			x = p.cast(x)
		}
		squares := p.make(x.bytes, "mse_loss")
		loss = p.make(floatBytes, "mse_loss")
		p.drop(squares)
		p.endsAt(p.result(&node{name: "MseLossBackward0", op: "mse_loss_backward"}, loss, x, x, y))
	}, py(site+"nn/functional.py", 3884, "mse_loss"))
	return loss
}

// toCUDA is model.to("cuda").
func (p *process) toCUDA(weights []*parameter) {
	for _, w := range weights {
		p.inside(func() { w.tensor = p.make(w.bytes, "to") }, slices.Concat(
			[]snapshot.FrameText{py(site+"nn/modules/module.py", 1371, "to")},
			slices.Repeat([]snapshot.FrameText{py(site+"nn/modules/module.py", 930, "_apply")}, w.depth),
			[]snapshot.FrameText{py(site+"nn/modules/module.py", 957, "_apply"),
				py(site+"nn/modules/module.py", 1357, "convert")})...)
	}
}

// mlp is record.mlp(widths...) of the examples: linear layers with a GELU between
// them, in an nn.Sequential.
type mlp []linear

// newMLP makes a model on the CPU, depth modules below the one that is moved to the GPU.
func newMLP(depth int, widths ...int64) (m mlp) {
	for i, inputs := range widths[:len(widths)-1] {
		m = append(m, newLinear(depth+1, inputs, widths[i+1], true))
	}
	return m
}

func (m mlp) weights() (all []*parameter) {
	for _, l := range m {
		all = append(all, l.weights...)
	}
	return all
}

// forward is model(x); it does not consume x.
func (p *process) forward(m mlp, x *tensor) *tensor {
	x = hold(x)
	p.call(func() {
		for i, l := range m {
			if i > 0 {
				x = p.gelu(x)
			}
			x = p.linear(l, x)
		}
	}, py(site+"nn/modules/container.py", 253, "forward"))
	return x
}

// gpt is GPT(layers, width, heads, vocabulary) of the examples.
type gpt struct {
	width, heads    int64
	embedding, head linear
	blocks          []block
	norm            linear

	// Variations for scenarios. eager, if set, is the sequence length; attention then
	// keeps the scores, length x length per head. hook gets the output of a block's
	// activation function. checkpoints: each block is one.
	eager       int64
	hook        func(block int, activation *tensor)
	checkpoints bool
	headless    bool // returns the input of the head
}

type block struct {
	first, second                 linear // norms
	qkv, projection, wide, narrow linear
}

// newNorm makes an nn.LayerNorm.
func newNorm(depth int, width int64) linear {
	return linear{width, width, []*parameter{newParameter(depth, width), newParameter(depth, width)}}
}

func newGPT(layers, width, heads, vocabulary int64) *gpt {
	m := &gpt{width: width, heads: heads, embedding: newLinear(1, vocabulary, width, false),
		norm: newNorm(1, width), head: newLinear(1, width, vocabulary, false)}
	for range layers {
		m.blocks = append(m.blocks, block{
			first: newNorm(4, width), second: newNorm(4, width),
			qkv: newLinear(4, width, 3*width, false), projection: newLinear(4, width, width, false),
			wide: newLinear(4, width, 4*width, false), narrow: newLinear(4, 4*width, width, false),
		})
	}
	return m
}

// weights returns the weights in the order of model.parameters().
func (m *gpt) weights() []*parameter {
	all := slices.Clone(m.embedding.weights)
	for _, b := range m.blocks {
		for _, l := range []linear{b.first, b.second, b.qkv, b.projection, b.wide, b.narrow} {
			all = append(all, l.weights...)
		}
	}
	return slices.Concat(all, m.norm.weights, m.head.weights)
}

// logits is net(tokens); it does not consume them.
func (p *process) logits(m *gpt, tokens *tensor) (x *tensor) {
	p.call(func() {
		p.at("x = self.embedding(tokens)", func() { x = p.embed(m, tokens) })
		for i, b := range m.blocks {
			p.at("x = block(x)", func() {
				input, run := x, func(x *tensor) *tensor { return p.block(m, i, b, hold(x)) }
				if m.checkpoints {
					p.inside(func() { x = p.checkpoint(x, run) }, py(site+"utils/checkpoint.py", 501, "checkpoint"))
				} else {
					x = run(x)
				}
				p.drop(input)
			})
		}
		p.at("return self.head(self.norm(x))", func() {
			if x = p.layerNorm(m.norm, x); !m.headless {
				x = p.linear(m.head, x)
			}
		})
	})
	return x
}

func (p *process) embed(m *gpt, tokens *tensor) (out *tensor) {
	p.call(func() {
		out = p.make(tokens.bytes/8*m.width*floatBytes, "embedding")
		p.result(&node{name: "EmbeddingBackward0", op: "embedding_dense_backward", micros: 40,
			weights: m.embedding.weights}, out, hold(tokens), tokens)
	}, py(site+"nn/modules/sparse.py", 192, "forward"), py(site+"nn/functional.py", 2546, "embedding"))
	return out
}

func (p *process) block(m *gpt, i int, b block, x *tensor) *tensor {
	p.call(func() {
		p.at("x = x + attention(first(x))", func() {
			x = p.residual(x, func(x *tensor) *tensor { return p.attention(m, b, p.layerNorm(b.first, x)) })
		})
		p.at("return x + mlp(second(x))", func() {
			x = p.residual(x, func(x *tensor) *tensor {
				x = p.layerNorm(b.second, x)
				p.call(func() {
					p.at("return self.narrow(self.gelu(self.wide(x)))", func() {
						x = p.gelu(p.linear(b.wide, x))
						if m.hook != nil {
							m.hook(i, x)
						}
						x = p.linear(b.narrow, x)
					})
				})
				return x
			})
		})
	})
	return x
}

func (p *process) layerNorm(l linear, x *tensor) (out *tensor) {
	p.call(func() {
		rows := x.bytes / l.inputs
		out = p.make(x.bytes, "native_layer_norm")
		mean, deviation := p.make(rows, "native_layer_norm"), p.make(rows, "native_layer_norm")
		p.result(&node{name: "NativeLayerNormBackward0", op: "native_layer_norm_backward", micros: 40,
			weights: l.weights}, out, x, x, mean, deviation)
		p.drop(mean, deviation)
	}, py(site+"nn/modules/normalization.py", 229, "forward"))
	return out
}

// attention has queries, keys and values in one tensor, of which the script makes views.
func (p *process) attention(m *gpt, b block, x *tensor) *tensor {
	p.call(func() {
		p.at("q, k, v = self.qkv(x).chunk(3, dim=-1)", func() { x = p.linear(b.qkv, x) })
		p.at("x = F.scaled_dot_product_attention(q, k, v, is_causal=True)", func() {
			const op = "scaled_dot_product_attention"
			out := p.make(x.bytes/3, op)
			kept := out.bytes / m.width * m.heads // the logarithms of the scores' sums
			if m.eager > 0 {
				kept *= m.eager
			}
			sums := p.make(kept, op)
			p.result(&node{name: "ScaledDotProductFlashAttentionBackward0",
				op: "_scaled_dot_product_flash_attention_backward", micros: 40}, out, x, x, out, sums)
			p.drop(sums)
			x = out
		})
		p.at("return self.projection(x)", func() { x = p.linear(b.projection, x) })
	})
	return x
}

// crossEntropy is loss(logits, targets) of the examples, the end of a graph. It
// consumes nothing.
func (p *process) crossEntropy(logits, targets *tensor) (loss *tensor) {
	p.at("return F.cross_entropy(rows, wanted)", func() {
		p.inside(func() {
			logs := p.make(logits.bytes, "log_softmax")
			p.result(&node{name: "LogSoftmaxBackward0", op: "_log_softmax_backward_data"}, logs, hold(logits), logs)
			loss = p.make(floatBytes, "nll_loss")
			p.endsAt(p.result(&node{name: "NllLossBackward0", op: "nll_loss_backward"}, loss, logs, logs, targets))
		}, py(site+"nn/functional.py", 3458, "cross_entropy"))
	})
	return loss
}

// lossInParts is the head and the loss, chunk by chunk of the tokens, as in fused kernels
// that compute the gradients in the forward pass. It consumes x.
func (p *process) lossInParts(m *gpt, x *tensor, parts int64) (loss *tensor) {
	p.at("return F.cross_entropy(rows, wanted)", func() {
		ofInput, ofWeight := p.make(x.bytes, "zeros_like"), p.make(m.head.weights[0].bytes, "zeros_like")
		for range parts {
			logits := p.make(x.bytes/m.head.inputs*m.head.outputs/parts, "mm")
			logs := p.make(logits.bytes, "_log_softmax")
			p.drop(logits, logs)
		}
		loss = p.make(floatBytes, "sum")
		p.endsAt(p.result(&node{name: "LossInPartsBackward", op: "mul", weights: m.head.weights}, loss, x, ofInput,
			ofWeight))
		p.drop(ofInput, ofWeight)
	})
	return loss
}
