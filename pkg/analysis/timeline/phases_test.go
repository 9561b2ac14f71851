package timeline

import (
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

func TestPhases(t *testing.T) {
	trainStep := func(t *tapes.Tape) {
		t.Run(4, tapes.Module)
		t.Run(4, tapes.Engine)
		t.Run(4, tapes.Step)
	}
	tests := []struct {
		name   string
		record func(t *tapes.Tape)
		want   string
	}{
		{"empty", func(t *tapes.Tape) {}, ""},
		{"user code only", func(t *tapes.Tape) { t.Run(9, tapes.Loop) }, ""},
		{"one step", trainStep, "FBO"},
		{"loading, then three steps", func(t *tapes.Tape) {
			t.Run(4, tapes.Loading)
			for range 3 {
				trainStep(t)
			}
		}, "LFBOFBOFBO"},
		{"user code inherits", func(t *tapes.Tape) { t.Run(4, tapes.Module); t.Run(9, tapes.Loop); t.Run(4, tapes.Module) }, "F"},
		{"zero_grad, clipping and data are no phases", func(t *tapes.Tape) {
			t.Run(4, tapes.ZeroGrad)
			t.Run(4, tapes.ClipGrad)
			t.Run(4, tapes.Dataset)
		}, ""},
		{"short interruption", func(t *tapes.Tape) { t.Run(4, tapes.Module); t.Run(1, tapes.Engine); t.Run(4, tapes.Module) }, "F"},
		{"interruptions one after another", func(t *tapes.Tape) {
			t.Run(4, tapes.Module)
			for range 3 {
				t.Run(1, tapes.Engine)
				t.Run(4, tapes.Module)
			}
		}, "F"},
		{"three events are a phase", func(t *tapes.Tape) {
			t.Run(4, tapes.Module)
			for range 3 {
				t.Alloc(tapes.Engine, 1)
			}
			t.Run(4, tapes.Module)
		}, "FBF"},
		{"short run between different ones", func(t *tapes.Tape) { t.Run(4, tapes.Module); t.Run(1, tapes.Engine); t.Run(4, tapes.Step) },
			"FBO"},
		{"short runs at the ends", func(t *tapes.Tape) { t.Run(1, tapes.Step); t.Run(4, tapes.Module); t.Run(1, tapes.Engine) }, "OFB"},
		{"frees in backward and in a step count", func(t *tapes.Tape) {
			x, y := t.Alloc(tapes.Module, 1), t.Alloc(tapes.Module, 1)
			t.Free(x, tapes.Engine)
			t.Free(y, tapes.Step)
		}, "FBO"},
		{"frees in forward and while loading do not", func(t *tapes.Tape) {
			for range 4 {
				t.Free(t.Alloc(tapes.Engine, 1), tapes.Module)
				t.Free(t.Alloc(tapes.Engine, 1), tapes.Loading)
			}
		}, "B"},
		{"the autograd thread without frames", func(t *tapes.Tape) { t.Run(4, tapes.Module); t.Run(4, ""); t.Run(4, tapes.Step) }, "FBO"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := tapes.New()
			test.record(tape)
			if got := phasesOf(tape).String(); got != test.want {
				t.Errorf("phases %q, want %q", got, test.want)
			}
		})
	}
}

func TestPhaseRuns(t *testing.T) {
	tape := tapes.New()
	tape.Run(1, tapes.Loop)   // events 0, 1
	tape.Run(2, tapes.Module) // 2 to 5, of which the allocs show the phase
	tape.Run(1, tapes.Loop)   // 6, 7
	tape.Run(2, tapes.Engine) // 8 to 11
	tape.Run(1, tapes.Loop)   // 12, 13
	want := []PhaseRun{
		{Phase: stacks.InForward, Start: 2, Last: 4, End: 7, Events: 2},
		{Phase: stacks.InBackward, Start: 8, Last: 11, End: 13, Events: 4},
	}
	if got := phasesOf(tape); !slices.Equal(got, want) {
		t.Errorf("runs\n%+v, want\n%+v", got, want)
	}
}

func phasesOf(t *tapes.Tape) Phases {
	s, d := t.Replay()
	return FindPhases(stacks.ActivitiesOf(stacks.Read(s), d.Events), d.Events)
}
