package families_test

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// TestTrainingLoop knows the family of every allocation of the generated loop.
func TestTrainingLoop(t *testing.T) {
	const steps, layers = 20, 12
	r := recorded.Tape(testsnap.TrainingLoop(steps, layers))
	f := r.Families()
	if got, want := r.Phases().String(), strings.Repeat("FBO", steps); got != want {
		t.Errorf("phases %q, want %q", got, want)
	}
	var got [families.Count]int
	for i := range f.Rules {
		got[f.Family(i)]++
	}
	want := [families.Count]int{
		families.Input: steps, families.Activation: steps * layers, families.Gradient: steps * layers,
		families.Temporary: steps * 2 * layers, // in forward and in the optimizer's step
	}
	if got != want {
		t.Errorf("families %v, want %v", got, want)
	}
}

// BenchmarkClassify decides the families of a million events; allocations must
// not grow with them.
func BenchmarkClassify(b *testing.B) {
	r := recorded.Tape(testsnap.TrainingLoop(1240, 100))
	b.ReportAllocs()
	for b.Loop() {
		analysis.NewRecording(r.Source, r.Device).Families()
	}
	b.ReportMetric(float64(r.Device.Events.Len()), "events")
}

// BenchmarkStacks reads the stacks of the same loop.
func BenchmarkStacks(b *testing.B) {
	s := testsnap.TrainingLoop(2, 2000).Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		stacks.Read(s)
	}
	b.ReportMetric(float64(s.Stacks.Len()), "stacks")
}

// TestClassifyAllocates holds the number of Go allocations: it may depend on
// stacks and phases, not on events.
func TestClassifyAllocates(t *testing.T) {
	count := func(steps int) float64 {
		r := recorded.Tape(testsnap.TrainingLoop(steps, 30))
		return testing.AllocsPerRun(3, func() { analysis.NewRecording(r.Source, r.Device).Families() })
	}
	few, many := count(10), count(400)
	if many > few+40 { // slices of phases double a few times more
		t.Errorf("%.0f allocations for 10 steps, %.0f for 400", few, many)
	}
}
