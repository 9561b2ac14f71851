package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// problem is what is wrong in a scenario, or not.
type problem string

const (
	nothing       problem = ""
	leak          problem = "leak"          // tensors that survive steps, more of them in each
	cycle         problem = "cycle"         // tensors that only Python's cycle collector frees
	outOfCapacity problem = "oom"           // a request that failed
	fragmentation problem = "fragmentation" // cached memory in pieces too small to be of use
	badRank       problem = "rank"          // one process of a job holds what the others do not
)

// truth is what a diagnosis has to say of a scenario.
type truth struct {
	problem problem
	verdict string // which kind of it
	site    string // file:line:function of the call that made the memory in question; "" if there is none
}

func (t truth) String() string {
	return fmt.Sprintf("%s: %s, at %s", t.problem, t.verdict, t.site)
}

// scenario is a run of which the truth is known. The seed decides all else: the
// model, the batch, the lengths of sequences, the number of steps, where recording
// begins, whether stacks have C++ frames, and so on.
type scenario struct {
	name, about string
	truth       truth
	also        []truth // what else may be found, whatever the verdict
	conf        string  // PYTORCH_CUDA_ALLOC_CONF
	capacity    int64   // most bytes of the GPU that torch may have; 0: ample
	card        int64   // bytes that the GPU's model has; 0: not more than torch may have
	run         func(*recorder) error

	// job, if set instead of run, is what each process of a job of jobSize does,
	// one of which is unlike the others.
	job func(r *recorder, bad bool) error
}

// ample is a GPU on which a scenario does not run out of memory.
const ample = 80 * gib

// scenarios are in the order of their problems.
var scenarios = slices.Concat(
	cleanScenarios, leakScenarios, cycleScenarios, fragmentationScenarios, oomScenarios, jobScenarios)

// tell runs a scenario, or one rank of it, and takes its snapshot, also when it
// ends in an out-of-memory error.
func (s *scenario) tell(seed uint64, rank int) (*snapshot.Snapshot, error) {
	settings, err := allocator.ParseSettings(s.conf)
	if err != nil {
		return nil, err
	}
	r := newRecorder(settings, s.bytes(seed), s.seed(seed))
	// The collector has no Python frame: without the others nothing proves a cycle.
	r.noNative = s.truth.problem != cycle && r.rng.IntN(4) == 0
	if s.job != nil {
		r.rank = rank
		err = s.job(r, rank == badRankOf(seed))
	} else {
		err = s.run(r)
	}
	var oom *allocator.OutOfMemoryError
	if err != nil && !errors.As(err, &oom) {
		return nil, err
	}
	return r.snapshot(s.conf), nil
}

// seed keeps scenarios of the same seed from having the same model.
func (s *scenario) seed(seed uint64) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s.name)
	return seed ^ h.Sum64()
}

// bytes is what torch may have of the GPU, beside its context and whatever else
// there is.
func (s *scenario) bytes(seed uint64) int64 {
	if s.capacity == 0 {
		return ample
	}
	others := rand.New(rand.NewPCG(seed, 0x6f7468657273)).Int64N(s.capacity / 16)
	return s.capacity - others
}

const jobSize = 8

// badRankOf is the rank that is unlike the others for a seed.
func badRankOf(seed uint64) int { return int((3 + 5*seed) % jobSize) }
