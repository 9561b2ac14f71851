package analysis

import "testing"

// BenchmarkLeaks looks for steps and leaks in a million events.
func BenchmarkLeaks(b *testing.B) {
	st, d := trainingLoop(1240, 100).replay()
	r := Record(st.snapshot, st, d)
	b.ReportAllocs()
	for b.Loop() {
		s := FindSteps(r)
		FindLeaks(r, s)
		FindCycles(r, s)
	}
	b.ReportMetric(float64(d.Events.Len()), "events")
}
