package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

const (
	checkpointRows     = 2048
	checkpointFeatures = 512
	checkpointBytes    = checkpointRows * checkpointFeatures * floatBytes
)

var (
	// intoCheckpoint are the frames between the script and a block, recomputing those
	// between the autograd engine and it.
	intoCheckpoint = []snapshot.FrameText{
		py(site+"_compile.py", 53, "inner"), py(site+"_dynamo/eval_frame.py", 1044, "_fn"),
		py(site+"utils/checkpoint.py", 501, "checkpoint"),
	}
	recomputing = []snapshot.FrameText{
		py(site+"utils/checkpoint.py", 1148, "unpack_hook"), py(site+"utils/checkpoint.py", 1577, "recompute_fn"),
	}
)

// checkpoints trains six blocks; with on, each keeps its input only, and is run
// again when its backward begins.
func checkpoints(on bool) func(*process) {
	call := map[bool]string{true: "run(here / \"after.pickle.gz\", checkpointed=True)",
		false: "run(here / \"before.pickle.gz\", checkpointed=False)"}[on]
	return func(p *process) {
		p.main(func() {
			p.at(call, func() {
				s := &checkpointScript{on: on, all: p.newMLP(512)}
				for range 6 {
					block := p.newMLP(512, 2048, 512)
					s.blocks = append(s.blocks, block)
					s.all.layers = append(s.all.layers, block.layers...)
				}
				p.at(toCUDA, func() { s.all.cuda(py(site+"nn/modules/module.py", 930, "_apply")) })
				for range 3 {
					s.step(p)
				}
			})
		})
	}
}

type checkpointScript struct {
	on     bool
	blocks []*mlp
	all    *mlp // the blocks as one
}

func (s *checkpointScript) step(p *process) {
	p.randn("x", `x = torch.randn(2048, 512, device="cuda")`, checkpointRows*checkpointFeatures)
	p.randn("y", `y = torch.randn(2048, 512, device="cuda")`, checkpointRows*checkpointFeatures)
	inputs := []tensor{p.vars["x"]} // of each block; the graph keeps all but the last result
	var outputs [][]tensor
	for _, block := range s.blocks {
		outputs = append(outputs, s.forward(p, block))
		inputs = append(inputs, p.vars["x"])
	}
	s.all.lose("loss = F.mse_loss(x, y)", checkpointRows*checkpointFeatures)
	p.at(backwards, func() { s.backward(p, inputs, outputs) })
	p.at(stepping, s.all.adam)
	p.at(forgetting, s.all.zeroGrad)
}

// forward binds x to what a block makes of it. The x before is not dropped: the
// graph, or the checkpoint, needs it.
func (s *checkpointScript) forward(p *process, block *mlp) (outputs []tensor) {
	run := func() { outputs = block.forward(checkpointRows) }
	if s.on {
		p.at("x = checkpoint(block, x, use_reentrant=False)", func() {
			p.inside(run, intoCheckpoint...)
			p.drop(outputs[:len(outputs)-1]...)
		})
	} else {
		p.at("x = block(x)", run)
	}
	p.vars["x"] = outputs[len(outputs)-1]
	return outputs
}

func (s *checkpointScript) backward(p *process, inputs []tensor, outputs [][]tensor) {
	p.engine(func() {
		flow := p.allocate(checkpointBytes, backwardOf("MseLossBackward0", "mse_loss_backward"))
		for i, block := range slices.Backward(s.blocks) {
			if s.on {
				p.inside(func() {
					outputs[i] = block.forward(checkpointRows)
					p.drop(outputs[i][len(outputs[i])-1])
				}, recomputing...)
			}
			flow = block.backward(checkpointRows, outputs[i], flow, i > 0)
			p.release(releaseOf("AddmmBackward0"), inputs[i])
		}
	})
}
