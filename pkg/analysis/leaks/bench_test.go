package leaks_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// BenchmarkLeaks looks for steps and leaks in a million events.
func BenchmarkLeaks(b *testing.B) {
	r := recorded.Tape(testsnap.TrainingLoop(1240, 100))
	b.ReportAllocs()
	for b.Loop() {
		r := analysis.NewRecording(r.Source, r.Device)
		r.Leaks()
		r.Cycles()
	}
	b.ReportMetric(float64(r.Device.Events.Len()), "events")
}
