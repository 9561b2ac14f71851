package main

import (
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

var rankStories = []story{
	{"data-parallel", "two processes train copies of a model and average their gradients", []take{
		{file: "rank0.pickle.gz", play: dataParallel}, {file: "rank1.pickle.gz", play: dataParallel}}},
	{"sharded-optimizer", "the same with ZeRO-1: each process keeps a share of the optimizer's state", []take{
		{file: "rank0.pickle.gz", play: shardedOptimizer(0)}, {file: "rank1.pickle.gz", play: shardedOptimizer(1)}}},
	{"one-rank-dies", "of eight processes one keeps too much, and another runs out of memory", dyingJob()},
}

// spawned are the frames of a process that multiprocessing has started.
var spawned = []snapshot.FrameText{py("<string>", 1, "<module>"),
	py("/opt/conda/lib/python3.11/multiprocessing/spawn.py", 122, "spawn_main"),
	py("/opt/conda/lib/python3.11/multiprocessing/spawn.py", 135, "_main"),
	py("/opt/conda/lib/python3.11/multiprocessing/process.py", 314, "_bootstrap"),
	py("/opt/conda/lib/python3.11/multiprocessing/process.py", 108, "run")}

// parallelJob is work(), as torch.multiprocessing.spawn starts it: it trains for four
// steps with DistributedDataParallel. step is what the optimizer does.
func parallelJob(step func(*mlpRun)) func(*process) {
	return func(p *process) {
		p.inside(func() {
			t := p.newParallelRun()
			for range 4 {
				t.batch(1024)
				t.predictParallel()
				t.lose(losing, "output", "y")
				p.at(backwards, func() { p.backward(p.vars["loss"]) })
				p.at(stepping, func() { step(t) })
				p.at(clearing, func() { p.zeroGrad(t.weights) })
			}
		}, append(spawned[:5:5], py(site+"multiprocessing/spawn.py", 90, "_wrap"))...)
	}
}

// newParallelRun makes a model that is wrapped in DistributedDataParallel.
func (p *process) newParallelRun() *mlpRun {
	t := p.newMLPRun(512, 2048, 2048, 512)
	p.at("parallel = DistributedDataParallel(model)", func() {
		var bytes int64
		for _, w := range t.weights {
			bytes += w.bytes
		}
		// Buckets: gradients are copied there to be averaged, without further memory.
		p.inside(func() { p.make(bytes, "empty") },
			py(site+"nn/parallel/distributed.py", 860, "__init__"),
			py(site+"nn/parallel/distributed.py", 1203, "_ddp_init_helper"))
	})
	return t
}

func (t *mlpRun) predictParallel() {
	t.at("output = parallel(x)", func() {
		var output *tensor
		t.call(func() { output = t.forward(t.model, t.vars["x"]) },
			py(site+"nn/parallel/distributed.py", 1661, "forward"),
			py(site+"nn/parallel/distributed.py", 1487, "_run_ddp_forward"))
		t.set("output", output)
	})
}

var dataParallel = parallelJob(func(t *mlpRun) { t.adam("Adam", t.weights) })

// shardedOptimizer updates the weights of one rank only.
func shardedOptimizer(rank int) func(*process) {
	return parallelJob(func(t *mlpRun) {
		t.inside(func() { t.adam("Adam", sharesOf(t.weights, 2)[rank]) },
			py(site+"optim/optimizer.py", 526, "wrapper"),
			py(site+"distributed/optim/zero_redundancy_optimizer.py", 1136, "step"),
			py(site+"distributed/optim/zero_redundancy_optimizer.py", 1055, "_local_step"))
	})
}

// sharesOf assigns weights to ranks for updates: largest first, each to the rank that
// has the fewest bytes.
func sharesOf(weights []*parameter, ranks int) [][]*parameter {
	shares, bytes := make([][]*parameter, ranks), make([]int64, ranks)
	for _, w := range slices.SortedStableFunc(slices.Values(weights),
		func(a, b *parameter) int { return int(b.bytes - a.bytes) }) {
		least := 0
		for rank := range bytes {
			if bytes[rank] < bytes[least] {
				least = rank
			}
		}
		shares[least] = append(shares[least], w)
		bytes[least] += w.bytes
	}
	return shares
}

// dyingJob is a job of eight processes in which rank 2 dies in the tenth step. Rank 5
// keeps a tensor of each step for good.
func dyingJob() (takes []take) {
	const capacity, room, dies = 16 * gib, gib, 10
	for rank := range 8 {
		takes = append(takes, take{file: fmt.Sprintf("rank%d.pickle.gz", rank), capacity: capacity,
			play: func(p *process) {
				p.gpu.SetMemoryFraction(float64(room) / capacity)
				p.advance(1 + 100*rank)
				p.inside(func() {
					t := p.newParallelRun()
					for step := 1; step <= dies; step++ {
						p.annotated(fmt.Sprintf("step %d", step), func() { t.dyingStep(rank, step == dies) })
					}
				}, spawned...)
			}})
	}
	return takes
}

// dyingStep is a step of a job. In the last one rank 2 runs out of memory, and the others
// learn of it when they wait for its gradients.
func (t *mlpRun) dyingStep(rank int, last bool) {
	rows := int64(1024)
	if rank == 2 && last {
		rows = 32768
	}
	t.randn("x", `x = torch.randn(rows, 512, device="cuda")`, rows*512)
	t.randn("y", `y = torch.randn(rows, 512, device="cuda")`, rows*512)
	t.predictParallel()
	if rank == 5 {
		t.at("errors.append(output.detach() - y)", func() { t.make(t.vars["y"].bytes, "sub") })
	}
	t.lose(losing, "output", "y")
	t.at(backwards, func() { t.backward(t.vars["loss"]) })
	if last {
		raise(errJobEnds)
	}
	t.update()
}
