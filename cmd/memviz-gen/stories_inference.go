package main

import "fmt"

var inferenceStories = []story{
	{"kv-cache", "a decoder's cache of keys and values grows with each token", []take{{play: kvCache}}},
	{"reference-cycle", "objects that point at themselves keep their tensors until gc.collect()", []take{{all: true, play: selfReference}}},
}

func kvCache(p *process) {
	const layers, position = 4, 16 * 64 * halfBytes // bytes of a token in a layer
	p.mainWithoutGrad(func() {
		var keys, values [layers]tensor
		length := int64(512)
		p.assign("x", `x = torch.randn(1, 16, 512, 64, device="cuda", dtype=torch.float16)`, length*position, "randn")
		for token := range 24 {
			rows := int64(1)
			if token == 0 {
				rows = length
			} else {
				length++
			}
			p.named(fmt.Sprintf("token %d", token), func() {
				for i := range layers {
					p.at("x = attend(cache, layer, x)", func() { p.attend(&keys[i], &values[i], rows*position, length*position) })
				}
				p.assign("x", "x = x[:, :, -1:].clone()", position, "clone")
			})
		}
	})
}

// attend is the attention of one layer: bytes of its input and of its cache afterwards.
func (p *process) attend(keys, values *tensor, bytes, cached int64) {
	var key, value, result tensor
	p.at("key = torch.mul(x, 0.5)", func() { key = p.make(bytes, "mul") })
	p.at("value = torch.mul(x, 2.0)", func() { value = p.make(bytes, "mul") })
	p.at("update_kv_cache(cache, layer, key, value)", func() {
		longer := func(text string, cache *tensor) {
			p.at(text, func() {
				before := *cache
				*cache = p.make(cached, "cat")
				p.drop(before)
			})
		}
		longer("cache.keys[layer] = torch.cat([cache.keys[layer], key], dim=2)", keys)
		longer("cache.values[layer] = torch.cat([cache.values[layer], value], dim=2)", values)
	})
	attention := "return torch.nn.functional.scaled_dot_product_attention(x, cache.keys[layer], cache.values[layer])"
	p.at(attention, func() { result = p.make(bytes, "scaled_dot_product_attention") })
	p.at(attention, func() { p.drop(key, value) })
	p.set("x", result)
}

// collects is gc.collect() of an interpreter that has its symbols.
var collects = append(pythonDrops[:2:2], native("subtype_dealloc", "dict_dealloc", "subtype_clear", "delete_garbage",
	"gc_collect_main", "gc_collect", "cfunction_vectorcall_FASTCALL_KEYWORDS", "PyObject_Vectorcall")...)

func selfReference(p *process) {
	const bytes = 1024 * 1024 * floatBytes
	p.main(func() {
		p.randn("x", `x = torch.randn(1024, 1024, device="cuda")`, 1024*1024)
		var garbage []tensor
		for i := range 12 {
			p.named(fmt.Sprintf("step %d", i), func() {
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
