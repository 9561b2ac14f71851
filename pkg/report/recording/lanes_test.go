package recording

import (
	"fmt"
	"testing"
)

func TestLongestOf(t *testing.T) {
	list := []int{3, 1, 4, 1, 5, 9, 2, 6}
	for limit, want := range map[int]string{0: "[]", 1: "[9]", 3: "[5 9 6]", 4: "[4 5 9 6]", 8: "[3 1 4 1 5 9 2 6]"} {
		if got := fmt.Sprint(longestOf(list, limit, func(v int) int { return v })); got != want {
			t.Errorf("the longest %d are %s, want %s", limit, got, want)
		}
	}
}
