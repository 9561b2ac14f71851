package compare

import (
	"cmp"
	"slices"
)

// alignFiles aligns the lines of each file that both recordings have; first files of
// the same name in the same folder, then files of the same name.
func alignFiles(before, after []*line) (groups [][]*line) {
	cells := maxCells
	byFile, restA, restB := groupBy(before, after, func(l *line) string { return l.file })
	byBase, restA, restB := groupBy(restA, restB, func(l *line) string { return l.base })
	for _, file := range append(byFile, byBase...) {
		var a, b []*line
		for _, l := range file {
			if l.side == 0 {
				a = append(a, l)
			} else {
				b = append(b, l)
			}
		}
		slices.SortFunc(a, compareLines)
		slices.SortFunc(b, compareLines)
		groups = append(groups, alignLines(a, b, &cells)...)
	}
	for _, l := range append(restA, restB...) {
		groups = append(groups, []*line{l})
	}
	return groups
}

// compareLines puts lines in the order of the code.
func compareLines(a, b *line) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.number, b.number), cmp.Compare(a.function, b.function))
}

// maxCells bounds how many pairs of lines are weighed in all. Lines of files beyond that
// match by function and number.
const maxCells = 1 << 21

// alignLines pairs the lines of a file so that pairs keep the order of the code and are
// as similar as possible in total. Among equally similar lines it pairs those that moved
// as far as the pairs around them: a first round finds how far that is.
func alignLines(a, b []*line, cells *int) (groups [][]*line) {
	if weighed := 2 * len(a) * len(b); weighed <= *cells {
		*cells -= weighed
	} else {
		type identity struct {
			function string
			number   int
		}
		groups, restA, restB := groupBy(a, b, func(l *line) identity { return identity{l.function, l.number} })
		for _, l := range append(restA, restB...) {
			groups = append(groups, []*line{l})
		}
		return groups
	}
	inOrder := func(i, j int) bool { return compareLines(a[i], b[j]) < 0 }
	first := align(len(a), len(b), func(i, j int) float64 { return likeness(a[i], b[j]) }, inOrder)
	moves := newMoves(a, b, pairsOf(first))
	walk := align(len(a), len(b), func(i, j int) float64 {
		alike := likeness(a[i], b[j])
		if alike > 0 && moves.has(i, j, b[j].number-a[i].number) {
			alike += 1. / 32
		}
		return alike
	}, inOrder)
	for _, pair := range walk {
		var group []*line
		if pair[Before] != none {
			group = append(group, a[pair[Before]])
		}
		if pair[After] != none {
			group = append(group, b[pair[After]])
		}
		groups = append(groups, group)
	}
	return groups
}

// moves is how far the lines around any two lines moved.
type moves struct {
	by            []int    // how far the lines of each pair moved
	before, after [2][]int // by index of a line of each side: number of pairs before it, and up to it
}

func newMoves(a, b []*line, pairs [][2]int) *moves {
	var m moves
	for side, n := range []int{len(a), len(b)} {
		m.before[side], m.after[side] = make([]int, n), make([]int, n)
		k := 0
		for i := range n {
			m.before[side][i] = k
			if k < len(pairs) && pairs[k][side] == i {
				k++
			}
			m.after[side][i] = k
		}
	}
	for _, p := range pairs {
		m.by = append(m.by, b[p[1]].number-a[p[0]].number)
	}
	return &m
}

// has reports whether the next pair before or after two lines moved that far.
func (m *moves) has(i, j, by int) bool {
	front, behind := min(m.before[0][i], m.before[1][j])-1, max(m.after[0][i], m.after[1][j])
	return front >= 0 && m.by[front] == by || behind < len(m.by) && m.by[behind] == by
}

// likeness measures the evidence that two lines are the same; 0 if they are not.
func likeness(a, b *line) float64 {
	if a.function != b.function {
		return 0
	}
	operators := shared(a.operators, b.operators)
	if a.number != b.number && operators == 0 && len(a.operators) > 0 && len(b.operators) > 0 {
		return 0 // they do something else
	}
	sum := 3*shared(a.paths, b.paths) + 2*shared(a.sites, b.sites) + 3*operators + 1./128
	if a.number == b.number {
		sum += 1. / 64
	}
	return sum
}

// shared returns how much two sets have in common, from 0 to 1.
func shared(a, b []int32) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
