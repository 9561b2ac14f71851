package modules

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// A sequence repeats with a period if nearly all of it is the same one period later.
const (
	samePercent  = 93 // of the sequence equals itself one period later
	callPercent  = 80 // of the stacks of a call match the pattern, at least
	equalPercent = 80 // of the calls are exactly the pattern
	maxTries     = 64 // periods that are tried, so that the cost stays linear
	maxShift     = 64 // difference in requests between two calls
)

// repeats returns the positions at which the calls in a sequence of requests begin, and
// the stacks of most calls; nil if it does not repeat.
func repeats(s []snapshot.StackID) (starts []int, pattern []snapshot.StackID) {
	n := period(s)
	if n == 0 {
		n = period(s[len(s)/2:]) // the first call may hold more
	}
	if n == 0 {
		return nil, nil
	}
	// The last call ends where the sequence ends, but in one half of the sequence, or
	// after a longer first call, a period need not begin with a call.
	for _, pattern := range [][]snapshot.StackID{s[len(s)-n:], s[n : 2*n]} {
		if starts := cut(s, pattern); evenly(s, starts, pattern) {
			return starts, pattern
		}
	}
	return nil, nil
}

// evenly reports whether there are enough calls, and most of them match the pattern. The
// first of three or more need not: it makes workspaces, too.
func evenly(s []snapshot.StackID, starts []int, pattern []snapshot.StackID) bool {
	counted := starts
	if len(starts) > minCalls && begins(s, 0, pattern) {
		counted = starts[1:]
	}
	equal := 0
	for i, from := range counted {
		to := len(s)
		if i+1 < len(counted) {
			to = counted[i+1]
		}
		if slices.Equal(s[from:to], pattern) {
			equal++
		}
	}
	return len(starts) >= minCalls && 100*equal >= equalPercent*len(counted)
}

// period returns the first distance at which the first stack recurs and nearly all of the
// sequence equals itself; 0 if there is none, or if a call would be too short.
func period(s []snapshot.StackID) int {
	tries := 0
	for n := 1; n <= len(s)/minCalls && tries < maxTries; n++ {
		if s[n] != s[0] {
			continue
		}
		tries++
		most := (len(s) - n) * (100 - samePercent) / 100 // that may differ
		for i := 0; i+n < len(s) && most >= 0; i++ {
			if s[i] != s[i+n] {
				most--
			}
		}
		if most >= 0 && n < minRequests {
			return 0
		} else if most >= 0 {
			return n
		}
	}
	return 0
}

// cut finds where the calls of a pattern begin; nil if the sequence does not begin with
// one. A call with some requests more or less moves those after it.
func cut(s, pattern []snapshot.StackID) []int {
	if len(s) == 0 || s[0] != pattern[0] {
		return nil
	}
	starts := []int{0}
	for at := 0; ; {
		next := nextCall(s, at, pattern, isPattern)
		if next < 0 {
			next = nextCall(s, at, pattern, begins)
		}
		if next < 0 {
			return starts
		}
		starts = append(starts, next)
		at = next
	}
}

// nextCall returns where a call begins about one pattern after another call, or -1.
func nextCall(s []snapshot.StackID, at int, pattern []snapshot.StackID,
	is func(s []snapshot.StackID, at int, pattern []snapshot.StackID) bool) int {
	n := len(pattern)
	for off := 0; off <= min(n/2, maxShift); off++ {
		for _, to := range [2]int{at + n + off, at + n - off} {
			if to-at >= minRequests && is(s, to, pattern) {
				return to
			}
		}
	}
	return -1
}

func isPattern(s []snapshot.StackID, at int, pattern []snapshot.StackID) bool {
	return at+len(pattern) <= len(s) && slices.Equal(s[at:at+len(pattern)], pattern)
}

// begins reports whether a call of the pattern begins at a position. It may have extra
// requests, or lack some.
func begins(s []snapshot.StackID, at int, pattern []snapshot.StackID) bool {
	if at >= len(s) || s[at] != pattern[0] {
		return false
	}
	same := 0
	for i, j := at, 0; i < len(s) && j < len(pattern); {
		switch {
		case s[i] == pattern[j]:
			same++
			i++
			j++
		case i+1 < len(s) && s[i+1] == pattern[j]:
			i++
		case j+1 < len(pattern) && s[i] == pattern[j+1]:
			j++
		default:
			i++
			j++
		}
	}
	return 100*same >= callPercent*len(pattern)
}
