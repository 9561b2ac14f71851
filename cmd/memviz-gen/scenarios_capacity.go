package main

import (
	"errors"
	"math/rand/v2"

	"github.com/memviz-go/memviz/pkg/allocator"
)

const (
	cropsFile   = gptFolder + "crops.py"
	storeFile   = gptFolder + "store.py"
	rolloutFile = gptFolder + "rollout.py"
	scoresSite  = modelFile + ":29:forward"
	piecesSite  = storeFile + ":27:append"
)

// capacityScenarios end with much memory that is neither used nor usable, or in a
// request that fails. The site of a failed request is the one that holds most then.
var capacityScenarios = []scenario{
	{name: "fragmentation", about: "half of many tensors of odd sizes is dropped, then larger ones are needed",
		run:   oddSizes,
		truth: truth{fragmentation, "fragmented", cropsFile + ":27:cut"}},
	{name: "oom-pressure", about: "a batch of sequences that needs more than there is", capacity: 16 * gib,
		run: longSequence, truth: truth{outOfCapacity, "pressure", scoresSite}},
	{name: "oom-pressure-expandable", about: "the same with expandable segments", capacity: 16 * gib, conf: expandable,
		run: longSequence, truth: truth{outOfCapacity, "pressure", scoresSite}},
	{name: "oom-fragmented", about: "half of the memory is free, in pieces", capacity: 8 * gib,
		run: tooManyPieces, truth: truth{outOfCapacity, "fragmented", piecesSite}},
	{name: "oom-fragmented-expandable", about: "the same in pieces that expandable segments cannot give back",
		capacity: 8 * gib, conf: expandable,
		run: tooManyPieces, truth: truth{outOfCapacity, "fragmented", piecesSite}},
	{name: "oom-stream", about: "the free memory belongs to another stream", capacity: 8 * gib,
		run: otherStream, truth: truth{outOfCapacity, "other", piecesSite}},
	{name: "oom-stream-expandable", about: "the same with expandable segments", capacity: 8 * gib, conf: expandable,
		run: otherStream, truth: truth{outOfCapacity, "other", piecesSite}},
	{name: "oom-outside", about: "another process holds a part of the GPU", capacity: 16 * gib, card: 24 * gib,
		run: longSequence, truth: truth{outOfCapacity, "outside", scoresSite}},
	{name: "oom-limit", about: "the process may use a part of the GPU only", capacity: 48 * gib,
		run: limited, truth: truth{outOfCapacity, "limit", scoresSite}},
}

// trained is a loop after two or three steps.
func (p *process) trained(steps int) *loop {
	l := p.newLoop()
	l.steps = l.record + steps
	l.train(clean(l))
	return l
}

// oddSizes cuts crops of all sizes out of images, keeps some, and trains on
// batches of them, none of which fits into a hole that a crop has left.
func oddSizes(p *process) {
	l := p.trained(2)
	wanted := l.odd(gib, 2*gib) + 3*l.gpu.Reserved()/2 // the model must not make the peak
	var crops []*tensor
	for total(crops) < wanted {
		l.line(70, func() { crops = append(crops, l.make(l.odd(4<<20, 9<<20), "index")) }, py(cropsFile, 27, "cut"))
	}
	for _, i := range l.rng.Perm(len(crops))[:len(crops)/2] {
		l.line(70, func() { l.drop(crops[i]) }, py(cropsFile, 41, "reject"))
	}
	for range 60 + l.rng.IntN(30) {
		l.line(74, func() { l.set("images", l.make(l.odd(24<<20, 64<<20), "stack")) }, py(cropsFile, 55, "batch"))
		l.line(74, func() { l.forget("images") }, py(cropsFile, 58, "batch"))
	}
}

// errNeverOut reports that a scenario that should run out of memory did not.
var errNeverOut = errors.New("the scenario never ran out of memory")

// longSequence trains until a batch has attention scores that exceed the GPU's memory
// on their own, however they are placed. Every other seed writes its snapshot after
// the exception has dropped the tensors of the pass.
func longSequence(p *process) { p.longerThan(p.capacity) }

// limited is the same under set_per_process_memory_fraction.
func limited(p *process) {
	fraction := 0.2 + 0.3*p.rng.Float64()
	p.gpu.SetMemoryFraction(fraction)
	p.longerThan(int64(fraction * float64(p.capacity)))
}

// unwindDrops frees an exception's traceback, and with it the locals of every frame.
var unwindDrops = append(pythonDrops[:2:2], native("frame_dealloc", "tb_dealloc", "BaseException_dealloc")...)

func (p *process) longerThan(bytes int64) { p.trained(3).tooLong(bytes) }

// tooLong is a step whose attention scores exceed the given bytes.
func (l *loop) tooLong(bytes int64) {
	// Another model: its weights are not used before the backward pass.
	m := newGPT(3+l.rng.Int64N(4), l.model.width, l.model.heads, 1024)
	scores := float64(bytes) * (1.2 + 0.6*l.rng.Float64())
	for l.length = 256; float64(int64(len(m.blocks))*m.heads*l.batch*l.length*l.length*floatBytes) < scores; {
		l.length += 64
	}
	m.eager, l.model = l.length, m
	l.load()
	l.at("error = loss(net(tokens), targets)", func() {
		made := len(l.made)
		err := catch(func() { l.lossOf(l.vars["tokens"], l.vars["targets"]) })
		if err == nil {
			err = errNeverOut
		}
		if l.rng.IntN(2) == 0 {
			for _, x := range l.made[made:] {
				if x.refs > 0 {
					x.refs = 1
					l.release(unwindDrops, x)
				}
			}
		}
		raise(err)
	})
}

// tooManyPieces asks for one large tensor when the freed memory lies between tensors
// that stay.
func tooManyPieces(p *process) { p.shattered(0) }

// otherStream is the same on a stream that does not own the freed memory.
func otherStream(p *process) { p.shattered(sideStream) }

// shattered fills most of the GPU with tensors, drops every second one, and asks
// for a quarter of that in one piece, beside what the driver has left.
func (p *process) shattered(stream allocator.Stream) {
	l := p.trained(2)
	l.line(69, l.emptyCache)
	var free int64
	l.on(stream, func() { free = l.shatter(int64(0.88*float64(l.capacity)) - l.gpu.Reserved()) })
	l.line(74, func() { l.make(l.capacity-l.gpu.Reserved()+free/4, "stack") }, py(storeFile, 52, "sample"))
	raise(errNeverOut)
}

// shatter fills the given bytes with tensors and holes between them. It returns the
// bytes of the holes.
func (l *loop) shatter(bytes int64) (free int64) {
	least, most := int64(16<<20), int64(48<<20)
	if l.settings.Expandable {
		least, most = 9<<20, 17<<20 // pages have 20 MiB: no hole may be one
	} else { // large segments, which the pieces are cut from
		buffer := l.odd(700<<20, 1200<<20)
		var buffers []*tensor
		for total(buffers)+buffer <= bytes {
			l.line(70, func() { buffers = append(buffers, l.make(buffer, "empty")) }, py(rolloutFile, 19, "generate"))
		}
		l.line(70, func() { l.drop(buffers...) }, py(rolloutFile, 24, "generate"))
	}
	var pieces []*tensor
	for total(pieces)+most < bytes {
		l.line(70, func() { pieces = append(pieces, l.make(l.odd(least, most), "clone")) }, py(storeFile, 27, "append"))
	}
	for i := 0; i < len(pieces); i += 2 {
		l.line(70, func() { l.drop(pieces[i]) }, py(storeFile, 35, "evict"))
		free += pieces[i].bytes
	}
	return free
}

// jobScenarios are jobs of several processes, each with a file of its own. The seed
// decides which one is bad.
var jobScenarios = []scenario{
	{name: "ranks", about: "a job in which nothing is wrong", job: dataParallelJob(healthyRank)},
	{name: "ranks-uneven", about: "the same, and each rank pads its batches to their own lengths",
		job: dataParallelJob(unevenRank)},
	{name: "ranks-buckets", about: "the same with a few lengths only, so that some ranks never see the longest",
		job: dataParallelJob(bucketRank)},
	{name: "ranks-slow", about: "one rank is two steps behind, and holds no more than the others", job: dataParallelJob(slowRank)},
	{name: "bad-rank-hook", about: "on one rank a hook keeps activations", job: dataParallelJob(hookRank),
		truth: truth{badRank, "outlier", modelFile + ":48:forward"}},
	{name: "bad-rank-graph", about: "on one rank the graph of each validation is kept", job: dataParallelJob(graphRank),
		truth: truth{badRank, "outlier", trainFile + ":41:validate"}},
}

// dataParallelJob is a process of data-parallel training: the same model on every rank, and
// batches of the same shape.
func dataParallelJob(script func(l *loop, bad bool) func(int)) func(*process, int, bool) {
	return func(p *process, rank int, bad bool) {
		l := p.newLoop()
		l.rank, l.steps = rank, l.record+6
		step := script(l, bad)
		l.train(func(i int) {
			step(i)
			l.advance(200 + 10*rank) // no two ranks are equally fast
		})
	}
}

func healthyRank(l *loop, _ bool) func(int) { return clean(l) }

func unevenRank(l *loop, _ bool) func(int) {
	longest := l.length
	l.lengths = nil
	for length := longest / 2; length <= longest; length += 8 {
		l.lengths = append(l.lengths, length)
	}
	return bucketRank(l, false)
}

func bucketRank(l *loop, _ bool) func(int) {
	l.data = rand.New(rand.NewPCG(l.rng.Uint64(), uint64(l.rank)))
	return clean(l)
}

// slowRank waits three times per step for input that the others have at once.
func slowRank(l *loop, bad bool) func(int) {
	if !bad {
		return clean(l)
	}
	l.steps -= 2
	return func(int) {
		l.advance(15_000)
		l.step()
	}
}

func hookRank(l *loop, bad bool) func(int) {
	leaking := leakHook(l)
	if !bad {
		l.model.hook = nil
	}
	return leaking
}

func graphRank(l *loop, bad bool) func(int) {
	if bad {
		return leakGraph(l)
	}
	return l.and(func(int) { l.evaluate() })
}
