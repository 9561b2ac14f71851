package analysis

import "testing"

// BenchmarkLeaks looks for steps and leaks in a million events.
func BenchmarkLeaks(b *testing.B) {
	st, d := trainingLoop(1240, 100).replay()
	b.ReportAllocs()
	for b.Loop() {
		r := recordingOf(st, d)
		r.Leaks()
		r.Cycles()
	}
	b.ReportMetric(float64(d.Events.Len()), "events")
}
