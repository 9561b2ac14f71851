package main

const (
	cacheFile  = gptFolder + "cache.py"
	criticFile = gptFolder + "critic.py"
	probeFile  = gptFolder + "probe.py"
	historyAt  = metricsFile + ":*:record" // at any line of it
)

// steadyScenarios keep memory, or growing memory, for a while only.
var steadyScenarios = []scenario{
	{name: "three-steps", about: "a recording of three steps, in which nothing is wrong",
		quiet: true, run: looped(lasting(3, clean))},
	{name: "cache-plateau", about: "a cache gets an entry for each new key, until it has them all",
		run: looped(lasting(24, cachePlateau))},
	{name: "dict-overwritten", about: "a dict has a tensor per key, and each step overwrites one of them",
		run: looped(lasting(16, overwrittenDict))},
	{name: "held-logits", about: "a variable holds the logits of an iteration until the next has made its own",
		quiet: true, run: looped(lasting(24, heldLogits))},
	{name: "regrown-buffer", about: "a buffer is made anew when a sequence comes that is longer than all before",
		quiet: true, run: looped(lasting(20, regrownBuffer))},
	{name: "random-buffers", about: "random ones of buffers of random sizes are replaced, 10 GiB of them",
		run:  looped(lasting(24, randomBuffers)),
		also: []truth{{problem: fragmentation, site: augmentFile + ":58:mix"}}},
	{name: "random-deque", about: "the last few tensors are kept, each of another size",
		quiet: true, run: looped(lasting(16, randomDeque))},
	{name: "growing-sequences", about: "each step has longer sequences than the one before", quiet: true,
		run: looped(curriculum)},
	{name: "growing-logits", about: "the same, and the logits of an iteration are held until the next",
		quiet: true, run: looped(func(l *loop) func(int) { return longer(l, heldLogits(l)) })},
}

// growthScenarios keep more and more.
var growthScenarios = []scenario{
	{name: "leak-fifth", about: "a tensor is kept in every fifth step", run: looped(lasting(32, leakFifth)),
		truth: truth{leak, "", metricsFile + ":41:sample"}},
	{name: "leak-short", about: "a tensor is kept in each of three steps, more than which are not recorded",
		quiet: true, run: looped(lasting(3, leakMetrics)), truth: truth{leak, "", metricsFile + ":17:update"}},
	{name: "leak-late", about: "a tensor is kept in each step of the second half", run: looped(lasting(24, leakLate)),
		truth: truth{leak, "", metricsFile + ":17:update"}},
	{name: "leak-sites", about: "each of a hundred lines keeps a tensor in each step", run: looped(leakAt(100)),
		truth: truth{leak, "", historyAt}},
	{name: "leak-random-sites", about: "8 of a hundred lines, other ones each time, keep a tensor in each step",
		run: looped(lasting(20, leakAt(8))), truth: truth{leak, "", historyAt}},
	{name: "leak-fifo", about: "a queue, empty at first, is trimmed more slowly than it fills",
		run: looped(lasting(24, leakFIFO)), truth: truth{leak, "", queueFile + ":14:push"}},
	{name: "leak-layer-graph", about: "the graph of one layer, run once more on its own, is kept each time",
		run: looped(leakLayerGraph), truth: truth{leak, "", probeFile + ":21:probe"}},
	{name: "leak-micro-batch", about: "a tensor is kept of each of the micro-batches that make a step",
		run: looped(leakMicroBatch), truth: truth{leak, "", metricsFile + ":17:update"}},
	{name: "leak-validation", about: "the graph of a loss is kept in each validation, which comes every few steps",
		run: looped(lasting(24, leakValidation)), truth: truth{leak, "", trainFile + ":41:validate"}},
	{name: "leak-cuda1", about: "a second model trains on cuda:1, and keeps a tensor a step there", device: 1,
		run: looped(leakOtherGPU), truth: truth{leak, "", criticFile + ":40:score"}},
	{name: "leak-random-bytes", about: "a tensor of another size is kept in each step",
		run: looped(lasting(16, leakRandomBytes)), truth: truth{leak, "", metricsFile + ":17:update"}},
}

// failureScenarios run out of memory for a reason that lies before the failure.
var failureScenarios = []scenario{
	{name: "oom-leak", about: "a leak fills the GPU", capacity: 16 * gib, run: leakUntilFull,
		truth: truth{outOfCapacity, "pressure", metricsFile + ":17:update"}, also: leakAlso},
	{name: "oom-limit-leak", about: "a leak fills the part of the GPU that the process may use", capacity: 32 * gib,
		run: limitedLeak, truth: truth{outOfCapacity, "limit", metricsFile + ":17:update"}, also: leakAlso},
	{name: "oom-batch", about: "after some steps a batch comes that is many times larger than those before",
		capacity: 12 * gib, run: largeBatch, truth: truth{outOfCapacity, "pressure", ""}},
	{name: "oom-retry", about: "a request needs a second try, without the cache, and a later one fails",
		capacity: 16 * gib, run: retryThenFail, truth: truth{outOfCapacity, "pressure", scoresSite}},
}

var leakAlso = []truth{{problem: leak, site: metricsFile + ":17:update"}}

// lasting is a script with the given number of recorded steps.
func lasting(steps int, script func(*loop) func(int)) func(*loop) func(int) {
	return func(l *loop) func(int) {
		l.steps = l.record + steps
		return script(l)
	}
}

func cachePlateau(l *loop) func(int) {
	keys, bytes := 6+l.rng.IntN(6), l.odd(256<<10, 8<<20)
	cached, first := make([]bool, keys), l.rng.Perm(12)
	return func(i int) {
		key := l.rng.IntN(keys)
		if i < len(first) {
			key = first[i] % keys
		}
		if !cached[key] {
			cached[key] = true
			l.keep(bytes, "clone", 55, py(cacheFile, 22, "lookup"))
		}
		l.step()
	}
}

func overwrittenDict(l *loop) func(int) {
	dict, bytes := make([]*tensor, 3+l.rng.IntN(4)), l.odd(256<<10, 8<<20)
	return l.and(func(i int) {
		l.line(61, func() {
			old := dict[i%len(dict)]
			dict[i%len(dict)] = l.make(bytes, "clone")
			l.drop(old)
		}, py(cacheFile, 31, "remember"))
	})
}

func heldLogits(l *loop) func(int) {
	return func(int) {
		l.load()
		l.at(clearing, func() { l.zeroGrad(l.weights) })
		l.at("error = loss(net(tokens), targets)", func() {
			l.set("logits", l.logits(l.model, l.vars["tokens"]))
			l.set("error", l.crossEntropy(l.vars["logits"], l.vars["targets"]))
		})
		l.at("error.backward()", func() { l.backward(l.vars["error"]) })
		l.at(stepping, func() { l.adam("AdamW", l.weights) })
	}
}

func regrownBuffer(l *loop) func(int) {
	longest, row := int64(0), l.odd(4<<10, 32<<10)
	return func(int) {
		if length := 64 + l.rng.Int64N(448); length > longest {
			longest = length
			l.line(55, func() { l.set("mask", l.make(longest*row, "empty")) }, py(modelFile, 21, "causal_mask"))
		}
		l.step()
	}
}

func randomBuffers(l *loop) func(int) {
	var buffers []*tensor
	return l.and(func(int) {
		for range 4 {
			l.line(64, func() { buffers = l.swap(buffers) }, py(augmentFile, 58, "mix"))
		}
	})
}

func randomDeque(l *loop) func(int) {
	most := 2 + l.rng.IntN(4)
	var queue []*tensor
	return l.and(func(int) {
		l.line(61, func() { queue = append(queue, l.make(l.odd(64<<10, 64<<20), "cat")) }, py(queueFile, 14, "push"))
		if len(queue) > most {
			l.line(61, func() { l.drop(queue[0]) }, py(queueFile, 15, "push"))
			queue = queue[1:]
		}
	})
}

func curriculum(l *loop) func(int) { return longer(l, clean(l)) }

// longer runs a step with longer sequences each time.
func longer(l *loop, step func(int)) func(int) {
	l.ledger.more = true
	return func(i int) {
		l.length = 64 + 24*int64(i)
		step(i)
	}
}

func leakFifth(l *loop) func(int) { return l.leakEvery(5) }

func leakLate(l *loop) func(int) {
	bytes := l.odd(256<<10, 8<<20)
	return l.and(func(i int) {
		if i >= l.record+12 {
			l.leak(bytes, "eq", 61, py(metricsFile, 17, "update"))
		}
	})
}

// leakAt keeps a tensor per step at each of the given number of sites, of a hundred.
func leakAt(sites int) func(*loop) func(int) {
	return func(l *loop) func(int) {
		bytes := make([]int64, 100)
		for i := range bytes {
			bytes[i] = l.odd(64<<10, 2<<20)
		}
		return l.and(func(int) {
			for _, i := range l.rng.Perm(len(bytes))[:sites] {
				l.leak(bytes[i], "clone", 61, py(metricsFile, int32(100+i), "record"))
			}
		})
	}
}

func leakFIFO(l *loop) func(int) {
	bytes, filled := l.odd(256<<10, 4<<20), 2+l.rng.IntN(3)
	var queue []*tensor
	return l.and(func(int) {
		for range filled {
			push := func() { queue = append(queue, l.ledger.leak(l.make(bytes, "detach_copy"))) }
			l.line(61, push, py(queueFile, 14, "push"))
		}
		l.line(61, func() { l.drop(queue[:filled-1]...) }, py(queueFile, 15, "push"))
		queue = queue[filled-1:]
	})
}

// leakLayerGraph runs one block on its own, on an input that is not part of a graph.
func leakLayerGraph(l *loop) func(int) {
	i := l.rng.IntN(len(l.model.blocks))
	return l.and(func(int) {
		l.leaking(func() {
			l.line(62, func() {
				x := l.make(l.length*l.model.width*floatBytes, "clone")
				out := l.block(l.model, i, l.model.blocks[i], x)
				l.endsAt(out)
			}, py(probeFile, 21, "probe"))
		})
	})
}

func leakMicroBatch(l *loop) func(int) {
	batches, bytes := 2+l.rng.IntN(3), l.odd(256<<10, 4<<20)
	return func(int) {
		for range batches {
			l.load()
			l.passes()
			l.leak(bytes, "eq", 61, py(metricsFile, 17, "update"))
		}
		l.at(stepping, func() { l.adam("AdamW", l.weights) })
		l.at(clearing, func() { l.zeroGrad(l.weights) })
	}
}

func leakValidation(l *loop) func(int) {
	every := 2 + l.rng.IntN(3)
	return l.and(func(i int) {
		if i%every == 0 {
			l.leaking(func() { l.validate() })
		}
	})
}

func leakOtherGPU(l *loop) func(int) {
	g, bytes := l.addGPU(), l.odd(256<<10, 8<<20)
	var critic *gptRun
	l.onGPU(g, func() { critic = l.newGPTRun(newGPT(1, l.model.width, l.model.heads, 1024), l.batch, l.length) })
	return l.and(func(int) {
		l.onGPU(g, func() {
			critic.length = l.length
			critic.step()
			l.leak(bytes, "detach_copy", 63, py(criticFile, 40, "score"))
		})
	})
}

func leakRandomBytes(l *loop) func(int) {
	return l.and(func(int) { l.leak(l.odd(256<<10, 16<<20), "cat", 61, py(metricsFile, 17, "update")) })
}

// leakUntil keeps a tensor in each step until a request fails, after about a dozen
// steps; bytes is the limit of the process.
func (p *process) leakUntil(bytes int64) {
	l := p.newLoop()
	l.steps = l.record + 40
	leaked := int64(0)
	l.train(l.and(func(i int) {
		if i == l.record {
			leaked = (bytes - l.gpu.Reserved()) / (10 + l.rng.Int64N(5))
		}
		if i >= l.record {
			l.leak(leaked, "eq", 61, py(metricsFile, 17, "update"))
		}
	}))
	raise(errNeverOut)
}

func leakUntilFull(p *process) { p.leakUntil(p.capacity) }

func limitedLeak(p *process) {
	const fraction = 0.4
	p.gpu.SetMemoryFraction(fraction)
	p.leakUntil(int64(fraction * float64(p.capacity)))
}

func largeBatch(p *process) {
	l := p.trained(10)
	before := len(l.made)
	loss := l.validate()
	sequence := int64(0) // bytes of the graph of one
	for _, x := range l.made[before:] {
		if x.refs > 0 {
			sequence += x.bytes
		}
	}
	l.drop(loss)
	l.batch = 1 + int64((1.3+l.rng.Float64())*float64(l.capacity)/float64(sequence))
	l.step()
	raise(errNeverOut)
}

// retryThenFail fills the cache with pieces, none of which serves the next requests.
func retryThenFail(p *process) {
	l := p.trained(2)
	var chunks []*tensor
	rest := l.capacity - l.gpu.Reserved()
	for total(chunks)+300<<20 < rest*3/4 {
		l.line(70, func() { chunks = append(chunks, l.make(l.odd(200<<20, 300<<20), "empty")) },
			py(rolloutFile, 19, "generate"))
	}
	l.line(70, func() { l.drop(chunks...) }, py(rolloutFile, 24, "generate"))
	l.line(74, func() { l.set("images", l.make(rest/2, "stack")) }, py(storeFile, 52, "sample"))
	l.line(74, func() { l.forget("images") }, py(storeFile, 54, "sample"))
	l.line(69, l.emptyCache)
	l.tooLong(l.capacity)
}
