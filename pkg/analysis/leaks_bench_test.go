package analysis

import "testing"

// BenchmarkLeaks looks for steps and leaks in a million events.
func BenchmarkLeaks(b *testing.B) {
	r := recordedTape(trainingLoop(1240, 100))
	b.ReportAllocs()
	for b.Loop() {
		r := NewRecording(r.Source, r.Device)
		r.Leaks()
		r.Cycles()
	}
	b.ReportMetric(float64(r.Device.Events.Len()), "events")
}
