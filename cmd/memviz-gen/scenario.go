package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// problem is the kind of fault in a scenario, if any.
type problem string

const (
	noProblem     problem = ""
	leak          problem = "leak"          // tensors that survive steps, more of them in each
	cycle         problem = "cycle"         // tensors that only Python's cycle collector frees
	outOfCapacity problem = "oom"           // a request that failed
	fragmentation problem = "fragmentation" // cached memory in pieces too small to be useful
	badRank       problem = "rank"          // one process of a job holds what the others do not
)

// truth is the correct diagnosis of a scenario.
type truth struct {
	problem problem
	verdict string // kind of the problem; "": any
	site    string // file:line:function of the call that made the memory in question, with * for any line; "": any
}

// says reports whether a finding is this truth.
func (t truth) says(f truth) bool {
	before, after, anyLine := strings.Cut(t.site, "*")
	return t.problem == f.problem && (t.verdict == "" || t.verdict == f.verdict) && (t.site == "" || t.site == f.site ||
		anyLine && strings.HasPrefix(f.site, before) && strings.HasSuffix(f.site, after))
}

func (t truth) String() string {
	return fmt.Sprintf("%s: %s, at %s", t.problem, t.verdict, t.site)
}

// scenario is a run whose true diagnosis is known. The seed decides all else: the
// model, the batch, the lengths of sequences, the number of steps, where recording
// begins, whether stacks have C++ frames, and so on.
type scenario struct {
	name, about string
	truth       truth
	also        []truth           // what else may be found, whatever the verdict
	device      snapshot.DeviceID // the truth is about this one; others are healthy
	// the recording does not always show the truth, so an answer may say that it cannot judge
	quiet    bool
	conf     string // PYTORCH_CUDA_ALLOC_CONF
	capacity int64  // most bytes of the GPU that torch may have; 0: ample
	card     int64  // bytes of the GPU's memory; 0: no more than torch may have
	run      func(*process)

	// job, if set instead of run, runs in each process of a job of jobSize, one of
	// which is unlike the others.
	job func(p *process, rank int, bad bool)
}

// scenarios are in the order of their problems.
var scenarios = slices.Concat(cleanScenarios, steadyScenarios, leakScenarios, growthScenarios, capacityScenarios,
	failureScenarios, jobScenarios)

// ledger is what a scenario knows about its own run, for tests of what memviz concludes.
type ledger struct {
	leaked  []*tensor // made to be kept for good
	held    []int64   // bytes of leaked at the end of each recorded step
	more    bool      // each step works on more data than the one before
	retries int       // recorded requests that succeeded only after the cache was released
}

// leak records that a tensor is kept for good.
func (l *ledger) leak(x *tensor) *tensor {
	l.leaked = append(l.leaked, x)
	return x
}

// endStep records the leaked bytes at the end of a step.
func (l *ledger) endStep() {
	var held int64
	for _, x := range l.leaked {
		if x.refs > 0 {
			held += x.bytes
		}
	}
	l.held = append(l.held, held)
}

// perStep returns the growth of the leaked bytes per step, from the first step that
// adds to them to the last.
func (l *ledger) perStep() int64 {
	first, last := -1, 0
	for i, held := range l.held {
		if i > 0 && held > l.held[i-1] || i == 0 && held > 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if last <= first || first < 0 {
		return 0
	}
	return (l.held[last] - l.held[first]) / int64(last-first)
}

// record runs a scenario, or one rank of it, and takes its snapshot, even if it ends
// in an out-of-memory error.
func (s *scenario) record(seed uint64, rank int) (*snapshot.Snapshot, error) {
	made, _, err := s.recordAll(seed, rank)
	return made, err
}

// recordAll is record, and also returns the run's ledger.
func (s *scenario) recordAll(seed uint64, rank int) (*snapshot.Snapshot, *ledger, error) {
	settings, err := allocator.ParseSettings(s.conf)
	if err != nil {
		return nil, nil, err
	}
	lines, err := openScript(gptFolder, "leaking-loss/train.py", "gpt/model.py", "gpt/data.py")
	if err != nil {
		return nil, nil, err
	}
	r := newRecorder(settings, s.bytes(seed), s.seed(seed))
	// The collector has no Python frame: without the others nothing proves a cycle.
	r.noNative = s.truth.problem != cycle && r.rng.IntN(4) == 0
	p := newProcess(r, lines)
	err = catch(func() {
		p.main(func() {
			if s.job != nil {
				s.job(p, rank, rank == badRankOf(seed))
			} else {
				s.run(p)
			}
		})
	})
	var oom *allocator.OutOfMemoryError
	if err != nil && !errors.As(err, &oom) {
		return nil, nil, err
	}
	return r.snapshot(s.conf), &p.ledger, nil
}

// seed varies a seed by scenario, so that they do not all have the same model.
func (s *scenario) seed(seed uint64) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s.name)
	return seed ^ h.Sum64()
}

// bytes is how much of the GPU torch may use, besides its context and other
// programs.
func (s *scenario) bytes(seed uint64) int64 {
	if s.capacity == 0 {
		return ample
	}
	others := rand.New(rand.NewPCG(seed, 0x6f7468657273)).Int64N(s.capacity / 16)
	return s.capacity - others
}

// perStepAll divides all leaked bytes by the steps since the first that leaked any.
func (l *ledger) perStepAll() int64 {
	first := slices.IndexFunc(l.held, func(held int64) bool { return held > 0 })
	if first < 0 {
		return 0
	}
	return l.held[len(l.held)-1] / int64(len(l.held)-first)
}

const jobSize = 8

// badRankOf returns the rank that is unlike the others for a seed.
func badRankOf(seed uint64) int { return int((3 + 5*seed) % jobSize) }

// loop is a script that trains the GPT, whose model, data and habits the seed
// decides. It is the script of the story leaking-loss, with further lines and files.
type loop struct {
	*gptRun
	steps   int
	lengths []int64 // of sequences; each step draws one
	record  int     // recording begins before this step; 0: before the model is made
	data    *rand.Rand
	rank    int // of the process, in a job
}

// newLoop draws a script that trains for at least twelve recorded steps.
func (p *process) newLoop() *loop {
	heads := int64(4 << p.rng.IntN(2))
	layers, width := int64(1+p.rng.IntN(4)), heads*int64(32+8*p.rng.IntN(13))
	m, batch := newGPT(layers, width, heads, int64(1024*(1+p.rng.IntN(16)))), int64(1+p.rng.IntN(12))
	lengths := make([]int64, 1+p.rng.IntN(4))
	for i := range lengths {
		lengths[i] = int64(32 * (2 + p.rng.IntN(14)))
	}
	l := &loop{steps: 12 + p.rng.IntN(3), lengths: lengths, data: rand.New(rand.NewPCG(p.rng.Uint64(), 0))}
	if p.rng.IntN(3) == 0 { // when the model exists already, its tensors have no stacks
		l.record = 1 + p.rng.IntN(2)
		l.steps += l.record
		p.Paused = true
	}
	p.unnamed = p.rng.IntN(2) == 0
	l.gptRun = p.newGPTRun(m, batch, lengths[0])
	return l
}

// train runs the steps of the script, counted from 0.
func (l *loop) train(step func(i int)) {
	for i := range l.steps {
		if i == l.record {
			l.Paused = false
		}
		l.length = l.lengths[l.data.IntN(len(l.lengths))]
		step(i)
		if i >= l.record {
			l.ledger.endStep()
		}
	}
}

// clean is a script without a problem.
func clean(l *loop) func(int) { return func(int) { l.step() } }

// looped is a run of a loop; script prepares it and returns what it does in step i.
func looped(script func(*loop) func(i int)) func(*process) {
	return func(p *process) {
		l := p.newLoop()
		l.train(script(l))
	}
}

// and returns a script that does something more after each step.
func (l *loop) and(more func(i int)) func(int) {
	return func(i int) {
		l.step()
		more(i)
	}
}

// line runs body at a line of main() that the story does not have, inside calls.
func (l *loop) line(number int32, body func(), calls ...snapshot.FrameText) {
	l.inside(body, append([]snapshot.FrameText{py(trainFile, number, "main")}, calls...)...)
}

// keep allocates a tensor at a line of the script, inside a call, and never drops it.
func (l *loop) keep(bytes int64, op string, line int32, call snapshot.FrameText) {
	l.line(line, func() { l.make(bytes, op) }, call)
}

// leak is keep, for a tensor that counts as leaked.
func (l *loop) leak(bytes int64, op string, line int32, call snapshot.FrameText) {
	l.line(line, func() { l.ledger.leak(l.make(bytes, op)) }, call)
}

// leaking records every tensor that body makes and does not drop as leaked.
func (l *loop) leaking(body func()) {
	before := len(l.made)
	body()
	for _, x := range l.made[before:] {
		if x.refs > 0 {
			l.ledger.leak(x)
		}
	}
}

// odd returns a number of bytes from least to most, a multiple of a float and no more.
func (r *recorder) odd(least, most int64) int64 {
	return (least + r.rng.Int64N(most-least+1)) / floatBytes * floatBytes
}
