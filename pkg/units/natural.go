package units

import (
	"cmp"
	"strings"
)

// Natural orders texts as people do: rank9 before rank10.
func Natural(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			// Texts that differ only in leading zeros need an order too.
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
		}
		n, restX := leadingDigits(x)
		m, restY := leadingDigits(y)
		if n == "" || m == "" {
			if c := cmp.Compare(x[0], y[0]); c != 0 {
				return c
			}
			x, y = x[1:], y[1:]
			continue
		}
		// A longer number without leading zeros is a larger one.
		n, m = strings.TrimLeft(n, "0"), strings.TrimLeft(m, "0")
		if c := cmp.Or(cmp.Compare(len(n), len(m)), strings.Compare(n, m)); c != 0 {
			return c
		}
		x, y = restX, restY
	}
}

func leadingDigits(s string) (digits, rest string) {
	i := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return s[:i], s[i:]
}
