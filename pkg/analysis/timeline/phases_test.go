package timeline

import (
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

const (
	loop    = testsnap.Loop
	module  = testsnap.Module
	engine  = testsnap.Engine
	step    = testsnap.Step
	loading = testsnap.Loading
)

type tape = testsnap.Tape

func TestPhases(t *testing.T) {
	trainStep := func(t *tape) {
		t.Run(4, module)
		t.Run(4, engine)
		t.Run(4, step)
	}
	tests := []struct {
		name   string
		record func(t *tape)
		want   string
	}{
		{"empty", func(t *tape) {}, ""},
		{"user code only", func(t *tape) { t.Run(9, loop) }, ""},
		{"one step", trainStep, "FBO"},
		{"loading, then three steps", func(t *tape) {
			t.Run(4, loading)
			for range 3 {
				trainStep(t)
			}
		}, "LFBOFBOFBO"},
		{"user code inherits", func(t *tape) { t.Run(4, module); t.Run(9, loop); t.Run(4, module) }, "F"},
		{"zero_grad, clipping and data are no phases", func(t *tape) {
			t.Run(4, testsnap.ZeroGrad)
			t.Run(4, testsnap.ClipGrad)
			t.Run(4, testsnap.Dataset)
		}, ""},
		{"short interruption", func(t *tape) { t.Run(4, module); t.Run(1, engine); t.Run(4, module) }, "F"},
		{"interruptions one after another", func(t *tape) {
			t.Run(4, module)
			for range 3 {
				t.Run(1, engine)
				t.Run(4, module)
			}
		}, "F"},
		{"three events are a phase", func(t *tape) {
			t.Run(4, module)
			for range 3 {
				t.Alloc(engine, 1)
			}
			t.Run(4, module)
		}, "FBF"},
		{"short run between different ones", func(t *tape) { t.Run(4, module); t.Run(1, engine); t.Run(4, step) },
			"FBO"},
		{"short runs at the ends", func(t *tape) { t.Run(1, step); t.Run(4, module); t.Run(1, engine) }, "OFB"},
		{"frees in backward and in a step count", func(t *tape) {
			x, y := t.Alloc(module, 1), t.Alloc(module, 1)
			t.Free(x, engine)
			t.Free(y, step)
		}, "FBO"},
		{"frees in forward and while loading do not", func(t *tape) {
			for range 4 {
				t.Free(t.Alloc(engine, 1), module)
				t.Free(t.Alloc(engine, 1), loading)
			}
		}, "B"},
		{"the autograd thread without frames", func(t *tape) { t.Run(4, module); t.Run(4, ""); t.Run(4, step) }, "FBO"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := testsnap.NewTape()
			test.record(tape)
			if got := phasesOf(tape).String(); got != test.want {
				t.Errorf("phases %q, want %q", got, test.want)
			}
		})
	}
}

func TestPhaseRuns(t *testing.T) {
	tape := testsnap.NewTape()
	tape.Run(1, loop)   // events 0, 1
	tape.Run(2, module) // 2 to 5, of which the allocs show the phase
	tape.Run(1, loop)   // 6, 7
	tape.Run(2, engine) // 8 to 11
	tape.Run(1, loop)   // 12, 13
	want := []PhaseRun{
		{Phase: stacks.InForward, Start: 2, Last: 4, End: 7, Events: 2},
		{Phase: stacks.InBackward, Start: 8, Last: 11, End: 13, Events: 4},
	}
	if got := phasesOf(tape); !slices.Equal(got, want) {
		t.Errorf("runs\n%+v, want\n%+v", got, want)
	}
}

func phasesOf(t *tape) Phases {
	s, d := t.Replay()
	return FindPhases(stacks.ActivitiesOf(stacks.Read(s), d.Events), d.Events)
}
