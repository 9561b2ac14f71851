package predict

import "testing"

func TestLaws(t *testing.T) {
	pad := func(x, m int64) int64 { return (x + m - 1) / m * m }
	tests := []struct {
		name    string
		x       []int64
		size    func(x int64) int64
		want    string
		evident bool
	}{
		{"constant", []int64{128, 256}, func(int64) int64 { return 4096 }, "4096", true},
		{"linear", []int64{128, 256}, func(x int64) int64 { return 12 * x }, "12 x", true},
		{"half a byte", []int64{128, 256}, func(x int64) int64 { return x / 2 }, "1/2 x", true},
		{"square", []int64{128, 256}, func(x int64) int64 { return 3 * x * x }, "3 x^2", true},
		{"padded", []int64{100, 200}, func(x int64) int64 { return 12 * pad(x, 64) }, "384/25 x",
			true}, // it cannot be seen
		{"padded, two", []int64{100, 270}, func(x int64) int64 { return 12 * pad(x, 64) }, "12 pad(x, 64)", false},
		{"padded, three", []int64{100, 270, 300}, func(x int64) int64 { return 12 * pad(x, 64) }, "12 pad(x, 64)",
			true},
		{"padded square", []int64{100, 250}, func(x int64) int64 { return 12 * pad(x, 32) * pad(x, 32) },
			"12 pad(x, 32)^2", false},
		{"one token less", []int64{128, 256}, func(x int64) int64 { return 4 * (x - 1) }, "4 (x-1)", false},
		{"affine", []int64{128, 256}, func(x int64) int64 { return 1000 + 4*x }, "1000 + 4 x", false},
		{"affine, three", []int64{128, 256, 700}, func(x int64) int64 { return 1000 + 4*x }, "1000 + 4 x", true},
		{"cubic", []int64{128, 256, 512}, func(x int64) int64 { return x * x * x }, "unknown", false},
		{"falling", []int64{128, 256}, func(x int64) int64 { return 100_000 / x }, "unknown", false},
		{"negative", []int64{128, 256}, func(x int64) int64 { return 8*x - 1000 }, "unknown", false},
		{"one recording", []int64{128}, func(x int64) int64 { return x }, "unknown", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var points []point
			for _, x := range test.x {
				points = append(points, point{x, test.size(x)})
			}
			l := lawOf(points)
			if l.String() != test.want || l.evident != test.evident {
				t.Errorf("got %s, evident %v", &l, l.evident)
			}
			if l.kind == Unknown || test.name == "padded" {
				return
			}
			for x := int64(2); x < 1000; x += 2 {
				if got, _ := l.sizeAt(x); got != max(test.size(x), 1) {
					t.Fatalf("%d at %d, want %d", got, x, test.size(x))
				}
			}
		})
	}
}

// TestLawsAreBounded: no size overflows, however large x is.
func TestLawsAreBounded(t *testing.T) {
	for kind := range LawKind(lawKinds) {
		l := law{kind: kind, size: maxBytes - 1, at: 1, m: 8, k: 1, a: 1, b: maxBytes}
		for _, x := range []int64{1, 3, MaxX} {
			if size, _ := l.sizeAt(x); size < 1 || size > maxBytes {
				t.Errorf("%s: %d at %d", kind.Key(), size, x)
			}
		}
	}
}
