package main

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// startMicros is when every story begins: 2026-01-01 00:00 UTC.
const startMicros = 1767225600_000_000

// recorder is one GPU whose allocator is recorded the way
// torch.cuda.memory._record_memory_history() does.
type recorder struct {
	gpu      *allocator.Allocator
	settings allocator.Settings
	capacity int64 // bytes
	out      *snapshot.Composer
	rng      *rand.Rand
	rank     int   // of the process, in a job
	clock    int64 // microseconds since 1970
	paused   bool  // what happens goes unrecorded
	unnamed  bool  // no profiler runs, so there are no annotations
	noNative bool  // stacks="python": no C++ frames

	python []snapshot.FrameText // the call under way, outermost first
	thread []snapshot.FrameText // C++ frames that the thread ran before that call, innermost first
	stack  snapshot.StackID     // of the allocator call under way
	stream allocator.Stream     // the current one

	blocks   map[uint64]snapshot.StackID // live blocks: who allocated them
	segments map[uint64]snapshot.StackID // who made the driver give them
}

// tensor is an allocation that a story holds.
type tensor struct {
	addr  uint64
	bytes int64
}

func newRecorder(settings allocator.Settings, capacity int64, seed uint64) *recorder {
	r := &recorder{
		gpu:      allocator.New(settings, allocator.NewSimulatedDriver(capacity)),
		settings: settings,
		capacity: capacity,
		out: snapshot.NewComposer(snapshot.Format{
			HasTraces: true, HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
			HasCompileContext: true, HasUserMetadata: true,
		}),
		rng:      rand.New(rand.NewPCG(seed, 0x6d656d76697a)),
		clock:    startMicros,
		blocks:   map[uint64]snapshot.StackID{},
		segments: map[uint64]snapshot.StackID{},
	}
	r.out.Trace(0)
	r.gpu.Emit = r.record
	return r
}

func (r *recorder) record(e allocator.Event) {
	if r.paused {
		delete(r.blocks, e.Addr) // who had the address before is not who has it now
		return
	}
	addr := e.Addr
	switch e.Action {
	case snapshot.OOM:
		addr = uint64(e.DeviceFree)
	case snapshot.Alloc:
		r.blocks[e.Addr] = r.stack
	case snapshot.FreeCompleted:
		delete(r.blocks, e.Addr)
	case snapshot.SegmentAlloc, snapshot.SegmentMap:
		r.segments[e.Addr] = r.stack
	}
	r.out.Event(0, snapshot.EventText{
		Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream), Stack: r.stack, TimeMicros: r.clock,
	})
}

// pass lets time go by: the launch of a kernel, and now and then more.
func (r *recorder) pass(micros int) { r.clock += int64(micros + r.rng.IntN(micros/2+1)) }

// alloc makes a tensor, called from the given C++ frames inside the Python call
// under way.
func (r *recorder) alloc(bytes int64, native []snapshot.FrameText) (tensor, error) {
	r.pass(12)
	r.stack = r.stackOf(mallocFrames, native)
	addr, err := r.gpu.Alloc(bytes, r.stream)
	return tensor{addr, bytes}, err
}

// free drops a tensor.
func (r *recorder) free(t tensor, native []snapshot.FrameText) error {
	r.pass(3)
	r.stack = r.stackOf(freeFrames, native)
	return r.gpu.Free(t.addr)
}

// emptyCache is torch.cuda.empty_cache().
func (r *recorder) emptyCache() error {
	return r.in(func() error {
		r.stack = r.stackOf(gatherFrames, native("THCPModule_emptyCache(_object*, _object*)"))
		r.gpu.EmptyCache()
		return nil
	}, py(site+"cuda/memory.py", 224, "empty_cache"))
}

// stackOf is the call under way with C++ frames below it, innermost first.
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
	return r.out.Stack(append(append(frames, r.thread...), mainFrames...)...)
}

// in runs body inside a Python call.
func (r *recorder) in(body func() error, calls ...snapshot.FrameText) error {
	depth := len(r.python)
	r.python = append(r.python, calls...)
	defer func() { r.python = r.python[:depth] }()
	return body()
}

// onEngine runs body on the autograd engine's thread, which has no Python.
func (r *recorder) onEngine(body func() error) error {
	python := r.python
	r.python = nil
	defer func() { r.python = python }()
	return body()
}

// onStream runs body with another current stream.
func (r *recorder) onStream(stream allocator.Stream, body func() error) error {
	before := r.stream
	r.stream = stream
	defer func() { r.stream = before }()
	return body()
}

// annotated runs body inside a record_function range.
func (r *recorder) annotated(name string, body func() error) error {
	if r.paused || r.unnamed {
		return body()
	}
	r.out.Annotation(name, true, r.clock)
	err := body()
	r.clock++
	r.out.Annotation(name, false, r.clock)
	return err
}

// snapshot is what torch.cuda.memory._dump_snapshot() would write now.
func (r *recorder) snapshot(conf string) *snapshot.Snapshot {
	for _, seg := range r.gpu.Segments() {
		blocks := make([]snapshot.Block, len(seg.Blocks))
		for i, b := range seg.Blocks {
			blocks[i] = snapshot.Block{Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize, State: b.State}
			if b.State.Live() {
				blocks[i].Stack = r.blocks[b.Address]
			}
		}
		r.out.Segment(snapshot.Segment{
			Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass, Expandable: seg.Expandable,
			Stream: r.out.Stream(uint64(seg.Stream)), Pool: r.out.Pool(seg.Pool), Stack: r.segments[seg.Address],
		}, blocks...)
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
