package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// trainingLoop records steps of a model with layers, of which each leaves
// activations to backward and a gradient to the optimizer.
func trainingLoop(steps, layers int) *tape {
	t := newTape()
	var deep strings.Builder
	for i := range 40 {
		fmt.Fprintf(&deep, "at::native::dispatch%d(at::Tensor const&)\n", i)
	}
	activations := make([]tensor, layers)
	gradients := make([]tensor, layers)
	forward, backward := make([]string, layers), make([]string, layers)
	for i := range layers {
		forward[i] = fmt.Sprintf("%smodel.py|layer%d\n%s", deep.String(), i, module)
		backward[i] = fmt.Sprintf("at::_ops::mm::call(x)\nnode%d\n%s%s", i, deep.String(), engine)
	}
	for range steps {
		batch := t.alloc(toDevice, 4096)
		for i := range layers {
			t.free(t.alloc(forward[i], 64), forward[i])
			activations[i] = t.alloc(forward[i], 1024)
		}
		for i := range layers {
			gradients[i] = t.alloc(backward[i], 256)
			t.free(activations[i], release+backward[i])
		}
		for range layers {
			t.free(t.alloc(step, 256), step)
		}
		for i := range layers {
			t.free(gradients[i], zeroGrad)
		}
		t.free(batch, loop)
	}
	return t
}

// TestTrainingLoop knows the family of every allocation of the generated loop.
func TestTrainingLoop(t *testing.T) {
	const steps, layers = 20, 12
	st, d := trainingLoop(steps, layers).replay()
	f := classify(st, d)
	if got, want := phasesOf(st, d).String(), strings.Repeat("FBO", steps); got != want {
		t.Errorf("phases %q, want %q", got, want)
	}
	var got [FamilyCount]int
	for i := range f.Rules {
		got[f.Family(i)]++
	}
	want := [FamilyCount]int{
		Input: steps, Activation: steps * layers, Gradient: steps * layers,
		Temporary: steps * 2 * layers, // in forward and in the optimizer's step
	}
	if got != want {
		t.Errorf("families %v, want %v", got, want)
	}
}

// BenchmarkClassify decides the families of a million events; allocations must
// not grow with them.
func BenchmarkClassify(b *testing.B) {
	st, d := trainingLoop(1240, 100).replay()
	b.ReportAllocs()
	for b.Loop() {
		classify(st, d)
	}
	b.ReportMetric(float64(d.Events.Len()), "events")
}

// BenchmarkStacks reads the stacks of the same loop.
func BenchmarkStacks(b *testing.B) {
	s := trainingLoop(2, 2000).Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		Stacks(s)
	}
	b.ReportMetric(float64(s.Stacks.Len()), "stacks")
}

// TestClassifyAllocates holds the number of Go allocations: it may depend on
// stacks and phases, not on events.
func TestClassifyAllocates(t *testing.T) {
	count := func(steps int) float64 {
		st, d := trainingLoop(steps, 30).replay()
		return testing.AllocsPerRun(3, func() { classify(st, d) })
	}
	few, many := count(10), count(400)
	if many > few+40 { // slices of phases double a few times more
		t.Errorf("%.0f allocations for 10 steps, %.0f for 400", few, many)
	}
}
