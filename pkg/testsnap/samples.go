package testsnap

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Training is a small recording that adds up: two parameters from before it, a
// forward and a backward pass, an optimizer step, one segment that grows and a
// tensor whose free waits for another stream.
func Training() *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true, HasAnnotations: true,
		HasUserMetadata: true})
	const base, other = 0x7f5e20000000, 0x55d1c0
	forward := c.Stack(
		snapshot.FrameText{File: "??", Name: "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)"},
		snapshot.FrameText{File: "/lib/python3.12/site-packages/torch/nn/modules/linear.py", Line: 125,
			Name: "forward"},
		snapshot.FrameText{File: "/home/user/model.py", Line: 39, Name: "forward"},
		snapshot.FrameText{File: "/home/user/train.py", Line: 12, Name: "main"},
	)
	backward := c.Stack(
		snapshot.FrameText{File: "??", Name: "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)"},
		snapshot.FrameText{File: "??",
			Name: "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)"},
	)
	step := c.Stack(
		snapshot.FrameText{File: "/lib/python3.12/site-packages/torch/optim/adam.py", Line: 147, Name: "_init_group"},
		snapshot.FrameText{File: "/lib/python3.12/site-packages/torch/optim/optimizer.py", Line: 493, Name: "wrapper"},
		snapshot.FrameText{File: "/home/user/train.py", Line: 15, Name: "main"},
	)
	now := int64(1_700_000_000_000_000)
	event := func(e snapshot.EventText) {
		now += 250
		e.TimeMicros = now
		c.Event(0, e)
	}
	alloc := func(addr uint64, size int64, stack snapshot.StackID, context string) {
		event(snapshot.EventText{Action: snapshot.Alloc, Addr: addr, Size: size, Stack: stack, Context: context})
	}
	free := func(addr uint64, size int64, stack snapshot.StackID) {
		event(snapshot.EventText{Action: snapshot.FreeRequested, Addr: addr, Size: size, Stack: stack})
		event(snapshot.EventText{Action: snapshot.FreeCompleted, Addr: addr, Size: size, Stack: stack})
	}
	const MiB = units.MiB
	event(snapshot.EventText{Action: snapshot.SnapshotTaken, Size: 3 * MiB})
	alloc(base+4*MiB, 6*MiB, forward, "N/A")
	event(snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: base + 64*MiB, Size: 20 * MiB})
	alloc(base+64*MiB, 10*MiB, forward, "0/0 [compiled <forward>]")
	alloc(base+74*MiB, 2*MiB, backward, "N/A")
	free(base+64*MiB, 10*MiB, backward)
	alloc(base+76*MiB, 1*MiB, backward, "N/A")
	event(snapshot.EventText{Action: snapshot.FreeRequested, Addr: base + 4*MiB, Size: 6 * MiB, Stack: backward})
	alloc(base+64*MiB, 2*MiB, step, "N/A")
	event(snapshot.EventText{Action: snapshot.FreeCompleted, Addr: base + 4*MiB, Size: 6 * MiB, Stack: backward})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: base + 66*MiB, Size: 1 * MiB, Stack: step, Stream: other,
		Metadata: "step 1"})
	event(snapshot.EventText{Action: snapshot.OOM, Addr: 512 * MiB, Size: 2 * units.GiB, Stack: forward})

	block := func(addr uint64, size int64, stack snapshot.StackID) snapshot.Block {
		return snapshot.Block{Address: addr, Size: size, RequestedSize: size, Stack: stack,
			State: snapshot.ActiveAllocated}
	}
	gap := func(addr uint64, size int64) snapshot.Block { return snapshot.Block{Address: addr, Size: size} }
	c.Segment(snapshot.Segment{Address: base, TotalSize: 20 * MiB, SizeClass: snapshot.SizeClassLarge},
		block(base, 2*MiB, 0), block(base+2*MiB, 1*MiB, 0), gap(base+3*MiB, 17*MiB))
	c.Segment(snapshot.Segment{Address: base + 64*MiB, TotalSize: 20 * MiB, SizeClass: snapshot.SizeClassLarge},
		block(base+64*MiB, 2*MiB, step), block(base+66*MiB, 1*MiB, step), gap(base+67*MiB, 7*MiB),
		block(base+74*MiB, 2*MiB, backward), block(base+76*MiB, 1*MiB, backward), gap(base+77*MiB, 7*MiB))
	return c.Snapshot()
}

// HostileTexts are texts that try to break out of the HTML, JavaScript or template that they
// are put into.
var HostileTexts = []string{
	"</script><img src=x onerror=alert(1)>",
	"__f__alert(1)__f__",
	"<!--<script>",
	"]]>\u2028\u2029'\"`${alert(1)}",
	"\xff\xfe\x00 invalid",
	"javascript:alert(1)",
	`{{.Viewer}}`,
}

// Hostile is a recording with only hostile texts, two devices and extreme numbers,
// in which nothing adds up.
func Hostile() *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasUserMetadata: true})
	for i, text := range HostileTexts {
		stack := c.Stack(snapshot.FrameText{File: text, Line: math.MaxInt32, Name: text},
			snapshot.FrameText{File: "a.py", Line: -7, Name: text})
		c.Event(0, snapshot.EventText{
			Action: snapshot.Alloc, Addr: math.MaxUint64 - uint64(i), Size: 1 << 41, Stack: stack,
			Stream: math.MaxUint64 - uint64(i), TimeMicros: math.MinInt64 >> i, Context: text, Metadata: text,
		})
		c.Event(1, snapshot.EventText{Action: snapshot.Action(i % 256), Addr: uint64(i), Size: -1, Stack: stack,
			TimeMicros: math.MaxInt64})
	}
	c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 1, Size: math.MaxInt64})
	c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: math.MaxUint64, Size: math.MaxInt64})
	c.Event(0, snapshot.EventText{Action: snapshot.SegmentUnmap, Addr: 1, Size: 1 << 41})
	c.Event(0, snapshot.EventText{Action: snapshot.FreeRequested, Addr: 77, Size: 3})
	c.Segment(snapshot.Segment{Device: 2, Address: 9, TotalSize: math.MinInt64},
		snapshot.Block{Address: 9, Size: 5, RequestedSize: math.MaxInt64, State: snapshot.ActivePendingFree})
	s := c.Snapshot()
	s.Oddity.WrongTypes = map[string]int{HostileTexts[0]: 3}
	s.Oddity.UnknownActions = map[string]int{HostileTexts[2]: 1}
	return s
}

// StateOnly has segments and no events.
func StateOnly() *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	c.Trace(0)
	c.Segment(snapshot.Segment{Address: 1 << 20, TotalSize: 4 << 20},
		snapshot.Block{Address: 1 << 20, Size: 1 << 20, RequestedSize: 1 << 20, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: 2 << 20, Size: 3 << 20})
	return c.Snapshot()
}

// OneEvent is a recording with enabled="state": segments and one event.
func OneEvent() *snapshot.Snapshot {
	s := StateOnly()
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	c.Event(0, snapshot.EventText{Action: snapshot.FreeCompleted, Addr: 4 << 20, Size: 512})
	s.Traces = c.Snapshot().Traces
	return s
}

// Cut begins in the middle of a free, as a full ring buffer leaves it, and
// holds no stacks.
func Cut() *snapshot.Snapshot {
	s := StateOnly()
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	c.Event(0, snapshot.EventText{Action: snapshot.FreeCompleted, Addr: 4 << 20, Size: 512})
	c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 2 << 20, Size: 1 << 20})
	c.Event(0, snapshot.EventText{Action: snapshot.FreeRequested, Addr: 2 << 20, Size: 1 << 20})
	c.Event(0, snapshot.EventText{Action: snapshot.FreeCompleted, Addr: 2 << 20, Size: 1 << 20})
	s.Traces = c.Snapshot().Traces
	return s
}

// Incompressible has many tensors, each freed at once, at random addresses and with random
// sizes, so that a report of it compresses badly.
func Incompressible(tensors int) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true})
	random := rand.New(rand.NewPCG(1, 1))
	stack := c.Stack(snapshot.FrameText{Name: "at::empty"}, snapshot.FrameText{File: "train.py", Line: 3, Name: "step"})
	now := int64(1_700_000_000_000_000)
	for range tensors {
		addr, size := random.Uint64N(1<<40)<<9, 512*(1+random.Int64N(4000))
		for _, action := range []snapshot.Action{snapshot.Alloc, snapshot.FreeRequested, snapshot.FreeCompleted} {
			now += 100 + random.Int64N(5000)
			c.Event(0, snapshot.EventText{Action: action, Addr: addr, Size: size, Stack: stack, TimeMicros: now})
		}
	}
	return c.Snapshot()
}

// HostMemory is a recording with record_cuda=False: pinned host memory only. It adds up.
// One block waits for a GPU, one is cached, and one was too large to be cached.
func HostMemory() *snapshot.Snapshot {
	c := newerComposer()
	addHostMemory(c)
	return hostMemory(c)
}

// Annotated is a GPU with annotated tensors, and the host memory of [HostMemory]. One text is
// long, one has markup and control characters, one is a dict, and one tensor has many.
func Annotated() *snapshot.Snapshot {
	c := newerComposer()
	const base, size = 0x7f0000000000, 2 * units.MiB
	stack := c.Stack(snapshot.FrameText{File: "/home/user/model.py", Line: 39, Name: "forward"})
	now := int64(1_790_000_000_000_000)
	event := func(action snapshot.Action, i uint64, size int64, text string) {
		now += 50
		c.Event(0, snapshot.EventText{Action: action, Addr: base + 4*units.MiB*i, Size: size, Stack: stack, TimeMicros: now,
			Metadata: text})
	}
	many := make([]string, 50)
	for i := range many {
		many[i] = "annotation number " + strconv.Itoa(i)
	}
	texts := [][]string{{"weights"}, {"<b onclick=alert(1)>bold</b> \u202e\x1b[31mred"}, {strings.Repeat("long ", 800)},
		{`{"expert":7,"layer":3}`}, many, nil}
	event(snapshot.SegmentAlloc, 0, 20*units.MiB, "")
	event(snapshot.SegmentAlloc, 5, 20*units.MiB, "")
	for i, annotations := range texts {
		event(snapshot.Alloc, uint64(i), size, "")
		for _, text := range annotations {
			event(snapshot.Annotate, uint64(i), 0, text)
		}
	}
	blocks := make([][]snapshot.Block, 2)
	for i := range uint64(len(texts)) {
		addr := base + 4*units.MiB*i
		blocks[i/5] = append(blocks[i/5],
			snapshot.Block{Address: addr, Size: size, RequestedSize: size, Stack: stack, State: snapshot.ActiveAllocated},
			snapshot.Block{Address: addr + size, Size: size})
	}
	blocks[1][1].Size = 18 * units.MiB
	for _, list := range blocks {
		c.Segment(snapshot.Segment{Address: list[0].Address, TotalSize: 20 * units.MiB, SizeClass: snapshot.SizeClassLarge,
			Stack: stack}, list...)
	}
	addHostMemory(c)
	return hostMemory(c)
}

// newerComposer composes a snapshot of torch 2.14.
func newerComposer() *snapshot.Composer {
	return snapshot.NewComposer(snapshot.Format{HasTraces: true, HasTime: true, HasPoolID: true, HasSettings: true,
		HasUserMetadata: true, HasEventPool: true, HasHost: true})
}

// hostMemory returns the snapshot as if read from a file in which a free was late.
func hostMemory(c *snapshot.Composer) *snapshot.Snapshot {
	c.Setting("max_cached_size", "134217728")
	s := c.Snapshot()
	s.Traces[len(s.Traces)-1].LateEvents = 1
	return s
}

func addHostMemory(c *snapshot.Composer) {
	const base = 0x7f1200000000
	stack := c.Stack(snapshot.FrameText{File: "/home/user/offload.py", Line: 21, Name: "offload"})
	now := int64(1_790_000_000_000_000)
	event := func(action snapshot.Action, addr uint64, size int64) {
		now += 50
		e := snapshot.EventText{Action: action, Addr: addr, Size: size, TimeMicros: now}
		if action == snapshot.Alloc || action == snapshot.FreeRequested {
			e.Stack = stack
		}
		c.Event(snapshot.Pinned, e)
	}
	block := func(addr uint64, size int64, state snapshot.BlockState) {
		c.Segment(snapshot.Segment{Device: snapshot.Pinned, Address: addr, TotalSize: size,
			SizeClass: snapshot.SizeClassSmall}, snapshot.Block{Address: addr, Size: size, RequestedSize: size,
			State: state})
	}
	const MiB = units.MiB
	event(snapshot.SegmentAlloc, base, 64)
	event(snapshot.Alloc, base, 64)
	event(snapshot.FreeRequested, base, 64)
	for _, addr := range []uint64{base + 4*MiB, base + 8*MiB} {
		event(snapshot.SegmentAlloc, addr, 4*MiB)
		event(snapshot.Alloc, addr, 4*MiB)
	}
	event(snapshot.FreeCompleted, base, 64)
	event(snapshot.FreeRequested, base+4*MiB, 4*MiB)
	event(snapshot.SegmentAlloc, base+64*MiB, 256*MiB)
	event(snapshot.Alloc, base+64*MiB, 256*MiB)
	event(snapshot.FreeRequested, base+64*MiB, 256*MiB)
	event(snapshot.FreeCompleted, base+64*MiB, 256*MiB)
	event(snapshot.SegmentFree, base+64*MiB, 256*MiB)
	block(base, 64, snapshot.Inactive)
	block(base+4*MiB, 4*MiB, snapshot.ActivePendingFree)
	block(base+8*MiB, 4*MiB, snapshot.ActiveAllocated)
}
