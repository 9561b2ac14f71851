package main

import "math/rand/v2"

// jobScenarios are jobs of several processes, each with a file of its own. Which
// one is bad depends on the seed.
var jobScenarios = []scenario{
	{name: "ranks", about: "a job in which nothing is wrong", job: job(healthyRank)},
	{name: "ranks-uneven", about: "the same, and each rank pads its batches to their own lengths",
		job: job(unevenRank)},
	{name: "ranks-buckets", about: "the same with a few lengths only, so that some ranks never see the longest",
		job: job(bucketRank)},
	{name: "ranks-slow", about: "one rank is two steps behind, and holds no more than the others", job: job(slowRank)},
	{name: "bad-rank-hook", about: "on one rank a hook keeps activations", job: job(hookRank),
		truth: truth{badRank, "outlier", modelFile + ":48:forward"}},
	{name: "bad-rank-graph", about: "on one rank the graph of each validation is kept", job: job(graphRank),
		truth: truth{badRank, "outlier", trainFile + ":41:validate"}},
}

// job is a process of data-parallel training: the same model on every rank, and
// batches of the same shape.
func job(script func(l *loop, bad bool) func(int) error) func(*recorder, bool) error {
	return func(r *recorder, bad bool) error {
		l, err := newLoop(r)
		if err != nil {
			return err
		}
		l.steps = l.record + 6
		step := script(l, bad)
		return l.train(func(i int) error {
			if err := step(i); err != nil {
				return err
			}
			l.pass(200 + 10*r.rank) // no two ranks are equally fast
			return nil
		})
	}
}

func healthyRank(l *loop, _ bool) func(int) error { return clean(l) }

func unevenRank(l *loop, _ bool) func(int) error {
	l.lengths = nil
	for length := l.shape.length / 2; length <= l.shape.length; length += 8 {
		l.lengths = append(l.lengths, length)
	}
	return bucketRank(l, false)
}

func bucketRank(l *loop, _ bool) func(int) error {
	l.data = rand.New(rand.NewPCG(l.rng.Uint64(), uint64(l.rank)))
	return clean(l)
}

// slowRank waits three times in a step for what the others have at once.
func slowRank(l *loop, bad bool) func(int) error {
	if !bad {
		return clean(l)
	}
	l.steps -= 2
	return func(int) error {
		for range 3 {
			l.pass(5_000)
		}
		return l.iteration()
	}
}

func hookRank(l *loop, bad bool) func(int) error {
	leaking := leakHook(l)
	if bad {
		return leaking
	}
	return clean(l)
}

func graphRank(l *loop, bad bool) func(int) error {
	if bad {
		return leakGraph(l)
	}
	return func(int) error {
		if err := l.iteration(); err != nil {
			return err
		}
		return l.main(64, l.evaluate)
	}
}
