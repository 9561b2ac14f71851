package steps_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

func TestSteps(t *testing.T) {
	tests := []struct {
		name   string
		tape   *testsnap.Tape
		record func(t *testsnap.Tape, boundary func())
		want   steps.Method
	}{
		{"nothing", testsnap.NewTape(), func(*testsnap.Tape, func()) {}, steps.None},
		{"one forward pass", testsnap.NewTape(), func(t *testsnap.Tape, _ func()) {
			for _, stack := range []string{testsnap.Embedding, testsnap.Outer, testsnap.Inner, testsnap.Head} {
				t.Run(1, stack)
			}
		}, steps.None},
		{"annotated optimizer", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Run(4, testsnap.Module)
				t.Run(4, testsnap.Engine)
				t.Annotated("Optimizer.step#AdamW.step", func() { t.Run(4, testsnap.Step) })
				boundary()
			}
			t.Run(1, testsnap.Loop)
		}, steps.ByAnnotation},
		{"annotated optimizer without events of its own", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Run(4, testsnap.Module)
				t.Run(4, testsnap.Engine)
				t.Annotated("Optimizer.step#SGD.step", func() {})
				boundary()
			}
			t.Run(1, testsnap.Loop)
		}, steps.ByAnnotation},
		{"two optimizers one after the other are one step", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Run(4, testsnap.Module)
				t.Run(4, testsnap.Engine)
				t.Annotated("Optimizer.step#AdamW.step", func() { t.Run(4, testsnap.Step) })
				t.Annotated("Optimizer.step#SGD.step", func() { t.Run(4, testsnap.Step) })
				boundary()
			}
		}, steps.ByAnnotation},
		{"the profiler's steps", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			t.Run(2, testsnap.Loop) // belongs to the first step
			for range 3 {
				t.Annotated("ProfilerStep#7", func() { t.Run(5, testsnap.Loop) })
				boundary()
			}
		}, steps.ByAnnotation},
		{"gradients that are dropped right after the optimizer belong to its step", testsnap.TimedTape(),
			func(t *testsnap.Tape, boundary func()) {
				for range 3 {
					t.Run(4, testsnap.Module)
					gradient := t.Alloc(testsnap.Engine, 8)
					t.Annotated("Optimizer.step#AdamW.step", func() { t.Run(4, testsnap.Step) })
					t.Run(1, testsnap.ClipGrad)
					t.Free(gradient, testsnap.ZeroGrad)
					boundary()
				}
			}, steps.ByAnnotation},
		{"what the optimizer frees after the end of its range belongs to its step", testsnap.TimedTape(),
			func(t *testsnap.Tape, boundary func()) {
				for range 3 {
					t.Run(4, testsnap.Module)
					var x testsnap.Tensor
					t.Annotated("Optimizer.step#AdamW.step", func() { x = t.Alloc(testsnap.Step, 8) })
					t.Emit(snapshot.FreeRequested, x, testsnap.Step)
					t.Emit(snapshot.FreeCompleted, x, testsnap.Step)
					boundary()
					t.Run(1, testsnap.Loop)
				}
			}, steps.ByAnnotation},
		{"a step does not leave its range", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for i := range 3 {
				t.Annotated(fmt.Sprintf("ProfilerStep#%d", i), func() {
					t.Run(1, testsnap.ZeroGrad)
					t.Train()
					t.Annotated("Optimizer.step#AdamW.step", func() { t.Run(4, testsnap.Step) })
				})
				boundary()
			}
		}, steps.ByAnnotation},
		{"two optimizers take turns", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				for _, name := range []string{"Adam", "SGD"} {
					t.Run(4, testsnap.Module)
					t.Run(4, testsnap.Engine)
					t.Annotated("Optimizer.step#"+name+".step", func() { t.Run(4, testsnap.Step) })
				}
				boundary()
			}
		}, steps.ByAnnotation},
		{"two optimizers of one class take turns, at two lines", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			const above = "torch/optim/adam.py|step\ntorch/optim/optimizer.py|wrapper\n"
			for range 3 {
				for range 2 {
					t.Run(4, testsnap.Module)
					t.Run(4, testsnap.Engine)
					t.Run(4, above+"gan.py|improve_critic\n"+testsnap.Loop)
				}
				t.Run(4, testsnap.Module)
				t.Run(4, testsnap.Engine)
				t.Run(4, above+"gan.py|improve_generator\n"+testsnap.Loop)
				boundary()
			}
		}, steps.ByOptimizer},
		{"steps that the gradient scaler leaves out", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			const scaler = "torch/amp/grad_scaler.py|"
			for i := range 5 {
				t.Run(4, testsnap.Module)
				t.Run(1, scaler+"scale\n"+testsnap.Loop)
				t.Run(4, testsnap.Engine)
				inf := t.Alloc(scaler+"unscale_\n"+scaler+"step\n"+testsnap.Loop, 4)
				t.Run(1, testsnap.ClipGrad)
				if i != 0 && i != 3 {
					t.Annotated("Optimizer.step#Adam.step", func() { t.Run(4, testsnap.Step) })
				}
				t.Free(inf, scaler+"update\n"+testsnap.Loop)
				boundary()
				t.Run(1, testsnap.Loop)
			}
		}, steps.ByAnnotation},
		{"ranges that the script numbered", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			t.Run(3, testsnap.Loop) // belongs to the first step
			for i := range 3 {
				t.Annotated(fmt.Sprintf("step %d", 9+i), func() {
					t.Run(4, testsnap.Module)
					t.Annotated("step 0", func() { t.Run(1, testsnap.Loop) }) // inside of it
				})
				if i < 2 {
					boundary()
				}
			}
			boundary()
			t.Run(1, testsnap.Loop)
		}, steps.ByAnnotation},
		{"the steps, not the batches in them", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for i := range 2 {
				t.Annotated(fmt.Sprintf("train_step_%d", i), func() {
					for j := range 3 {
						t.Annotated(fmt.Sprintf("batch %d/3", j), func() { t.Run(2, testsnap.Module) })
					}
				})
				boundary()
			}
		}, steps.ByAnnotation},
		{"the steps of two epochs", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for epoch := range 2 {
				for i := range 3 {
					t.Annotated(fmt.Sprintf("epoch %d, iter %d", epoch, i), func() { t.Run(2, testsnap.Module) })
					boundary()
				}
			}
		}, steps.ByAnnotation},
		{"numbered layers are no steps", testsnap.TimedTape(), func(t *testsnap.Tape, _ func()) {
			for i := range 12 {
				t.Annotated(fmt.Sprintf("layer %d", i), func() { t.Run(1, fmt.Sprintf("layer%d.py|forward", i)) })
			}
		}, steps.None},
		{"a number that is missing", testsnap.TimedTape(), func(t *testsnap.Tape, _ func()) {
			for _, i := range []int{0, 10, 20} {
				t.Annotated(fmt.Sprintf("step %d", i), func() { t.Run(1, fmt.Sprintf("layer%d.py|forward", i)) })
			}
		}, steps.None},
		{"the optimizer comes before the script", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for i := range 3 {
				t.Annotated(fmt.Sprintf("step %d", i), func() {
					t.Run(4, testsnap.Module)
					t.Annotated("Optimizer.step#AdamW.step", func() { t.Run(4, testsnap.Step) })
					boundary()
					t.Run(1, testsnap.Loop)
				})
			}
		}, steps.ByAnnotation},
		{"annotations need times", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Annotated("Optimizer.step#AdamW.step", t.Train)
				boundary()
			}
		}, steps.ByOptimizer},
		{"other annotations", testsnap.TimedTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Annotated("Optimizer.zero_grad#AdamW.zero_grad", t.Train)
				boundary()
			}
		}, steps.ByOptimizer},
		{"a free in two events ends the optimizer", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Train()
				x := t.Alloc(testsnap.Step, 8)
				t.Emit(snapshot.FreeRequested, x, testsnap.Step)
				t.Emit(snapshot.FreeCompleted, x, testsnap.Step)
				boundary()
			}
			t.Run(1, testsnap.Loop)
		}, steps.ByOptimizer},
		{"gradient accumulation", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				for range 4 {
					t.Run(4, testsnap.Module)
					t.Run(4, testsnap.Engine)
				}
				t.Run(4, testsnap.Step)
				boundary()
			}
		}, steps.ByOptimizer},
		{"an optimizer that allocates in its first step only", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for i := range 5 {
				t.Run(4, testsnap.Module)
				t.Alloc(testsnap.LossGrad, 4)
				t.Run(4, testsnap.Engine)
				if i == 0 {
					t.Alloc(testsnap.InitGroup, 64)
				}
				boundary()
			}
		}, steps.ByBackward},
		{"one call of backward for two losses", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Run(4, testsnap.Module)
				t.Alloc(testsnap.LossGrad, 4)
				t.Alloc(testsnap.LossGrad, 4)
				t.Run(4, testsnap.Engine)
				boundary()
			}
		}, steps.ByBackward},
		{"Python that the engine calls starts no backward", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Run(4, testsnap.Module)
				t.Run(4, testsnap.Engine+"\n"+testsnap.LossGrad)
				boundary()
			}
		}, steps.ByBackwardRuns},
		{"the engine without frames", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 3 {
				t.Run(4, testsnap.Module)
				t.Run(4, "")
				boundary()
			}
		}, steps.ByBackwardRuns},
		{"the recording ends in a backward pass", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for i := range 4 {
				t.Run(4, testsnap.Module)
				t.Alloc(testsnap.LossGrad, 4)
				if i == 3 {
					t.Run(2, testsnap.Engine)
					break
				}
				t.Run(4, testsnap.Engine)
				boundary()
			}
		}, steps.ByBackward},
		{"memory runs out in a backward pass", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for i := range 3 {
				x := t.Alloc(testsnap.Module, 8)
				t.Alloc(testsnap.LossGrad, 4)
				t.Run(4, testsnap.Engine)
				if i == 2 {
					t.Emit(snapshot.OOM, t.Fresh(1<<40), testsnap.Engine)
					t.Free(x, testsnap.Loop)
					break
				}
				t.Free(x, testsnap.Release+testsnap.Engine)
				boundary()
			}
		}, steps.ByBackward},
		{"a loop without modules", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			t.Run(1, testsnap.Loading) // belongs to the first iteration
			for range 6 {
				t.Alloc(testsnap.Dataset, 64)
				t.Run(7, testsnap.Loop)
				boundary()
			}
		}, steps.ByUserSites},
		{"a loop that the recording cuts at both ends", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			t.Run(4, testsnap.Loop)
			for i := range 6 {
				boundary()
				t.Alloc(testsnap.Dataset, 64)
				t.Run(2, testsnap.ToDevice)
				if i < 5 {
					t.Run(4, testsnap.Loop)
				}
			}
		}, steps.ByUserSites},
		{"a loop in a corner of the recording", testsnap.NewTape(), func(t *testsnap.Tape, _ func()) {
			for range 4 {
				t.Alloc(testsnap.Dataset, 64)
			}
			for i := range 20 {
				t.Run(1, fmt.Sprintf("layer%d.py|forward", i))
			}
		}, steps.None},
		{"five equal calls of a model", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			for range 5 {
				t.Run(1, testsnap.Embedding)
				t.Run(6, testsnap.Inner)
				t.Run(1, testsnap.Head)
				boundary()
			}
		}, steps.ByForward},
		{"calls of a model between other code", testsnap.NewTape(), func(t *testsnap.Tape, boundary func()) {
			t.Run(1, testsnap.Loading)
			for i := range 4 {
				if i > 0 {
					boundary()
				}
				t.Run(1, testsnap.Embedding)
				t.Run(6, testsnap.Inner)
				t.Run(1, testsnap.Head)
			}
			boundary()
			t.Run(1, testsnap.UserLine("report"))
		}, steps.ByForward},
		{"the layers of one call", testsnap.NewTape(), func(t *testsnap.Tape, _ func()) {
			t.Run(1, testsnap.Embedding)
			for range 12 {
				t.Run(1, testsnap.Outer)
				t.Run(2, testsnap.Inner)
			}
			t.Run(1, testsnap.Head)
		}, steps.None},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var want []replay.EventIndex
			test.record(test.tape, func() {
				if n := test.tape.Len(0); n > 0 {
					want = append(want, replay.EventIndex(n))
				}
			})
			s := recorded.Tape(test.tape).Steps()
			if s.Method != test.want {
				t.Errorf("found by %s, want %s", s.Method.Key(), test.want.Key())
			}
			if !slices.Equal(s.Boundaries, want) {
				t.Errorf("boundaries %v, want %v", s.Boundaries, want)
			}
		})
	}
}

// TestAnnotationsOfDevices: a process with four devices that names its steps once for
// each of them has as many steps as one device names.
func TestAnnotationsOfDevices(t *testing.T) {
	for name, devices := range map[string][]snapshot.DeviceID{
		"all devices": {0, 1, 2, 3}, "other devices only": {2, 3}, "one device": {0}, "one other": {3},
	} {
		for _, form := range []string{"Optimizer.step#AdamW.step", "ProfilerStep#%d", "step %d"} {
			tape := testsnap.TimedTape()
			var of []snapshot.DeviceID // of each end of a range
			for i := range 3 {
				text := form
				if strings.Contains(form, "%") {
					text = fmt.Sprintf(form, i)
				}
				for _, d := range devices {
					tape.Annotated(text, tape.Train) // this device works in each of them
					of = append(of, d, d)
				}
			}
			s, d := tape.Replay()
			for i := range s.Annotations {
				s.Annotations[i].Device = of[i]
			}
			list := analysis.NewRecording(analysis.NewSource(s), d).Steps()
			if list.Method != steps.ByAnnotation || len(list.Boundaries) != 3 {
				t.Errorf("%s, %s: %s %v, want 3 steps", name, form, list.Method.Key(), list.Boundaries)
			}
		}
	}
}

// TestHiddenAnnotations finds the same steps in the stacks as in annotations.
func TestHiddenAnnotations(t *testing.T) {
	tape := testsnap.TimedTape()
	for range 5 {
		tape.Run(4, testsnap.Module)
		tape.Run(4, testsnap.Engine)
		tape.Annotated("Optimizer.step#AdamW.step", func() { tape.Run(4, testsnap.Step) })
	}
	r := recorded.Tape(tape)
	annotated := r.Steps()
	r.Snapshot.Annotations = nil
	hidden := analysis.NewRecording(r.Source, r.Device).Steps()
	if hidden.Method != steps.ByOptimizer || !slices.Equal(hidden.Boundaries, annotated.Boundaries) {
		t.Errorf("hidden: %s %v, annotated: %v", hidden.Method.Key(), hidden.Boundaries, annotated.Boundaries)
	}
}

// TestNumberedSteps: there are as many steps as ranges, each with its name,
// whatever lies before, between and after them.
func TestNumberedSteps(t *testing.T) {
	tape := testsnap.TimedTape()
	tape.Run(2, testsnap.Loop)
	for i := range 3 {
		tape.Annotated(fmt.Sprintf("iteration %d", i), func() { tape.Run(3, testsnap.Module) })
		tape.Run(1, testsnap.Loop)
	}
	r := recorded.Tape(tape)
	var names []string
	for _, step := range r.Steps().Steps {
		names = append(names, fmt.Sprintf("%s %d-%d %t", r.Snapshot.String(step.Name), step.From, step.To,
			step.Complete))
	}
	want := []string{"iteration 0 0-12 true", "iteration 1 12-20 true", "iteration 2 20-26 true", " 26-28 false"}
	if !slices.Equal(names, want) {
		t.Errorf("steps %q, want %q", names, want)
	}
}

func TestStepNames(t *testing.T) {
	for name, want := range map[string]bool{
		"step 3": true, "Step#12": true, "train_step_12": true, "iter=7": true, "epoch 3 batch 12/100": true,
		"training/iteration 5": true,
		"step":                 false, "layer 3": false, "backward 3": false, "step 3 of ada": false,
		"substep 3":      false,
		"micro_batch 2":  false,
		"ProfilerStep#3": false, "Optimizer.step#AdamW.step": false, "epoch 3": false,
		"step 99999999999999999999": false,
	} {
		if got := steps.IsName(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

func TestStepRanges(t *testing.T) {
	tape := testsnap.TimedTape()
	for _, name := range []string{"ProfilerStep#3", "ProfilerStep#4"} {
		tape.Annotated(name, func() {
			tape.Annotated("Optimizer.step#SGD.step", tape.Train)
			tape.Run(1, testsnap.Loop)
		})
	}
	r := recorded.Tape(tape)
	s := r.Steps()
	n := r.Device.States() - 1
	id := func(name string) snapshot.StringID {
		return snapshot.StringID(slices.Index(r.Snapshot.Strings, name))
	}
	want := []steps.Step{
		{Range: timeline.Range{From: 0, To: 24}, Name: id("ProfilerStep#3")},
		{Range: timeline.Range{From: 24, To: 50}, Name: id("ProfilerStep#4"), Complete: true},
		{Range: timeline.Range{From: 50, To: n}},
	}
	if !slices.Equal(s.Steps, want) {
		t.Errorf("steps\n%+v, want\n%+v", s.Steps, want)
	}
	for k := range n {
		want := 0
		for j, step := range s.Steps {
			if step.From <= k {
				want = j
			}
		}
		if got := s.Of(replay.EventIndex(k)); got != want {
			t.Errorf("event %d is in step %d, want %d", k, got, want)
		}
	}
}

// TestGrowth holds growth over ranges against testdata/growth.json, as the
// viewer's test/steps.test.js holds its own against it.
func TestGrowth(t *testing.T) {
	text, err := os.ReadFile("testdata/growth.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Active     []int64
		Boundaries []replay.EventIndex
		Ranges     []struct {
			From, To, Steps int
			Bytes           int64
			PerStep         int64 `json:"per_step"`
		}
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 3 {
		t.Fatal(err, len(cases))
	}
	for i, c := range cases {
		list := &steps.List{Boundaries: c.Boundaries}
		if len(c.Boundaries) > 0 {
			list.Steps = make([]steps.Step, len(c.Boundaries)+1)
		}
		for _, want := range c.Ranges {
			got := list.Over(c.Active, timeline.Range{From: want.From, To: want.To})
			if got.Bytes != want.Bytes || got.Steps != want.Steps || got.PerStep != want.PerStep {
				t.Errorf("case %d: %+v, want %+v", i, got, want)
			}
		}
	}
}

// TestGrowthOfSteps: growth is from one step to another, where each holds least, and so
// without gradients that the next step frees.
func TestGrowthOfSteps(t *testing.T) {
	// 5 bytes of gradients live across the boundaries, and 10 bytes leaked a step.
	active := []int64{0, 9, 15, 10, 30, 25, 20, 40, 35, 30, 50, 45, 40, 60}
	list := &steps.List{Boundaries: []replay.EventIndex{2, 5, 8, 11}, Steps: make([]steps.Step, 5)}
	for _, test := range []struct {
		why        string
		boundaries int
		rest       []int64
		want       steps.Growth
	}{
		{"three steps", 3, active, steps.Growth{Range: timeline.Range{From: 3, To: 6}, Steps: 1, Bytes: 10,
			PerStep: 10}},
		{"four steps", 4, active, steps.Growth{Range: timeline.Range{From: 3, To: 9}, Steps: 2, Bytes: 20,
			PerStep: 10}},
		{"what grows is left out", 4, []int64{0, 9, 15, 10, 10, 15, 20, 0, 15, 20, 0, 15, 20, 0},
			steps.Growth{Range: timeline.Range{From: 3, To: 10}, Steps: 2, Bytes: 40, PerStep: 20}},
		{"two steps", 2, active, steps.Growth{}},
	} {
		of := *list
		of.Boundaries, of.Steps = list.Boundaries[:test.boundaries], list.Steps[:test.boundaries+1]
		got, known := of.Growth(active, test.rest)
		if got != test.want || known != (test.boundaries > 2) {
			t.Errorf("%s: %+v, %t, want %+v", test.why, got, known, test.want)
		}
	}
}
