package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

const (
	floatBytes = 4
	halfBytes  = 2
)

// autograd is the state of torch.autograd and torch.autocast.
type autograd struct {
	off    bool      // no_grad
	tape   []*node   // of the forward pass under way
	engine bool      // the current thread is the engine's
	cast   bool      // below torch.autocast with float16
	casts  []*tensor // float16 copies of weights that autocast keeps until it ends
}

// node is an operator of the forward pass, as recorded for the backward pass.
type node struct {
	name    string       // AddmmBackward0
	op      string       // the operator that computes its gradients
	micros  int          // how long the forward takes; the backward takes half as long again
	input   int64        // bytes of the gradient of its input; 0: not needed
	weights []*parameter // which get gradients, too
	half    bool         // it has read float16 copies of them
	matmul  bool         // it needs a cuBLAS workspace
	saved   []*tensor

	// Other kinds of node: where a residual connection begins and ends, and a
	// checkpoint, with the function that recomputes it.
	fork, join bool
	again      func() *tensor
}

// parameter is a weight with its gradient and its optimizer state.
type parameter struct {
	*tensor
	depth    int  // of its module below the model
	frozen   bool // it has no gradient
	gradient *tensor
	moments  []*tensor
}

// result finishes an operator that made out from x. It takes over the operator's
// reference to x, and keeps the tensors saved for backward.
func (p *process) result(n *node, out, x *tensor, saved ...*tensor) *tensor {
	p.advance(n.micros)
	out.half = out.half || x.half
	if !p.autograd.off {
		if x.grad {
			n.input = x.bytes
		}
		for _, s := range saved {
			n.saved = append(n.saved, hold(s))
		}
		p.autograd.tape = append(p.autograd.tape, n)
		out.grad = true
	}
	p.drop(x)
	return out
}

// noGrad runs body without gradients.
func (p *process) noGrad(body func()) {
	before := p.autograd.off
	p.autograd.off = true
	defer func() { p.autograd.off = before }()
	body()
}

// endsAt makes loss the root of the graph of the forward pass.
func (p *process) endsAt(loss *tensor) *tensor {
	loss.graph, p.autograd.tape = p.autograd.tape, nil
	return loss
}

// checkpoint runs a part of a model and keeps only x for its backward pass. Neither
// it nor run consumes x.
func (p *process) checkpoint(x *tensor, run func(x *tensor) *tensor) (out *tensor) {
	if p.autograd.off {
		return run(x)
	}
	n := &node{saved: []*tensor{hold(x)}, again: func() *tensor { return run(x) }}
	p.noGrad(func() { out = run(x) })
	out.grad = true
	p.autograd.tape = append(p.autograd.tape, n)
	return out
}

// residual is x + f(x).
func (p *process) residual(x *tensor, f func(x *tensor) *tensor) *tensor {
	if !p.autograd.off {
		p.autograd.tape = append(p.autograd.tape, &node{fork: true})
	}
	y := f(hold(x))
	sum := p.make(x.bytes, "add")
	p.result(&node{join: true, micros: 40}, sum, x)
	p.drop(y)
	return sum
}

// tensorBackward are the frames of loss.backward() on the script's own thread.
var tensorBackward = []snapshot.FrameText{
	py(site+"_tensor.py", 631, "backward"), py(site+"autograd/__init__.py", 374, "backward"),
	py(site+"autograd/__init__.py", 231, "_make_grads"),
}

// backward is loss.backward().
func (p *process) backward(loss *tensor) {
	var one *tensor
	p.inside(func() { one = p.make(floatBytes, "ones_like") }, tensorBackward...)
	graph := loss.graph
	loss.graph = nil
	p.onEngine(nil, func() { p.release(engineDrops, p.flow(graph, nil)) })
	p.inside(func() { p.drop(one) }, tensorBackward[:2]...)
}

// onEngine runs body on the autograd engine's thread, which has no Python, below
// these C++ frames.
func (p *process) onEngine(native []snapshot.FrameText, body func()) {
	python, thread, engine := p.python, p.thread, p.autograd.engine
	p.python, p.thread, p.autograd.engine = nil, slices.Concat(native, engineThread), true
	defer func() { p.python, p.thread, p.autograd.engine = python, thread, engine }()
	body()
}

// flow computes, from the gradient of a graph's output, the gradients of its weights
// and, if needed, of its input.
func (p *process) flow(graph []*node, gradient *tensor) *tensor {
	var residuals []*tensor
	for _, n := range slices.Backward(graph) {
		switch {
		case n.join:
			residuals = append(residuals, hold(gradient))
		case n.fork: // the two gradients are added up in place
			p.release(engineDrops, residuals[len(residuals)-1])
			residuals = residuals[:len(residuals)-1]
		case n.again != nil:
			gradient = p.flow(p.recompute(n), gradient)
			p.release(engineDrops, n.saved...)
		default:
			gradient = p.backwardOf(n, gradient)
		}
	}
	return gradient
}

func (p *process) backwardOf(n *node, gradient *tensor) (next *tensor) {
	calls := backwardOf(n.name, n.op)
	if n.input > 0 {
		next = p.allocate(n.input, calls)
	}
	if n.matmul {
		p.workspace()
	}
	for _, w := range n.weights {
		p.accumulate(w, n.half, calls)
	}
	p.advance(n.micros * 3 / 2)
	p.release(engineDrops, gradient)
	p.release(releaseOf(n.name), n.saved...)
	return next
}

// accumulate computes the gradient of a weight. The first one is kept, later ones
// are added to it.
func (p *process) accumulate(w *parameter, half bool, calls []snapshot.FrameText) {
	if w.frozen {
		return
	}
	var copied *tensor
	if half {
		copied, calls = p.allocate(w.bytes/2, calls), backwardOf("ToCopyBackward0", "_to_copy")
	}
	gradient := p.allocate(w.bytes, calls)
	if w.gradient == nil {
		w.gradient, gradient = gradient, nil
	}
	p.release(engineDrops, gradient, copied)
}

// recompute runs the forward pass of a checkpoint on the engine's thread, and
// returns its graph.
func (p *process) recompute(n *node) (graph []*node) {
	unpack := native("torch::autograd::PySavedVariableHooks::call_unpack_hook()",
		"torch::autograd::SavedVariable::unpack(std::shared_ptr<torch::autograd::Node>) const")
	p.onEngine(unpack, func() {
		p.inside(func() { p.drop(n.again()) },
			py(site+"utils/checkpoint.py", 1148, "unpack_hook"), py(site+"utils/checkpoint.py", 1577, "recompute_fn"))
	})
	graph, p.autograd.tape = p.autograd.tape, nil
	return graph
}

// workspace identifies the workspace of a cuBLAS handle on one stream.
type workspace struct {
	gpu    *testsnap.GPU
	stream allocator.Stream
	engine bool
}

// workspaceBytes is what cuBLAS gets by default: CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8.
const workspaceBytes = 8519680

// workspace allocates the workspace at the first matrix product on a stream; it is never freed.
func (p *process) workspace() {
	key := workspace{p.gpu, p.stream, p.autograd.engine}
	if p.workspaces[key] {
		return
	}
	p.workspaces[key] = true
	p.allocate(workspaceBytes, native("at::cuda::getNewWorkspace()", "at::cuda::getCurrentCUDABlasHandle()"))
}

// adamHabit is how an optimizer differs from torch's usual one.
type adamHabit struct {
	fused, single bool  // without temporaries; with one at a time
	eightBit      bool  // state of a byte an element, with a scale of four bytes for 256 of them
	shards        int64 // number of processes the state is sharded over; 0: not sharded
}

func (h adamHabit) share(bytes int64) int64 {
	n := max(h.shards, 1)
	return (bytes + n - 1) / n
}

// state returns the size of one moment of a weight, in bytes.
func (h adamHabit) state(bytes int64) int64 {
	if h.eightBit && bytes >= 16<<10 {
		bytes = bytes/4 + bytes/64
	}
	return h.share(bytes)
}

// adam is a step of Adam or AdamW. The first step creates the state of each weight
// that has a gradient, and every step a scratch tensor per weight.
func (p *process) adam(name string, weights []*parameter) {
	weights = slices.DeleteFunc(slices.Clone(weights), func(w *parameter) bool { return w.gradient == nil })
	p.annotated("Optimizer.step#"+name+".step", func() {
		p.inside(func() {
			p.inside(func() {
				for _, w := range weights {
					for len(w.moments) < 2 {
						w.moments = append(w.moments, p.make(p.adamHabit.state(w.bytes), "zeros_like"))
					}
				}
			}, py(site+"optim/adam.py", 176, "_init_group"))
			p.inside(func() {
				var roots []*tensor
				for _, w := range weights {
					if p.adamHabit.fused {
						continue
					}
					roots = append(roots, p.make(p.adamHabit.share(w.bytes), "_foreach_sqrt"))
					if p.adamHabit.single {
						p.drop(roots...)
						roots = nil
					}
				}
				p.advance(200)
				p.drop(roots...)
			}, py(site+"optim/optimizer.py", 149, "maybe_fallback"), py(site+"optim/adam.py", 949, "adam"),
				py(site+"optim/adam.py", 771, "_multi_tensor_adam"))
		}, py(site+"optim/optimizer.py", 526, "wrapper"), py(site+"optim/optimizer.py", 81, "_use_grad"),
			py(site+"optim/adam.py", 247, "step"))
	})
}

// zeroGrad drops all gradients, as optimizer.zero_grad() does.
func (p *process) zeroGrad(weights []*parameter) {
	p.inside(func() { p.dropGradients(weights) },
		py(site+"_compile.py", 53, "inner"), py(site+"optim/optimizer.py", 1037, "zero_grad"))
}

func (p *process) dropGradients(weights []*parameter) {
	for _, w := range weights {
		p.drop(w.gradient)
		w.gradient = nil
	}
}
