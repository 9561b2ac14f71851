package measures

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Frames of a training, outermost first in stacks.
var (
	mainFrame = snapshot.FrameText{File: "train.py", Line: 9, Name: "main"}
	layer     = snapshot.FrameText{File: "/v/site-packages/torch/nn/modules/linear.py", Line: 1, Name: "forward"}
	moduleOf  = snapshot.FrameText{File: "/v/site-packages/torch/nn/modules/module.py", Line: 1, Name: "_call_impl"}
	adamStep  = snapshot.FrameText{File: "/v/site-packages/torch/optim/adam.py", Line: 1, Name: "step"}
	foreach   = snapshot.FrameText{File: "/v/site-packages/torch/optim/adam.py", Line: 2, Name: "_multi_tensor_adam"}
	adamInit  = snapshot.FrameText{File: "/v/site-packages/torch/optim/adam.py", Line: 3, Name: "_init_group"}
	move      = snapshot.FrameText{File: "/v/site-packages/torch/nn/modules/module.py", Line: 3, Name: "_apply"}
	engine    = snapshot.FrameText{File: "??", Name: "torch::autograd::Engine::thread_main()"}
	node      = snapshot.FrameText{File: "??", Name: "torch::autograd::generated::MmBackward0::apply()"}
	release   = snapshot.FrameText{File: "??", Name: "torch::autograd::generated::MmBackward0::release_variables()"}
	softmax   = snapshot.FrameText{File: "??", Name: "at::_ops::_log_softmax::call(at::Tensor const&)"}
)

// fuzzedStacks are what the calls of a program can be made by, outermost frame first.
var fuzzedStacks = [][]snapshot.FrameText{
	{mainFrame, move}, {mainFrame, moduleOf, layer},
	{mainFrame, moduleOf, {File: "model.py", Line: 5, Name: "forward"}},
	{mainFrame, moduleOf, {File: "model.py", Line: 6, Name: "forward"}, moduleOf, layer}, {mainFrame, softmax},
	{engine, node}, {engine, release}, {mainFrame, adamStep, foreach}, {mainFrame, adamStep, adamInit}, {mainFrame},
}

// FuzzMeasures records random calls in the disguise of a training and tries every measure,
// and some together: each request is freed once at most, and the same answer comes twice.
func FuzzMeasures(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), []byte{1, 2, 3, 2, 3, 2, 3, 2, 3, 5, 6, 5, 6, 8, 7, 7, 8})
	f.Add(uint64(3), []byte{0, 0, 3, 3, 3, 2, 3, 3, 3, 2, 4, 5, 6, 5, 6, 5, 6, 8, 8, 7, 7, 9})
	f.Fuzz(func(t *testing.T, seed uint64, program []byte) {
		s := fuzzedTraining(seed, program[:min(len(program), 300)])
		run := func() *whatif.Run {
			return whatif.New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0)))
		}
		limit := whatif.Limit{Bytes: int64(seed%5) << 20, From: whatif.LimitGiven}
		first, again := Find(run(), limit), Find(run(), limit)
		if !reflect.DeepEqual(first, again) {
			t.Fatalf("%+v, then %+v", first, again)
		}
		x := newMeasurer(run(), limit, 2+int(seed%9))
		if x == nil {
			return
		}
		random := rand.New(rand.NewPCG(seed, 9))
		for i := range 2 * measureCount {
			measures := []Measure{Measure(i % measureCount)}
			if i >= measureCount {
				measures = sorted(append(measures, Measure(random.IntN(measureCount))))
			}
			if p := x.edited(measures); p != nil {
				checkLifetimes(t, measures[0], p)
			}
			if o := x.outcome(measures...); o != nil && (o.Active < 0 || o.ActiveLeast > o.Active || o.Failed < 0) {
				t.Fatalf("%v: %+v", measures, o)
			}
		}
	})
}

// fuzzedTraining is the recording of calls whose stacks the program says, a byte each; what
// they ask for and free is random.
func fuzzedTraining(seed uint64, program []byte) *snapshot.Snapshot {
	random := rand.New(rand.NewPCG(seed, 7))
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true})
	c.Trace(0)
	a := allocator.New(allocator.Settings{}, allocator.NewSimulatedDriver(64<<20))
	var stack snapshot.StackID
	a.Emit = func(e allocator.Event) {
		addr := e.Addr
		if e.Action == snapshot.OOM {
			addr = uint64(e.DeviceFree)
		}
		c.Event(0, snapshot.EventText{Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream),
			Stack: stack})
	}
	sizes := []int64{4, 600, 20 << 10, 20 << 10, 300 << 10, 600 << 10, 2 << 20}
	var live []uint64
	for _, b := range program {
		frames := fuzzedStacks[int(b)%len(fuzzedStacks)]
		innermost := make([]snapshot.FrameText, len(frames))
		for i, frame := range frames {
			innermost[len(frames)-1-i] = frame
		}
		stack = c.Stack(innermost...)
		for range 1 + random.IntN(3) {
			if at := random.IntN(2*len(live) + 1); at < len(live) || b >= 200 && len(live) > 0 {
				at %= len(live)
				if random.IntN(8) == 0 {
					_ = a.RecordStream(live[at], 512)
				}
				_ = a.Free(live[at])
				live = append(live[:at], live[at+1:]...)
			} else if addr, err := a.Alloc(sizes[random.IntN(len(sizes))], 0); err == nil {
				live = append(live, addr)
			}
		}
	}
	for _, seg := range a.Segments() {
		var blocks []snapshot.Block
		for _, x := range seg.Blocks {
			blocks = append(blocks, snapshot.Block{Address: x.Address, Size: x.Size, RequestedSize: x.RequestedSize,
				State: x.State})
		}
		c.Segment(snapshot.Segment{Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass,
			Stream: c.Stream(uint64(seg.Stream))}, blocks...)
	}
	return c.Snapshot()
}
