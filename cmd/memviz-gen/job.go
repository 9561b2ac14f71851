package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// moeJob is the training of a mixture of experts by many processes. The layers are
// divided into the stages of a pipeline, and each stage runs on as many ranks. Of a
// batch that is cut into microbatches, a stage holds as many at once as there are
// stages from it to the end.
type moeJob struct {
	ranks, stages int
	steps         int // recorded completely by each rank
	seed          uint64
	noise         noise

	// Ranks that are unlike the others; noRank for none.
	outlier int   // keeps a buffer from its first step on
	leaks   int   // keeps a tensor of each step
	short   int   // records the last shortSteps steps only
	ooms    []int // run out of memory in one further step, oomMicros apart; then the job ends
}

const noRank = -1

const (
	jobHosts     = 4
	jobLayers    = 2 // of a stage
	microbatches = 6
	shortSteps   = 3
	oomMicros    = 35_000

	jobStepMicros = 2_000_000
	jobOOMMicros  = jobStepMicros * 19 / 20 // from the start of the last step to the first failure
	jobCapacity   = 79 * gib

	hiddenBytes  = 64 << 20 // output of a layer for a microbatch: 8,192 tokens of 4,096 numbers of 2 bytes
	tokenBytes   = 8_192 * 8
	routerBytes  = 8_192 * 64 * halfBytes // probabilities of 64 experts
	outlierBytes = 1_188 << 20
	leakBytes    = 96 << 20

	moeFolder   = "/home/ada/moe/"
	jobFile     = moeFolder + "train.py"
	layersFile  = moeFolder + "layers.py"
	expertsFile = moeFolder + "moe.py"
	schedule    = site + "distributed/pipelining/schedules.py"
	stageFile   = site + "distributed/pipelining/stage.py"
)

// noise says how the tokens routed to the experts of a rank vary from step to step.
type noise struct {
	name, about string
	factor      func(rng *rand.Rand) float64
}

var noises = []noise{
	{"none", "the same in each step", func(*rand.Rand) float64 { return 1 }},
	{"uniform", "up to 8 % more or less", func(rng *rand.Rand) float64 { return 0.92 + 0.16*rng.Float64() }},
	{"normal", "a standard deviation of 5 %", func(rng *rand.Rand) float64 { return 1 + 0.05*rng.NormFloat64() }},
	{"lognormal", "the logarithm has a standard deviation of 0.3",
		func(rng *rand.Rand) float64 { return math.Exp(0.3 * rng.NormFloat64()) }},
	{"heavy", "Student's t with 3 degrees of freedom, times 5 %", func(rng *rand.Rand) float64 {
		var squares float64
		for range 3 {
			x := rng.NormFloat64()
			squares += x * x
		}
		return 1 + 0.05*rng.NormFloat64()/math.Sqrt(squares/3)
	}},
	{"buckets", "half, three quarters, or all; all is twice as frequent",
		func(rng *rand.Rand) float64 { return []float64{0.5, 0.75, 1, 1}[rng.IntN(4)] }},
}

// stageOf returns the stage of a rank. Ranks of one stage follow one another.
func (j *moeJob) stageOf(rank int) int { return rank * j.stages / j.ranks }

// hostOf returns the machine that a rank runs on.
func (j *moeJob) hostOf(rank int) string {
	return fmt.Sprintf("n%d", rank*min(jobHosts, j.ranks)/j.ranks)
}

// path is where a rank writes its snapshot on its machine, named as torchtitan does.
func (j *moeJob) path(rank int) string {
	return fmt.Sprintf("%s/memory_snapshot/iteration_%d/rank%d_memory_snapshot.pickle", j.hostOf(rank), j.steps+1, rank)
}

// jobRank is one process of a job.
type jobRank struct {
	*process
	*moeJob
	rank, stage int
	random      *rand.Rand   // of its noise
	load        float64      // of its experts in the step under way, 1 on average
	shard       []*parameter // weights that this rank's optimizer updates
	weights     []*parameter // each with a permanent gradient, as in Megatron-LM
	passes      int          // forward and backward passes begun
	passBegan   int64        // the last of them; microseconds since 1970
	known       failure
}

// failure locates a failing request, as learned from an earlier run of the same rank.
type failure struct {
	pass int   // counted from 1; 0: no failure
	lead int64 // microseconds from the start of that pass to the request
}

// errJobEnds reports that another process of the job has failed.
var errJobEnds = errors.New("the job was ended")

// snapshot returns the recording of a rank. A rank that runs out of memory runs twice:
// the first run shows which request fails, so that the second can wait before it.
func (j *moeJob) snapshot(rank int) (*snapshot.Snapshot, error) {
	made, failed, err := j.run(rank, failure{})
	if err != nil || !slices.Contains(j.ooms, rank) {
		return made, err
	}
	if failed.pass == 0 {
		return nil, fmt.Errorf("rank %d: %w", rank, errNeverOut)
	}
	made, _, err = j.run(rank, failed)
	return made, err
}

// run runs a rank, which waits for its turn to fail before the pass of a known failure.
func (j *moeJob) run(rank int, known failure) (made *snapshot.Snapshot, failed failure, err error) {
	r := newRecorder(allocator.Settings{}, jobCapacity, j.seed^uint64(rank+1)<<20)
	r.noNative = true
	r.Paused = true
	r.Micros = startMicros - jobStepMicros
	p := &jobRank{process: newProcess(r, nil), moeJob: j, rank: rank, stage: j.stageOf(rank), known: known,
		random: rand.New(rand.NewPCG(j.seed, uint64(rank)))}
	err = catch(func() { p.inside(p.train, py(jobFile, 212, "<module>"), py(jobFile, 187, "main")) })
	var oom *allocator.OutOfMemoryError
	switch {
	case errors.As(err, &oom):
		failed = failure{p.passes, p.Micros - p.passBegan}
	case err != nil && !errors.Is(err, errJobEnds):
		return nil, failure{}, err
	}
	return r.snapshot(""), failed, nil
}

// train sets up a rank and runs one step that fills the cache, both unrecorded, and
// then runs the recorded steps.
func (p *jobRank) train() {
	p.loadModel()
	first := 0
	if p.rank == p.short {
		first = max(0, p.steps-shortSteps)
	}
	last := p.steps - 1
	if len(p.ooms) > 0 {
		last++
	}
	for step := -1; step <= last; step++ {
		p.Micros = max(p.Micros, startMicros+int64(step)*jobStepMicros) // all ranks reduce gradients together
		p.advance(40)
		p.load = max(0.1, p.noise.factor(p.random))
		p.Paused = step < first
		p.annotated(fmt.Sprintf("step %d", step+1), func() { p.step(step) })
	}
}

// loadModel makes weights, gradients and optimizer state, most of them in large buffers.
func (p *jobRank) loadModel() {
	bytes := int64(40*gib) + int64(p.stage)*(200<<20)
	switch p.stage {
	case 0: // the embedding
		bytes += 3 * gib
	case p.stages - 1: // the output layer
		bytes += 3 * gib
	}
	for ; bytes > 0; bytes -= gib {
		p.make(min(bytes, gib), "empty")
	}
	weight := func(bytes int64) *parameter {
		return &parameter{tensor: p.make(bytes, "empty"), gradient: p.make(bytes, "zeros")}
	}
	for range jobLayers {
		for _, bytes := range []int64{96 << 20, 32 << 20, 1 << 20, 128 << 20, 128 << 20} {
			p.weights = append(p.weights, weight(bytes))
		}
	}
	for range 4 {
		p.shard = append(p.shard, weight(64<<20))
	}
}

// microbatch is a microbatch whose backward pass is pending.
type microbatch struct {
	in, out *tensor
	graph   []*node
}

// step is one step of the schedule 1F1B: as soon as a stage has as many microbatches as
// it may hold, a backward pass precedes each forward pass.
func (p *jobRank) step(step int) {
	p.advance(p.stage * 40_000) // until the first microbatch arrives
	load := p.load
	var flying []microbatch
	p.inside(func() {
		for i := range microbatches {
			if step == p.steps {
				if slices.Contains(p.ooms, p.rank) { // its experts get a growing share of all tokens
					p.load = load * math.Pow(3, float64(i))
				} else if i == microbatches/2 {
					raise(errJobEnds)
				}
			}
			if len(flying) == p.stages-p.stage {
				p.backwardOne(flying[0])
				flying = flying[1:]
			}
			flying = append(flying, p.forwardOne(i == 0, i == 0 && step == 0))
		}
		for _, m := range flying {
			p.backwardOne(m)
		}
	}, py(jobFile, 164, "train_step"), py(schedule, 636, "step"), py(schedule, 780, "_step_microbatches"))
	p.inside(func() { p.adam("AdamW", p.shard) }, py(jobFile, 171, "train_step"))
}

// beginPass advances the clock until the input has arrived, and by the time of the pass.
func (p *jobRank) beginPass(micros int) {
	p.advance(micros)
	p.passes++
	if p.passes == p.known.pass {
		nth := int64(slices.Index(p.ooms, p.rank))
		fails := startMicros + int64(p.steps)*jobStepMicros + jobOOMMicros + nth*oomMicros
		p.Micros = max(p.Micros, fails-p.known.lead)
	}
	p.passBegan = p.Micros
}

// forwardOne is the forward pass of a microbatch. Outlier and leaking ranks keep a tensor
// of the first one overall or of the first one in a step.
func (p *jobRank) forwardOne(ofStep, ofAll bool) (m microbatch) {
	p.beginPass(40_000)
	p.inside(func() {
		if p.stage == 0 {
			p.inside(func() { m.in = p.make(tokenBytes, "to") }, py(jobFile, 143, "next_batch"))
			m.out = p.operate(py(layersFile, 22, "embed"), node{name: "EmbeddingBackward0", op: "embedding"},
				hiddenBytes, hold(m.in), m.in)
		} else {
			p.inside(func() { m.in = p.make(hiddenBytes, "empty") }, py(stageFile, 540, "_retrieve_recv_activations"))
			m.in.grad = true
			m.out = hold(m.in)
		}
		for layer := range jobLayers {
			m.out = p.layer(layer, m.out, ofStep && layer == 0, ofAll && layer == 0)
		}
		if p.stage == p.stages-1 {
			m.out = p.operate(py(layersFile, 71, "output"), node{name: "MmBackward0", op: "mm"}, 8*hiddenBytes, m.out,
				m.out)
			logits := m.out
			m.out = p.operate(py(jobFile, 98, "loss"), node{name: "LogSoftmaxBackward0", op: "_log_softmax"},
				8*hiddenBytes,
				logits, logits)
		}
		m.graph, p.autograd.tape = p.autograd.tape, nil
	}, py(stageFile, 702, "forward_one_chunk"))
	return m
}

// backwardOne is the backward pass of a microbatch. Its output was sent to the next
// stage long ago.
func (p *jobRank) backwardOne(m microbatch) {
	p.beginPass(80_000)
	p.inside(func() {
		var gradient *tensor
		p.inside(func() { gradient = p.make(m.out.bytes, "empty") }, py(stageFile, 560, "_retrieve_recv_grads"))
		p.onEngine(nil, func() { gradient = p.flow(m.graph, gradient) })
		p.drop(m.out, m.in, gradient) // the gradient has been sent to the previous stage
	}, py(stageFile, 775, "backward_one_chunk"))
}

// operate runs an operator at a line of the model. It consumes x.
func (p *jobRank) operate(at snapshot.FrameText, n node, bytes int64, x *tensor, saved ...*tensor) (out *tensor) {
	p.inside(func() {
		n.micros = 200
		out = p.make(bytes, n.op)
		p.result(&n, out, x, saved...)
	}, at)
	return out
}

// layer is attention, then experts for each token. It consumes x.
func (p *jobRank) layer(i int, x *tensor, ofStep, ofAll bool) *tensor {
	weights := p.weights[5*i:]
	p.call(func() {
		x = p.residual(x, func(x *tensor) *tensor { return p.attend(weights, x) })
		x = p.residual(x, func(x *tensor) *tensor { return p.mixture(weights, x, ofStep, ofAll) })
	}, py(layersFile, 58, "forward"))
	return x
}

func (p *jobRank) attend(weights []*parameter, x *tensor) *tensor {
	p.call(func() {
		x = p.operate(py(layersFile, 34, "norm"), node{name: "RmsNormBackward0", op: "rms_norm"}, hiddenBytes, x, x)
		x = p.operate(py(layersFile, 36, "qkv"), node{name: "MmBackward0", op: "mm", weights: weights[:1]},
			3*hiddenBytes, x, x)
		attention, sums := py(layersFile, 40, "attention"), (*tensor)(nil)
		p.inside(func() { sums = p.make(hiddenBytes/64, "_scaled_dot_product_flash_attention") }, attention)
		x = p.operate(attention, node{name: "ScaledDotProductFlashAttentionBackward0",
			op: "_scaled_dot_product_flash_attention_backward"}, hiddenBytes, x, x, sums)
		p.drop(sums)
		x = p.operate(py(layersFile, 44, "project"), node{name: "MmBackward0", op: "mm", weights: weights[1:2]},
			hiddenBytes, x, x)
	}, py(layersFile, 30, "attend"))
	return x
}

// mixture dispatches tokens to the ranks of their experts, runs this rank's experts on
// the tokens it receives, and sends the results back.
func (p *jobRank) mixture(weights []*parameter, x *tensor, ofStep, ofAll bool) *tensor {
	arrived := int64(p.load*2*hiddenBytes) &^ 511
	p.call(func() {
		x = p.operate(py(expertsFile, 70, "norm"), node{name: "RmsNormBackward0", op: "rms_norm"}, hiddenBytes, x, x)
		scores := p.operate(py(expertsFile, 76, "route"), node{name: "MmBackward0", op: "mm", weights: weights[2:3]},
			routerBytes, hold(x), x)
		if ofStep && p.rank == p.leaks {
			p.inside(func() { p.make(leakBytes, "clone") }, py(expertsFile, 78, "route"),
				py(moeFolder+"hooks.py", 27, "keep_router_stats"))
		}
		dispatch := py(expertsFile, 88, "dispatch")
		if ofAll && p.rank == p.outlier {
			p.inside(func() { p.make(outlierBytes, "empty") }, dispatch)
		}
		x = p.operate(dispatch, node{name: "AllToAllBackward0", op: "all_to_all"}, arrived, x, scores)
		p.drop(scores)
		x = p.operate(py(expertsFile, 104, "experts"), node{name: "MmBackward0", op: "mm", weights: weights[3:4]},
			arrived/2*3, x, x)
		x = p.operate(py(expertsFile, 106, "experts"), node{name: "MmBackward0", op: "mm", weights: weights[4:5]},
			arrived, x, x)
		x = p.operate(py(expertsFile, 121, "combine"), node{name: "AllToAllBackward0", op: "all_to_all"}, hiddenBytes,
			x, x)
	}, py(expertsFile, 66, "forward"))
	return x
}
