package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

const halfBytes = 2

// mixed is a model below torch.autocast with float16, and its gradient scaler.
type mixed struct {
	*mlp
	scaled bool // the scaler has its tensors
}

func mixedPrecision(p *process) {
	const rows, features = 1024, 512
	p.main(func() {
		m := &mixed{mlp: p.newMLP(512, 2048, 2048, 512)}
		p.at(toCUDA, func() { m.cuda() })
		for i := range 4 {
			m.randn("x", input, rows*features)
			m.randn("y", target, rows*features)
			g := m.forward(rows)
			g.output = m.lose(rows * features)
			p.at(forgetting, m.zeroGrad)
			p.at("scaled = scaler.scale(loss)", m.scale)
			p.at("scaled.backward()", func() { m.backward(rows, g) })
			p.at("scaler.step(optimizer)", func() { m.step(i > 0) })
			p.at("scaler.update()", m.update)
		}
	})
}

// halfGraph is what forward leaves for backward.
type halfGraph struct {
	input   tensor   // the batch as float16
	outputs []tensor // of the layers; the last belongs to the script
	casts   []tensor // matrices as float16, one a linear layer
	output  tensor   // the last output as float32, which the loss needs
}

// forward runs each linear layer with float16 copies of its weights. Autocast keeps
// the copies until it ends; the graph keeps those of the matrices longer.
func (m *mixed) forward(rows int64) (g halfGraph) {
	var biases []tensor
	m.at(forwards, func() {
		for i, l := range m.layers {
			m.call(l, func() {
				if i == 0 {
					g.input = m.make(rows*l.inputs*halfBytes, "_to_copy")
				}
				if l.weights != nil {
					g.casts = append(g.casts, m.make(l.weights[0].bytes/2, "_to_copy"))
					biases = append(biases, m.make(l.weights[1].bytes/2, "_to_copy"))
				}
				g.outputs = append(g.outputs, m.make(rows*l.outputs*halfBytes, l.operator()))
				if l.weights != nil {
					m.workspace(false)
				}
			})
		}
		m.set("output", g.outputs[len(g.outputs)-1])
	})
	// The frame of __exit__ stands at the line of the with statement.
	m.at(`with torch.autocast("cuda", dtype=torch.float16):`, func() {
		m.inside(func() { m.drop(biases...) }, py(site+"amp/autocast_mode.py", 408, "__exit__"))
	})
	return g
}

// lose casts the output to float32 first.
func (m *mixed) lose(elements int64) (output tensor) {
	m.at(losing, func() {
		m.inside(func() { output = m.make(elements*floatBytes, "_to_copy") },
			py(site+"nn/functional.py", 3884, "mse_loss"))
	})
	m.mlp.lose(losing, elements)
	return output
}

// scale makes the scale and the count of good steps when it is first called.
func (m *mixed) scale() {
	if !m.scaled {
		m.inside(func() { m.make(floatBytes, "full") }, py(site+"amp/grad_scaler.py", 211, "scale"),
			py(site+"amp/grad_scaler.py", 165, "_lazy_init_scale_growth_tracker"))
		m.inside(func() { m.make(floatBytes, "full") }, py(site+"amp/grad_scaler.py", 211, "scale"),
			py(site+"amp/grad_scaler.py", 168, "_lazy_init_scale_growth_tracker"))
		m.scaled = true
	}
	m.inside(func() { m.set("scaled", m.make(floatBytes, "mul")) }, py(site+"amp/grad_scaler.py", 214, "scale"))
}

// backward computes each gradient as float16 and casts it to float32 for its weight.
func (m *mixed) backward(rows int64, g halfGraph) {
	var one tensor
	m.inside(func() { one = m.make(floatBytes, "ones_like") }, tensorBackward...)
	m.engine(func() {
		wide := m.allocate(g.output.bytes, backwardOf("MseLossBackward0", "mse_loss_backward"))
		m.release(releaseOf("MseLossBackward0"), g.output)
		flow := m.allocate(g.output.bytes/2, backwardOf("ToCopyBackward0", "_to_copy"))
		m.release(engineDrops, wide)
		for i, l := range slices.Backward(m.layers) {
			flow = m.layerBackward(rows, i, l, &g, flow)
		}
	})
	m.inside(func() { m.drop(one) }, tensorBackward[:2]...)
}

func (m *mixed) layerBackward(rows int64, i int, l layer, g *halfGraph, flow tensor) (next tensor) {
	node := nodeOf(map[bool]string{true: "addmm", false: "gelu"}[l.weights != nil])
	if i > 0 {
		next = m.allocate(rows*l.inputs*halfBytes, backwardOf(node, "mm"))
	}
	if l.weights != nil {
		m.workspace(true)
		last := len(g.casts) - 1
		m.release(releaseOf(node), g.casts[last])
		g.casts = g.casts[:last]
	}
	for _, w := range l.weights {
		half := m.allocate(w.bytes/2, backwardOf(node, "mm"))
		m.accumulate(w, m.allocate(w.bytes, backwardOf("ToCopyBackward0", "_to_copy")))
		m.release(engineDrops, half)
	}
	m.release(engineDrops, flow)
	input := g.input
	if i > 0 {
		input = g.outputs[i-1]
	}
	m.release(releaseOf(node), input)
	return next
}

// step divides the gradients by the scale in place, and steps unless one is infinite.
func (m *mixed) step(finite bool) {
	at := func(line int32, name string) snapshot.FrameText { return py(site+"amp/grad_scaler.py", line, name) }
	m.inside(func() {
		inverse := m.make(floatBytes, "reciprocal")
		m.set("found_inf", m.make(floatBytes, "full"))
		m.drop(inverse)
	}, at(452, "step"), at(338, "unscale_"))
	if finite {
		m.inside(m.adam, at(465, "step"), at(356, "_maybe_opt_step"))
	}
}

func (m *mixed) update() {
	m.inside(func() { m.set("found_inf", tensor{}) }, py(site+"amp/grad_scaler.py", 549, "update"))
}
