package main

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// story is a run with a point: a folder in examples, whose train.py it follows.
type story struct {
	name, about string
	takes       []take // its recordings
}

// take is one recording of a story: a file in its folder.
type take struct {
	file     string // "": snapshot.pickle.gz
	capacity int64  // bytes of the GPU that torch may use; 0: ample
	conf     string // PYTORCH_CUDA_ALLOC_CONF
	all      bool   // stacks="all": C++ frames, too
	gpt      bool   // it imports the model and the data in examples/gpt
	play     func(*process)
	encode   func(io.Writer, *snapshot.Snapshot) error // nil: pickle protocol 4
}

// ample is a capacity at which only runs meant to fail run out of memory.
const ample = 80 * gib

// stories are in the order in which a newcomer should read them.
var stories = slices.Concat(gptStories, trainingStories, allocatorStories, rankStories, formatStories,
	predictedStories)

// name is the name of the file.
func (k *take) name() string { return cmp.Or(k.file, "snapshot.pickle.gz") }

// write writes a snapshot as torch would have, without the gzip around it.
func (k *take) write(w io.Writer, s *snapshot.Snapshot) error {
	if k.encode != nil {
		return k.encode(w, s)
	}
	return snapshot.Write(w, s, 4)
}

// record runs a take and takes its snapshot, even if it ends in an out-of-memory
// error, as an observer of such errors would.
func (s *story) record(k *take, seed uint64) (*snapshot.Snapshot, error) {
	settings, err := allocator.ParseSettings(k.conf)
	if err != nil {
		return nil, err
	}
	folder, files := "/home/ada/examples/"+s.name, []string{s.name + "/train.py"}
	if k.gpt {
		folder, files = gptFolder, append(files, "gpt/model.py", "gpt/data.py")
	}
	lines, err := openScript(folder, files...)
	if err != nil {
		return nil, err
	}
	r := newRecorder(settings, cmp.Or(k.capacity, ample), seed)
	r.noNative = !k.all
	p := newProcess(r, lines)
	var oom *allocator.OutOfMemoryError
	if err := catch(func() { k.play(p) }); err != nil && !errors.As(err, &oom) &&
		!errors.Is(err, errJobEnds) {
		return nil, err
	}
	return r.snapshot(k.conf), nil
}
