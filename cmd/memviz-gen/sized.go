package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// sized is a program that trains or runs the GPT at a size x: the length of its
// sequences or its batch. The seed decides the model and everything else. It does the
// same at every x.
type sized struct {
	name, about string
	batch       bool   // x is the batch, not the length
	conf        string // PYTORCH_CUDA_ALLOC_CONF
	steps       int    // of training, recorded; 0: one forward pass
	warm        int    // steps before the recording
	late        bool   // the recording begins when the model is on the GPU
	clears      bool   // the cache is emptied after the warm steps
	layers      int64  // in addition to the seed's choice
	habit       func(*sizedRun)
}

// sizedRun is a run of such a program.
type sizedRun struct {
	*gptRun
	eager  bool  // attention keeps its scores
	pads   int64 // lengths are padded to a multiple of it; 0: no padding
	mixed  bool  // under autocast
	noGrad bool
}

var sizedPrograms = []sized{
	{name: "forward", about: "a forward pass that keeps its graph"},
	{name: "inference", about: "forward passes under no_grad", habit: func(r *sizedRun) { r.noGrad = true }},
	{name: "step", about: "two training steps", steps: 2},
	{name: "batch", about: "two training steps; x is the batch", steps: 2, batch: true},
	{name: "first-step", about: "the first training step, in which the optimizer makes its state", steps: 1},
	{name: "mixed", about: "a forward pass under autocast", habit: func(r *sizedRun) { r.mixed = true }},
	{name: "mixed-step", about: "two training steps under autocast", steps: 2,
		habit: func(r *sizedRun) { r.mixed = true }},
	{name: "attention", about: "two training steps with attention that keeps its scores", steps: 2,
		habit: func(r *sizedRun) { r.eager = true }},
	{name: "padding", about: "two training steps on sequences padded to multiples of 64", steps: 2,
		habit: func(r *sizedRun) { r.pads = 64 }},
	{name: "checkpointed", about: "two training steps with activation checkpointing", steps: 2,
		habit: func(r *sizedRun) { r.model.checkpoints = true }},
	{name: "expandable", about: "two training steps with expandable segments", steps: 2, conf: expandable},
	{name: "max-split", about: "two training steps with max_split_size_mb", steps: 2, conf: "max_split_size_mb:64"},
	{name: "roundup", about: "two training steps with rounding to eighths of powers of two", steps: 2,
		conf: "roundup_power2_divisions:8"},
	{name: "late", about: "two training steps, recorded when the model is on the GPU", steps: 2, late: true},
	{name: "warm", about: "two training steps, recorded after two others", steps: 2, warm: 2},
	{name: "cleared", about: "two training steps, recorded after two others and an empty_cache", steps: 2, warm: 2,
		clears: true},
}

// sizedProgram returns the program with that name, or nil.
func sizedProgram(name string) *sized {
	i := slices.IndexFunc(sizedPrograms, func(s sized) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &sizedPrograms[i]
}

// record records the program at x, on a GPU of which torch may use capacity bytes. If
// a request fails, it is the last event.
func (s *sized) record(seed uint64, x, capacity int64) (*snapshot.Snapshot, error) {
	settings, err := allocator.ParseSettings(s.conf)
	if err != nil {
		return nil, err
	}
	lines, err := openScript(gptFolder, "leaking-loss/train.py", "gpt/model.py", "gpt/data.py")
	if err != nil {
		return nil, err
	}
	r := newRecorder(settings, capacity, seed)
	p := newProcess(r, lines)
	var oom *allocator.OutOfMemoryError
	if err := catch(func() { p.main(func() { s.play(p, x) }) }); err != nil && !errors.As(err, &oom) {
		return nil, err
	}
	return r.snapshot(s.conf), nil
}

func (s *sized) play(p *process, x int64) {
	p.noNative = p.rng.IntN(4) == 0
	heads := int64(4 << p.rng.IntN(2))
	layers, width := s.layers+int64(1+p.rng.IntN(4)), heads*int64(32+8*p.rng.IntN(13))
	m := newGPT(layers, width, heads, int64(1024*(1+p.rng.IntN(8))))
	batch, length := int64(1+p.rng.IntN(7)), x
	if s.batch {
		batch, length = x, int64(32*(2+p.rng.IntN(6)))
	}
	p.unnamed = p.rng.IntN(2) == 0
	p.Paused = s.late || s.warm > 0
	r := &sizedRun{gptRun: p.newGPTRun(m, batch, length)}
	if s.habit != nil {
		s.habit(r)
	}
	if r.pads > 0 {
		r.length = (length + r.pads - 1) / r.pads * r.pads
	}
	if r.eager {
		m.eager = r.length
	}
	for range s.warm {
		r.step()
	}
	if s.clears {
		p.emptyCache()
	}
	p.Paused = false
	if s.steps == 0 {
		r.load()
		r.forward()
		return
	}
	for range s.steps {
		r.step()
	}
}

// forward is the forward pass alone.
func (r *sizedRun) forward() {
	line := func() {
		r.at("error = loss(net(tokens), targets)", func() {
			r.set("error", r.autocast(func() *tensor { return r.lossOf(r.vars["tokens"], r.vars["targets"]) }))
		})
	}
	if r.noGrad {
		r.gptRun.noGrad(line)
	} else {
		line()
	}
}

// autocast runs the forward pass, with float16 if the program is mixed. It keeps the
// copies of weights until it ends.
func (r *sizedRun) autocast(forward func() *tensor) *tensor {
	r.process.autograd.cast = r.mixed
	out := forward()
	r.process.autograd.cast = false
	r.drop(r.process.autograd.casts...)
	r.process.autograd.casts = nil
	return out
}

func (r *sizedRun) step() {
	r.load()
	r.at(clearing, func() { r.zeroGrad(r.weights) })
	r.forward()
	r.at("error.backward()", func() { r.backward(r.vars["error"]) })
	r.at(stepping, func() { r.adam("AdamW", r.weights) })
}

func describeSized() (text string) {
	for _, s := range sizedPrograms {
		text += fmt.Sprintf("  %-22s %s\n", s.name, s.about)
	}
	return text
}
