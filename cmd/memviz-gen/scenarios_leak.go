package main

const (
	metricsFile = "/home/ada/gpt/metrics.py"
	augmentFile = "/home/ada/gpt/augment.py"
)

// leakScenarios keep more in every step. The frame of each site is the one
// that makes the tensor; what keeps it is on no stack.
var leakScenarios = []scenario{
	{name: "leak-list", about: "the loss of each step is kept in a list", run: looped(leakList),
		truth: truth{leak, "strong", modelFile + ":108:loss"}},
	{name: "leak-graph", about: "the loss of each validation is kept, and with it the graph behind it",
		run:   looped(leakGraph),
		truth: truth{leak, "strong", trainFile + ":41:validate"}},
	{name: "leak-metrics", about: "a tensor is appended to the metrics of each step", run: looped(leakMetrics),
		truth: truth{leak, "strong", metricsFile + ":17:update"}},
	{name: "leak-hook", about: "a forward hook keeps one activation of each step", run: looped(leakHook),
		truth: truth{leak, "strong", modelFile + ":48:forward"}},
	{name: "leak-cat", about: "a history is replaced by a longer one in each step", run: looped(leakCat),
		truth: truth{leak, "strong", metricsFile + ":33:extend"}},
	{name: "leak-tiny", about: "1 KiB a step among 10 GiB of tensors of random sizes", run: looped(leakTiny),
		truth: truth{leak, "strong", metricsFile + ":23:count"},
		also:  []truth{{problem: fragmentation, site: augmentFile + ":58:mix"}}},
	{name: "leak-third", about: "a tensor is kept in every third step", run: looped(leakThird),
		truth: truth{leak, "weak", metricsFile + ":41:sample"}},
}

func leakList(l *loop) func(int) error {
	return func(int) error {
		return l.iterate(func(g *graph) error {
			g.named = nil
			return nil
		})
	}
}

func leakGraph(l *loop) func(int) error {
	return func(int) error {
		if err := l.iteration(); err != nil {
			return err
		}
		return l.validate()
	}
}

func leakMetrics(l *loop) func(int) error {
	bytes := l.odd(4<<10, 8<<20)
	return func(int) error {
		if err := l.iteration(); err != nil {
			return err
		}
		return l.keep(bytes, "eq", 61, py(metricsFile, 17, "update"))
	}
}

// leakHook keeps what the activation function of one layer returns; the same
// line's tensors of the other layers go as they should.
func leakHook(l *loop) func(int) error {
	hooked := l.activationOf(l.rng.Int64N(l.shape.layers))
	return func(int) error {
		return l.iterate(func(g *graph) error {
			g.saved[hooked] = nil
			return nil
		})
	}
}

// activationOf is the operator that applies the activation function in a layer.
func (l *loop) activationOf(layer int64) int { return int(1 + layer*opsOfLayer + 7) }

func leakCat(l *loop) func(int) error {
	row := l.odd(64<<10, 4<<20)
	call := py(metricsFile, 33, "extend")
	history := tensor{}
	return func(int) error {
		if err := l.iteration(); err != nil {
			return err
		}
		return l.main(62, func() error {
			longer, err := l.make(history.bytes+row, "cat", call)
			if err != nil {
				return err
			}
			shorter := history
			if history = longer; shorter.bytes == 0 {
				return nil
			}
			return l.forget([]tensor{shorter}, call)
		})
	}
}

func leakTiny(l *loop) func(int) error {
	var noise []tensor
	return func(int) error {
		for at := range 18 {
			if err := l.main(64, func() error { return l.swapNoise(&noise) }); err != nil {
				return err
			}
			if at == 9 {
				if err := l.keep(1<<10, "bincount", 61, py(metricsFile, 23, "count")); err != nil {
					return err
				}
			}
		}
		return l.iteration()
	}
}

// swapNoise makes a tensor of 64 MiB to 1 GiB, and drops random ones when there is
// more than 10 GiB.
func (l *loop) swapNoise(noise *[]tensor) error {
	call := py(augmentFile, 58, "mix")
	x, err := l.make(l.odd(64<<20, gib), "rand", call)
	if err != nil {
		return err
	}
	*noise = append(*noise, x)
	for total(*noise) > 10*gib {
		list := *noise
		i, last := l.rng.IntN(len(list)), len(list)-1
		list[i], list[last] = list[last], list[i]
		*noise = list[:last]
		if err := l.forget(list[last:], call); err != nil {
			return err
		}
	}
	return nil
}

func total(tensors []tensor) (bytes int64) {
	for _, x := range tensors {
		bytes += x.bytes
	}
	return bytes
}

func leakThird(l *loop) func(int) error {
	l.steps = l.record + 12
	bytes := l.odd(256<<10, 8<<20)
	return func(i int) error {
		if err := l.iteration(); err != nil || i%3 != 0 {
			return err
		}
		return l.keep(bytes, "multinomial", 61, py(metricsFile, 41, "sample"))
	}
}
