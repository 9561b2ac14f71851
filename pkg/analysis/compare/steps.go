package compare

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
)

// StepPair is a step in both recordings, or in one of them. The stretch after the last
// step counts as one here.
type StepPair struct {
	Index   [2]int // in steps.List.Steps; -1 on a side without it
	Number  int    // that the profiler or the script gave it, or -1
	Ended   bool   // it ends in the recording on each side that has it
	Highest [2]int // the state with the most active bytes; timeline.NoState on a side without it
}

// Both reports whether both recordings have the step.
func (p *StepPair) Both() bool { return p.Index[Before] >= 0 && p.Index[After] >= 0 }

// Label returns the number of the step: its own, else the later position of the two
// sides, from 1.
func (p *StepPair) Label() string {
	if p.Number >= 0 {
		return strconv.Itoa(p.Number)
	}
	return strconv.Itoa(max(p.Index[Before], p.Index[After]) + 1)
}

// pairSteps pairs the steps of two recordings by their numbers; without numbers, from the
// start, or from the end if one history is cut.
func pairSteps(sides *[2]Side) []StepPair {
	a, b := sides[Before].Steps, sides[After].Steps
	if a.Method == steps.None || b.Method == steps.None || a.Guess || b.Guess || a.Method.Word(1) != b.Method.Word(1) {
		return nil
	}
	var pairs [][2]int
	numbers := [2][]int{stepNumbers(&sides[Before]), stepNumbers(&sides[After])}
	byNumber := numbers[Before] != nil && numbers[After] != nil
	if byNumber {
		pairs = equalNumbers(numbers)
	}
	if byNumber = len(pairs) > 0; !byNumber {
		pairs = inOrder(a, b, fromEnd(sides))
	}
	list := merge(pairs, [2]int{len(a.Steps), len(b.Steps)}, func(i, j int) bool {
		if byNumber && numbers[Before][i] != numbers[After][j] {
			return numbers[Before][i] < numbers[After][j]
		}
		if ends := i < len(a.Boundaries); ends != (j < len(b.Boundaries)) {
			return ends
		}
		return i < j
	})
	for i := range list {
		p := &list[i]
		p.Number, p.Ended, p.Highest = -1, true, [2]int{timeline.NoState, timeline.NoState}
		for side, step := range p.Index {
			if step < 0 {
				continue
			}
			if byNumber {
				p.Number = max(p.Number, numbers[side][step])
			}
			s := sides[side].Steps
			p.Ended = p.Ended && step < len(s.Boundaries)
			p.Highest[side] = timeline.PeakBetween(sides[side].Device, s.Steps[step].From, s.Steps[step].To)
		}
	}
	return list
}

// merge lists pairs, and between them the steps that only one side has; earlier says
// whether such a step of before comes first.
func merge(pairs [][2]int, n [2]int, earlier func(i, j int) bool) (list []StepPair) {
	i, j := 0, 0
	for _, pair := range append(slices.Clone(pairs), n) {
		for i < pair[0] || j < pair[1] {
			if j == pair[1] || i < pair[0] && earlier(i, j) {
				list = append(list, StepPair{Index: [2]int{i, -1}})
				i++
			} else {
				list = append(list, StepPair{Index: [2]int{-1, j}})
				j++
			}
		}
		if pair != n {
			list = append(list, StepPair{Index: pair})
			i, j = i+1, j+1
		}
	}
	return list
}

// endNumber is the number at the end of a name: "ProfilerStep#7", "step 7".
var endNumber = regexp.MustCompile(`\d{1,9}$`)

// stepNumbers returns the numbers in the names of a recording's steps, or -1; nil unless
// they ascend.
func stepNumbers(s *Side) []int {
	list := make([]int, len(s.Steps.Steps))
	last := -1
	for i := range list {
		list[i] = -1
		if digits := endNumber.FindString(s.Stacks.Snapshot.String(s.Steps.Steps[i].Name)); digits != "" {
			n, err := strconv.Atoi(digits)
			if err != nil || n <= last {
				return nil
			}
			list[i], last = n, n
		}
	}
	if last < 0 {
		return nil
	}
	return list
}

// equalNumbers pairs steps of the same number, and on both sides the stretches before the
// first or after the last of them if neither has a number.
func equalNumbers(numbers [2][]int) (pairs [][2]int) {
	a, b := numbers[Before], numbers[After]
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j] && a[i] >= 0:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	if first := pairs[0]; first[0] > 0 && first[1] > 0 && a[first[0]-1] < 0 && b[first[1]-1] < 0 {
		pairs = slices.Insert(pairs, 0, [2]int{first[0] - 1, first[1] - 1})
	}
	if i, j := len(a)-1, len(b)-1; a[i] < 0 && b[j] < 0 && i > pairs[len(pairs)-1][0] && j > pairs[len(pairs)-1][1] {
		pairs = append(pairs, [2]int{i, j})
	}
	return pairs
}

// inOrder pairs steps that end in the recordings, the first ones with each other or
// the last ones, and what follows them.
func inOrder(a, b *steps.List, fromEnd bool) (pairs [][2]int) {
	n := min(len(a.Boundaries), len(b.Boundaries))
	fromA, fromB := 0, 0
	if fromEnd {
		fromA, fromB = len(a.Boundaries)-n, len(b.Boundaries)-n
	}
	for i := range n {
		pairs = append(pairs, [2]int{fromA + i, fromB + i})
	}
	if i, j := len(a.Boundaries), len(b.Boundaries); i < len(a.Steps) && j < len(b.Steps) {
		pairs = append(pairs, [2]int{i, j})
	}
	return pairs
}
