package units_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/units"
)

func TestCompareNatural(t *testing.T) {
	ordered := []string{"", "01", "1", "2", "10", "a", "a1", "a1b", "a2", "a10", "a10b2", "a10b10", "b"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := units.CompareNatural(a, b)
			if want := i - j; got < 0 != (want < 0) || got > 0 != (want > 0) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}
