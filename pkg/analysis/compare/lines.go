package compare

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// line is a line of the program's own code from which something is allocated, or a call
// site without one: all stacks of torch or another thread with the same keys.
type line struct {
	isCallSite           bool
	file, base, function string // names of a line, portable between machines
	number               int
	site                 stacks.Site
	keys                 stacks.Keys // of a call site
	side, group          int

	// The features that distinguish the lines of a function, as numbers shared by both sides:
	// the paths to them, their innermost frames, and the operators below them. Ascending.
	paths, sites, operators []int32
}

// maxFeatures bounds how many paths, or operators, of a line are looked at.
const maxFeatures = 64

// Group is the subject of a row: lines of two recordings considered the same, or a line
// that only one has. A group may include several call sites with different callers.
type Group struct {
	Has    [2]bool        // which sides have it
	Site   [2]stacks.Site // of each side that has it
	Named  bool           // there is a stack to match
	IsLine bool           // of the program's own code; else a call site of torch or another thread

	file [2]string // of each side, portable between machines
}

// Both reports whether both recordings have the line.
func (g *Group) Both() bool { return g.Has[Before] && g.Has[After] }

// Moved reports whether the line has another number in the second recording.
func (g *Group) Moved() bool {
	return g.IsLine && g.Both() && g.Site[Before].Line != g.Site[After].Line
}

// Latest returns the site in the second recording, or in the first if only that has it.
func (g *Group) Latest() stacks.Site {
	if g.Has[After] {
		return g.Site[After]
	}
	return g.Site[Before]
}

// Lines are the lines of two recordings that allocate memory, matched.
type Lines struct {
	Groups []Group
	Of     [2][]int32 // by side and snapshot.StackID: an index in Groups, or -1 if the stack allocates nothing

	// Operators means that both recordings have C++ frames, so that operators count, and
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

// features numbers what distinguishes lines.
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

// linesOf returns the lines that allocate in a recording, and the line of each stack; -1
// if it allocates nothing.
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

// groupBy groups elements with the same key, and returns those that only one side has.
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
