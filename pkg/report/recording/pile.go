package recording

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
)

// Pile is one device's allocations in the order in which the page stacks them,
// bottom first. What was there before the recording has no known order, so it
// is put into calm slabs: by family, then stack, then size, the largest first.
type Pile struct {
	Device   *replay.Device
	Families *families.Assignment
	Bottom   []int32 // indices of the pre-existing allocations, in pile order
}

// NewPile orders the allocations of a device.
func NewPile(d *replay.Device, families *families.Assignment) *Pile {
	p := &Pile{Device: d, Families: families, Bottom: make([]int32, d.PreExisting)}
	for i := range p.Bottom {
		p.Bottom[i] = int32(i)
	}
	slices.SortFunc(p.Bottom, func(i, j int32) int {
		a, b := &d.Allocations[i], &d.Allocations[j]
		return cmp.Or(
			cmp.Compare(FamilyPlace[families.Family(int(i))], FamilyPlace[families.Family(int(j))]),
			cmp.Compare(a.Stack, b.Stack),
			cmp.Compare(a.FreeStack, b.FreeStack),
			cmp.Compare(b.Size, a.Size),
			cmp.Compare(i, j),
		)
	})
	return p
}

// Len counts the allocations.
func (p *Pile) Len() int { return len(p.Device.Allocations) }

// Index is the index in Device.Allocations of the allocation at position i of the pile.
func (p *Pile) Index(i int) int {
	if i < len(p.Bottom) {
		return int(p.Bottom[i])
	}
	return i
}

// position is the position of allocation i of the device in the pile; -1 for none.
func (p *Pile) position(i int) int {
	if i < 0 || i >= len(p.Bottom) {
		return i
	}
	return slices.Index(p.Bottom, int32(i))
}

// At is the allocation at position i of the pile.
func (p *Pile) At(i int) *replay.Allocation { return &p.Device.Allocations[p.Index(i)] }

// Rule is what decided the family of the allocation at position i of the pile.
func (p *Pile) Rule(i int) families.Rule { return p.Families.Rules[p.Index(i)] }

// Where lists the positions in the pile of the allocations that fit.
func (p *Pile) Where(fits func(*replay.Allocation) bool) []int32 {
	var positions []int32
	for i := range p.Len() {
		if fits(p.At(i)) {
			positions = append(positions, int32(i))
		}
	}
	return positions
}
