package main

import (
	"math"
	"slices"
)

// unknown is a figure that was not measured.
var unknown = math.NaN()

func known(v float64) bool { return !math.IsNaN(v) }

// percentile is the smallest sample that a share p of all samples does not
// exceed; p is above 0 and at most 1. Of none it is unknown.
func percentile(samples []float64, p float64) float64 {
	if len(samples) == 0 {
		return unknown
	}
	sorted := slices.Sorted(slices.Values(samples))
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median is the middle sample, or the mean of the middle two.
func median(samples []float64) float64 {
	n := len(samples)
	if n == 0 {
		return unknown
	}
	sorted := slices.Sorted(slices.Values(samples))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// medianRatio is the median over rounds of a figure in relation to another of
// the same round, so that what slows down a whole round cancels out.
func medianRatio(of, to []float64) float64 {
	if len(of) != len(to) {
		return unknown
	}
	ratios := make([]float64, 0, len(of))
	for i := range of {
		if to[i] == 0 {
			return unknown
		}
		ratios = append(ratios, of[i]/to[i])
	}
	return median(ratios)
}

// worst is the highest figure, unknown if any of them is.
func worst(figures ...float64) float64 {
	if len(figures) == 0 {
		return unknown
	}
	return slices.MaxFunc(figures, func(a, b float64) int {
		switch {
		case !known(a) || a > b:
			return 1
		case !known(b) || a < b:
			return -1
		}
		return 0
	})
}
