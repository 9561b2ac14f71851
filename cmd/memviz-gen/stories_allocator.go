package main

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// allocatorStories are about the behaviour of the allocator, and about memory outside
// of training steps.
var allocatorStories = []story{
	{"expandable-segments", "pages are mapped, unmapped and mapped again",
		[]take{{conf: expandable, play: expandableSegments}}},
	{"cuda-graph", "a captured forward pass has a pool of its own", []take{{play: cudaGraph}}},
	{"fragmentation", "sequences of many lengths break the cache into pieces; expandable segments cure it", []take{
		{file: "before.pickle.gz", play: manyLengths}, {file: "after.pickle.gz", conf: expandable, play: manyLengths}}},
	{"record-stream", "tensors are freed while another stream still reads them", []take{{play: recordStream}}},
	{"data-stream", "a generator copies batches ahead on a stream of its own", []take{{play: dataStream}}},
	{"kv-cache", "a decoder's cache of keys and values grows with each token", []take{{play: kvCache}}},
	{"reference-cycle", "objects that point at themselves keep their tensors until gc.collect()",
		[]take{{all: true, play: selfReference}}},
}

const expandable = "expandable_segments:True"

func expandableSegments(p *process) {
	const width = 4096 * floatBytes
	work := func(rows int64) (sum *tensor) {
		p.assign("x", `x = torch.randn(rows, 4096, device="cuda")`, rows*width, "randn")
		p.assign("y", "y = torch.mul(x, 2)", rows*width, "mul")
		p.at("return torch.sum(y, 1)", func() {
			sum = p.make(rows*floatBytes, "sum")
			p.forget("x", "y")
		})
		return sum
	}
	p.main(func() {
		p.assign("first", `first = torch.randn(256, 4096, device="cuda")`, 256*width, "randn")
		for _, rows := range []int64{1024, 2048, 4096, 2048, 8192} {
			p.at("result = work(rows)", func() { p.set("result", work(rows)) })
			if rows == 4096 {
				p.at("torch.cuda.empty_cache()", p.emptyCache)
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
		t := p.newMLPRun(1024, 4096, 4096, 1024)
		p.randn("x", `x = torch.randn(1024, 1024, device="cuda")`, rows*1024)
		p.on(sideStream, func() {
			p.at("warm = model(x)", func() { p.set("warm", p.forward(t.model, p.vars["x"])) })
		})
		p.at("with torch.cuda.graph(graph):", func() {
			p.inside(p.emptyCache, py(site+"cuda/graphs.py", 251, "__enter__"))
		})
		raise(p.gpu.BeginPool(pool, func(s allocator.Stream) bool { return s == captureStream }))
		p.on(captureStream, func() {
			p.at("y = model(x)", func() { p.set("y", p.forward(t.model, p.vars["x"])) })
		})
		raise(p.gpu.EndPool(pool))
		for range 5 {
			p.advance(900) // the replay
			p.at("results.append(y.clone())", func() { p.make(rows*1024*floatBytes, "clone") })
		}
	})
}

// lengths are the script's.
var lengths = []int64{
	1216, 640, 1856, 832, 1408, 1024, 1728, 512, 1536, 960, 1920, 704,
	1088, 1664, 576, 1344, 896, 1792, 1152, 768, 1472, 1280, 1600, 1984,
}

func manyLengths(p *process) {
	const width = 8 * 1024 * floatBytes // bytes of a position
	p.main(func() {
		p.at("run(here / sys.argv[1])", func() {
			for _, length := range lengths {
				var saved []*tensor
				p.at("saved = forward(length)", func() {
					p.assign("x", `x = torch.randn(8, length, 1024, device="cuda")`, length*width, "randn")
					for range 10 {
						p.at("x = torch.tanh(x)", func() {
							next := p.make(length*width, "tanh")
							saved = append(saved, hold(next))
							p.set("x", next)
						})
					}
					p.forget("x")
				})
				p.at("longest.append(saved[-1][:, -32:].clone())", func() { p.make(32*width, "clone") })
				p.at("del saved", func() { p.drop(saved...) })
			}
		})
	})
}

func recordStream(p *process) {
	p.main(func() {
		for i := range 6 {
			p.randn("batch", `batch = torch.randn(4 << 20, device="cuda")`, 4<<20)
			p.at("total = consume(side, batch)", func() {
				var sum *tensor
				p.on(sideStream, func() {
					p.at("total = batch.sum()", func() { sum = p.make(floatBytes, "sum") })
				})
				raise(p.gpu.RecordStream(p.vars["batch"].addr, sideStream))
				p.set("total", sum)
			})
			p.at("del batch", func() { p.forget("batch") })
			if i == 2 {
				p.gpu.Synchronize() // side.synchronize()
			}
		}
	})
}

func dataStream(p *process) {
	const batches, rows, features = 9, 4096, 1024
	load := "for x in batches(9):"
	p.main(func() {
		t := p.newMLPRun(features, features)
		var ahead []*tensor // batches that the generator has copied
		for i := range batches {
			for j := len(ahead); j < 2 && i+j < batches; j++ {
				p.at(load, func() {
					p.on(sideStream, func() {
						p.at(`batch = host.to("cuda", non_blocking=True)`,
							func() { ahead = append(ahead, p.make(rows*features*floatBytes, "to")) })
					})
				})
				raise(p.gpu.RecordStream(ahead[j].addr, 0))
			}
			p.at(load, func() { p.set("x", ahead[0]) })
			ahead = ahead[1:]
			t.predict()
			t.lose("loss = F.mse_loss(output, x)", "output", "x")
			p.at(backwards, func() { p.backward(p.vars["loss"]) })
			p.at(clearing, func() { p.zeroGrad(t.weights) }) // SGD has no state
			p.gpu.Synchronize()                              // loss.item()
		}
	})
}

func kvCache(p *process) {
	const token = 32 * 128 * halfBytes // bytes of keys, or values, in a layer
	var keys, values [4]*tensor
	longer := func(cache **tensor, text string, bytes int64) {
		p.at(text, func() {
			before := *cache
			*cache = p.make(bytes, "cat")
			p.drop(before)
		})
	}
	// decode runs all layers on an input of bytes; each cache has cached bytes afterwards.
	decode := func(bytes, cached int64) (x *tensor) {
		for i := range keys {
			p.assign("key", "key = torch.mul(x, 0.5)", bytes, "mul")
			p.assign("value", "value = torch.mul(x, 2.0)", bytes, "mul")
			p.at("update_kv_cache(cache, layer, key, value)", func() {
				longer(&keys[i], "cache.keys[layer] = torch.cat([cache.keys[layer], key], dim=2)", cached)
				longer(&values[i], "cache.values[layer] = torch.cat([cache.values[layer], value], dim=2)", cached)
			})
			p.at("x = F.scaled_dot_product_attention(x, cache.keys[layer], cache.values[layer])", func() {
				result := p.make(bytes, "scaled_dot_product_attention")
				p.drop(x)
				x = result
			})
		}
		p.at("return x", func() { p.forget("key", "value") })
		return x
	}
	p.mainWithoutGrad(func() {
		p.assign("x", `x = torch.randn(1, 32, 32, 128, device="cuda", dtype=torch.float16)`, 32*token, "randn")
		for i := range int64(33) {
			p.at("x = decoder(x, cache)", func() {
				p.call(func() { p.set("x", decode(p.vars["x"].bytes, (32+i)*token)) })
			})
			p.assign("x", "x = x[:, :, -1:].clone()", token, "clone")
		}
	})
}

// collects is gc.collect() in an interpreter with symbols.
var collects = append(pythonDrops[:2:2], native("subtype_dealloc", "dict_dealloc", "subtype_clear", "delete_garbage",
	"gc_collect_main", "gc_collect", "cfunction_vectorcall_FASTCALL_KEYWORDS", "PyObject_Vectorcall")...)

func selfReference(p *process) {
	const bytes = 1024 * 1024 * floatBytes
	p.main(func() {
		p.randn("x", `x = torch.randn(1024, 1024, device="cuda")`, 1024*1024)
		var garbage []*tensor
		for i := range 12 {
			p.annotated(fmt.Sprintf("step %d", i), func() {
				p.assign("y", "y = torch.mul(x, 2)", bytes, "mul")
				p.at("trace = Trace(y)", func() {
					p.at("self.copy = x.clone()", func() { garbage = append(garbage, p.make(bytes, "clone")) })
				})
				if i%4 == 3 {
					last := len(garbage) - 1 // trace still names it
					p.at("gc.collect()", func() { p.release(collects, garbage[:last]...) })
					garbage = garbage[last:]
				}
			})
		}
	})
}
