package answer

import (
	"math/rand/v2"
	"testing"
)

// TestExtents holds random changes against one number for each address.
func TestExtents(t *testing.T) {
	const space = 4000
	random := rand.New(rand.NewPCG(1, 2))
	var x extents
	var want [space]int
	for number := 1; number < 3000; number++ {
		from := random.IntN(space - 1)
		to := min(from+1+random.IntN(12), space)
		x.cut(uint64(from), uint64(to))
		if random.IntN(4) == 0 {
			number = -number
		}
		for addr := from; addr < to; addr++ {
			want[addr] = max(number, 0)
		}
		if number < 0 {
			number = -number
			continue
		}
		x.add(extent{addr: uint64(from), end: uint64(to), namedSegment: namedSegment{number: number}})
	}
	if len(x.chunks) < 3 {
		t.Fatalf("%d chunks: they are not split", len(x.chunks))
	}
	for addr, number := range want {
		got, found := x.at(uint64(addr))
		if found != (number > 0) || got.number != number {
			t.Errorf("%d is in %d (%v), want %d", addr, got.number, found, number)
		}
	}
	last := uint64(0)
	for _, chunk := range x.chunks {
		if len(chunk) == 0 || len(chunk) > extentChunk {
			t.Errorf("a chunk of %d", len(chunk))
		}
		for _, e := range chunk {
			if e.addr < last || e.end <= e.addr {
				t.Errorf("%d to %d behind %d", e.addr, e.end, last)
			}
			last = e.end
		}
	}
}
