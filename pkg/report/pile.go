package report

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
)

// pile is one device's allocations in the order in which the page stacks them,
// bottom first. What was there before the recording has no known order, so it
// is put into calm slabs: by family, then stack, then size, the largest first.
type pile struct {
	device   *replay.Device
	families *families.Assignment
	bottom   []int32 // indices of the pre-existing allocations, in pile order
}

func newPile(d *replay.Device, families *families.Assignment) *pile {
	p := &pile{device: d, families: families, bottom: make([]int32, d.PreExisting)}
	for i := range p.bottom {
		p.bottom[i] = int32(i)
	}
	slices.SortFunc(p.bottom, func(i, j int32) int {
		a, b := &d.Allocations[i], &d.Allocations[j]
		return cmp.Or(
			cmp.Compare(familyPlace[families.Family(int(i))], familyPlace[families.Family(int(j))]),
			cmp.Compare(a.Stack, b.Stack),
			cmp.Compare(a.FreeStack, b.FreeStack),
			cmp.Compare(b.Size, a.Size),
			cmp.Compare(i, j),
		)
	})
	return p
}

func (p *pile) len() int { return len(p.device.Allocations) }

// index is where the allocation at position i of the pile stands in device.Allocations.
func (p *pile) index(i int) int {
	if i < len(p.bottom) {
		return int(p.bottom[i])
	}
	return i
}

// position is where allocation i of the device stands in the pile; -1 for none.
func (p *pile) position(i int) int {
	if i < 0 || i >= len(p.bottom) {
		return i
	}
	return slices.Index(p.bottom, int32(i))
}

// at is the allocation at position i of the pile.
func (p *pile) at(i int) *replay.Allocation { return &p.device.Allocations[p.index(i)] }

// rule is what decided the family of the allocation at position i of the pile.
func (p *pile) rule(i int) families.Rule { return p.families.Rules[p.index(i)] }

// where lists the positions in the pile of the allocations that fit.
func (p *pile) where(fits func(*replay.Allocation) bool) []int32 {
	var positions []int32
	for i := range p.len() {
		if fits(p.at(i)) {
			positions = append(positions, int32(i))
		}
	}
	return positions
}
