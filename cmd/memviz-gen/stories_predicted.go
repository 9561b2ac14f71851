package main

import (
	"cmp"

	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// predictedStories are recordings that memviz predicts from one another: at other sizes, and
// with other training settings.
var predictedStories = []story{
	{"what-fits", "two recordings predict a third, and what fits a GPU", []take{
		{file: "128.pickle.gz", all: true, gpt: true, play: whatFits(128)},
		{file: "256.pickle.gz", all: true, gpt: true, play: whatFits(256)},
		{file: "512.pickle.gz", all: true, gpt: true, play: whatFits(512)}}},
	{"measures", "a wasteful training before and after each of six measures", []take{
		measured("before", func(*habit) {}),
		measured("checkpoint", func(h *habit) { h.checkpoint = true }),
		measured("accumulate", func(h *habit) { h.accumulate = true }),
		measured("zero1", func(h *habit) { h.shards = measures.DefaultGPUs }),
		measured("del", func(h *habit) { h.deletes = true }),
		measured("set-to-none", func(h *habit) { h.late = false }),
		measured("checkpoint-fused", func(h *habit) { h.checkpoint, h.fused = true, true }),
	}},
}

// measured is a recording of the story with some switches on.
func measured(name string, turn func(*habit)) take {
	return take{file: name + ".pickle.gz", all: true, gpt: true, play: func(p *process) {
		h := habit{late: true, logits: true, last: true, kept: true}
		turn(&h)
		p.main(func() {
			p.at(`run(here / f"{name}.pickle.gz", **switches)`, func() { p.train(trained{4, 512, 8, 4096, 8, 128}, h) })
		})
	}}
}

// trained is a GPT and what it is trained on.
type trained struct{ layers, width, heads, vocabulary, batch, length int64 }

// habit says how it is trained.
type habit struct {
	adamHabit
	checkpoint bool
	accumulate bool  // half the batch twice a step
	half       bool  // half the batch
	late       bool  // gradients are dropped after the forward pass, not before
	logits     bool  // a variable holds the logits until the end of the step
	last       bool  // another variable holds them until the end of the next one
	kept       bool  // variables survive a step, until the next one binds them anew
	deletes    bool  // except the variables that hold logits
	parts      int64 // head and loss process the tokens in this many parts; 0: all at once
	ranks      int   // the optimizer is sharded over this many ranks; 0: not sharded
	rank       int   // which of them
	leaks      bool  // each step keeps a copy of its logits for good
	python     bool  // stacks have no C++ frames
	steps      int   // 0: three
}

// train is run() of the story, with some further switches.
func (p *process) train(s trained, h habit) {
	p.adamHabit = h.adamHabit
	m := newGPT(s.layers, s.width, s.heads, s.vocabulary)
	m.checkpoints, m.headless = h.checkpoint, h.parts > 0
	r := p.newGPTRun(m, s.batch, s.length)
	share := r.weights
	if h.ranks > 0 {
		share = sharesOf(r.weights, h.ranks)[h.rank]
	}
	halves := 1
	if h.accumulate || h.half {
		r.batch /= 2
	}
	if h.accumulate {
		halves = 2
	}
	clear := func(line string) {
		p.at(line, func() {
			p.inside(func() { p.dropGradients(r.weights) }, py(site+"nn/modules/module.py", 3023, "zero_grad"))
		})
	}
	for range cmp.Or(h.steps, 3) {
		if !h.late {
			clear("net.zero_grad(set_to_none=True)")
		}
		for half := range halves {
			r.loadAt("tokens, targets = next_batch(batch // halves, length, vocabulary)")
			p.at("logits = net(tokens)", func() { p.set("logits", r.logits(m, p.vars["tokens"])) })
			p.at("error = loss(logits, targets)", func() {
				if h.parts > 0 {
					p.set("error", p.lossInParts(m, hold(p.vars["logits"]), h.parts))
				} else {
					p.set("error", p.crossEntropy(p.vars["logits"], p.vars["targets"]))
				}
			})
			if !h.logits {
				p.forget("logits")
			}
			if h.late && half == 0 {
				clear("net.zero_grad()")
			}
			p.at("error.backward()", func() { p.backward(p.vars["error"]) })
		}
		p.at(stepping, func() { p.adam("AdamW", share) })
		if h.leaks {
			p.at("last = logits", func() { p.make(r.batch*r.length*s.vocabulary*floatBytes, "clone") })
		}
		if h.last {
			p.at("last = logits", func() { p.set("last", hold(p.vars["logits"])) })
		}
		if h.deletes {
			p.at("del logits, last", func() { p.forget("logits", "last") })
		}
		if !h.kept {
			p.forget("tokens", "targets", "error", "logits", "last")
		}
	}
}

// whatFits trains the GPT on sequences of the given length.
func whatFits(length int64) func(*process) {
	return func(p *process) {
		p.main(func() {
			p.at(`run(here / f"{length}.pickle.gz", length)`, func() {
				t := p.newGPTRun(newGPT(6, 512, 8, 16384), 8, length)
				t.step()
				t.step()
			})
		})
	}
}
