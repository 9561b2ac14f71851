package main

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

const gib = 1 << 30

// startMicros is when every recording begins: 2026-01-01 00:00 UTC.
const startMicros = 1767225600_000_000

// recorder is a process with a GPU, or several, whose allocators are recorded the way
// torch.cuda.memory._record_memory_history() does.
type recorder struct {
	gpus     []*gpu
	gpu      *gpu // the current device
	settings allocator.Settings
	capacity int64 // bytes
	out      *snapshot.Composer
	rng      *rand.Rand
	clock    int64 // microseconds since 1970
	paused   bool  // nothing is recorded
	unnamed  bool  // no profiler runs, so there are no annotations
	noNative bool  // stacks="python": no C++ frames

	python []snapshot.FrameText // the current call, outermost first
	thread []snapshot.FrameText // C++ frames outside that call, innermost first
	stack  snapshot.StackID     // of the current call of the allocator
	stream allocator.Stream     // the current one
	freed  bool                 // a segment was given back and recorded
}

// gpu is a device of a process with its allocator.
type gpu struct {
	*allocator.Allocator
	id       snapshot.DeviceID
	blocks   map[uint64]snapshot.StackID // live blocks: who allocated them
	segments map[uint64]snapshot.StackID // who made the driver give them
}

func newRecorder(settings allocator.Settings, capacity int64, seed uint64) *recorder {
	r := &recorder{
		settings: settings,
		capacity: capacity,
		out: snapshot.NewComposer(snapshot.Format{
			HasTraces: true, HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
			HasCompileContext: true, HasUserMetadata: true,
		}),
		rng:    rand.New(rand.NewPCG(seed, 0x6d656d76697a)),
		clock:  startMicros,
		thread: mainThread,
	}
	r.gpu = r.addGPU()
	return r
}

// addGPU gives the process a further device like those that it has.
func (r *recorder) addGPU() *gpu {
	g := &gpu{
		Allocator: allocator.New(r.settings, allocator.NewSimulatedDriver(r.capacity)),
		id:        snapshot.DeviceID(len(r.gpus)),
		blocks:    map[uint64]snapshot.StackID{},
		segments:  map[uint64]snapshot.StackID{},
	}
	g.Emit = func(e allocator.Event) { r.record(g, e) }
	r.out.Trace(g.id)
	r.gpus = append(r.gpus, g)
	return g
}

func (r *recorder) record(g *gpu, e allocator.Event) {
	if r.paused {
		delete(g.blocks, e.Addr) // who had the address before is not who has it now
		return
	}
	addr := e.Addr
	switch e.Action {
	case snapshot.OOM:
		addr = uint64(e.DeviceFree)
	case snapshot.Alloc:
		g.blocks[e.Addr] = r.stack
	case snapshot.FreeCompleted:
		delete(g.blocks, e.Addr)
	case snapshot.SegmentFree, snapshot.SegmentUnmap:
		r.freed = true
	case snapshot.SegmentAlloc, snapshot.SegmentMap:
		g.segments[e.Addr] = r.stack
	}
	r.out.Event(g.id, snapshot.EventText{
		Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream), Stack: r.stack, TimeMicros: r.clock,
	})
}

// pass lets time go by: about so many microseconds, at least those.
func (r *recorder) pass(micros int) {
	if micros > 0 {
		r.clock += int64(micros + r.rng.IntN(micros/2+1))
	}
}

// stackOf is the current call with C++ frames below it, innermost first.
func (r *recorder) stackOf(inner, native []snapshot.FrameText) snapshot.StackID {
	if r.noNative {
		frames := slices.Clone(r.python)
		slices.Reverse(frames)
		return r.out.Stack(frames...)
	}
	frames := slices.Concat(inner, native)
	for i := len(r.python) - 1; i >= 0; i-- {
		frames = append(frames, evalFrame, r.python[i])
	}
	return r.out.Stack(append(frames, r.thread...)...)
}

// annotated runs body inside a record_function range.
func (r *recorder) annotated(name string, body func()) {
	if r.paused || r.unnamed {
		body()
		return
	}
	r.out.Annotation(name, true, r.clock)
	body()
	r.clock++
	r.out.Annotation(name, false, r.clock)
}

// snapshot is what torch.cuda.memory._dump_snapshot() would write now, with
// PYTORCH_CUDA_ALLOC_CONF as it was set.
func (r *recorder) snapshot(conf string) *snapshot.Snapshot {
	for _, g := range r.gpus {
		for _, seg := range g.Segments() {
			blocks := make([]snapshot.Block, len(seg.Blocks))
			for i, b := range seg.Blocks {
				blocks[i] = snapshot.Block{
					Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize, State: b.State,
				}
				if b.State.Live() {
					blocks[i].Stack = g.blocks[b.Address]
				}
			}
			r.out.Segment(snapshot.Segment{
				Address: seg.Address, TotalSize: seg.TotalSize, Device: g.id, SizeClass: seg.SizeClass,
				Expandable: seg.Expandable, Stream: r.out.Stream(uint64(seg.Stream)), Pool: r.out.Pool(seg.Pool),
				Stack: g.segments[seg.Address],
			}, blocks...)
		}
	}
	maxSplit, threshold := "-1", "0.0"
	if n := r.settings.MaxSplitSize; n > 0 {
		maxSplit = strconv.FormatInt(n, 10)
	}
	if x := r.settings.GCThreshold; x > 0 {
		threshold = strconv.FormatFloat(x, 'g', -1, 64)
	}
	for _, s := range []snapshot.Setting{
		{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: conf}, {Key: "max_split_size", Value: maxSplit},
		{Key: "garbage_collection_threshold", Value: threshold},
		{Key: "expandable_segments", Value: strconv.FormatBool(r.settings.Expandable)},
		{Key: "pinned_num_register_threads", Value: "1"}, {Key: "release_lock_on_cudamalloc", Value: "false"},
		{Key: "pinned_use_cuda_host_register", Value: "false"},
		{Key: "graph_capture_record_stream_reuse", Value: "false"},
	} {
		r.out.Setting(s.Key, s.Value)
	}
	return r.out.Snapshot()
}
