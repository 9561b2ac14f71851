package main

import (
	"math"
	"testing"
)

func same(a, b float64) bool { return !known(a) && !known(b) || math.Abs(a-b) < 1e-9 }

func TestPercentile(t *testing.T) {
	twenty := make([]float64, 20)
	for i := range twenty {
		twenty[i] = float64(20 - i) // 20 down to 1
	}
	for _, c := range []struct {
		samples []float64
		p, want float64
	}{
		{nil, 0.95, unknown},
		{[]float64{7}, 0.95, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{3, 1, 2}, 1, 3},
		{twenty, 0.95, 19},
		{twenty, 0.96, 20},
		{twenty, 0.01, 1},
	} {
		if got := percentile(c.samples, c.p); !same(got, c.want) {
			t.Errorf("the %v percentile of %v is %v, want %v", c.p, c.samples, got, c.want)
		}
	}
	if twenty[0] != 20 {
		t.Error("percentile sorts its argument")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    float64
	}{
		{nil, unknown},
		{[]float64{5}, 5},
		{[]float64{5, 1}, 3},
		{[]float64{9, 1, 2}, 2},
	} {
		if got := median(c.samples); !same(got, c.want) {
			t.Errorf("the median of %v is %v, want %v", c.samples, got, c.want)
		}
	}
}

// TestMedianRatio: a round in which everything took twice as long changes nothing.
func TestMedianRatio(t *testing.T) {
	for _, c := range []struct {
		of, to []float64
		want   float64
	}{
		{[]float64{1, 2, 1}, []float64{2, 4, 2}, 0.5},
		{[]float64{1, 9, 3}, []float64{1, 1, 1}, 3},
		{nil, nil, unknown},
		{[]float64{1}, nil, unknown},
		{[]float64{1}, []float64{0}, unknown},
	} {
		if got := medianRatio(c.of, c.to); !same(got, c.want) {
			t.Errorf("%v to %v is %v, want %v", c.of, c.to, got, c.want)
		}
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		figures []float64
		want    float64
	}{
		{nil, unknown},
		{[]float64{1, 3, 2}, 3},
		{[]float64{1, unknown, 2}, unknown},
		{[]float64{unknown, 2}, unknown},
	} {
		if got := worst(c.figures...); !same(got, c.want) {
			t.Errorf("the worst of %v is %v, want %v", c.figures, got, c.want)
		}
	}
}
