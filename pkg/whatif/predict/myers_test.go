package predict

import (
	"math/rand/v2"
	"testing"
)

// longest is the length of the longest common subsequence, by the table of all pairs.
func longest(a, b []int32) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func check(t *testing.T, a, b []int32, pairs []pair) {
	t.Helper()
	last := pair{-1, -1}
	for _, p := range pairs {
		if p.a <= last.a || p.b <= last.b || a[p.a] != b[p.b] {
			t.Fatalf("%v after %v in %v, %v", p, last, a, b)
		}
		last = p
	}
}

// TestAlign holds alignments against the table of all pairs.
func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		letters := 1 + rng.Int32N(6)
		a, b := make([]int32, rng.IntN(24)), make([]int32, rng.IntN(24))
		for i := range a {
			a[i] = rng.Int32N(letters)
		}
		for i := range b {
			b[i] = rng.Int32N(letters)
		}
		pairs := align(a, b)
		check(t, a, b, pairs)
		if want := longest(a, b); len(pairs) != want {
			t.Fatalf("%d pairs, want %d: %v, %v", len(pairs), want, a, b)
		}
	}
}

// TestAlignLong: sequences that differ everywhere are aligned in bounded time, and
// a long inserted stretch is found.
func TestAlignLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 60_000
	a, b, c := make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range a {
		a[i], b[i], c[i] = rng.Int32N(50), rng.Int32N(50)+25, rng.Int32N(1000)
	}
	check(t, a, b, align(a, b))
	edited := make([]int32, 0, 2*n)
	for i, x := range c {
		if i == n/2 {
			edited = append(edited, a[:n/10]...)
		}
		if i%50 != 7 {
			edited = append(edited, x)
		}
	}
	pairs := align(c, edited)
	check(t, c, edited, pairs)
	if want := n - n/50; len(pairs) < want*98/100 {
		t.Errorf("%d pairs of %d", len(pairs), want)
	}
}
