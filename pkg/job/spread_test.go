package job_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/job"
)

// TestSpread holds limits that were worked out by hand.
func TestSpread(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []int64
		peak   int64
		want   job.Spread
	}{
		{"at least a MiB", []int64{5, 5, 5}, 0, job.Spread{Median: 5, Limit: mib, Low: 5, High: 5, Ranks: 3}},
		{"1 % of the peak", []int64{5, 5, 5}, 200 * mib, job.Spread{Median: 5, Limit: 2 * mib, Low: 5, High: 5,
			Ranks: 3}},
		{"2 % of the median", []int64{gib, gib, gib}, 0,
			job.Spread{Median: gib, Limit: gib / 50, Low: gib, High: gib, Ranks: 3}},
		// Distances are 0, 10, 10, 20 and 1000 MiB; the median one is 10, and 6 · 1.4826 · 10 · (1 + 8/5) MiB.
		{"median distance", []int64{100 * mib, 110 * mib, 90 * mib, 120 * mib, 1100 * mib}, 0,
			job.Spread{Median: 110 * mib, Limit: 242_520_529, Low: 90 * mib, High: 1100 * mib, Ranks: 5}},
		// The furthest is left out; the second is 300 MiB away.
		{"largest distance but one", []int64{0, 0, 0, 0, 0, 300 * mib, 900 * mib}, 0,
			job.Spread{Limit: 600 * mib, High: 900 * mib, Ranks: 7}},
		{"the mean of two", []int64{2 * mib, 4 * mib}, 0,
			job.Spread{Median: 3 * mib, Limit: 46_638_563, Low: 2 * mib, High: 4 * mib, Ranks: 2}},
		{"none", nil, gib, job.Spread{}},
	} {
		got := job.SpreadOf(test.values, test.peak)
		if off := got.Limit - test.want.Limit; off >= -8 && off <= 0 { // it is made of whole bytes
			got.Limit = test.want.Limit
		}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	s := job.Spread{Median: 100, Limit: 10, Ranks: 3}
	for bytes, want := range map[int64][2]bool{
		89: {true, false}, 90: {false, false}, 100: {false, false}, 110: {false, false}, 111: {true, true},
	} {
		if got := [2]bool{s.Outside(bytes), s.Above(bytes)}; got != want {
			t.Errorf("%d bytes: outside %t, above %t", bytes, got[0], got[1])
		}
	}
	if s.Ranks = 2; s.Outside(500) {
		t.Error("one of two ranks is outside")
	}
}
