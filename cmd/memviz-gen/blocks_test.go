package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// forwardAt is a frame in the forward of a module that the scripts do not have.
func forwardAt(line int32) snapshot.FrameText { return py(gptFolder+"blocks.py", line, "forward") }

// blockRun is a training of a model that calls blocks; forward consumes x.
type blockRun struct {
	weights []*parameter
	forward func(p *process, x *tensor) *tensor
	inside  bool // the loss is computed in the model's forward
}

// record records three steps of it.
func (b blockRun) record(t *testing.T, native bool) *analysis.Recording {
	t.Helper()
	k := take{all: native, gpt: true, play: func(p *process) {
		p.main(func() {
			p.at(`net = GPT(layers, width, heads, vocabulary).to("cuda")`, func() { p.toCUDA(b.weights) })
			for range 3 {
				p.at("tokens, targets = next_batch(batch // halves, length, vocabulary)", func() {
					p.set("tokens", p.make(512*256*floatBytes, "to"))
				})
				lose := func(x *tensor) {
					p.set("error", p.mseLoss(x, p.vars["tokens"]))
					p.drop(x)
				}
				p.at("logits = net(tokens)", func() {
					p.call(func() {
						x := b.forward(p, hold(p.vars["tokens"]))
						if b.inside {
							lose(x)
							return
						}
						p.set("logits", x)
					}, forwardAt(10))
				})
				if !b.inside {
					p.at("error = loss(logits, targets)", func() { lose(hold(p.vars["logits"])) })
				}
				p.at("error.backward()", func() { p.backward(p.vars["error"]) })
				p.at(stepping, func() { p.adam("AdamW", b.weights) })
				p.at("net.zero_grad()", func() { p.dropGradients(b.weights) })
			}
		})
	}}
	recorded, err := (&story{name: "measures"}).record(&k, 1)
	if err != nil {
		t.Fatal(err)
	}
	return analysis.NewRecording(analysis.NewSource(recorded), replay.Replay(recorded, 0))
}

// blocksOfMLP makes n blocks of linear layers with a GELU between them.
func blocksOfMLP(n int, widths ...int64) (blocks []mlp, weights []*parameter) {
	for range n {
		m := newMLP(1, widths...)
		blocks, weights = append(blocks, m), append(weights, m.weights()...)
	}
	return blocks, weights
}

// TestBlocks: a repeated block is found with as many calls as the model makes, in each
// of three passes, with C++ frames and without.
func TestBlocks(t *testing.T) {
	run := func(p *process, m mlp, x *tensor) *tensor {
		out := p.forward(m, x)
		p.drop(x)
		return out
	}
	loop := func(blocks []mlp, more func(p *process, i int, x *tensor) *tensor) func(p *process, x *tensor) *tensor {
		return func(p *process, x *tensor) *tensor {
			for i, b := range blocks {
				p.inside(func() {
					if more != nil {
						x = more(p, i, x)
					}
					x = run(p, b, x)
				}, forwardAt(20))
			}
			return x
		}
	}
	plain, weights := blocksOfMLP(6, 256, 1024, 256)
	// One kind of layer twice in a call, and an odd number of calls.
	twice, ofTwice := blocksOfMLP(7, 256, 256, 256, 256)
	few, ofFew := blocksOfMLP(2, 256, 1024, 256)
	first := newLinear(2, 256, 256, true)
	stages := make([]linear, 3)
	ofStages := append([]*parameter{}, weights...)
	for i := range stages {
		stages[i] = newLinear(2, 256, 256, true)
		ofStages = append(ofStages, stages[i].weights...)
	}
	for _, test := range []struct {
		name  string
		run   blockRun
		calls []int // any of these counts; none: no block
	}{
		{"a loop", blockRun{weights: weights, forward: loop(plain, nil)}, []int{6}},
		{"one kind of layer three times", blockRun{weights: ofTwice, forward: loop(twice, nil)}, []int{7}},
		{"two calls", blockRun{weights: ofFew, forward: loop(few, nil)}, []int{2}},
		{"the first call has more in it", blockRun{weights: append(first.weights[:2:2], weights...),
			forward: loop(plain, func(p *process, i int, x *tensor) *tensor {
				if i == 0 {
					x = p.gelu(p.linear(first, x))
				}
				return x
			})}, []int{6}},
		{"the model computes the loss", blockRun{weights: weights, inside: true, forward: loop(plain, nil)}, []int{6}},
		{"nested loops", blockRun{weights: weights, forward: func(p *process, x *tensor) *tensor {
			for i := range 3 {
				p.inside(func() {
					p.call(func() {
						for _, b := range plain[2*i : 2*i+2] {
							p.inside(func() { x = run(p, b, x) }, forwardAt(40))
						}
					})
				}, forwardAt(30))
			}
			return x
		}}, []int{6}},
		// Three stages, each a layer and two blocks: which of them is found depends on what keeps more.
		{"stages", blockRun{weights: ofStages, forward: func(p *process, x *tensor) *tensor {
			for i := range 3 {
				p.inside(func() { x = p.gelu(p.linear(stages[i], x)) }, forwardAt(50))
				for _, b := range plain[2*i : 2*i+2] {
					p.inside(func() { x = run(p, b, x) }, forwardAt(51))
				}
			}
			return x
		}}, []int{3, 6}},
		{"no loop", blockRun{weights: weights, forward: func(p *process, x *tensor) *tensor {
			for i, b := range plain {
				p.inside(func() { x = run(p, b, x) }, forwardAt(int32(60+i)))
			}
			return x
		}}, nil},
	} {
		for _, native := range []bool{true, false} {
			t.Run(fmt.Sprint(test.name, " ", native), func(t *testing.T) {
				blocks := test.run.record(t, native).Modules().Blocks
				if len(blocks) == 0 || len(test.calls) == 0 {
					if len(blocks) > 0 || len(test.calls) > 0 {
						t.Errorf("%d blocks, want one with %d calls", len(blocks), test.calls)
					}
					return
				}
				if len(blocks[0].Passes) != 3 {
					t.Errorf("%d passes", len(blocks[0].Passes))
				}
				for i, pass := range blocks[0].Passes {
					if !slices.Contains(test.calls, len(pass.Calls)) {
						t.Errorf("pass %d: %d calls, want %d", i, len(pass.Calls), test.calls)
					}
				}
			})
		}
	}
}

// TestBlocksOfGPT: the blocks of the GPT are its layers, and what each keeps follows from
// its shape. Compiled code has none.
func TestBlocksOfGPT(t *testing.T) {
	for i, s := range measuredShapes {
		for _, python := range []bool{false, true} {
			r := s.record(t, habit{python: python}).Recording()
			blocks := r.Modules().Blocks
			if len(blocks) == 0 {
				t.Fatalf("shape %d: no block", i)
			}
			rows := s.batch * s.length
			kept := floatBytes * rows * (s.width*(4+3+4+4) + 4 + s.heads)
			for n, pass := range blocks[0].Passes {
				if len(pass.Calls) != int(s.layers) {
					t.Errorf("shape %d, pass %d: %d calls for %d layers", i, n, len(pass.Calls), s.layers)
				}
				for _, call := range pass.Calls {
					if call.KeptBytes != kept {
						t.Errorf("shape %d, pass %d: a call keeps %d bytes, want %d", i, n, call.KeptBytes, kept)
					}
				}
			}
		}
	}
	k := take{all: true, gpt: true, play: func(p *process) { p.main(func() { p.train(measuredShapes[1], habit{}) }) }}
	recorded, err := (&story{name: "measures"}).record(&k, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range recorded.Strings {
		if strings.HasSuffix(text, ".py") && !strings.HasSuffix(text, "train.py") {
			recorded.Strings[i] = "/tmp/torchinductor_ada/ab/cabc.py"
		}
		if text == "forward" {
			recorded.Strings[i] = "call"
		}
	}
	r := analysis.NewRecording(analysis.NewSource(recorded), replay.Replay(recorded, 0))
	if blocks := r.Modules().Blocks; len(blocks) > 0 {
		t.Errorf("compiled: %d blocks", len(blocks))
	}
}
