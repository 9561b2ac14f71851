package codec

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

func TestCoarseStep(t *testing.T) {
	for _, test := range []struct{ span, want int64 }{
		{0, 1}, {timeSteps, 1}, {timeSteps + 1, 2}, {2 * timeSteps, 2}, {4 * timeSteps, 5}, {7_520_000, 200},
		{recording.MaxExact, 50_000_000_000},
	} {
		if got := coarseStep(test.span); got != test.want {
			t.Errorf("a span of %d has steps of %d, want %d", test.span, got, test.want)
		}
	}
	for _, test := range []struct{ v, step, want int64 }{{0, 5, 0}, {4, 5, 0}, {5, 5, 5}, {-1, 5, -5}, {-5, 5, -5},
		{-6, 5, -10}, {7, 1, 7}} {
		if got := roundDown(test.v, test.step); got != test.want {
			t.Errorf("%d down to a multiple of %d is %d, want %d", test.v, test.step, got, test.want)
		}
	}
}
