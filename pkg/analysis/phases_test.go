package analysis

import (
	"slices"
	"testing"
)

func TestPhases(t *testing.T) {
	trainStep := func(t *tape) {
		t.run(4, module)
		t.run(4, engine)
		t.run(4, step)
	}
	tests := []struct {
		name   string
		record func(t *tape)
		want   string
	}{
		{"empty", func(t *tape) {}, ""},
		{"user code only", func(t *tape) { t.run(9, loop) }, ""},
		{"one step", trainStep, "FBO"},
		{"loading, then three steps", func(t *tape) {
			t.run(4, loading)
			for range 3 {
				trainStep(t)
			}
		}, "LFBOFBOFBO"},
		{"user code inherits", func(t *tape) { t.run(4, module); t.run(9, loop); t.run(4, module) }, "F"},
		{"zero_grad, clipping and data are no phases", func(t *tape) {
			t.run(4, zeroGrad)
			t.run(4, clipGrad)
			t.run(4, dataset)
		}, ""},
		{"short interruption", func(t *tape) { t.run(4, module); t.run(1, engine); t.run(4, module) }, "F"},
		{"interruptions one after another", func(t *tape) {
			t.run(4, module)
			for range 3 {
				t.run(1, engine)
				t.run(4, module)
			}
		}, "F"},
		{"three events are a phase", func(t *tape) {
			t.run(4, module)
			for range 3 {
				t.alloc(engine, 1)
			}
			t.run(4, module)
		}, "FBF"},
		{"short run between different ones", func(t *tape) { t.run(4, module); t.run(1, engine); t.run(4, step) },
			"FBO"},
		{"short runs at the ends", func(t *tape) { t.run(1, step); t.run(4, module); t.run(1, engine) }, "OFB"},
		{"frees in backward and in a step count", func(t *tape) {
			x, y := t.alloc(module, 1), t.alloc(module, 1)
			t.free(x, engine)
			t.free(y, step)
		}, "FBO"},
		{"frees in forward and while loading do not", func(t *tape) {
			for range 4 {
				t.free(t.alloc(engine, 1), module)
				t.free(t.alloc(engine, 1), loading)
			}
		}, "B"},
		{"the autograd thread without frames", func(t *tape) { t.run(4, module); t.run(4, ""); t.run(4, step) }, "FBO"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := newTape()
			test.record(tape)
			if got := phasesOf(tape).String(); got != test.want {
				t.Errorf("phases %q, want %q", got, test.want)
			}
		})
	}
}

func TestPhaseRuns(t *testing.T) {
	tape := newTape()
	tape.run(1, loop)   // events 0, 1
	tape.run(2, module) // 2 to 5, of which the allocs show the phase
	tape.run(1, loop)   // 6, 7
	tape.run(2, engine) // 8 to 11
	tape.run(1, loop)   // 12, 13
	want := []PhaseRun{
		{Phase: PhaseForward, Start: 2, Last: 4, End: 7, Events: 2},
		{Phase: PhaseBackward, Start: 8, Last: 11, End: 13, Events: 4},
	}
	if got := phasesOf(tape).Runs; !slices.Equal(got, want) {
		t.Errorf("runs\n%+v, want\n%+v", got, want)
	}
}

func TestPhaseNames(t *testing.T) {
	for phase, want := range map[Phase]string{
		PhaseLoad: "load", PhaseForward: "forward", PhaseBackward: "backward", PhaseOptimizer: "optimizer",
		0: "unknown",
	} {
		if got := phase.String(); got != want {
			t.Errorf("phase %q is called %q, want %q", byte(phase), got, want)
		}
	}
}

func phasesOf(t *tape) *Phases {
	s, d := t.replay()
	return FindPhases(newMarkers(Stacks(s), d.Events), d.Events)
}
