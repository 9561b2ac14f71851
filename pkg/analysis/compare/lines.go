package compare

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// line is a line of the program's own code from which something is allocated, or a
// call site without one: all stacks of torch's or of another thread's that have the
// same keys.
type line struct {
	isCallSite           bool
	file, base, function string // names of a line as other machines have them
	number               int
	site                 stacks.Site
	keys                 stacks.Keys // of a call site
	side, group          int

	// What tells lines of a function apart, as numbers that both sides share: the paths
	// to them, their innermost frames, and the operators below them. Ascending.
	paths, sites, operators []int32
}

// maxFeatures bounds how many paths, or operators, of a line are looked at.
const maxFeatures = 64

// Group is what a row is about: lines of two recordings that are taken for the same, or
// a line that one of them has. Call sites with other callers may be several.
type Group struct {
	Has    [2]bool        // which sides have it
	Site   [2]stacks.Site // of each side that has it
	Named  bool           // there is a stack to match
	IsLine bool           // of the program's own code; else a call site of torch's or of another thread

	file [2]string // of each side, as other machines have it
}

// Both reports whether both recordings have the line.
func (g *Group) Both() bool { return g.Has[Before] && g.Has[After] }

// Moved reports whether the line has another number in the second recording.
func (g *Group) Moved() bool {
	return g.IsLine && g.Both() && g.Site[Before].Line != g.Site[After].Line
}

// Latest is the site in the second recording, or in the first where only that has it.
func (g *Group) Latest() stacks.Site {
	if g.Has[After] {
		return g.Site[After]
	}
	return g.Site[Before]
}

// Lines are the lines of two recordings that allocate memory, matched.
type Lines struct {
	Groups []Group
	Of     [2][]int32 // by side and snapshot.StackID: an index in Groups, or -1 where the stack allocates nothing

	// Operators says that both recordings have C++ frames, so that operators count, and
	// OneHasOperators that only one has.
	Operators, OneHasOperators bool
}

// matchLines matches the lines of two recordings.
func matchLines(a, b Side) *Lines {
	nativeA, nativeB := a.Stacks.HasNative(), b.Stacks.HasNative()
	m := &Lines{Operators: nativeA && nativeB, OneHasOperators: nativeA != nativeB}
	numbers := features{map[stacks.Key]int32{}, map[string]int32{}}
	linesA, indexA := linesOf(a, Before, m.Operators, numbers)
	linesB, indexB := linesOf(b, After, m.Operators, numbers)
	groups := pairSites(callSites(linesA), callSites(linesB))
	groups = append(groups, alignFiles(userLines(linesA), userLines(linesB))...)
	m.Groups = make([]Group, len(groups))
	for i, group := range groups {
		g := &m.Groups[i]
		for _, l := range group {
			l.group = i
			g.IsLine = !l.isCallSite
			g.Named = g.Named || g.IsLine || l.keys.Path != stacks.Key{}
			if !g.Has[l.side] && g.Named {
				g.Site[l.side], g.file[l.side] = l.site, cmp.Or(l.file, l.site.File)
			}
			g.Has[l.side] = true
		}
	}
	groupsOf := func(lines []*line, index []int) []int32 {
		list := make([]int32, len(index))
		for stack, i := range index {
			list[stack] = -1
			if i >= 0 {
				list[stack] = int32(lines[i].group)
			}
		}
		return list
	}
	m.Of = [2][]int32{groupsOf(linesA, indexA), groupsOf(linesB, indexB)}
	return m
}

// features number what tells lines apart.
type features struct {
	keys      map[stacks.Key]int32
	operators map[string]int32
}

func number[K comparable](m map[K]int32, key K) int32 {
	n, known := m[key]
	if !known {
		n = int32(len(m))
		m[key] = n
	}
	return n
}

// linesOf are the lines that allocate in a recording, and the line of each stack; -1
// where it allocates nothing.
func linesOf(r Side, side int, operators bool, numbers features) (lines []*line, index []int) {
	index = make([]int, len(r.Stacks.SiteFrame))
	for i := range index {
		index[i] = -1
	}
	type identity struct {
		file, function string
		number         int
		key            stacks.Key
	}
	known := map[identity]int{}
	keyer := stacks.NewLineKeyer(r.Stacks, operators)
	for i := range r.Device.Allocations {
		stack := r.Device.Allocations[i].Stack
		if index[stack] >= 0 {
			continue
		}
		l := line{isCallSite: true, side: side, site: r.Stacks.Site(stack), keys: keyer.Keys(stack)}
		id := identity{key: l.keys.Path}
		if frame := r.Stacks.SiteFrame[stack]; frame != stacks.NoFrame {
			l.isCallSite = false
			l.file, l.base, l.function, l.number = keyer.Line(frame)
			id = identity{file: l.file, function: l.function, number: l.number}
		}
		at, is := known[id]
		if !is {
			at = len(lines)
			known[id] = at
			lines = append(lines, &l)
		}
		index[stack] = at
		lines[at].note(&l.keys, r.Stacks, stack, operators, numbers)
	}
	for _, l := range lines {
		for _, set := range []*[]int32{&l.paths, &l.sites, &l.operators} {
			slices.Sort(*set)
		}
	}
	return lines, index
}

// note adds the features of one of a line's stacks.
func (l *line) note(keys *stacks.Keys, st *stacks.Table, id snapshot.StackID, operators bool, numbers features) {
	if l.isCallSite {
		return
	}
	add := func(set *[]int32, n int32) {
		if len(*set) < maxFeatures && !slices.Contains(*set, n) {
			*set = append(*set, n)
		}
	}
	add(&l.paths, number(numbers.keys, keys.Path))
	add(&l.sites, number(numbers.keys, keys.Site))
	if operator := st.Operator[id]; operators && operator != "" {
		add(&l.operators, number(numbers.operators, operator))
	}
}

func callSites(lines []*line) []*line {
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !l.isCallSite })
}

func userLines(lines []*line) []*line {
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.isCallSite })
}

// pairSites groups the call sites of two recordings by path. Of the rest, sites with
// the same innermost frames are one group.
func pairSites(before, after []*line) [][]*line {
	path := func(l *line) stacks.Key { return l.keys.Path }
	groups, restA, restB := groupBy(before, after, path)
	bySite, restA, restB := groupBy(restA, restB, func(l *line) stacks.Key { return l.keys.Site })
	groups = append(groups, bySite...)
	for _, l := range append(restA, restB...) {
		groups = append(groups, []*line{l})
	}
	return groups
}

// groupBy groups what has the same key, and returns what only one side has.
func groupBy[K comparable](before, after []*line, key func(*line) K) (groups [][]*line, restA, restB []*line) {
	has := map[K]bool{}
	for _, l := range after {
		has[key(l)] = true
	}
	index := map[K]int{}
	for _, l := range before {
		if k := key(l); !has[k] {
			restA = append(restA, l)
		} else if i, known := index[k]; known {
			groups[i] = append(groups[i], l)
		} else {
			index[k] = len(groups)
			groups = append(groups, []*line{l})
		}
	}
	for _, l := range after {
		if i, known := index[key(l)]; known {
			groups[i] = append(groups[i], l)
		} else {
			restB = append(restB, l)
		}
	}
	return groups, restA, restB
}

// alignFiles aligns the lines of each file that both recordings have; first files of
// the same name in the same folder, then those of the same name.
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

// maxCells bounds how many pairs of lines are weighed in all. Files beyond it match by
// function and number.
const maxCells = 1 << 20

// alignLines pairs the lines of a file so that pairs keep the order of the code and
// are as alike as possible in all. Where lines are equally alike, those are paired that
// moved as far as the pairs around them: a first round finds how far that is.
func alignLines(a, b []*line, cells *int) (groups [][]*line) {
	if *cells -= 2 * len(a) * len(b); *cells < 0 {
		*cells = 0
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
	first := alignBy(a, b, func(i, j int) float64 { return likeness(a[i], b[j]) })
	moves := newMoves(a, b, first)
	pairs := alignBy(a, b, func(i, j int) float64 {
		alike := likeness(a[i], b[j])
		if alike > 0 && moves.has(i, j, b[j].number-a[i].number) {
			alike += 1. / 32
		}
		return alike
	})
	i, j := 0, 0
	for _, pair := range append(pairs, [2]int{len(a), len(b)}) {
		for ; i < pair[0]; i++ {
			groups = append(groups, []*line{a[i]})
		}
		for ; j < pair[1]; j++ {
			groups = append(groups, []*line{b[j]})
		}
		if i < len(a) && j < len(b) {
			groups = append(groups, []*line{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return groups
}

// alignBy are the pairs of indices, in order on both sides, whose weights have the
// largest sum. A weight of 0 is no pair.
func alignBy(a, b []*line, weight func(i, j int) float64) (pairs [][2]int) {
	width := len(b) + 1
	best := make([]float64, (len(a)+1)*width) // best[i*width+j]: of the lines from i and from j on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			skip := max(best[(i+1)*width+j], best[i*width+j+1])
			best[i*width+j] = max(skip, weight(i, j)+best[(i+1)*width+j+1])
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		here, skipA, skipB := best[i*width+j], best[(i+1)*width+j], best[i*width+j+1]
		alike := weight(i, j)
		switch {
		case alike > 0 && here == alike+best[(i+1)*width+j+1]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case skipA > skipB, skipA == skipB && compareLines(a[i], b[j]) < 0: // the same whichever side comes first
			i++
		default:
			j++
		}
	}
	return pairs
}

// moves say by how much the lines around any two lines moved.
type moves struct {
	by            []int    // how far the lines of each pair moved
	before, after [2][]int // by index of a line of each side: how many pairs are in front of it, and up to it
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

// has reports whether the next pair in front of two lines, or behind them, moved so far.
func (m *moves) has(i, j, by int) bool {
	front, behind := min(m.before[0][i], m.before[1][j])-1, max(m.after[0][i], m.after[1][j])
	return front >= 0 && m.by[front] == by || behind < len(m.by) && m.by[behind] == by
}

// likeness is how much speaks for two lines to be the same; 0 if they are not.
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

// shared is how much two sets have in common, from 0 to 1.
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
