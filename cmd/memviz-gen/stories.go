package main

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

const gib = 1 << 30

// story is a run with a plot: a folder in examples, whose train.py it follows.
type story struct {
	name, about string
	takes       []take // what it records
}

// take is one recording of a story: a file in its folder.
type take struct {
	file     string // "": snapshot.pickle.gz
	capacity int64  // bytes of the GPU that torch may have; 0: ample
	conf     string // PYTORCH_CUDA_ALLOC_CONF
	all      bool   // stacks="all": C++ frames, too
	play     func(*process)

	// write, if set, writes the file, instead of snapshot.Write with protocol 4.
	write func(io.Writer, *snapshot.Snapshot) error
}

// stories are in the order in which a newcomer should read them.
var stories = slices.Concat(firstStories, trainingStories, allocatorStories, streamStories, inferenceStories,
	rankStories, formatStories)

var firstStories = []story{
	{"training-loop", "a small GPT trained for four steps; nothing is wrong", []take{
		{capacity: 16 * gib, all: true, play: played(trainingLoop)}}},
	{"leaking-loss", "each validation loss is kept in a list, and with it the whole graph behind it", []take{
		{capacity: 16 * gib, all: true, play: played(leakingLoss)}}},
	{"out-of-memory", "sequences grow longer until a batch no longer fits", []take{
		{capacity: 4 * gib, all: true, play: played(outOfMemory)}}},
}

// name is that of the file.
func (k *take) name() string { return cmp.Or(k.file, "snapshot.pickle.gz") }

// tell plays a take and takes its snapshot, also when it ends in an out-of-memory
// error, as an observer of such errors would.
func (s *story) tell(k *take, seed uint64) (*snapshot.Snapshot, error) {
	settings, err := allocator.ParseSettings(k.conf)
	if err != nil {
		return nil, err
	}
	r := newRecorder(settings, cmp.Or(k.capacity, ample), seed)
	r.noNative = !k.all
	p, err := newProcess(r, s.name)
	if err != nil {
		return nil, err
	}
	k.play(p)
	var oom *allocator.OutOfMemoryError
	if p.err != nil && !errors.As(p.err, &oom) {
		return nil, p.err
	}
	return r.snapshot(k.conf), nil
}

// encode writes the file as torch would have, without the gzip around it.
func (k *take) encode(w io.Writer, s *snapshot.Snapshot) error {
	if k.write != nil {
		return k.write(w, s)
	}
	return snapshot.Write(w, s, 4)
}
