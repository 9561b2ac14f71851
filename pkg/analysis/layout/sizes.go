package layout

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// blockSizes says how large the block behind an allocation is. For allocations
// that live to the end, the final segments have it. For others only the request is
// known. A block may be larger, because the allocator does not split off what is
// too small to be useful; the blocks that ever lay behind it show where it ended.
type blockSizes struct {
	d        *replay.Device
	settings *Settings
	final    []snapshot.Block // live ones, by address

	// large are the allocations in large blocks, by address and then by start.
	large func() []int32
}

func newBlockSizes(s *snapshot.Snapshot, d *replay.Device, settings *Settings) *blockSizes {
	z := &blockSizes{d: d, settings: settings}
	z.large = sync.OnceValue(z.sortLarge)
	for _, b := range s.LiveBlocks(d.ID) {
		z.final = append(z.final, *b)
	}
	slices.SortStableFunc(z.final, func(x, y snapshot.Block) int { return cmp.Compare(x.Address, y.Address) })
	return z
}

// of is the size of the block of an allocation. If it is not exact, the block may
// be larger by a remainder that was not split off.
func (z *blockSizes) of(i int32) (size int64, exact bool) {
	a := &z.d.Allocations[i]
	if a.LiveAtEnd() {
		at, is := slices.BinarySearchFunc(z.final, a.Addr,
			func(b snapshot.Block, addr uint64) int { return cmp.Compare(b.Address, addr) })
		if is && possibleRange(a.Addr, z.final[at].Size) {
			return z.final[at].Size, true
		}
	}
	return z.settings.RoundSize(a.Size), false
}

// remainder is how many of the gap bytes that follow a block of a size belong to it.
func (z *blockSizes) remainder(i int32, size, gap int64, kind *Segment) int64 {
	limit := z.settings.unsplitLimit(size)
	if kind.Expandable || kind.SizeClass == snapshot.SizeClassSmall || limit == 0 {
		return 0 // everything is split off
	}
	if gap <= limit && limit <= smallSize {
		return gap // no free block is as small
	}
	end := z.d.Allocations[i].Addr + uint64(size)
	if next, is := z.neighbour(i, end, end+uint64(min(limit, gap))); is {
		return int64(next - end)
	}
	if gap <= limit {
		return gap
	}
	return 0
}

// neighbour is the lowest address from first to last at which another
// allocation began while allocation i lived.
func (z *blockSizes) neighbour(i int32, first, last uint64) (addr uint64, is bool) {
	alive, large := z.d.Allocations, z.large()
	for at := z.from(0, first, replay.None-1); at < len(large); {
		addr := alive[large[at]].Addr
		if addr > last {
			break
		}
		// Allocations at one address follow one another: of those that began before
		// allocation i ended, the last one ended last.
		end := alive[i].End
		if end == replay.None {
			end = math.MaxInt32
		}
		next := z.from(at, addr, end)
		if next > at {
			if b := &alive[large[next-1]]; b.LiveAtEnd() || b.End > alive[i].Start {
				return addr, true
			}
		}
		at = z.from(next, addr, math.MaxInt32)
	}
	return 0, false
}

// from is the first position in large, not before another, of an allocation at
// an address that started at an event or later, or else of a higher address.
func (z *blockSizes) from(at int, addr uint64, start replay.EventIndex) int {
	large := z.large()
	return at + sort.Search(len(large)-at, func(i int) bool {
		a := &z.d.Allocations[large[at+i]]
		return a.Addr > addr || a.Addr == addr && a.Start >= start
	})
}

func (z *blockSizes) sortLarge() []int32 {
	var large []int32
	for i := range z.d.Allocations {
		if z.settings.RoundSize(z.d.Allocations[i].Size) > smallSize {
			large = append(large, int32(i))
		}
	}
	slices.SortFunc(large, func(x, y int32) int {
		a, b := &z.d.Allocations[x], &z.d.Allocations[y]
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Start, b.Start), cmp.Compare(x, y))
	})
	return large
}
