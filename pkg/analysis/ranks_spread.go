package analysis

import "slices"

// RankSpread is how a number of bytes is spread over ranks.
type RankSpread struct {
	Median int64
	// MAD is the median distance from the median, which one bad rank among
	// several does not move.
	MAD int64
	// Limit is how far a rank may be from the median before it is said to differ.
	Limit int64
}

// Outside reports whether bytes differ.
func (s RankSpread) Outside(bytes int64) bool { return magnitude(bytes-s.Median) > s.Limit }

// Above reports whether bytes differ by being more.
func (s RankSpread) Above(bytes int64) bool { return bytes-s.Median > s.Limit }

const (
	minRankDifference = 1 << 20 // bytes; less is not worth a word
	// Ranks of one job with the usual spread differ by up to 6 standard
	// deviations, which are 1.4826 MAD of normally distributed numbers.
	madsPerLimit = 6 * 1.4826
)

// spreadOf takes a smallest limit that depends on what else is compared.
func spreadOf(bytes []int64, smallest int64) RankSpread {
	s := RankSpread{Median: median(slices.Clone(bytes))}
	distances := make([]int64, len(bytes))
	for i, b := range bytes {
		distances[i] = magnitude(b - s.Median)
	}
	s.MAD = median(distances)
	s.Limit = max(minRankDifference, smallest, s.Median/20, int64(madsPerLimit*float64(s.MAD)))
	return s
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
// It reorders its argument.
func median(values []int64) int64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	low, high := values[(n-1)/2], values[n/2]
	return low + (high-low)/2
}
