package leaks_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/internal/recorded"
	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
)

// BenchmarkLeaks looks for steps and leaks in a million events.
func BenchmarkLeaks(b *testing.B) {
	r := recorded.Tape(tapes.TrainingLoop(1240, 100))
	b.ReportAllocs()
	for b.Loop() {
		r := analysis.NewRecording(r.Source, r.Device)
		r.Leaks()
		r.Cycles()
	}
	b.ReportMetric(float64(r.Device.Events.Len()), "events")
}
