package main

import (
	"math/rand/v2"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// loop is a training script whose model, data and habits the seed decides.
type loop struct {
	*trainer
	steps   int
	lengths []int64 // of sequences; each step draws one
	record  int     // recording begins before this step; 0: before the model is made
	data    *rand.Rand
}

// newLoop draws a script that trains for at least twelve recorded steps.
func newLoop(r *recorder) (*loop, error) {
	heads := 4 << r.rng.IntN(2)
	s := shape{
		layers:     int64(1 + r.rng.IntN(4)),
		width:      int64(heads * (32 + 8*r.rng.IntN(13))),
		heads:      int64(heads),
		vocabulary: int64(1024 * (1 + r.rng.IntN(16))),
		batch:      int64(1 + r.rng.IntN(12)),
	}
	lengths := make([]int64, 1+r.rng.IntN(4))
	for i := range lengths {
		lengths[i] = int64(32 * (2 + r.rng.IntN(14)))
	}
	s.length = lengths[0]
	l := &loop{steps: 12 + r.rng.IntN(3), lengths: lengths, data: rand.New(rand.NewPCG(r.rng.Uint64(), 0))}
	if r.rng.IntN(3) == 0 { // when the model is made already, its tensors have no stacks
		l.record = 1 + r.rng.IntN(2)
		l.steps += l.record
		r.paused = true
	}
	r.unnamed = r.rng.IntN(2) == 0
	var err error
	l.trainer, err = newTrainer(r, s)
	return l, err
}

// train runs the steps of the script, counted from 0.
func (l *loop) train(step func(i int) error) error {
	for i := range l.steps {
		if i == l.record {
			l.paused = false
		}
		s := l.shape
		s.length = l.lengths[l.data.IntN(len(l.lengths))]
		l.reshape(s)
		if err := step(i); err != nil {
			return err
		}
	}
	return nil
}

// make is an operator that the script itself calls inside a function.
func (l *loop) make(bytes int64, op string, calls ...snapshot.FrameText) (x tensor, err error) {
	err = l.in(func() error {
		x, err = l.alloc(bytes, operator(op))
		return err
	}, calls...)
	return x, err
}

// forget drops tensors inside a function of the script.
func (l *loop) forget(tensors []tensor, calls ...snapshot.FrameText) error {
	return l.in(func() error { return l.drop(tensors...) }, calls...)
}

// odd is a number of bytes from least to most that is a multiple of nothing but a float.
func (r *recorder) odd(least, most int64) int64 {
	return (least + r.rng.Int64N(most-least+1)) / floatBytes * floatBytes
}
