package main

import "fmt"

var inferenceStories = []story{
	{"kv-cache", "a decoder's cache of keys and values grows with each token", []take{{play: kvCache}}},
	{"reference-cycle", "objects that point at themselves keep their tensors until gc.collect()",
		[]take{{all: true, play: selfReference}}},
}

const tokenBytes = 32 * 128 * halfBytes // of a token's keys, or values, in a layer

func kvCache(p *process) {
	p.mainWithoutGrad(func() {
		var keys, values [4]tensor
		p.assign("x", `x = torch.randn(1, 32, 32, 128, device="cuda", dtype=torch.float16)`, 32*tokenBytes, "randn")
		for token := range int64(33) {
			bytes := int64(tokenBytes)
			if token == 0 {
				bytes = p.vars["x"].bytes
			}
			p.at("x = decoder(x, cache)", func() {
				p.inside(func() { p.set("x", p.decode(keys[:], values[:], bytes, (32+token)*tokenBytes)) },
					moduleCall...)
			})
			p.assign("x", "x = x[:, :, -1:].clone()", tokenBytes, "clone")
		}
	})
}

// decode runs all layers, on so many bytes; each cache has cached bytes afterwards.
func (p *process) decode(keys, values []tensor, bytes, cached int64) (x tensor) {
	for i := range keys {
		p.assign("key", "key = torch.mul(x, 0.5)", bytes, "mul")
		p.assign("value", "value = torch.mul(x, 2.0)", bytes, "mul")
		p.at("update_kv_cache(cache, layer, key, value)", func() {
			p.longer(&keys[i], "cache.keys[layer] = torch.cat([cache.keys[layer], key], dim=2)", cached)
			p.longer(&values[i], "cache.values[layer] = torch.cat([cache.values[layer], value], dim=2)", cached)
		})
		p.at("x = F.scaled_dot_product_attention(x, cache.keys[layer], cache.values[layer])", func() {
			result := p.make(bytes, "scaled_dot_product_attention")
			p.drop(x)
			x = result
		})
	}
	p.at("return x", func() { p.returns("key", "value") })
	return x
}

// longer replaces a part of the cache.
func (p *process) longer(cache *tensor, text string, bytes int64) {
	p.at(text, func() {
		before := *cache
		*cache = p.make(bytes, "cat")
		p.drop(before)
	})
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
