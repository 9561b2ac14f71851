package predict

import (
	"fmt"
	"math/big"
	"math/bits"
)

// LawKind is how the size of a request depends on x.
type LawKind uint8

const (
	Unknown      LawKind = iota // no law fits, or there is only one size: the nearest recording's size is kept
	Constant                    // c
	Linear                      // c x
	Square                      // c x^2
	Padded                      // c pad(x, m): x is rounded up to a multiple of m
	PaddedSquare                // c pad(x, m)^2
	Shifted                     // c (x + k), such as one token less
	Affine                      // a + b x
	lawKinds     int     = iota
)

var lawKeys = [...]string{Unknown: "unknown", Constant: "constant", Linear: "linear", Square: "square",
	Padded: "padded", PaddedSquare: "padded_square", Shifted: "shifted", Affine: "affine"}

// Key names the kind in files: "padded_square".
func (k LawKind) Key() string { return lawKeys[k] }

// law gives the size of a request at any x.
type law struct {
	kind LawKind
	// evident: the law has fewer parameters than there are sizes, or is one that wrong
	// labels do not produce. Nearly any two sizes fit a + b x.
	evident bool
	falls   bool // Unknown: the sizes fall as x grows

	size, at int64 // one of the sizes in bytes, and its x
	m, k     int64 // of Padded and PaddedSquare; of Shifted
	a, b     int64 // of Affine
}

// point is the size of a request in one of the recordings.
type point struct{ x, size int64 }

// maxBytes bounds predicted sizes. No device has that much memory.
const maxBytes = 1 << 50

// lawOf returns the first law that all points follow exactly. There is at least one
// point; they are ascending in x.
//
// There is no law that grows faster than x^2, which was only seen where recordings
// differed in their dtypes, and none that falls, which was only seen with wrong labels.
func lawOf(points []point) law {
	first, last := points[0], points[len(points)-1]
	unknown := law{kind: Unknown, falls: last.size < first.size}
	if len(points) < 2 {
		return unknown
	}
	if l := (law{kind: Constant, size: first.size, at: first.x}); l.fits(points) {
		l.evident = true
		return l
	}
	if last.size < first.size {
		return unknown
	}
	for _, kind := range []LawKind{Linear, Square} {
		if l := (law{kind: kind, size: first.size, at: first.x}); l.fits(points) {
			l.evident = true
			return l
		}
	}
	proved := len(points) > 2
	for _, kind := range []LawKind{Padded, PaddedSquare} {
		for m := int64(8); m <= 256; m *= 2 {
			l := law{kind: kind, evident: proved, size: first.size, at: first.x, m: m}
			if l.whole() && l.fits(points) {
				return l
			}
		}
	}
	for _, k := range []int64{-1, 1, -2, 2} {
		l := law{kind: Shifted, evident: proved, size: first.size, at: first.x, k: k}
		if l.whole() && l.fits(points) {
			return l
		}
	}
	if rise, run := last.size-first.size, last.x-first.x; rise%run == 0 {
		l := law{kind: Affine, evident: proved, b: rise / run}
		if high, low := bits.Mul64(uint64(l.b), uint64(first.x)); high == 0 && low < uint64(first.size) {
			if l.a = first.size - int64(low); l.fits(points) {
				return l
			}
		}
	}
	return unknown
}

// base returns the number that the size at x is a multiple of.
func (l *law) base(x int64) *big.Int {
	n := big.NewInt(x)
	switch l.kind {
	case Padded, PaddedSquare:
		n.SetInt64((x + l.m - 1) / l.m * l.m)
	case Shifted:
		n.SetInt64(x + l.k)
	}
	if l.kind == Square || l.kind == PaddedSquare {
		n.Mul(n, n)
	}
	return n
}

// whole reports whether the size is a whole multiple of base.
func (l *law) whole() bool {
	base := l.base(l.at)
	return base.Sign() > 0 && new(big.Int).Mod(big.NewInt(l.size), base).Sign() == 0
}

func (l *law) fits(points []point) bool {
	for _, p := range points {
		size, exact := l.sizeAt(p.x)
		if !exact || size != p.size {
			return false
		}
	}
	return true
}

// sizeAt returns the size at x in bytes, at least 1 and at most maxBytes, and whether the
// law gives it without rounding up.
func (l *law) sizeAt(x int64) (size int64, exact bool) {
	value := new(big.Int)
	switch l.kind {
	case Unknown:
		return 1, false
	case Constant:
		return l.size, true
	case Affine:
		value.Mul(big.NewInt(l.b), big.NewInt(x))
		value.Add(value, big.NewInt(l.a))
		exact = true
	default:
		rest := new(big.Int)
		value.Mul(big.NewInt(l.size), l.base(x))
		value.DivMod(value, l.base(l.at), rest)
		if exact = rest.Sign() == 0; !exact {
			value.Add(value, big.NewInt(1))
		}
	}
	if !value.IsInt64() || value.Int64() > maxBytes {
		return maxBytes, false
	}
	return max(value.Int64(), 1), exact
}

// String returns the law as a formula in bytes.
func (l *law) String() string {
	per := func(text string, base *big.Int) string {
		c := new(big.Rat).SetFrac(big.NewInt(l.size), base)
		return c.RatString() + " " + text
	}
	switch l.kind {
	case Constant:
		return fmt.Sprint(l.size)
	case Linear:
		return per("x", l.base(l.at))
	case Square:
		return per("x^2", l.base(l.at))
	case Padded:
		return per(fmt.Sprintf("pad(x, %d)", l.m), l.base(l.at))
	case PaddedSquare:
		return per(fmt.Sprintf("pad(x, %d)^2", l.m), l.base(l.at))
	case Shifted:
		return per(fmt.Sprintf("(x%+d)", l.k), l.base(l.at))
	case Affine:
		return fmt.Sprintf("%d + %d x", l.a, l.b)
	}
	return "unknown"
}
