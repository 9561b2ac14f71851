package analysis

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

func TestSteps(t *testing.T) {
	tests := []struct {
		name   string
		tape   *tape
		record func(t *tape, boundary func())
		want   StepMethod
	}{
		{"nothing", newTape(), func(*tape, func()) {}, NoSteps},
		{"one forward pass", newTape(), func(t *tape, _ func()) {
			for _, stack := range []string{embedding, outer, inner, head} {
				t.run(1, stack)
			}
		}, NoSteps},
		{"annotated optimizer", timed(), func(t *tape, boundary func()) {
			for range 3 {
				t.run(4, module)
				t.run(4, engine)
				t.annotated("Optimizer.step#AdamW.step", func() { t.run(4, step) })
				boundary()
			}
			t.run(1, loop)
		}, StepsByAnnotation},
		{"annotated optimizer without events of its own", timed(), func(t *tape, boundary func()) {
			for range 3 {
				t.run(4, module)
				t.run(4, engine)
				t.annotated("Optimizer.step#SGD.step", func() {})
				boundary()
			}
			t.run(1, loop)
		}, StepsByAnnotation},
		{"two optimizers one after the other are one step", timed(), func(t *tape, boundary func()) {
			for range 3 {
				t.run(4, module)
				t.run(4, engine)
				t.annotated("Optimizer.step#AdamW.step", func() { t.run(4, step) })
				t.annotated("Optimizer.step#SGD.step", func() { t.run(4, step) })
				boundary()
			}
		}, StepsByAnnotation},
		{"starts of the profiler's steps", timed(), func(t *tape, boundary func()) {
			for range 3 {
				boundary()
				t.annotated("ProfilerStep#7", func() { t.run(5, loop) })
			}
		}, StepsByAnnotation},
		{"ranges that the script numbered", timed(), func(t *tape, boundary func()) {
			t.run(3, loop) // belongs to the first step
			for i := range 3 {
				t.annotated(fmt.Sprintf("step %d", 9+i), func() {
					t.run(4, module)
					t.annotated("step 0", func() { t.run(1, loop) }) // inside of it
				})
				if i < 2 {
					boundary()
				}
			}
			boundary()
			t.run(1, loop)
		}, StepsByAnnotation},
		{"the steps, not the batches in them", timed(), func(t *tape, boundary func()) {
			for i := range 2 {
				t.annotated(fmt.Sprintf("train_step_%d", i), func() {
					for j := range 3 {
						t.annotated(fmt.Sprintf("batch %d/3", j), func() { t.run(2, module) })
					}
				})
				boundary()
			}
		}, StepsByAnnotation},
		{"the steps of two epochs", timed(), func(t *tape, boundary func()) {
			for epoch := range 2 {
				for i := range 3 {
					t.annotated(fmt.Sprintf("epoch %d, iter %d", epoch, i), func() { t.run(2, module) })
					boundary()
				}
			}
		}, StepsByAnnotation},
		{"numbered layers are no steps", timed(), func(t *tape, _ func()) {
			for i := range 12 {
				t.annotated(fmt.Sprintf("layer %d", i), func() { t.run(1, fmt.Sprintf("layer%d.py|forward", i)) })
			}
		}, NoSteps},
		{"a number that is missing", timed(), func(t *tape, _ func()) {
			for _, i := range []int{0, 10, 20} {
				t.annotated(fmt.Sprintf("step %d", i), func() { t.run(1, fmt.Sprintf("layer%d.py|forward", i)) })
			}
		}, NoSteps},
		{"the optimizer comes before the script", timed(), func(t *tape, boundary func()) {
			for i := range 3 {
				t.annotated(fmt.Sprintf("step %d", i), func() {
					t.run(4, module)
					t.annotated("Optimizer.step#AdamW.step", func() { t.run(4, step) })
					boundary()
					t.run(1, loop)
				})
			}
		}, StepsByAnnotation},
		{"annotations need times", newTape(), func(t *tape, boundary func()) {
			for range 3 {
				t.annotated("Optimizer.step#AdamW.step", t.train)
				boundary()
			}
		}, StepsByOptimizer},
		{"other annotations", timed(), func(t *tape, boundary func()) {
			for range 3 {
				t.annotated("Optimizer.zero_grad#AdamW.zero_grad", t.train)
				boundary()
			}
		}, StepsByOptimizer},
		{"a free in two events ends the optimizer", newTape(), func(t *tape, boundary func()) {
			for range 3 {
				t.train()
				x := t.alloc(step, 8)
				t.event(snapshot.FreeRequested, x, step)
				t.event(snapshot.FreeCompleted, x, step)
				boundary()
			}
			t.run(1, loop)
		}, StepsByOptimizer},
		{"gradient accumulation", newTape(), func(t *tape, boundary func()) {
			for range 3 {
				for range 4 {
					t.run(4, module)
					t.run(4, engine)
				}
				t.run(4, step)
				boundary()
			}
		}, StepsByOptimizer},
		{"an optimizer that allocates in its first step only", newTape(), func(t *tape, boundary func()) {
			for i := range 5 {
				t.run(4, module)
				boundary()
				t.alloc(lossGrad, 4)
				t.run(4, engine)
				if i == 0 {
					t.alloc(initGroup, 64)
				}
			}
		}, StepsByBackward},
		{"one call of backward for two losses", newTape(), func(t *tape, boundary func()) {
			for range 3 {
				t.run(4, module)
				boundary()
				t.alloc(lossGrad, 4)
				t.alloc(lossGrad, 4)
				t.run(4, engine)
			}
		}, StepsByBackward},
		{"Python that the engine calls starts no backward", newTape(), func(t *tape, boundary func()) {
			for range 3 {
				t.run(4, module)
				boundary()
				t.run(4, engine+"\n"+lossGrad)
			}
		}, StepsByBackwardRuns},
		{"the engine without frames", newTape(), func(t *tape, boundary func()) {
			for range 3 {
				t.run(4, module)
				boundary()
				t.run(4, "")
			}
		}, StepsByBackwardRuns},
		{"a loop without modules", newTape(), func(t *tape, boundary func()) {
			for range 6 {
				boundary()
				t.alloc(dataset, 64)
				t.run(7, loop)
			}
		}, StepsByUserSites},
		{"a loop in a corner of the recording", newTape(), func(t *tape, _ func()) {
			for range 4 {
				t.alloc(dataset, 64)
			}
			for i := range 20 {
				t.run(1, fmt.Sprintf("layer%d.py|forward", i))
			}
		}, NoSteps},
		{"calls of a model", newTape(), func(t *tape, boundary func()) {
			for range 4 {
				boundary()
				t.run(1, embedding)
				t.run(6, inner)
				t.run(1, head)
			}
		}, StepsByForward},
		{"the layers of one call", newTape(), func(t *tape, _ func()) {
			t.run(1, embedding)
			for range 12 {
				t.run(1, outer)
				t.run(2, inner)
			}
			t.run(1, head)
		}, NoSteps},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var want []replay.EventIndex
			test.record(test.tape, func() {
				if n := test.tape.Len(0); n > 0 {
					want = append(want, replay.EventIndex(n))
				}
			})
			s := recordedTape(test.tape).Steps()
			if s.Method != test.want {
				t.Errorf("found by %s, want %s", s.Method.Key(), test.want.Key())
			}
			if !slices.Equal(s.Boundaries, want) {
				t.Errorf("boundaries %v, want %v", s.Boundaries, want)
			}
		})
	}
}

// TestHiddenAnnotations finds the same steps in the stacks as in annotations.
func TestHiddenAnnotations(t *testing.T) {
	tape := timed()
	for range 5 {
		tape.run(4, module)
		tape.run(4, engine)
		tape.annotated("Optimizer.step#AdamW.step", func() { tape.run(4, step) })
	}
	r := recordedTape(tape)
	annotated := r.Steps()
	r.Snapshot.Annotations = nil
	hidden := NewRecording(r.Source, r.Device).Steps()
	if hidden.Method != StepsByOptimizer || !slices.Equal(hidden.Boundaries, annotated.Boundaries) {
		t.Errorf("hidden: %s %v, annotated: %v", hidden.Method.Key(), hidden.Boundaries, annotated.Boundaries)
	}
}

// TestNumberedSteps: there are as many steps as ranges, each with its name,
// whatever lies before, between and behind them.
func TestNumberedSteps(t *testing.T) {
	tape := timed()
	tape.run(2, loop)
	for i := range 3 {
		tape.annotated(fmt.Sprintf("iteration %d", i), func() { tape.run(3, module) })
		tape.run(1, loop)
	}
	r := recordedTape(tape)
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
		if got := IsStepName(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

func TestStepRanges(t *testing.T) {
	tape := timed()
	for _, name := range []string{"ProfilerStep#3", "ProfilerStep#4"} {
		tape.annotated(name, func() {
			tape.annotated("Optimizer.step#SGD.step", tape.train)
			tape.run(1, loop)
		})
	}
	r := recordedTape(tape)
	s := r.Steps()
	n := r.Device.States() - 1
	id := func(name string) snapshot.StringID {
		return snapshot.StringID(slices.Index(r.Snapshot.Strings, name))
	}
	want := []Step{
		{StateRange: StateRange{0, 24}, Name: id("ProfilerStep#3")},
		{StateRange: StateRange{24, 50}, Name: id("ProfilerStep#4"), Complete: true},
		{StateRange: StateRange{50, n}},
	}
	if !slices.Equal(s.Steps, want) {
		t.Errorf("steps\n%+v, want\n%+v", s.Steps, want)
	}
	for k := range r.Device.States() {
		want := 0
		for j, step := range s.Steps {
			if step.From < k {
				want = j
			}
		}
		if got := s.At(k); got != want {
			t.Errorf("state %d is in step %d, want %d", k, got, want)
		}
	}
	if got := (&Steps{}).At(3); got != -1 {
		t.Errorf("without steps, state 3 is in step %d", got)
	}
}
