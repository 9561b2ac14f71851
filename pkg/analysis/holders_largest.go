package analysis

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
)

// Largest are the indices of the n largest allocations live in a state, the
// largest first and of equals the older one.
func Largest(d *replay.Device, state, n int) []int {
	if n <= 0 {
		return nil
	}
	largest := func(a, b int) int {
		return cmp.Or(cmp.Compare(d.Allocations[b].Size, d.Allocations[a].Size), cmp.Compare(a, b))
	}
	var ids []int
	keep := func() {
		slices.SortFunc(ids, largest)
		ids = ids[:min(n, len(ids))]
	}
	for i := range d.Allocations {
		if int(d.Allocations[i].Start) >= state {
			break
		}
		if d.Allocations[i].LiveIn(state) {
			if ids = append(ids, i); len(ids)/2 >= n {
				keep()
			}
		}
	}
	keep()
	return ids
}
