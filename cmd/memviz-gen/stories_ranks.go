package main

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

var rankStories = []story{
	{"data-parallel", "two processes train copies of a model and average their gradients", []take{
		{file: "rank0.pickle.gz", play: dataParallel}, {file: "rank1.pickle.gz", play: dataParallel}}},
	{"sharded-optimizer", "the same with ZeRO-1: each process keeps a share of the optimizer's state", []take{
		{file: "rank0.pickle.gz", play: shardedOptimizer(0)}, {file: "rank1.pickle.gz", play: shardedOptimizer(1)}}},
}

// parallel is a process of a job with DistributedDataParallel.
type parallel struct {
	*mlp
	bucket tensor // where gradients are copied to be averaged; as large as all of them
}

// spawned runs body in work(), as torch.multiprocessing starts it.
func (p *process) spawned(body func()) {
	spawn := []snapshot.FrameText{py("<string>", 1, "<module>"),
		py("/opt/conda/lib/python3.11/multiprocessing/spawn.py", 122, "spawn_main"),
		py("/opt/conda/lib/python3.11/multiprocessing/spawn.py", 135, "_main"),
		py("/opt/conda/lib/python3.11/multiprocessing/process.py", 314, "_bootstrap"),
		py("/opt/conda/lib/python3.11/multiprocessing/process.py", 108, "run"),
		py(site+"multiprocessing/spawn.py", 90, "_wrap")}
	p.inside(body, spawn...)
}

// parallelJob trains for four steps; step is what the optimizer does.
func (p *process) parallelJob(step func(*parallel)) {
	p.spawned(func() {
		m := &parallel{mlp: p.newMLP(512, 2048, 2048, 512)}
		p.at(toCUDA, func() { m.cuda() })
		p.at("parallel = DistributedDataParallel(model)", func() {
			p.inside(func() { m.bucket = p.make(total(tensorsOf(m.weights())), "empty") },
				py(site+"nn/parallel/distributed.py", 860, "__init__"),
				py(site+"nn/parallel/distributed.py", 1203, "_ddp_init_helper"))
		})
		for range 4 {
			m.iterate(func() { step(m) })
		}
	})
}

func tensorsOf(weights []*weight) (tensors []tensor) {
	for _, w := range weights {
		tensors = append(tensors, w.tensor)
	}
	return tensors
}

// iterate is a step of the script. To average gradients takes no memory but the bucket.
func (m *parallel) iterate(step func()) {
	const rows, features = 1024, 512
	var outputs []tensor
	m.randn("x", input, rows*features)
	m.randn("y", target, rows*features)
	m.at("output = parallel(x)", func() {
		m.inside(func() { outputs = m.forward(rows) }, slices.Concat(moduleCall, []snapshot.FrameText{
			py(site+"nn/parallel/distributed.py", 1661, "forward"),
			py(site+"nn/parallel/distributed.py", 1487, "_run_ddp_forward")})...)
		m.set("output", outputs[len(outputs)-1])
	})
	m.lose(losing, rows*features)
	m.at(backwards, func() { m.fromLoss(rows, features, outputs) })
	m.at(stepping, step)
	m.at(forgetting, m.zeroGrad)
}

func dataParallel(p *process) { p.parallelJob(func(m *parallel) { m.adam() }) }

// shardedOptimizer updates the weights of one rank only: the largest go, one after
// the other, to the rank that has least.
func shardedOptimizer(rank int) func(*process) {
	return func(p *process) {
		p.parallelJob(func(m *parallel) {
			m.inside(func() { m.adamOf(shares(m.weights())[rank]) },
				py(site+"optim/optimizer.py", 526, "wrapper"),
				py(site+"distributed/optim/zero_redundancy_optimizer.py", 1136, "step"),
				py(site+"distributed/optim/zero_redundancy_optimizer.py", 1055, "_local_step"))
		})
	}
}

func shares(weights []*weight) (ranks [2][]*weight) {
	sorted := slices.SortedStableFunc(slices.Values(weights), func(a, b *weight) int { return int(b.bytes - a.bytes) })
	var bytes [2]int64
	for _, w := range sorted {
		least := 0
		if bytes[1] < bytes[0] {
			least = 1
		}
		ranks[least] = append(ranks[least], w)
		bytes[least] += w.bytes
	}
	return ranks
}
