package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// mlp is record.mlp(widths...) of the examples: linear layers with a GELU between
// them, in an nn.Sequential.
type mlp struct {
	*process
	layers []layer
}

type layer struct {
	inputs, outputs int64     // features of a row
	weights         []*weight // of a linear layer: matrix and bias; a GELU has none
}

// weight is a parameter with its gradient and its optimizer state.
type weight struct {
	tensor
	gradient tensor // of no bytes if there is none
	moments  []tensor
}

func (w *weight) has() bool { return w.gradient.bytes > 0 }

// newMLP is a model on the CPU.
func (p *process) newMLP(widths ...int64) *mlp {
	m := &mlp{process: p}
	for i, inputs := range widths[:len(widths)-1] {
		outputs := widths[i+1]
		if i > 0 {
			m.layers = append(m.layers, layer{inputs: inputs, outputs: inputs})
		}
		m.layers = append(m.layers, layer{inputs, outputs, []*weight{
			{tensor: tensor{bytes: inputs * outputs * floatBytes}}, {tensor: tensor{bytes: outputs * floatBytes}},
		}})
	}
	return m
}

// cuda is model.to("cuda"), inside the frames above each layer.
func (m *mlp) cuda(above ...snapshot.FrameText) {
	calls := slices.Concat([]snapshot.FrameText{py(site+"nn/modules/module.py", 1371, "to")}, above,
		[]snapshot.FrameText{
			py(site+"nn/modules/module.py", 930, "_apply"), py(site+"nn/modules/module.py", 957, "_apply"),
			py(site+"nn/modules/module.py", 1357, "convert")})
	m.inside(func() {
		for _, w := range m.weights() {
			w.tensor = m.make(w.bytes, "to")
		}
	}, calls...)
}

func (m *mlp) weights() (all []*weight) {
	for _, l := range m.layers {
		all = append(all, l.weights...)
	}
	return all
}

// call runs body inside the Python of a layer.
func (m *mlp) call(l layer, body func()) {
	in := py(site+"nn/modules/linear.py", 134, "forward")
	if l.weights == nil {
		in = py(site+"nn/modules/activation.py", 816, "forward")
	}
	m.inside(body, slices.Concat(moduleCall, []snapshot.FrameText{py(site+"nn/modules/container.py", 253, "forward")},
		moduleCall, []snapshot.FrameText{in})...)
}

func (l layer) operator() string {
	if l.weights == nil {
		return "gelu"
	}
	return "linear"
}

// infer is model(x) under no_grad: each layer's output goes when the next has read it.
func (m *mlp) infer(rows int64) (output tensor) {
	for _, l := range m.layers {
		m.call(l, func() {
			input := output
			output = m.make(rows*l.outputs*floatBytes, l.operator())
			if l.weights != nil {
				m.workspace(false)
			}
			m.pass(40)
			m.drop(input)
		})
	}
	return output
}

// forward is model(x). It returns the outputs of all layers; each is what backward
// needs of the layer after it, and the last belongs to the script.
func (m *mlp) forward(rows int64) (outputs []tensor) {
	for _, l := range m.layers {
		m.call(l, func() {
			outputs = append(outputs, m.make(rows*l.outputs*floatBytes, l.operator()))
			if l.weights != nil {
				m.workspace(false)
			}
			m.pass(40)
		})
	}
	return outputs
}

// backward turns the gradient of the output into those of the weights, on the
// engine's thread, and lets go of all outputs but the last. It returns the gradient of the
// input if that is wanted.
func (m *mlp) backward(rows int64, outputs []tensor, flow tensor, wanted bool) tensor {
	for i, l := range slices.Backward(m.layers) {
		node := nodeOf(map[bool]string{true: "addmm", false: "gelu"}[l.weights != nil])
		var next tensor
		if i > 0 || wanted {
			next = m.allocate(rows*l.inputs*floatBytes, backwardOf(node, "mm"))
		}
		if l.weights != nil {
			m.workspace(true)
		}
		for _, w := range l.weights {
			m.accumulate(w, m.allocate(w.bytes, backwardOf(node, "mm")))
		}
		m.pass(60)
		m.release(engineDrops, flow)
		if i > 0 {
			m.release(releaseOf(node), outputs[i-1])
		}
		flow = next
	}
	return flow
}

// accumulate keeps the first gradient of a weight, and adds later ones to it.
func (m *mlp) accumulate(w *weight, gradient tensor) {
	if w.has() {
		m.release(engineDrops, gradient)
	} else {
		w.gradient = gradient
	}
}
