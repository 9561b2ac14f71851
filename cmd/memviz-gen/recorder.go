package main

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

const gib = 1 << 30

// startMicros is the time at which every recording begins: 2026-01-01 00:00 UTC.
const startMicros = 1767225600_000_000

// recorder is a process with a GPU, or several, in which Python runs.
type recorder struct {
	*testsnap.Recorder
	gpu      *testsnap.GPU // the current device
	settings allocator.Settings
	capacity int64 // bytes
	rng      *rand.Rand
	unnamed  bool // no profiler runs, so nothing is annotated
	noNative bool // stacks="python": no C++ frames

	python []snapshot.FrameText // the current call, outermost first
	frames []snapshot.FrameText // for stackOf
	thread []snapshot.FrameText // C++ frames outside that call, innermost first
	stream allocator.Stream     // the current one
}

func newRecorder(settings allocator.Settings, capacity int64, seed uint64) *recorder {
	r := &recorder{
		Recorder: testsnap.NewRecorder(snapshot.Format{
			HasTraces: true, HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
			HasCompileContext: true, HasUserMetadata: true,
		}),
		settings: settings,
		capacity: capacity,
		rng:      rand.New(rand.NewPCG(seed, 0x6d656d76697a)),
		thread:   mainThread,
	}
	r.Micros = startMicros
	r.gpu = r.addGPU()
	return r
}

// addGPU adds a device with the same properties to the process.
func (r *recorder) addGPU() *testsnap.GPU {
	return r.Add(r.settings, allocator.NewSimulatedDriver(r.capacity))
}

// advance moves the clock forward by micros and up to half as much again.
func (r *recorder) advance(micros int) {
	if micros > 0 {
		r.Micros += int64(micros + r.rng.IntN(micros/2+1))
	}
}

// stackOf returns the current call with C++ frames below it, innermost first.
func (r *recorder) stackOf(inner, native []snapshot.FrameText) snapshot.StackID {
	if r.noNative {
		inner, native = nil, nil
	}
	r.frames = append(append(r.frames[:0], inner...), native...)
	for _, frame := range slices.Backward(r.python) {
		if !r.noNative {
			r.frames = append(r.frames, evalFrame)
		}
		r.frames = append(r.frames, frame)
	}
	if !r.noNative {
		r.frames = append(r.frames, r.thread...)
	}
	return r.Out.Stack(r.frames...)
}

// annotated runs body inside a record_function range.
func (r *recorder) annotated(name string, body func()) {
	if r.Paused || r.unnamed {
		body()
		return
	}
	r.Out.Annotation(name, true, r.Micros)
	body()
	r.Micros++
	r.Out.Annotation(name, false, r.Micros)
}

// snapshot ends the recording, with PYTORCH_CUDA_ALLOC_CONF as it was set.
func (r *recorder) snapshot(conf string) *snapshot.Snapshot {
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
		r.Out.Setting(s.Key, s.Value)
	}
	return r.Recorder.Snapshot()
}
