package answer

import (
	"testing"
)

// TestConditionCompares holds 1, 2 and 3 against 2.
func TestConditionCompares(t *testing.T) {
	for op, want := range map[string][3]bool{
		">": {false, false, true}, ">=": {false, true, true}, "<": {true, false, false}, "<=": {true, true, false},
		"==": {false, true, false}, "!=": {true, false, true},
	} {
		for i, v := range []float64{1, 2, 3} {
			if got := (Condition{op: op, limit: 2}).compare(v); got != want[i] {
				t.Errorf("%g %s 2 is %t", v, op, got)
			}
		}
	}
}
