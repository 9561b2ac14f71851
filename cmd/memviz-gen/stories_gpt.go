package main

import (
	"errors"
	"fmt"
)

// The stories of a small GPT. Their train.py are unlike those of the others: model
// and data are files of their own, and lines are written as numbers.
// played makes such a run one of a process.
func played(run func(*recorder) error) func(*process) {
	return func(p *process) { p.note(run(p.recorder)) }
}

var smallGPT = shape{layers: 6, width: 512, heads: 8, vocabulary: 16384, batch: 8, length: 256}

func trainingLoop(r *recorder) error {
	t, err := newTrainer(r, smallGPT)
	if err != nil {
		return err
	}
	for i := range 4 {
		if err := t.annotated(fmt.Sprintf("ProfilerStep#%d", i), t.iteration); err != nil {
			return err
		}
	}
	return nil
}

// leakingLoss is a loop that ends with "val_losses.append(loss)": the loss of a
// forward pass without no_grad holds every activation behind it.
func leakingLoss(r *recorder) error {
	t, err := newTrainer(r, shape{layers: 4, width: 384, heads: 6, vocabulary: 8192, batch: 8, length: 192})
	if err != nil {
		return err
	}
	for range 10 {
		if err := t.iteration(); err != nil {
			return err
		}
		if err := t.validate(); err != nil {
			return err
		}
	}
	return nil
}

// validate keeps its loss, and drops the batch.
func (t *trainer) validate() error {
	trained := t.shape
	small := trained
	small.batch = 1
	t.reshape(small)
	defer t.reshape(trained)
	return t.main(64, func() error {
		return t.in(func() error {
			batch, err := t.batch()
			if err != nil {
				return err
			}
			if _, err := t.forward(); err != nil {
				return err
			}
			return t.drop(batch...)
		}, py(trainFile, 41, "validate"))
	})
}

func outOfMemory(r *recorder) error {
	s := smallGPT
	s.length = 128
	t, err := newTrainer(r, s)
	if err != nil {
		return err
	}
	for range 40 {
		if err := t.iteration(); err != nil {
			return err
		}
		s.length += 96
		t.reshape(s)
	}
	return errors.New("the story never ran out of memory")
}
