package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Other ways to run the model than forward and backward of a batch that was
// just loaded.

// evaluate is a forward pass under no_grad, of which nothing is left.
func (l *loop) evaluate() error {
	return l.in(func() error {
		batch, err := l.batch()
		if err != nil {
			return err
		}
		ops := l.ops
		defer func() { l.ops = ops }()
		l.ops = slices.Clone(ops)
		last := len(ops) - 1
		for i := range ops {
			l.ops[i].saved, l.ops[i].extra = i == last, 0 // the loss reads the logits
		}
		g, err := l.forward()
		if err != nil {
			return err
		}
		return l.drop(slices.Concat(g.loss, g.saved[last], batch)...)
	}, py(site+"utils/_contextlib.py", 120, "decorate_context"), py(trainFile, 44, "evaluate"))
}

// checkpointing keeps only what goes into each layer; the backward pass runs
// the layer again (torch.utils.checkpoint with use_reentrant=False).
func checkpointing(l *loop) func(int) error {
	return func(int) error {
		layers := l.ops
		l.ops = slices.Clone(layers)
		for i := range l.ops[:len(layers)-2] {
			l.ops[i].saved, l.ops[i].extra = i%opsOfLayer == 0, 0
			l.ops[i].calls = slices.Insert(slices.Clone(layers[i].calls), callsOfGPT,
				py(site+"utils/checkpoint.py", 501, "checkpoint"))
		}
		l.recompute = func(g *graph, i int) error {
			if i == 0 || i%opsOfLayer != 0 || i > len(layers)-3 {
				return nil
			}
			return l.again(layers[i-opsOfLayer+1:i], g.saved[i-opsOfLayer+1:i])
		}
		return l.iteration()
	}
}

// again runs a part of the model once more, on the engine's thread. Its last result
// is what the layer's output came from, and is dropped.
func (l *loop) again(ops []op, saved [][]tensor) error {
	l.thread = append(native("torch::autograd::PySavedVariableHooks::call_unpack_hook()",
		"torch::autograd::SavedVariable::unpack(std::shared_ptr<torch::autograd::Node>) const"),
		engineThread...)
	defer func() { l.thread = nil }()
	return l.in(func() error {
		var passing *tensor
		for i, o := range ops {
			o.calls = o.calls[callsOfGPT:]
			var err error
			if saved[i], passing, err = l.apply(o, passing); err != nil {
				return err
			}
		}
		if passing == nil {
			return nil
		}
		return l.free(*passing, pythonDrops)
	}, py(site+"utils/checkpoint.py", 1148, "unpack_hook"), py(site+"utils/checkpoint.py", 1577, "recompute_fn"))
}

// copyStream is a stream from PyTorch's pool, as a prefetcher uses one.
const copyStream = sideStream

// prefetch holds the batches of the next steps. They belong to the copy's
// stream, and wait for the default stream before they can be used again.
func prefetch(l *loop) func(int) error {
	ahead := 1 + l.rng.IntN(3)
	prefetcher := []snapshot.FrameText{py(site+"utils/data/dataloader.py", 732, "__next__"),
		py("/home/ada/gpt/data.py", 51, "preload")}
	var queue [][]tensor
	load := func() error {
		for len(queue) <= ahead {
			if err := l.onStream(copyStream, func() error {
				batch, err := l.batch()
				queue = append(queue, batch)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	}
	return func(int) error {
		var g *graph
		return l.script([]line{
			{56, func() error { return l.in(load, prefetcher...) }},
			{57, l.zeroGrad},
			{58, func() (err error) { g, err = l.forward(); return err }},
			{59, func() error { return l.backward(g) }},
			{60, l.step},
			{56, func() error {
				batch := queue[0]
				queue = queue[1:]
				for _, x := range batch {
					if err := l.gpu.RecordStream(x.addr, 0); err != nil {
						return err
					}
				}
				if err := l.drop(append(batch, g.named...)...); err != nil {
					return err
				}
				l.gpu.Synchronize() // loss.item()
				return nil
			}},
		})
	}
}
