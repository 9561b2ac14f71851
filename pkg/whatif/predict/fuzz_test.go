package predict

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"
)

// FuzzLaw: a law gives every size that it was found from, and at any x a size within
// bounds, which does not fall as x grows.
func FuzzLaw(f *testing.F) {
	f.Add(int64(128), int64(1536), int64(256), int64(3072), int64(512), int64(6144), int64(1024))
	f.Add(int64(100), int64(1536), int64(270), int64(3840), int64(0), int64(0), int64(1))
	f.Add(int64(1), int64(1), int64(MaxX), int64(maxBytes), int64(0), int64(0), int64(MaxX))
	f.Add(int64(7), int64(1<<62), int64(8), int64(1<<62+1), int64(9), int64(1<<62+2), int64(10))
	f.Fuzz(func(t *testing.T, x1, s1, x2, s2, x3, s3, x int64) {
		var points []point
		for _, p := range []point{{x1, s1}, {x2, s2}, {x3, s3}} {
			if p.x < 1 || p.x > MaxX || p.size < 1 || len(points) > 0 && p.x <= points[len(points)-1].x {
				break
			}
			points = append(points, p)
		}
		if len(points) == 0 || x < 1 || x >= MaxX {
			t.Skip()
		}
		l := lawOf(points)
		if l.String() == "" || l.evident && l.kind == Unknown {
			t.Fatalf("%v: %+v", points, l)
		}
		if l.kind == Unknown {
			return
		}
		for _, p := range points {
			if size, exact := l.sizeAt(p.x); l.kind != Constant && p.size <= maxBytes && (size != p.size || !exact) {
				t.Errorf("%v: %s gives %d at %d", points, &l, size, p.x)
			}
		}
		last := int64(0)
		for _, at := range []int64{1, x, x + 1, MaxX} {
			size, _ := l.sizeAt(at)
			if size < 1 || size > maxBytes && l.kind != Constant {
				t.Errorf("%v: %s gives %d at %d", points, &l, size, at)
			}
			if size < last {
				t.Errorf("%v: %s falls to %d at %d", points, &l, size, at)
			}
			last = size
		}
		if l.kind == Linear { // against fractions
			want := new(big.Rat).Mul(big.NewRat(points[0].size, points[0].x), new(big.Rat).SetInt64(x))
			got, _ := l.sizeAt(x)
			above := new(big.Rat).Sub(new(big.Rat).SetInt64(got), want)
			if off := above.Sign() < 0 || above.Cmp(big.NewRat(1, 1)) >= 0; off && got < maxBytes {
				t.Errorf("%v: %d at %d, want %s", points, got, x, want.FloatString(3))
			}
		}
	})
}

// FuzzAlign: pairs are of equal elements and in order, and as many as the table of all
// pairs finds.
func FuzzAlign(f *testing.F) {
	f.Add([]byte("abcabba"), []byte("cbabac"))
	f.Add([]byte(""), []byte("a"))
	f.Add([]byte("aaaaaaaaaaaaaaaab"), []byte("baaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		x, y = x[:min(len(x), 200)], y[:min(len(y), 200)]
		a, b := make([]int32, len(x)), make([]int32, len(y))
		for i, c := range x {
			a[i] = int32(c)
		}
		for i, c := range y {
			b[i] = int32(c)
		}
		pairs := align(a, b)
		check(t, a, b, pairs)
		if want := longest(a, b); len(pairs) != want {
			t.Errorf("%d pairs, want %d: %v, %v", len(pairs), want, a, b)
		}
	})
}

// FuzzStudy: whatever two recordings request, nothing panics, and predictions lie within
// their bounds.
func FuzzStudy(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, []byte{1, 2, 3, 4}, uint64(100), uint64(200), uint64(400))
	f.Add([]byte{200, 10, 20, 30, 7, 7}, []byte{200, 10, 25, 7, 7}, uint64(1), uint64(MaxX), uint64(3))
	f.Fuzz(func(t *testing.T, a, b []byte, x1, x2, at uint64) {
		label := func(x uint64) int64 { return int64(x%MaxX) + 1 }
		given := func(program []byte, x uint64) Given {
			r := newTape()
			r.running = true
			var live []uint64
			for len(program) >= 2 && len(live) < 100 {
				n := int64(binary.LittleEndian.Uint16(program))
				if program = program[2:]; n%5 == 0 && len(live) > 0 {
					r.free(live[0])
					live = live[1:]
					continue
				}
				live = append(live, r.alloc(int32(n%13), n*(1+n%3*(label(x)%1000))+1))
			}
			return r.at(label(x))
		}
		recordings := []Given{given(a, x1), given(b, x2)}
		s := New(recordings, Options{Force: true})
		if !s.Possible() {
			if s.Refused == nil || s.Refused.Sentence == "" {
				t.Fatalf("nothing is predicted, and no reason given: %+v", s.Refused)
			}
			return
		}
		for _, x := range slices.Compact([]int64{1, label(at), MaxX}) {
			p := s.At(x, 1<<30)
			if p.Active.Low > p.ActivePeak || p.ActivePeak > p.Active.High || p.Active.Low < 0 ||
				p.WithoutSquare > p.ActivePeak || p.UnknownBytes+p.UnprovedBytes+p.SquareBytes > p.ActivePeak {
				t.Errorf("at %d: %+v", x, p)
			}
			if r := p.Reserved; r != nil && (r.Low > r.Peak || r.Peak > r.High || r.Low < 0) {
				t.Errorf("at %d: %+v", x, *r)
			}
		}
	})
}
