package modules

import (
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestRepeats: each letter is a stack; a call begins at each capital letter of want.
func TestRepeats(t *testing.T) {
	for _, test := range []struct{ name, stacks, want string }{
		{"three calls", "abcabcabc", "AbcAbcAbc"},
		{"one kind twice in a call", "aabaabaab", "AabAabAab"},
		{"one stack again in each call", "abacabacabac", "AbacAbacAbac"},
		{"the first call makes a workspace", "abXcdabcdabcdabcdabcdabcd", "AbxcdAbcdAbcdAbcdAbcdAbcd"},
		{"a workspace with the stack of its operator", "aabaabaabaabaabaaba", "AabaAbaAbaAbaAbaAba"},
		{"a call in the middle has one more", strings.Repeat("abcde", 10) + "abcXde" + strings.Repeat("abcde", 9),
			strings.Repeat("Abcde", 10) + "Abcxde" + strings.Repeat("Abcde", 9)},
		{"one call", "abcdef", ""},
		{"nothing", "", ""},
		{"calls of two requests", "abababab", ""},
		{"one stack", "aaaaaaaaaaaa", ""},
		{"stages whose first call differs", "abcxabcabcdefydefdef", ""},
		{"something before the loop", "xyabcabcabc", ""},
		{"too much differs", "abcdeabxyzabcdeabuvw", ""},
	} {
		s := make([]snapshot.StackID, len(test.stacks))
		for i, letter := range strings.ToLower(test.stacks) {
			s[i] = snapshot.StackID(letter)
		}
		var want []int
		for i := range test.want {
			if test.want[i] >= 'A' && test.want[i] <= 'Z' {
				want = append(want, i)
			}
		}
		if got, _ := repeats(s); !slices.Equal(got, want) {
			t.Errorf("%s: the calls begin at %v, want %v", test.name, got, want)
		}
	}
}
