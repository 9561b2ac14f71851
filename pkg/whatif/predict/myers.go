package predict

// pair is two matching elements, one of each sequence.
type pair struct{ a, b int32 }

// align pairs equal elements of two sequences in order: as many as possible, by Myers'
// algorithm in linear space, unless the sequences are long and very different. Then
// stretches are divided where most has been matched within a short distance, which bounds
// the time to maxWork plus a term linear in the length. The other aligner, in
// analysis/compare, weighs every pair, which takes quadratic time.
func align(a, b []int32) []pair {
	x := &aligner{a: a, b: b, pairs: make([]pair, 0, min(len(a), len(b)))}
	n := 2*maxDistance + 4
	x.forward, x.backward = make([]int32, n), make([]int32, n)
	x.stretch(0, int32(len(a)), 0, int32(len(b)))
	return x.pairs
}

// Half the edit distance up to which a stretch is aligned optimally, the diagonals that
// all stretches may visit for that, and the distance once these are used up. Recordings
// of one program differ by a few requests in every hundred.
const (
	maxDistance   = 8000
	maxWork       = 300_000_000
	shortDistance = 100
)

type aligner struct {
	a, b              []int32
	pairs             []pair
	work              int64   // diagonals visited
	forward, backward []int32 // by diagonal: how far into a the furthest path reaches
}

// stretch aligns a[a0:a1] with b[b0:b1].
func (x *aligner) stretch(a0, a1, b0, b1 int32) {
	for a0 < a1 && b0 < b1 && x.a[a0] == x.b[b0] {
		x.pairs = append(x.pairs, pair{a0, b0})
		a0, b0 = a0+1, b0+1
	}
	tail := int32(0)
	for a0 < a1 && b0 < b1 && x.a[a1-1] == x.b[b1-1] {
		a1, b1, tail = a1-1, b1-1, tail+1
	}
	if a0 < a1 && b0 < b1 {
		if a, b := x.middle(a0, a1, b0, b1); a > a0 || b > b0 {
			x.stretch(a0, a, b0, b)
			x.stretch(a, a1, b, b1)
		}
	}
	for i := range tail {
		x.pairs = append(x.pairs, pair{a1 + i, b1 + i})
	}
}

// middle returns an inner point of the shortest edit of a[a0:a1] into b[b0:b1]; or, beyond the
// greatest distance, the furthest point of the forward search. Neither stretch is empty, and
// they differ in their first and last elements.
func (x *aligner) middle(a0, a1, b0, b1 int32) (a, b int32) {
	n, m := a1-a0, b1-b0
	delta := n - m
	most := min((n+m+1)/2, maxDistance)
	if x.work > maxWork {
		most = min(most, shortDistance)
	}
	at := func(list []int32, k int32) *int32 { return &list[k+maxDistance+1] }
	*at(x.forward, 1), *at(x.backward, 1) = 0, 0
	for d := range most + 1 {
		x.work += 2 * int64(d+1)
		for k := -d; k <= d; k += 2 {
			i := furthest(x.forward, k, d)
			for i < n && i-k < m && i-k >= 0 && x.a[a0+i] == x.b[b0+i-k] {
				i++
			}
			*at(x.forward, k) = i
			if back := delta - k; delta%2 != 0 && -(d-1) <= back && back <= d-1 && i+*at(x.backward, back) >= n {
				return inside(a0, b0, i, i-k, n, m)
			}
		}
		for k := -d; k <= d; k += 2 {
			i := furthest(x.backward, k, d)
			for i < n && i-k < m && i-k >= 0 && x.a[a1-1-i] == x.b[b1-1-i+k] {
				i++
			}
			*at(x.backward, k) = i
			if fore := delta - k; delta%2 == 0 && -d <= fore && fore <= d && i+*at(x.forward, fore) >= n {
				return inside(a0, b0, n-i, m-i+k, n, m)
			}
		}
	}
	best := int32(-1)
	for k := -most; k <= most; k += 2 {
		if i := min(*at(x.forward, k), n, m+k); i-k >= 0 && i+i-k > best {
			best, a, b = i+i-k, i, i-k
		}
	}
	return inside(a0, b0, a, b, n, m)
}

// furthest returns where a path of d edits begins on diagonal k.
func furthest(list []int32, k, d int32) int32 {
	below, above := list[k-1+maxDistance+1], list[k+1+maxDistance+1]
	if k == -d || k != d && below < above {
		return above
	}
	return below + 1
}

// inside returns the point (i, j) of a stretch of n by m, moved into its interior.
func inside(a0, b0, i, j, n, m int32) (a, b int32) {
	i, j = max(0, min(i, n)), max(0, min(j, m))
	if i == n && j == m { // the rest is one edit
		i--
	}
	return a0 + i, b0 + j
}
