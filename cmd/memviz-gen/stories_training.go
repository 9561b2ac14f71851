package main

import (
	"errors"
	"fmt"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

var gptStories = []story{
	{"training-loop", "a small GPT trained for four steps; nothing is wrong", []take{
		{capacity: 16 * gib, all: true, gpt: true, play: trainingLoop}}},
	{"leaking-loss", "each validation loss is kept in a list, and with it its whole graph", []take{
		{capacity: 16 * gib, all: true, gpt: true, play: leakingLoss}}},
	{"out-of-memory", "sequences grow longer until a batch no longer fits", []take{
		{capacity: 4 * gib, all: true, gpt: true, play: outOfMemory}}},
}

var trainingStories = []story{
	{"mixed-precision", "the first step overflows, so the optimizer has no state until the second",
		[]take{{play: mixedPrecision}}},
	{"reused-blocks", "eight layers in a row share two blocks of the cache", []take{{play: reusedBlocks}}},
	{"ten-steps", "what remains after ten steps", []take{
		{file: "before.pickle.gz", play: tenSteps(0)}, {file: "after.pickle.gz", play: tenSteps(10)}}},
	{"some-steps", "three steps of ten are recorded; most of the memory is older", []take{{play: someSteps}}},
	{"gradient-accumulation", "gradients of four batches are added up before a step",
		[]take{{play: gradientAccumulation}}},
	{"checkpointing", "the same steps without and with activation checkpointing", []take{
		{file: "before.pickle.gz", play: checkpoints(false)}, {file: "after.pickle.gz", play: checkpoints(true)}}},
}

// The lines that training scripts have in common.
const (
	move      = `model.to("cuda")`
	forwards  = "output = model(x)"
	losing    = "loss = F.mse_loss(output, y)"
	backwards = "loss.backward()"
	stepping  = "optimizer.step()"
	clearing  = "optimizer.zero_grad()"
)

// gptFolder holds the script that trains the GPT, its model and its data.
const gptFolder = "/home/ada/gpt/"

// gptRun is a script that trains the GPT.
type gptRun struct {
	*process
	model         *gpt
	weights       []*parameter
	batch, length int64
}

func (p *process) newGPTRun(m *gpt, batch, length int64) *gptRun {
	t := &gptRun{p, m, m.weights(), batch, length}
	p.at(`net = GPT(layers, width, heads, vocabulary).to("cuda")`, func() { p.toCUDA(t.weights) })
	return t
}

// nextBatch moves tokens and targets to the GPU.
func (t *gptRun) nextBatch(batch int64) (tokens, targets *tensor) {
	t.at(`return rows[:, :-1].to("cuda"), rows[:, 1:].to("cuda")`, func() {
		tokens, targets = t.make(batch*t.length*8, "to"), t.make(batch*t.length*8, "to")
	})
	return tokens, targets
}

func (t *gptRun) lossOf(tokens, targets *tensor) *tensor {
	logits := t.logits(t.model, tokens)
	loss := t.crossEntropy(logits, targets)
	t.drop(logits)
	return loss
}

// load binds the variables of a step to its batch.
func (t *gptRun) load() { t.loadAt("tokens, targets = next_batch(batch, length, vocabulary)") }

// loadAt is load at another line.
func (t *gptRun) loadAt(line string) {
	t.at(line, func() {
		tokens, targets := t.nextBatch(t.batch)
		t.set("tokens", tokens)
		t.set("targets", targets)
	})
}

func (t *gptRun) passes() {
	t.at("error = loss(net(tokens), targets)", func() {
		t.set("error", t.lossOf(t.vars["tokens"], t.vars["targets"]))
	})
	t.at("error.backward()", func() { t.backward(t.vars["error"]) })
}

// step is one step of the script.
func (t *gptRun) step() {
	t.load()
	t.at(clearing, func() { t.zeroGrad(t.weights) })
	t.passes()
	t.at(stepping, func() { t.adam("AdamW", t.weights) })
}

// validate computes the loss of one sequence, with its graph.
func (t *gptRun) validate() (loss *tensor) {
	t.at("val_losses.append(validate(net))", func() {
		var tokens, targets *tensor
		t.at("tokens, targets = next_batch(1, length, vocabulary)", func() { tokens, targets = t.nextBatch(1) })
		t.at("return loss(net(tokens), targets)", func() {
			loss = t.lossOf(tokens, targets)
			t.drop(tokens, targets)
		})
	})
	return loss
}

func trainingLoop(p *process) {
	p.main(func() {
		t := p.newGPTRun(newGPT(6, 512, 8, 16384), 8, 256)
		for i := range 4 {
			p.annotated(fmt.Sprintf("ProfilerStep#%d", i), t.step)
		}
	})
}

func leakingLoss(p *process) {
	p.main(func() {
		t := p.newGPTRun(newGPT(4, 384, 6, 8192), 8, 192)
		for range 10 {
			t.step()
			t.validate() // the loss stays in the list
		}
	})
}

func outOfMemory(p *process) {
	p.main(func() {
		t := p.newGPTRun(newGPT(6, 512, 8, 16384), 8, 192)
		for range 40 {
			t.step()
			t.length += 96
		}
		raise(errors.New("the story never ran out of memory"))
	})
}

// mlpRun is a script that trains an MLP; each line of a step is in it once.
type mlpRun struct {
	*process
	model   mlp
	weights []*parameter
}

// newMLPRun makes a model in main().
func (p *process) newMLPRun(widths ...int64) *mlpRun {
	m := newMLP(0, widths...)
	t := &mlpRun{p, m, m.weights()}
	p.at(move, func() { p.toCUDA(t.weights) })
	return t
}

// batch binds x and y to random rows.
func (t *mlpRun) batch(rows int64) {
	t.randn("x", fmt.Sprintf(`x = torch.randn(%d, 512, device="cuda")`, rows), rows*512)
	t.randn("y", fmt.Sprintf(`y = torch.randn(%d, 512, device="cuda")`, rows), rows*512)
}

func (t *mlpRun) predict() {
	t.at(forwards, func() { t.set("output", t.forward(t.model, t.vars["x"])) })
}

// lose is a line that binds loss to the mean squared error of two variables.
func (p *process) lose(text, output, y string) {
	p.at(text, func() { p.set("loss", p.mseLoss(p.vars[output], p.vars[y])) })
}

func (t *mlpRun) step() {
	t.batch(1024)
	t.predict()
	t.lose(losing, "output", "y")
	t.learn()
}

// learn is the rest of a step, after the loss.
func (t *mlpRun) learn() {
	t.at(backwards, func() { t.backward(t.vars["loss"]) })
	t.update()
}

func (t *mlpRun) update() {
	t.at(stepping, func() { t.adam("Adam", t.weights) })
	t.at(clearing, func() { t.zeroGrad(t.weights) })
}

func mixedPrecision(p *process) {
	scaler := func(body func(), line int32, name string, inner ...snapshot.FrameText) {
		p.inside(body, append([]snapshot.FrameText{py(site+"amp/grad_scaler.py", line, name)}, inner...)...)
	}
	p.main(func() {
		t := p.newMLPRun(512, 2048, 2048, 512)
		for i := range 4 {
			t.batch(1024)
			p.autograd.cast = true
			t.predict()
			t.lose(losing, "output", "y")
			p.autograd.cast = false
			// The frame of __exit__ is at the line of the with statement.
			p.at(`with torch.autocast("cuda", dtype=torch.float16):`, func() {
				p.inside(func() { p.drop(p.autograd.casts...) }, py(site+"amp/autocast_mode.py", 408, "__exit__"))
				p.autograd.casts = nil
			})
			p.at(clearing, func() { p.zeroGrad(t.weights) })
			p.at("scaled = scaler.scale(loss)", func() {
				if i == 0 { // the scale, and the count of good steps
					for _, line := range []int32{165, 168} {
						scaler(func() { p.make(floatBytes, "full") }, 211, "scale",
							py(site+"amp/grad_scaler.py", line, "_lazy_init_scale_growth_tracker"))
					}
				}
				scaler(func() { p.set("scaled", p.make(floatBytes, "mul")) }, 214, "scale")
			})
			p.at("scaled.backward()", func() { p.backward(p.vars["loss"]) })
			p.at("scaler.step(optimizer)", func() {
				scaler(func() { // divides the gradients by the scale in place
					inverse := p.make(floatBytes, "reciprocal")
					p.set("found_inf", p.make(floatBytes, "full"))
					p.drop(inverse)
				}, 452, "step", py(site+"amp/grad_scaler.py", 338, "unscale_"))
				if i > 0 { // the gradients of the first step are infinite
					scaler(func() { p.adam("Adam", t.weights) }, 465, "step",
						py(site+"amp/grad_scaler.py", 356, "_maybe_opt_step"))
				}
			})
			p.at("scaler.update()", func() { scaler(func() { p.forget("found_inf") }, 549, "update") })
		}
	})
}

// mainWithoutGrad runs body in a main() that is decorated with no_grad.
func (p *process) mainWithoutGrad(body func()) {
	p.main(func() { p.inside(func() { p.noGrad(body) }, py(site+"utils/_contextlib.py", 120, "decorate_context")) })
}

func reusedBlocks(p *process) {
	p.mainWithoutGrad(func() {
		t := p.newMLPRun(1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024)
		for range 4 {
			p.randn("x", `x = torch.randn(4096, 1024, device="cuda")`, 4096*1024)
			p.at("y = model(x)", func() { p.set("y", p.forward(t.model, p.vars["x"])) })
		}
	})
}

// tenSteps is the run up to its first snapshot, with more steps after it.
func tenSteps(more int) func(*process) {
	return func(p *process) {
		p.main(func() {
			t := p.newMLPRun(512, 2048, 512)
			for i := range 2 + more {
				if i == 2 { // the event of an earlier torch.cuda.memory._snapshot()
					p.Caller = 0
					p.gpu.Snapshot()
				}
				p.at("train(model, optimizer, history)", func() {
					t.step()
					p.at("errors = torch.sub(output.detach(), y)", func() { p.make(1024*512*floatBytes, "sub") })
					p.forget("x", "y", "output", "loss")
				})
			}
		})
	}
}

func someSteps(p *process) {
	p.main(func() {
		p.Paused = true
		t := p.newMLPRun(512, 2048, 2048, 512)
		for i := range 8 {
			p.Paused = i < 5
			p.annotated(fmt.Sprintf("step %d", i), t.step)
		}
	})
}

func gradientAccumulation(p *process) {
	p.main(func() {
		t := p.newMLPRun(512, 2048, 2048, 512)
		for range 9 {
			for range 4 {
				t.batch(256)
				t.predict()
				t.lose(losing, "output", "y")
				p.at(backwards, func() { p.backward(p.vars["loss"]) })
			}
			t.update()
		}
	})
}

// checkpoints trains six blocks, each a checkpoint if on is set.
func checkpoints(on bool) func(*process) {
	call := `run(here / "before.pickle.gz", checkpointed=False)`
	if on {
		call = `run(here / "after.pickle.gz", checkpointed=True)`
	}
	return func(p *process) {
		p.main(func() {
			p.at(call, func() {
				var blocks []mlp
				t := &mlpRun{process: p}
				for range 6 {
					blocks = append(blocks, newMLP(1, 512, 2048, 512))
					t.weights = append(t.weights, blocks[len(blocks)-1].weights()...)
				}
				p.at(move, func() { p.toCUDA(t.weights) })
				for range 3 {
					t.batch(2048)
					for _, b := range blocks {
						if !on {
							p.at("x = block(x)", func() { p.set("x", p.forward(b, p.vars["x"])) })
							continue
						}
						p.at("x = checkpoint(block, x, use_reentrant=False)", func() {
							run := func(x *tensor) *tensor { return p.forward(b, x) }
							p.inside(func() { p.set("x", p.checkpoint(p.vars["x"], run)) },
								py(site+"_compile.py", 53, "inner"), py(site+"_dynamo/eval_frame.py", 1044, "_fn"),
								py(site+"utils/checkpoint.py", 501, "checkpoint"))
						})
					}
					t.lose("loss = F.mse_loss(x, y)", "x", "y")
					t.learn()
				}
			})
		})
	}
}
