package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// shape is a kind of snapshot, for tests that care only about size, number of stacks
// and lifetimes.
type shape struct {
	name, about string
	fill        func(l *load, events, live int)
}

var shapes = []shape{
	{"training-shaped", "steps that save activations and give them back in reverse, over tensors that stay",
		trainingShaped},
	{"adversarial", "random lifetimes, the hardest thing to draw", adversarial},
}

// make makes a snapshot of at least the given number of events.
func (s *shape) make(seed uint64, events, live int) (*snapshot.Snapshot, error) {
	l := newLoad(seed)
	if err := catch(func() { s.fill(l, events, live) }); err != nil {
		return nil, err
	}
	return l.snapshot(""), nil
}

const (
	distinctSites  = 2_000
	distinctFrames = 700
	minDepth       = 20
	maxDepth       = 90
)

// load is a recording with very many events.
type load struct {
	*recorder
	stacks []snapshot.StackID
}

func newLoad(seed uint64) *load {
	l := &load{recorder: newRecorder(allocator.Settings{}, 1<<50, seed)}
	l.stacks = make([]snapshot.StackID, distinctSites)
	for i := range l.stacks {
		l.stacks[i] = l.randomStack(i)
	}
	return l
}

// randomStack returns the stack of a call site in a tree of calls: nearby sites share
// their outer frames, as the call sites of one module do.
func (l *load) randomStack(site int) snapshot.StackID {
	shape := rand.New(rand.NewPCG(uint64(site), 1))
	depth := minDepth + int(math.Pow(shape.Float64(), 3)*(maxDepth-minDepth+1)) // most are shallow
	frames := make([]snapshot.FrameText, 0, depth)
	frames = append(frames, py(modelFile, int32(site), fmt.Sprintf("layer%d", site%distinctFrames)))
	for len(frames) < depth {
		n := (site/50*7 + len(frames)*3) % distinctFrames
		if n%3 == 0 {
			frames = append(frames, py(site2file(n), int32(n), fmt.Sprintf("call%d", n)))
		} else {
			frames = append(frames, cpp(fmt.Sprintf("at::native::kernel%d(at::Tensor const&, c10::Scalar const&)", n)))
		}
	}
	return l.Out.Stack(frames...)
}

func site2file(n int) string { return fmt.Sprintf("%snn/modules/module%d.py", site, n%40) }

// alloc makes a tensor and returns its address.
func (l *load) alloc(site int, bytes int64) uint64 {
	l.advance(4)
	l.Caller = l.stacks[site%len(l.stacks)]
	addr, err := l.gpu.Alloc(bytes, 0)
	raise(err)
	return addr
}

func (l *load) free(site int, addr uint64) {
	l.advance(2)
	l.Caller = l.stacks[site%len(l.stacks)]
	raise(l.gpu.Free(addr))
}

func (l *load) recorded() int { return l.Out.Len(0) }

// trainingShaped is a loop over steps of about 2,500 saved activations, most
// with a scratch tensor beside it, on top of live tensors that stay. No two steps are
// quite alike: sequence lengths vary, and some operators run only now and then.
func trainingShaped(l *load, events, live int) {
	const layers = 2_500
	for i := range max(0, live-layers) {
		l.alloc(i, int64(1+i%64)<<14)
	}
	widths := make([]int64, layers)
	for i := range widths {
		widths[i] = int64(1+l.rng.IntN(256)) << 6
	}
	for l.recorded() < events {
		l.step(widths, events)
	}
}

// step is a forward and a backward pass.
func (l *load) step(widths []int64, events int) {
	length := int64(32 + l.rng.IntN(64))
	saved := make([]uint64, 0, len(widths))
	for i, width := range widths {
		if l.rng.IntN(50) == 0 {
			continue // dropped out
		}
		saved = append(saved, l.alloc(7_000+i, width*length))
		if l.rng.IntN(10) == 0 {
			continue // in place
		}
		l.free(9_500+i, l.alloc(9_500+i, width*length/2+1))
	}
	for i := len(saved) - 1; i >= 0 && l.recorded() < events; i-- {
		l.free(12_000+i, saved[i])
	}
}

// adversarial is the shape that is hardest to draw: random lifetimes, with live
// tensors at any time.
func adversarial(l *load, events, live int) {
	tensors := make([]uint64, 0, live)
	for l.recorded() < events {
		addr := l.alloc(l.rng.IntN(distinctSites), int64(1+l.rng.IntN(4096))<<9)
		if len(tensors) < live {
			tensors = append(tensors, addr)
			continue
		}
		i := l.rng.IntN(live)
		l.free(l.rng.IntN(distinctSites), tensors[i])
		tensors[i] = addr
	}
}
