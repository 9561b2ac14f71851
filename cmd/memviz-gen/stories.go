package main

import (
	"errors"
	"fmt"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

const gib = 1 << 30

// story is a run with a plot.
type story struct {
	name, about string
	capacity    int64 // bytes of the GPU that torch may have
	run         func(*recorder) error
}

var stories = []story{
	{"training-loop", "a small GPT trained for four steps; nothing is wrong", 16 * gib, trainingLoop},
	{"leaking-loss", "each validation loss is kept in a list, and with it the whole graph behind it", 16 * gib, leakingLoss},
	{"out-of-memory", "sequences grow longer until a batch no longer fits", 4 * gib, outOfMemory},
}

// tell runs a story and takes its snapshot, also when it ends in an
// out-of-memory error, as an observer of such errors would.
func (s *story) tell(seed uint64) (*snapshot.Snapshot, error) {
	r := newRecorder(allocator.Settings{}, s.capacity, seed)
	var oom *allocator.OutOfMemoryError
	if err := s.run(r); err != nil && !errors.As(err, &oom) {
		return nil, err
	}
	return r.snapshot(""), nil
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
