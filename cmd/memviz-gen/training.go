package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

const trainFile = "/home/ada/gpt/train.py"

// trainer is a training script at work.
type trainer struct {
	*recorder
	params []parameter
	ops    []op
	shape  shape

	// recompute, if set, makes what operator i saved again, just before its backward.
	recompute func(g *graph, i int) error
}

// graph is what a forward pass leaves for its backward: saved tensors by operator.
type graph struct {
	saved [][]tensor // by operator
	loss  []tensor   // of the loss function: its result first
	named []tensor   // what variables of the script hold: the loss
}

// newTrainer moves a model to the GPU.
func newTrainer(r *recorder, s shape) (*trainer, error) {
	t := &trainer{recorder: r, shape: s}
	t.params, t.ops = network(s)
	err := r.in(func() (err error) {
		for i := range t.params {
			if t.params[i].tensor, err = r.alloc(t.params[i].bytes, operator("to")); err != nil {
				return err
			}
		}
		return nil
	}, py(trainFile, 71, "<module>"), py(trainFile, 52, "main"), py(site+"nn/modules/module.py", 1371, "to"),
		py(site+"nn/modules/module.py", 930, "_apply"), py(site+"nn/modules/module.py", 1357, "convert"))
	return t, err
}

// main runs body inside the script's main function, at a line of it.
func (t *trainer) main(line int32, body func() error) error {
	return t.in(body, py(trainFile, 71, "<module>"), py(trainFile, line, "main"))
}

// reshape changes what is fed to the model from now on.
func (t *trainer) reshape(s shape) {
	t.shape = s
	_, t.ops = network(s)
}

// batch moves tokens and targets to the GPU.
func (t *trainer) batch() (batch []tensor, err error) {
	err = t.in(func() error {
		for range 2 {
			x, err := t.alloc(t.shape.tokens()*8, operator("to"))
			if err != nil {
				return err
			}
			batch = append(batch, x)
		}
		return nil
	}, py("/home/ada/gpt/data.py", 23, "next_batch"))
	return batch, err
}

// forward runs the model and the loss function. With an error it returns what
// the pass still holds.
func (t *trainer) forward() (*graph, error) {
	g := &graph{saved: make([][]tensor, len(t.ops))}
	var passing *tensor // a result that nothing saves lives until the next operator has read it
	for i, o := range t.ops {
		passed := passing
		var err error
		if g.saved[i], passing, err = t.apply(o, passed); err != nil {
			if passed != nil {
				g.named = append(g.named, *passed)
			}
			return g, err
		}
	}
	return g, t.lossOf(g)
}

// apply runs an operator, which reads what the one before passes on, if
// nothing saved that. It returns what it saves and what it passes on itself.
func (t *trainer) apply(o op, passed *tensor) (saved []tensor, passing *tensor, err error) {
	err = t.in(func() error {
		out, err := t.alloc(o.out, operator(o.name))
		if err != nil {
			return err
		}
		if o.extra > 0 {
			extra, err := t.alloc(o.extra, operator(o.name))
			if err != nil {
				saved = append(saved, out)
				return err
			}
			saved = append(saved, extra)
		}
		t.pass(40)
		if o.saved {
			saved = append(saved, out)
		} else {
			passing = &out
		}
		if passed == nil {
			return nil
		}
		return t.free(*passed, pythonDrops)
	}, o.calls...)
	return saved, passing, err
}

func (t *trainer) lossOf(g *graph) error {
	calls := []snapshot.FrameText{py(modelFile, 108, "loss"), py(site+"nn/functional.py", 3458, "cross_entropy")}
	return t.in(func() error {
		logits := t.shape.tokens() * t.shape.vocabulary * floatBytes
		probabilities, err := t.alloc(logits, operator("log_softmax"))
		if err != nil {
			return err
		}
		loss, err := t.alloc(floatBytes, operator("nll_loss"))
		g.loss = []tensor{loss, probabilities}
		g.named = g.loss[:1:1]
		return err
	}, calls...)
}

// backward walks the graph in reverse: gradients flow, leaves keep theirs, and
// what forward saved is released.
func (t *trainer) backward(g *graph) error {
	return t.onEngine(func() error {
		flow, err := t.alloc(g.loss[1].bytes, backwardOf("LogSoftmaxBackward0", "_log_softmax_backward_data"))
		if err != nil {
			return err
		}
		if err := t.free(g.loss[1], releaseOf("LogSoftmaxBackward0")); err != nil {
			return err
		}
		for i, o := range slices.Backward(t.ops) {
			if t.recompute != nil {
				if err := t.recompute(g, i); err != nil {
					return err
				}
			}
			if flow, err = t.backwardOp(o, g.saved[i], flow); err != nil {
				return err
			}
		}
		return t.free(flow, engineDrops)
	})
}

// backwardOp turns the gradient of an operator's result into that of its input.
func (t *trainer) backwardOp(o op, saved []tensor, flow tensor) (tensor, error) {
	node := nodeOf(o.name)
	next, err := t.alloc(max(o.out, floatBytes), backwardOf(node, "mm"))
	if err != nil {
		return tensor{}, err
	}
	for _, w := range o.weights {
		if err := t.leaf(&t.params[w], node); err != nil {
			return tensor{}, err
		}
	}
	t.pass(60)
	if err := t.free(flow, engineDrops); err != nil {
		return tensor{}, err
	}
	for _, s := range saved {
		if err := t.free(s, releaseOf(node)); err != nil {
			return tensor{}, err
		}
	}
	return next, nil
}

// leaf makes the gradient of a weight; the first one is kept, later ones are
// added to it.
func (t *trainer) leaf(p *parameter, node string) error {
	if p.frozen {
		return nil
	}
	gradient, err := t.alloc(p.bytes, backwardOf(node, "mm"))
	if err != nil {
		return err
	}
	if p.gradient == nil {
		p.gradient = &gradient
		return nil
	}
	return t.free(gradient, engineDrops)
}

var adamStep = []snapshot.FrameText{
	py(site+"optim/optimizer.py", 526, "wrapper"), py(site+"optim/optimizer.py", 81, "_use_grad"),
	py(site+"optim/adamw.py", 237, "step"),
}

// step is AdamW: its state is made in the first step and kept, the rest is scratch.
func (t *trainer) step() error {
	return t.annotated("Optimizer.step#AdamW.step", func() error {
		return t.in(func() error {
			for i := range t.params {
				if err := t.state(&t.params[i]); err != nil {
					return err
				}
			}
			return t.in(t.update, py(site+"optim/adam.py", 949, "adam"),
				py(site+"optim/adam.py", 723, "_multi_tensor_adam"))
		}, adamStep...)
	})
}

func (t *trainer) state(p *parameter) error {
	for len(p.moments) < 2 && p.gradient != nil {
		err := t.in(func() error {
			m, err := t.alloc(p.bytes, operator("zeros_like"))
			p.moments = append(p.moments, m)
			return err
		}, py(site+"optim/adam.py", 176, "_init_group"))
		if err != nil {
			return err
		}
	}
	return nil
}

// update is the arithmetic of a step: a scratch tensor for every weight at once.
func (t *trainer) update() error {
	var scratch []tensor
	for _, p := range t.params {
		if p.gradient == nil {
			continue
		}
		x, err := t.alloc(p.bytes, operator("_foreach_sqrt"))
		if err != nil {
			return err
		}
		scratch = append(scratch, x)
	}
	t.pass(200)
	for _, x := range scratch {
		if err := t.free(x, pythonDrops); err != nil {
			return err
		}
	}
	return nil
}

// zeroGrad drops all gradients, as set_to_none does.
func (t *trainer) zeroGrad() error {
	return t.in(func() error {
		for i := range t.params {
			if g := t.params[i].gradient; g != nil {
				if err := t.free(*g, pythonDrops); err != nil {
					return err
				}
				t.params[i].gradient = nil
			}
		}
		return nil
	}, py(site+"_compile.py", 53, "inner"), py(site+"optim/optimizer.py", 1037, "zero_grad"))
}

// drop lets go of tensors from Python.
func (t *trainer) drop(tensors ...tensor) error {
	for _, x := range tensors {
		if err := t.free(x, pythonDrops); err != nil {
			return err
		}
	}
	return nil
}

// iteration is one whole training step.
func (t *trainer) iteration() error { return t.iterate(nil) }

// iterate is a training step in which the script may look at the forward pass
// before its backward; lines are those of the script.
func (t *trainer) iterate(look func(*graph) error) error {
	var batch []tensor
	var g *graph
	return t.script([]line{
		{56, func() (err error) { batch, err = t.batch(); return err }},
		{57, t.zeroGrad},
		{58, func() (err error) { g, err = t.forward(); return err }},
		{58, func() error {
			if look == nil {
				return nil
			}
			return look(g)
		}},
		{59, func() error { return t.backward(g) }},
		{60, t.step},
		{56, func() error { return t.drop(append(batch, g.named...)...) }},
	})
}

// line is a line of the script's main function.
type line struct {
	number int32
	run    func() error
}

func (t *trainer) script(lines []line) error {
	for _, l := range lines {
		if err := t.main(l.number, l.run); err != nil {
			return err
		}
	}
	return nil
}
