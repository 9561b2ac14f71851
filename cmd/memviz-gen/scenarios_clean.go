package main

import "github.com/memviz-go/memviz/pkg/snapshot"

// cleanScenarios keep memory in ways that look like a leak at first sight.
var cleanScenarios = []scenario{
	{name: "clean", about: "training, step after step", run: looped(clean)},
	{name: "accumulation", about: "gradients of several batches are added up before a step", run: looped(accumulation)},
	{name: "evaluation", about: "a validation without gradients every few steps", run: looped(evaluation)},
	{name: "lazy-optimizer", about: "some weights are frozen at first, so their optimizer state comes late",
		run: looped(lazyOptimizer)},
	{name: "checkpointing", about: "activations are made again in the backward pass", run: looped(checkpointing)},
	{name: "prefetch", about: "batches are copied some steps ahead, on a stream of their own", run: looped(prefetch)},
	{name: "deque", about: "the last few tensors are kept, older ones dropped", run: looped(boundedDeque)},
	{name: "warm-up", about: "the first two steps make buffers that stay", run: looped(warmUp)},
	{name: "filled-cache", about: "a cache gets an entry a step until it has all it needs", run: looped(filledCache)},
	{name: "ema", about: "the average of the weights begins after some steps", run: looped(movingAverage)},
	{name: "swapped-buffer", about: "a tensor is replaced by a new one in each step", run: looped(swappedBuffer)},
}

// looped is a run of a loop; script prepares it and returns what it does in step i.
func looped(script func(*loop) func(i int) error) func(*recorder) error {
	return func(r *recorder) error {
		l, err := newLoop(r)
		if err != nil {
			return err
		}
		return l.train(script(l))
	}
}

func clean(l *loop) func(int) error {
	return func(int) error { return l.iteration() }
}

func accumulation(l *loop) func(int) error {
	batches := 2 + l.rng.IntN(3)
	return func(int) error {
		for range batches {
			var batch []tensor
			var g *graph
			if err := l.script([]line{
				{55, func() (err error) { batch, err = l.batch(); return err }},
				{56, func() (err error) { g, err = l.forward(); return err }},
				{57, func() error { return l.backward(g) }},
				{55, func() error { return l.drop(append(batch, g.named...)...) }},
			}); err != nil {
				return err
			}
		}
		return l.script([]line{{59, l.step}, {60, l.zeroGrad}})
	}
}

func evaluation(l *loop) func(int) error {
	every, batches := 2+l.rng.IntN(3), 1+l.rng.IntN(2)
	return func(i int) error {
		if err := l.iteration(); err != nil || i%every != 0 {
			return err
		}
		for range batches {
			if err := l.main(64, l.evaluate); err != nil {
				return err
			}
		}
		return nil
	}
}

func lazyOptimizer(l *loop) func(int) error {
	thawed := l.record + 1 + l.rng.IntN(4)
	some := 1 + l.rng.IntN(len(l.params)-1)
	for i := range l.params[:some] {
		l.params[i].frozen = true
	}
	return func(i int) error {
		if i == thawed {
			for i := range l.params {
				l.params[i].frozen = false
			}
		}
		return l.iteration()
	}
}

const queueFile = "/home/ada/gpt/queue.py"

func boundedDeque(l *loop) func(int) error {
	most := 2 + l.rng.IntN(4)
	bytes := l.odd(64<<10, 16<<20)
	var kept []tensor
	return func(int) error {
		if err := l.iteration(); err != nil {
			return err
		}
		return l.main(61, func() error {
			x, err := l.make(bytes, "detach_copy", py(queueFile, 14, "push"))
			if kept = append(kept, x); err != nil || len(kept) <= most {
				return err
			}
			oldest := kept[:1]
			kept = kept[1:]
			return l.forget(oldest, py(queueFile, 15, "push"))
		})
	}
}

func warmUp(l *loop) func(int) error {
	buffers := 1 + l.rng.IntN(3)
	return func(i int) error {
		for range buffers {
			if i > l.record+1 {
				break
			}
			if err := l.keep(l.odd(1<<20, 32<<20), "empty", 53,
				py("/home/ada/gpt/kernels.py", 88, "autotune")); err != nil {
				return err
			}
		}
		return l.iteration()
	}
}

func filledCache(l *loop) func(int) error {
	entries := 3 + l.rng.IntN(3)
	bytes := l.odd(256<<10, 8<<20)
	return func(i int) error {
		if i < l.record+entries {
			if err := l.keep(bytes, "cos", 55, py(modelFile, 17, "rotary")); err != nil {
				return err
			}
		}
		return l.iteration()
	}
}

func movingAverage(l *loop) func(int) error {
	first := l.record + 3 + l.rng.IntN(4)
	return func(i int) error {
		for _, p := range l.params {
			if i != first {
				break
			}
			if err := l.keep(p.bytes, "clone", 62, py("/home/ada/gpt/ema.py", 9, "__init__")); err != nil {
				return err
			}
		}
		return l.iteration()
	}
}

func swappedBuffer(l *loop) func(int) error {
	bytes := l.odd(1<<20, 64<<20)
	call := py("/home/ada/gpt/targets.py", 30, "refresh")
	var held []tensor
	return func(int) error {
		if err := l.iteration(); err != nil {
			return err
		}
		return l.main(63, func() error {
			x, err := l.make(bytes, "softmax", call)
			if err != nil {
				return err
			}
			last := held
			held = []tensor{x}
			return l.forget(last, call)
		})
	}
}

// keep makes a tensor at a line of the script, inside a call, and never drops it.
func (l *loop) keep(bytes int64, op string, line int32, call snapshot.FrameText) error {
	return l.main(line, func() error {
		_, err := l.make(bytes, op, call)
		return err
	})
}
