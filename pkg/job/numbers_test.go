package job

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTimes: times may run backwards, and lie far apart.
func TestTimes(t *testing.T) {
	times := eventTimes{100, 350, 90, math.MinInt64, math.MaxInt64}
	for _, test := range []struct {
		from, to int
		want     int64
	}{{0, 1, 250}, {0, 2, 0}, {3, 4, math.MaxInt64}, {3, 9, math.MaxInt64}, {0, 0, 0}} {
		if got := times.between(test.from, test.to); got == nil || *got != test.want {
			t.Errorf("from %d to %d: %v, want %d", test.from, test.to, got, test.want)
		}
	}
	if times.at(5) != nil || times.between(5, 6) != nil || eventTimes(nil).at(0) != nil || *times.at(1) != 350 {
		t.Error("times that are not there, or others")
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("ä", maxText) + "/model.py:3:forward"
	got := clip(long)
	if len(got) > maxText || !strings.HasPrefix(got, "…ä") || !strings.HasSuffix(got, "/model.py:3:forward") ||
		!utf8.ValidString(got) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if exact := strings.Repeat("x", maxText); clip(exact) != exact {
		t.Error("a text that fits was cut")
	}
}

func TestUnits(t *testing.T) {
	const large = 1 << 61
	for _, test := range []struct {
		bytes, peak       int64
		down, nearest, up int16
	}{
		{0, 100, 0, 0, 0}, {100, 100, 4096, 4096, 4096}, {1, 4096, 1, 1, 1}, {1, 8192, 0, 1, 1}, {1, 8193, 0, 0, 1},
		{3, 8192, 1, 2, 2}, {-5, 100, 0, 0, 0}, {5, 0, 0, 0, 0}, {large, large, 4096, 4096, 4096},
		{large - 1, large, 4095, 4096, 4096}, {7, 5, 4096, 4096, 4096},
	} {
		for round, want := range []int16{test.down, test.nearest, test.up} {
			if got := inUnits(test.bytes, test.peak, rounding(round)); got != want {
				t.Errorf("%d of %d, rounded in way %d: %d, want %d", test.bytes, test.peak, round, got, want)
			}
		}
	}
}
