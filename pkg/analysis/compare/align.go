package compare

import "slices"

// none is the side of a step that has no element.
const none = -1

// align walks two sequences of n and m elements in order, by pairs of indices, so that the sum
// of the weights of the pairs is largest; other elements are paired with none. Elements with a
// weight of 0 are never paired. Where either side could go first, first reports whether
// element i of the one precedes j of the other, so that swapping the sides changes nothing.
//
// It weighs n*m pairs, which callers must bound. whatif/predict aligns millions of requests,
// which are either equal or not, with Myers' algorithm in linear space. That has no weights,
// and takes any of several best alignments, so the result would depend on which recording
// comes first.
func align(n, m int, weight func(i, j int) float64, first func(i, j int) bool) (walk [][2]int) {
	width := m + 1
	best := make([]float64, (n+1)*width) // best[i*width+j]: for the elements from i and from j on
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			skip := max(best[(i+1)*width+j], best[i*width+j+1])
			best[i*width+j] = max(skip, weight(i, j)+best[(i+1)*width+j+1])
		}
	}
	i, j := 0, 0
	for i < n && j < m {
		here, skipA, skipB := best[i*width+j], best[(i+1)*width+j], best[i*width+j+1]
		alike := weight(i, j)
		switch {
		case alike > 0 && here == alike+best[(i+1)*width+j+1]:
			walk = append(walk, [2]int{i, j})
			i, j = i+1, j+1
		case skipA > skipB, skipA == skipB && first(i, j):
			walk = append(walk, [2]int{i, none})
			i++
		default:
			walk = append(walk, [2]int{none, j})
			j++
		}
	}
	for ; i < n; i++ {
		walk = append(walk, [2]int{i, none})
	}
	for ; j < m; j++ {
		walk = append(walk, [2]int{none, j})
	}
	return walk
}

// pairsOf returns the paired elements of a walk.
func pairsOf(walk [][2]int) [][2]int {
	return slices.DeleteFunc(slices.Clone(walk), func(p [2]int) bool { return p[0] == none || p[1] == none })
}
