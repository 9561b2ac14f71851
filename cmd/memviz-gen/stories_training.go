package main

import (
	"fmt"
)

var trainingStories = []story{
	{"mixed-precision", "the first step overflows, so the optimizer has no state until the second",
		[]take{{play: mixedPrecision}}},
	{"reused-blocks", "eight layers in a row share two blocks of the cache", []take{{play: reusedBlocks}}},
	{"ten-steps", "what ten steps have left behind", []take{
		{file: "before.pickle.gz", play: tenSteps(0)}, {file: "after.pickle.gz", play: tenSteps(10)}}},
	{"some-steps", "three steps of ten are recorded; most of the memory is older", []take{{play: someSteps}}},
	{"gradient-accumulation", "gradients of four batches are added up before a step",
		[]take{{play: gradientAccumulation}}},
	{"checkpointing", "the same steps without and with activation checkpointing", []take{
		{file: "before.pickle.gz", play: checkpoints(false)}, {file: "after.pickle.gz", play: checkpoints(true)}}},
}

var noGrad = py(site+"utils/_contextlib.py", 120, "decorate_context")

// mainWithoutGrad runs body in a main() that is decorated with no_grad.
func (p *process) mainWithoutGrad(body func()) {
	p.main(func() { p.inside(body, noGrad) })
}

func reusedBlocks(p *process) {
	p.mainWithoutGrad(func() {
		m := p.newMLP(1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024)
		p.at(toCUDA, func() { m.cuda() })
		for range 4 {
			p.randn("x", `x = torch.randn(4096, 1024, device="cuda")`, 4096*1024)
			p.at("y = model(x)", func() { p.set("y", m.infer(4096)) })
		}
	})
}

// tenSteps is the run up to its first snapshot, or with so many steps after it.
func tenSteps(more int) func(*process) {
	return func(p *process) {
		p.main(func() {
			m := p.newMLP(512, 2048, 512)
			p.at(toCUDA, func() { m.cuda() })
			step := func() {
				p.at("train(model, optimizer, history)", func() {
					m.train()
					p.at("errors = torch.sub(output.detach(), y)", func() { p.make(1024*512*floatBytes, "sub") })
					p.returns("x", "y", "output", "loss")
				})
			}
			for range 2 {
				step()
			}
			if more > 0 {
				p.snapshotTaken()
			}
			for range more {
				step()
			}
		})
	}
}

// returns drops the local variables of a function.
func (p *process) returns(names ...string) {
	for _, name := range names {
		p.set(name, tensor{})
	}
}

// snapshotTaken leaves the event of an earlier torch.cuda.memory._snapshot().
func (p *process) snapshotTaken() {
	p.stack = 0
	p.gpu.Snapshot()
}

func someSteps(p *process) {
	p.main(func() {
		p.paused = true
		m := p.newMLP(512, 2048, 2048, 512)
		p.at(toCUDA, func() { m.cuda() })
		for i := range 8 {
			p.paused = i < 5
			p.named(fmt.Sprintf("step %d", i), m.train)
		}
	})
}

func gradientAccumulation(p *process) {
	const rows, features = 256, 512
	p.main(func() {
		m := p.newMLP(512, 2048, 2048, 512)
		p.at(toCUDA, func() { m.cuda() })
		for range 9 {
			for range 4 {
				p.randn("x", `x = torch.randn(256, 512, device="cuda")`, rows*features)
				p.randn("y", `y = torch.randn(256, 512, device="cuda")`, rows*features)
				outputs := m.predict(forwards, rows)
				m.lose(losing, rows*features)
				p.at(backwards, func() { m.fromLoss(rows, features, outputs) })
			}
			p.at(stepping, m.adam)
			p.at(forgetting, m.zeroGrad)
		}
	})
}
