package ranges

import (
	"math/rand/v2"
	"testing"
)

// TestSet compares random changes with an array that has a number for each address.
func TestSet(t *testing.T) {
	const space = 4000
	random := rand.New(rand.NewPCG(1, 2))
	var s Set[int]
	var want [space]int
	for number := 1; number < 3000; number++ {
		from := random.IntN(space - 1)
		to := min(from+1+random.IntN(12), space)
		use := number
		if random.IntN(4) == 0 {
			use = 0 // removed only
		}
		var held int64
		for addr := from; addr < to; addr++ {
			if want[addr] > 0 {
				held++
			}
			want[addr] = use
		}
		if got := s.Overlaps(uint64(from), uint64(to)); got != (held > 0) {
			t.Fatalf("%d to %d overlaps: %t, with %d bytes held there", from, to, got, held)
		}
		if got := s.Cut(uint64(from), uint64(to)); got != held {
			t.Fatalf("cut %d bytes, want %d", got, held)
		}
		if use > 0 {
			s.Add(uint64(from), uint64(to), use)
		}
	}
	if len(s.chunks) < 3 {
		t.Fatalf("%d chunks: they are not split", len(s.chunks))
	}
	for addr, number := range want {
		if got, found := s.At(uint64(addr)); found != (number > 0) || got.Use != number {
			t.Errorf("%d is in %d (%v), want %d", addr, got.Use, found, number)
		}
	}
	for _, chunk := range s.chunks {
		if len(chunk) == 0 || len(chunk) > chunkSize {
			t.Errorf("a chunk of %d", len(chunk))
		}
	}
	last := uint64(0)
	for r := range s.All() {
		if r.From < last || r.Bytes() <= 0 {
			t.Errorf("%d to %d after %d", r.From, r.To, last)
		}
		last = r.To
	}
}
