package job

import "slices"

// Spread is how a number of bytes is spread over the ranks of a group.
type Spread struct {
	Median int64
	Limit  int64 // how far from the median a rank may be without being different
	Low    int64
	High   int64
	Ranks  int // how many have the number
}

// Outside reports whether bytes differ significantly from the median.
func (s *Spread) Outside(bytes int64) bool { return s.Ranks > 2 && distance(bytes, s.Median) > s.Limit }

// Above reports whether bytes are significantly more than the median.
func (s *Spread) Above(bytes int64) bool { return s.Outside(bytes) && bytes > s.Median }

const (
	// minDifference, in bytes, is never significant.
	minDifference = 1 << 20
	// madsPerLimit is, in units of a ten thousandth, 6 standard deviations, which are
	// 1.4826 median distances of normally distributed numbers.
	madsPerLimit = 6 * 14826
	// spreadOfFew widens the limit of small groups, where the median distance is a poor
	// estimate.
	spreadOfFew = 8
	// maxBytes bounds the numbers, so that nothing overflows: 1 PiB.
	maxBytes = 1 << 50
)

// SpreadOf computes the spread of bytes over the ranks of a group whose median peak is
// given; the values are overwritten. A rank is different if it is further from the median
// than each of these:
//
//   - 1 MiB, 1 % of the peak, and 2 % of the median;
//   - 6 standard deviations, estimated from the median distance from the median, and
//     more in small groups;
//   - twice the largest distance after leaving out the furthest 2 % of the ranks, and at
//     least one.
func SpreadOf(values []int64, peak int64) Spread { return spreadOf(values, peak, len(values)/50) }

// spreadAt computes the spread at a moment. After a step all ranks are at the same line
// of the program, and what they hold seldom depends on their data. So several ranks that
// hold more are not noise, and must not hide each other: up to a quarter of the ranks,
// and up to eight, are left out.
func spreadAt(when When, values []int64, peak int64) Spread {
	leftOut := len(values) / 50
	if when == AfterSteps {
		leftOut = max(leftOut, min(len(values)/4, 8))
	}
	return spreadOf(values, peak, leftOut)
}

func spreadOf(values []int64, peak int64, leftOut int) Spread {
	n := len(values)
	if n == 0 {
		return Spread{}
	}
	for i, v := range values {
		values[i] = min(max(v, 0), maxBytes)
	}
	slices.Sort(values)
	s := Spread{Median: middle(values), Low: values[0], High: values[n-1], Ranks: n}
	for i, v := range values {
		values[i] = distance(v, s.Median)
	}
	slices.Sort(values)
	deviation := middle(values)/10_000*madsPerLimit + middle(values)%10_000*madsPerLimit/10_000
	k := int64(n)
	s.Limit = max(minDifference, min(peak, maxBytes)/100, s.Median/50, deviation/k*(k+spreadOfFew)+
		deviation%k*(k+spreadOfFew)/k)
	if leftOut = max(1, leftOut); leftOut < n {
		s.Limit = max(s.Limit, 2*values[n-1-leftOut])
	}
	return s
}

// Median returns the median of values; 0 if there are none.
func Median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	return middle(slices.Sorted(slices.Values(values)))
}

// middle returns the median of at least one sorted value: the one in the middle, or the
// mean of the two there.
func middle(sorted []int64) int64 {
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
