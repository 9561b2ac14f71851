package compare

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Earlier is an allocation from before a recording, with the group and family of one of
// its size in the other recording.
type Earlier struct {
	Allocation int // index in replay.Device.Allocations
	Group      int // index in Lines.Groups
	Family     families.Family
}

// EarlierBytes returns the bytes of Earlier on a side.
func (c *Comparison) EarlierBytes(side int) (bytes int64) {
	for _, e := range c.Earlier[side] {
		bytes += c.Sides[side].Device.Allocations[e.Allocation].Size
	}
	return bytes
}

// liveAllocation is an allocation that is live in the state of a side.
type liveAllocation struct {
	index  int // in replay.Device.Allocations
	bytes  int64
	stack  snapshot.StackID
	group  int // of lines
	family families.Family
	before bool // from before the recording
}

// liveIn lists the live allocations of a side.
func (c *Comparison) liveIn(side, state int) []liveAllocation {
	var list []liveAllocation
	for i := range c.Sides[side].Device.Allocations {
		a := &c.Sides[side].Device.Allocations[i]
		if int(a.Start) >= state {
			break // they are sorted by Start
		}
		if a.LiveIn(state) {
			list = append(list, liveAllocation{i, a.Size, a.Stack, c.Group(side, i), c.Family(side, i),
				a.PreExisting()})
		}
	}
	return list
}

// matchEarlier finds among the allocations of one side those from before its recording
// that the other side has as parameters or optimizer state, by their sizes.
func matchEarlier(side, other []liveAllocation) (list []Earlier) {
	state := func(f families.Family) bool {
		return f == families.Parameter || f == families.Optimizer || f == families.ParameterOrOptimizer
	}
	more := map[int64]int{} // by size: how many more the side has from before its recording than the other
	candidates := map[int64][]liveAllocation{}
	own := map[int64]int{} // by size: what the side itself recorded of parameters and optimizer state
	for _, x := range side {
		if x.before {
			more[x.bytes]++
		} else if state(x.family) {
			own[x.bytes]++
		}
	}
	for _, x := range other {
		if x.before {
			more[x.bytes]--
		} else if state(x.family) && more[x.bytes] > 0 {
			candidates[x.bytes] = append(candidates[x.bytes], x)
		}
	}
	for _, x := range side {
		like := candidates[x.bytes]
		if !x.before || x.family != families.Resident || x.bytes == 0 || more[x.bytes] <= 0 ||
			len(like) <= own[x.bytes] {
			continue
		}
		last := like[len(like)-1]
		candidates[x.bytes] = like[:len(like)-1]
		more[x.bytes]--
		list = append(list, Earlier{x.index, last.group, last.family})
	}
	return list
}
