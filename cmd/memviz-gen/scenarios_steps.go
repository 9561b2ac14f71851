package main

// Files that the scripts of scenarios have.
const (
	trainFile   = gptFolder + "train.py"
	modelFile   = gptFolder + "model.py"
	dataFile    = gptFolder + "data.py"
	queueFile   = gptFolder + "queue.py"
	metricsFile = gptFolder + "metrics.py"
	augmentFile = gptFolder + "augment.py"
	traceFile   = gptFolder + "trace.py"
)

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

// leakScenarios keep more in every step, until the end or until Python's cycle
// collector runs. The frame of each site is the one that makes the tensor; the code
// that keeps it is not on any stack.
var leakScenarios = []scenario{
	{name: "leak-list", about: "the loss of each step is kept in a list", run: looped(leakList),
		truth: truth{leak, "weak", modelFile + ":108:loss"}},
	{name: "leak-graph", about: "the loss of each validation is kept, and with it its graph",
		run:   looped(leakGraph),
		truth: truth{leak, "strong", trainFile + ":41:validate"}},
	{name: "leak-metrics", about: "a tensor is appended to the metrics of each step", run: looped(leakMetrics),
		truth: truth{leak, "strong", metricsFile + ":17:update"}},
	{name: "leak-hook", about: "a forward hook keeps one activation of each step", run: looped(leakHook),
		truth: truth{leak, "strong", modelFile + ":48:forward"}},
	{name: "leak-cat", about: "a history is replaced by a longer one in each step", run: looped(leakCat),
		truth: truth{leak, "strong", metricsFile + ":33:extend"}},
	{name: "leak-tiny", about: "1 KiB a step among 10 GiB of tensors of random sizes", run: looped(leakTiny),
		truth: truth{leak, "weak", metricsFile + ":23:count"},
		also:  []truth{{problem: fragmentation, site: augmentFile + ":58:mix"}}},
	{name: "leak-third", about: "a tensor is kept in every third step", run: looped(leakThird),
		truth: truth{leak, "weak", metricsFile + ":41:sample"}},
	{name: "leak-queue", about: "a queue is trimmed more slowly than it fills", run: looped(leakQueue),
		truth: truth{leak, "", queueFile + ":14:push"}},
	{name: "cycle", about: "tensors in reference cycles, freed in bursts by Python's collector",
		run:   looped(referenceCycle),
		truth: truth{cycle, "proved", traceFile + ":12:capture"},
		also: []truth{
			{problem: leak, site: traceFile + ":12:capture"}, // what it looks like from outside
			{problem: cycle}, // of tensors from before the recording
		}},
}

func accumulation(l *loop) func(int) {
	batches := 2 + l.rng.IntN(3)
	return func(int) {
		for range batches {
			l.load()
			l.passes()
		}
		l.at(stepping, func() { l.adam("AdamW", l.weights) })
		l.at(clearing, func() { l.zeroGrad(l.weights) })
	}
}

func evaluation(l *loop) func(int) {
	every, batches := 2+l.rng.IntN(3), 1+l.rng.IntN(2)
	return l.and(func(i int) {
		for range batches {
			if i%every == 0 {
				l.evaluate()
			}
		}
	})
}

// evaluate is a forward pass under no_grad that leaves nothing allocated.
func (l *loop) evaluate() {
	l.line(64, func() {
		l.noGrad(func() {
			tokens, targets := l.nextBatch(l.batch)
			l.drop(l.lossOf(tokens, targets), tokens, targets)
		})
	}, py(site+"utils/_contextlib.py", 120, "decorate_context"), py(trainFile, 44, "evaluate"))
}

func lazyOptimizer(l *loop) func(int) {
	thawed := l.record + 1 + l.rng.IntN(4)
	some := l.weights[:1+l.rng.IntN(len(l.weights)-1)]
	return func(i int) {
		for _, w := range some {
			w.frozen = i < thawed
		}
		l.step()
	}
}

func checkpointing(l *loop) func(int) {
	l.model.checkpoints = true
	return clean(l)
}

// prefetch copies the batches of the next steps. They belong to the copy's
// stream, and wait for the default stream before they can be used again.
func prefetch(l *loop) func(int) {
	ahead := 1 + l.rng.IntN(3)
	var queue []*tensor
	return func(int) {
		l.line(56, func() {
			l.inside(func() {
				for len(queue) <= 2*ahead {
					l.on(sideStream, func() {
						tokens, targets := l.nextBatch(l.batch)
						queue = append(queue, tokens, targets)
					})
				}
			}, py(site+"utils/data/dataloader.py", 732, "__next__"), py(dataFile, 51, "preload"))
			for i, name := range []string{"tokens", "targets"} {
				raise(l.gpu.RecordStream(queue[i].addr, 0))
				l.set(name, queue[i])
			}
			queue = queue[2:]
		})
		l.at(clearing, func() { l.zeroGrad(l.weights) })
		l.passes()
		l.at(stepping, func() { l.adam("AdamW", l.weights) })
		l.gpu.Synchronize() // loss.item()
	}
}

func boundedDeque(l *loop) func(int) {
	most := 2 + l.rng.IntN(4)
	bytes := l.odd(64<<10, 16<<20)
	var queue []*tensor
	return l.and(func(int) {
		l.line(61, func() { queue = append(queue, l.make(bytes, "detach_copy")) }, py(queueFile, 14, "push"))
		if len(queue) > most {
			l.line(61, func() { l.drop(queue[0]) }, py(queueFile, 15, "push"))
			queue = queue[1:]
		}
	})
}

func warmUp(l *loop) func(int) {
	buffers := 1 + l.rng.IntN(3)
	return func(i int) {
		for range buffers {
			if i <= l.record+1 {
				l.keep(l.odd(1<<20, 32<<20), "empty", 53, py(gptFolder+"kernels.py", 88, "autotune"))
			}
		}
		l.step()
	}
}

func filledCache(l *loop) func(int) {
	entries := 3 + l.rng.IntN(3)
	bytes := l.odd(256<<10, 8<<20)
	return func(i int) {
		if i < l.record+entries {
			l.keep(bytes, "cos", 55, py(modelFile, 17, "rotary"))
		}
		l.step()
	}
}

func movingAverage(l *loop) func(int) {
	first := l.record + 3 + l.rng.IntN(4)
	return func(i int) {
		for _, w := range l.weights {
			if i == first {
				l.keep(w.bytes, "clone", 62, py(gptFolder+"ema.py", 9, "__init__"))
			}
		}
		l.step()
	}
}

func swappedBuffer(l *loop) func(int) {
	bytes := l.odd(1<<20, 64<<20)
	return l.and(func(int) {
		l.line(63, func() { l.set("buffer", l.make(bytes, "softmax")) }, py(gptFolder+"targets.py", 30, "refresh"))
	})
}

func leakList(l *loop) func(int) {
	return l.and(func(int) { l.ledger.leak(hold(l.vars["error"])) })
}

func leakGraph(l *loop) func(int) {
	return l.and(func(int) { l.leaking(func() { l.validate() }) })
}

func leakMetrics(l *loop) func(int) {
	bytes := l.odd(4<<10, 8<<20)
	return l.and(func(int) { l.leak(bytes, "eq", 61, py(metricsFile, 17, "update")) })
}

// leakHook keeps the output of one layer's activation function; the same line's
// tensors in other layers are freed as they should be.
func leakHook(l *loop) func(int) {
	hooked := l.rng.IntN(len(l.model.blocks))
	l.model.hook = func(block int, activation *tensor) {
		if block == hooked {
			l.ledger.leak(hold(activation))
		}
	}
	return clean(l)
}

func leakCat(l *loop) func(int) {
	row, bytes := l.odd(64<<10, 4<<20), int64(0)
	return l.and(func(int) {
		bytes += row
		l.line(62, func() { l.set("history", l.ledger.leak(l.make(bytes, "cat"))) }, py(metricsFile, 33, "extend"))
	})
}

func leakTiny(l *loop) func(int) {
	var noise []*tensor
	return func(int) {
		for i := range 18 {
			l.line(64, func() { noise = l.swap(noise) }, py(augmentFile, 58, "mix"))
			if i == 9 {
				l.leak(1<<10, "bincount", 61, py(metricsFile, 23, "count"))
			}
		}
		l.step()
	}
}

// swap makes a tensor of 64 MiB to 1 GiB, and drops random ones above a total of
// 10 GiB.
func (l *loop) swap(noise []*tensor) []*tensor {
	noise = append(noise, l.make(l.odd(64<<20, gib), "rand"))
	for total(noise) > 10*gib {
		i, last := l.rng.IntN(len(noise)), len(noise)-1
		l.drop(noise[i])
		noise[i] = noise[last]
		noise = noise[:last]
	}
	return noise
}

func leakThird(l *loop) func(int) {
	l.steps = l.record + 12
	return l.leakEvery(3)
}

// leakEvery keeps a tensor in every nth step.
func (l *loop) leakEvery(n int) func(int) {
	bytes := l.odd(256<<10, 8<<20)
	return l.and(func(i int) {
		if i%n == 0 {
			l.leak(bytes, "multinomial", 61, py(metricsFile, 41, "sample"))
		}
	})
}

// leakQueue fills a queue at once, and then drains it more slowly than it grows.
func leakQueue(l *loop) func(int) {
	bytes := l.odd(64<<10, 4<<20)
	var queue []*tensor
	push := func(n int) {
		for range n {
			l.line(61, func() { queue = append(queue, l.ledger.leak(l.make(bytes, "detach_copy"))) },
				py(queueFile, 14, "push"))
		}
	}
	return l.and(func(i int) {
		if i == l.record {
			push(40)
		}
		push(4)
		l.line(61, func() { l.drop(queue[:3]...) }, py(queueFile, 15, "push"))
		queue = queue[3:]
	})
}

// collectorDrops: Python's cycle collector cleared an object that held the tensor.
var collectorDrops = append(pythonDrops[:2:2],
	native("subtype_dealloc", "dict_dealloc", "subtype_clear", "delete_garbage",
		"gc_collect_main", "gc_collect_generations", "_PyObject_GC_New", "PyList_New")...)

func referenceCycle(l *loop) func(int) {
	period := 4 + l.rng.IntN(3)
	bytes := l.odd(1<<20, 32<<20)
	var garbage []*tensor
	return func(i int) {
		if i%period == period-1 { // as good a place as any
			l.line(56, func() { l.release(collectorDrops, garbage...) }, py(dataFile, 19, "collate"))
			garbage = nil
		}
		l.step()
		l.line(62, func() { garbage = append(garbage, l.make(bytes, "clone")) }, py(traceFile, 12, "capture"))
	}
}
