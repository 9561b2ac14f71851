package analysis

import (
	"strings"
	"testing"
)

// TestTrainingLoop knows the family of every allocation of the generated loop.
func TestTrainingLoop(t *testing.T) {
	const steps, layers = 20, 12
	r := recordedTape(trainingLoop(steps, layers))
	f := r.Families()
	if got, want := r.Phases().String(), strings.Repeat("FBO", steps); got != want {
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
	r := recordedTape(trainingLoop(1240, 100))
	b.ReportAllocs()
	for b.Loop() {
		NewRecording(r.Source, r.Device).Families()
	}
	b.ReportMetric(float64(r.Device.Events.Len()), "events")
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
		r := recordedTape(trainingLoop(steps, 30))
		return testing.AllocsPerRun(3, func() { NewRecording(r.Source, r.Device).Families() })
	}
	few, many := count(10), count(400)
	if many > few+40 { // slices of phases double a few times more
		t.Errorf("%.0f allocations for 10 steps, %.0f for 400", few, many)
	}
}
