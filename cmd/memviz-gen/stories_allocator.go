package main

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

var allocatorStories = []story{
	{"expandable-segments", "pages are mapped, unmapped and mapped again",
		[]take{{conf: expandable, play: expandableSegments}}},
	{"cuda-graph", "a captured forward pass has a pool of its own", []take{{play: cudaGraph}}},
	{"fragmentation", "sequences of many lengths break the cache into pieces; expandable segments cure it", []take{
		{file: "before.pickle.gz", play: manyLengths}, {file: "after.pickle.gz", conf: expandable, play: manyLengths}}},
}

func expandableSegments(p *process) {
	const width = 4096 * floatBytes
	work := func(rows int64) (sum tensor) {
		p.at(`x = torch.randn(rows, 4096, device="cuda")`, func() { p.vars["x"] = p.make(rows*width, "randn") })
		p.at("y = torch.mul(x, 2)", func() { p.vars["y"] = p.make(rows*width, "mul") })
		p.at("return torch.sum(y, 1)", func() { sum = p.make(rows*floatBytes, "sum") })
		p.at("return torch.sum(y, 1)", func() { p.returns("x", "y") })
		return sum
	}
	p.main(func() {
		p.at(`first = torch.randn(256, 4096, device="cuda")`, func() { p.make(256*width, "randn") })
		for _, rows := range []int64{1024, 2048, 4096, 2048, 8192} {
			p.at("result = work(rows)", func() { p.set("result", work(rows)) })
			if rows == 4096 {
				p.at("torch.cuda.empty_cache()", func() { p.note(p.emptyCache()) })
			}
		}
	})
}

// Streams from PyTorch's pool.
const (
	sideStream    = allocator.Stream(0x5581c0a3f2d0)
	captureStream = allocator.Stream(0x5581c0a41b80)
)

func cudaGraph(p *process) {
	const rows = 1024
	pool := snapshot.Pool{A: 0, B: 1}
	p.mainWithoutGrad(func() {
		m := p.newMLP(1024, 4096, 4096, 1024)
		p.at(toCUDA, func() { m.cuda() })
		p.randn("x", `x = torch.randn(1024, 1024, device="cuda")`, rows*1024)
		p.on(sideStream, func() { p.at("warm = model(x)", func() { p.set("warm", m.infer(rows)) }) })
		enter := "with torch.cuda.graph(graph):"
		p.at(enter, func() { p.inside(func() { p.note(p.emptyCache()) }, py(site+"cuda/graphs.py", 251, "__enter__")) })
		p.note(p.gpu.BeginPool(pool, func(s allocator.Stream) bool { return s == captureStream }))
		p.on(captureStream, func() { p.at("y = model(x)", func() { p.set("y", m.infer(rows)) }) })
		p.note(p.gpu.EndPool(pool))
		for range 5 {
			p.pass(900) // the replay
			p.at("results.append(y.clone())", func() { p.make(rows*1024*floatBytes, "clone") })
		}
	})
}

// lengths are those of the script.
var lengths = []int64{
	1216, 640, 1856, 832, 1408, 1024, 1728, 512, 1536, 960, 1920, 704,
	1088, 1664, 576, 1344, 896, 1792, 1152, 768, 1472, 1280, 1600, 1984,
}

func manyLengths(p *process) {
	const width = 8 * 1024 * floatBytes // bytes of a position
	p.main(func() {
		p.at("run(here / sys.argv[1])", func() {
			var saved []tensor
			for _, length := range lengths {
				p.at("saved = forward(length)", func() {
					var x tensor
					p.at(`x = torch.randn(8, length, 1024, device="cuda")`,
						func() { x = p.make(length*width, "randn") })
					for layer := range 10 {
						p.at("x = torch.tanh(x)", func() {
							next := p.make(length*width, "tanh")
							if layer == 0 {
								p.drop(x)
							}
							saved = append(saved, next)
						})
					}
				})
				p.at("longest.append(saved[-1][:, -32:].clone())", func() { p.make(32*width, "clone") })
				p.at("del saved", func() { p.drop(saved...) })
				saved = nil
			}
		})
	})
}
