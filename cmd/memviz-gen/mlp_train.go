package main

import "github.com/memviz-go/memviz/pkg/snapshot"

// The lines that the training scripts of the examples have in common.
const (
	toCUDA     = `model.to("cuda")`
	forwards   = "output = model(x)"
	losing     = "loss = F.mse_loss(output, y)"
	backwards  = "loss.backward()"
	stepping   = "optimizer.step()"
	forgetting = "optimizer.zero_grad()"
	input      = `x = torch.randn(1024, 512, device="cuda")`
	target     = `y = torch.randn(1024, 512, device="cuda")`
)

// main runs body inside the script's main().
func (p *process) main(body func()) { p.at("main()", body) }

// randn is a line that binds a variable to random numbers.
func (p *process) randn(name, text string, elements int64) {
	p.assign(name, text, elements*floatBytes, "randn")
}

// train is one step, each line of which the script has once.
func (m *mlp) train() {
	const rows, features = 1024, 512
	m.randn("x", input, rows*features)
	m.randn("y", target, rows*features)
	outputs := m.predict(forwards, rows)
	m.lose(losing, rows*features)
	m.at(backwards, func() { m.fromLoss(rows, features, outputs) })
	m.at(stepping, m.adam)
	m.at(forgetting, m.zeroGrad)
}

// predict binds output to what the model says of so many rows.
func (m *mlp) predict(text string, rows int64) (outputs []tensor) {
	m.at(text, func() {
		outputs = m.forward(rows)
		m.set("output", outputs[len(outputs)-1])
	})
	return outputs
}

// lose binds loss to a mean of squares.
func (m *mlp) lose(text string, elements int64) {
	m.at(text, func() {
		m.inside(func() {
			squares := m.make(elements*floatBytes, "mse_loss")
			loss := m.make(floatBytes, "mse_loss")
			m.drop(squares)
			m.set("loss", loss)
		}, py(site+"nn/functional.py", 3884, "mse_loss"))
	})
}

// tensorBackward are the frames below loss.backward() on the script's own thread.
var tensorBackward = []snapshot.FrameText{
	py(site+"_tensor.py", 648, "backward"), py(site+"autograd/__init__.py", 342, "backward"),
	py(site+"autograd/__init__.py", 199, "_make_grads"),
}

// fromLoss is loss.backward() for a mean of squares of the model's output.
func (m *mlp) fromLoss(rows, features int64, outputs []tensor) {
	var one tensor
	m.inside(func() { one = m.make(floatBytes, "ones_like") }, tensorBackward...)
	m.engine(func() {
		flow := m.allocate(rows*features*floatBytes, backwardOf("MseLossBackward0", "mse_loss_backward"))
		m.backward(rows, outputs, flow, false)
	})
	m.inside(func() { m.drop(one) }, tensorBackward[:2]...)
}

var adamOfScript = []snapshot.FrameText{
	py(site+"optim/optimizer.py", 526, "wrapper"), py(site+"optim/optimizer.py", 81, "_use_grad"),
	py(site+"optim/adam.py", 247, "step"),
}

// adam is Adam.step() for all weights.
func (m *mlp) adam() { m.adamOf(m.weights()) }

// adamOf is Adam.step(): the first one makes its state, each makes a scratch tensor a weight.
func (m *mlp) adamOf(weights []*weight) {
	m.named("Optimizer.step#Adam.step", func() {
		m.inside(func() {
			for _, w := range weights {
				m.moments(w)
			}
			m.inside(func() { m.scratch(weights) },
				py(site+"optim/optimizer.py", 149, "maybe_fallback"), py(site+"optim/adam.py", 949, "adam"),
				py(site+"optim/adam.py", 771, "_multi_tensor_adam"))
		}, adamOfScript...)
	})
}

func (m *mlp) moments(w *weight) {
	m.inside(func() {
		for len(w.moments) < 2 && w.has() {
			w.moments = append(w.moments, m.make(w.bytes, "zeros_like"))
		}
	}, py(site+"optim/adam.py", 176, "_init_group"))
}

func (m *mlp) scratch(weights []*weight) {
	var roots []tensor
	for _, w := range weights {
		if w.has() {
			roots = append(roots, m.make(w.bytes, "_foreach_sqrt"))
		}
	}
	m.pass(200)
	m.drop(roots...)
}

// zeroGrad drops all gradients.
func (m *mlp) zeroGrad() {
	m.inside(func() {
		for _, w := range m.weights() {
			m.drop(w.gradient)
			w.gradient = tensor{}
		}
	}, py(site+"_compile.py", 53, "inner"), py(site+"optim/optimizer.py", 1037, "zero_grad"))
}
