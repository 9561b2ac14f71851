package main

import (
	"errors"

	"github.com/memviz-go/memviz/pkg/allocator"
)

const (
	expandable = "expandable_segments:True"
	storeFile  = "/home/ada/gpt/store.py"
	scoresSite = modelFile + ":29:forward"
	piecesSite = storeFile + ":27:append"
)

// oomScenarios end in a request that fails. Their site is the one that holds most
// then.
var oomScenarios = []scenario{
	{name: "oom-pressure", about: "a batch of sequences that needs more than there is", capacity: 16 * gib,
		run: longSequence, truth: truth{outOfCapacity, "pressure", scoresSite}},
	{name: "oom-pressure-expandable", about: "the same with expandable segments", capacity: 16 * gib, conf: expandable,
		run: longSequence, truth: truth{outOfCapacity, "pressure", scoresSite}},
	{name: "oom-fragmented", about: "half of the memory is free, in pieces", capacity: 8 * gib,
		run: tooManyPieces, truth: truth{outOfCapacity, "fragmented", piecesSite}},
	{name: "oom-fragmented-expandable", about: "the same in pieces that expandable segments cannot give back",
		capacity: 8 * gib, conf: expandable,
		run: tooManyPieces, truth: truth{outOfCapacity, "fragmented", piecesSite}},
	{name: "oom-stream", about: "what is free belongs to another stream", capacity: 8 * gib,
		run: otherStream, truth: truth{outOfCapacity, "other", piecesSite}},
	{name: "oom-stream-expandable", about: "the same with expandable segments", capacity: 8 * gib, conf: expandable,
		run: otherStream, truth: truth{outOfCapacity, "other", piecesSite}},
	{name: "oom-outside", about: "another process holds a part of the GPU", capacity: 16 * gib, card: 24 * gib,
		run: longSequence, truth: truth{outOfCapacity, "outside", scoresSite}},
	{name: "oom-limit", about: "the process may use a part of the GPU only", capacity: 48 * gib,
		run: limited, truth: truth{outOfCapacity, "limit", scoresSite}},
}

// errNeverOut: a scenario that should run out of memory did not.
var errNeverOut = errors.New("the scenario never ran out of memory")

// longSequence trains until a batch comes whose attention scores alone are more
// than the GPU has, however they are placed. A seed in two writes its snapshot
// after the exception has dropped what the pass had made.
func longSequence(r *recorder) error { return longerThan(r, r.capacity) }

// limited is the same against set_per_process_memory_fraction.
func limited(r *recorder) error {
	part := 0.2 + 0.3*r.rng.Float64()
	r.gpu.SetMemoryFraction(part)
	return longerThan(r, int64(part*float64(r.capacity)))
}

func longerThan(r *recorder, bytes int64) error {
	l, err := newLoop(r)
	if err != nil {
		return err
	}
	l.steps = l.record + 3
	if err := l.train(clean(l)); err != nil {
		return err
	}
	s := l.shape
	s.eager, s.layers = true, 3+l.rng.Int64N(4)
	scores := float64(bytes) * (1.2 + 0.6*l.rng.Float64())
	for s.length = 256; float64(s.layers*s.heads*s.length*s.tokens()*floatBytes) < scores; s.length += 64 {
	}
	l.reshape(s) // to another model: its weights are not used before the backward pass
	return l.main(58, func() error {
		g, err := l.forward()
		if err == nil {
			return errNeverOut
		}
		if l.rng.IntN(2) == 0 {
			return err
		}
		return errors.Join(err, l.unwind(g))
	})
}

// unwindDrops: an exception's traceback goes, and with it the locals of every frame.
var unwindDrops = append(pythonDrops[:2:2], native("frame_dealloc", "tb_dealloc", "BaseException_dealloc")...)

// unwind drops what a failed forward pass holds.
func (l *loop) unwind(g *graph) error {
	for _, saved := range append(g.saved, g.named) {
		for _, x := range saved {
			if err := l.free(x, unwindDrops); err != nil {
				return err
			}
		}
	}
	return nil
}

// tooManyPieces asks for one large tensor when the memory that was given up lies
// between tensors that stay.
func tooManyPieces(r *recorder) error { return shattered(r, 0) }

// otherStream is the same on a stream that does not own what was given up.
func otherStream(r *recorder) error { return shattered(r, copyStream) }

// shattered fills most of the GPU with tensors, drops every second one, and asks
// for a quarter of that in one piece, beside what the driver has left.
func shattered(r *recorder, stream allocator.Stream) error {
	l, err := newLoop(r)
	if err != nil {
		return err
	}
	l.steps = l.record + 2
	if err := l.train(clean(l)); err != nil {
		return err
	}
	var free int64
	return l.script([]line{
		{69, l.emptyCache},
		{70, func() error {
			return l.onStream(stream, func() error {
				free, err = l.shatter(int64(0.88*float64(l.capacity)) - l.gpu.Reserved())
				return err
			})
		}},
		{74, func() error {
			_, err := l.make(l.capacity-l.gpu.Reserved()+free/4, "stack", py(storeFile, 52, "sample"))
			if err == nil {
				err = errNeverOut
			}
			return err
		}},
	})
}

// shatter leaves holes between tensors that have so many bytes together. It returns the
// bytes of the holes.
func (l *loop) shatter(bytes int64) (free int64, err error) {
	least, most := int64(16<<20), int64(48<<20)
	if l.settings.Expandable {
		least, most = 9<<20, 17<<20 // pages have 20 MiB: no hole may be one
	} else if err := l.rollout(bytes); err != nil {
		return 0, err
	}
	var pieces []tensor
	for total(pieces)+most < bytes {
		x, err := l.make(l.odd(least, most), "clone", py(storeFile, 27, "append"))
		if err != nil {
			return 0, err
		}
		pieces = append(pieces, x)
	}
	for i := 0; i < len(pieces); i += 2 {
		if err := l.forget(pieces[i:i+1], py(storeFile, 35, "evict")); err != nil {
			return 0, err
		}
		free += pieces[i].bytes
	}
	return free, nil
}

// rollout makes the large segments that pieces are cut from later.
func (l *loop) rollout(bytes int64) error {
	file := "/home/ada/gpt/rollout.py"
	buffer := l.odd(700<<20, 1200<<20)
	var buffers []tensor
	for total(buffers)+buffer <= bytes {
		x, err := l.make(buffer, "empty", py(file, 19, "generate"))
		if err != nil {
			return err
		}
		buffers = append(buffers, x)
	}
	return l.forget(buffers, py(file, 24, "generate"))
}
