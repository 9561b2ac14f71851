package layout

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Pools has the memory pool of each allocation of a device, as far as the file shows it.
type Pools struct {
	Names []string // "default", then pairs of ids such as "1,2", then perhaps "unknown" and "others"
	Of    []uint8  // by allocation, in the order of replay.Device.Allocations: index into Names

	poolFinder
}

// maxPools is the maximum number of pools with a name of their own; the rest are
// "others".
const maxPools = 250

// FindPools reads pools from the events where they have them, and else from the
// final segments.
func FindPools(s *snapshot.Snapshot, d *replay.Device) *Pools {
	p := &Pools{[]string{"default"}, make([]uint8, len(d.Allocations)), newPoolFinder(s, d)}
	index := map[snapshot.PoolID]uint8{0: 0} // in Names
	if p.events.Pool == nil && len(p.ranges) == 0 {
		p.Names[0] = "unknown"
		return p
	}
	for i := range p.Of {
		id := p.ID(&d.Allocations[i])
		at, known := index[id]
		if !known {
			name := p.Key(id)
			switch {
			case len(p.Names) > maxPools:
				index[id] = maxPools
				p.Of[i] = maxPools
				continue
			case len(p.Names) == maxPools:
				name = "others"
			case id == UnknownPool:
				name = "unknown"
			}
			at = uint8(len(p.Names))
			index[id] = at
			p.Names = append(p.Names, name)
		}
		p.Of[i] = at
	}
	return p
}

// UnknownPool is the pool of an allocation if the file does not name it.
const UnknownPool snapshot.PoolID = -1

// poolFinder finds the pool of an allocation. Events have it from torch 2.12 on. Before
// that only the final segments do, and each address is assumed to have been in the same
// pool all the time.
type poolFinder struct {
	s      *snapshot.Snapshot
	events *snapshot.Events
	ranges []poolRange // of the final segments, by address; empty if the file names no pools
}

// poolRange is a segment, or several adjacent ones of one pool.
type poolRange struct {
	from, to uint64
	pool     snapshot.PoolID
}

func newPoolFinder(s *snapshot.Snapshot, d *replay.Device) poolFinder {
	f := poolFinder{s: s, events: d.Events}
	if !s.Format.HasPoolID {
		return f
	}
	for _, seg := range s.SegmentsOf(d.ID) {
		f.ranges = append(f.ranges, poolRange{seg.Address, seg.Address + uint64(max(seg.TotalSize, 0)), seg.Pool})
	}
	slices.SortStableFunc(f.ranges, func(a, b poolRange) int { return cmp.Compare(a.from, b.from) })
	joined := f.ranges[:0]
	for _, r := range f.ranges {
		if n := len(joined) - 1; n >= 0 && joined[n].to == r.from && joined[n].pool == r.pool {
			joined[n].to = r.to
			continue
		}
		joined = append(joined, r)
	}
	f.ranges = joined
	return f
}

// ID returns the pool of an allocation of the device, or [UnknownPool].
func (f *poolFinder) ID(a *replay.Allocation) snapshot.PoolID {
	if f.events.Pool != nil {
		for _, event := range [...]replay.EventIndex{a.Start, a.FreeRequested, a.End} {
			if event != replay.None {
				return f.events.Pool[event]
			}
		}
	}
	i, found := slices.BinarySearchFunc(f.ranges, a.Addr, func(r poolRange, addr uint64) int {
		return cmp.Compare(r.from, addr)
	})
	if !found {
		i-- // the last one that begins below the address
	}
	if i >= 0 && a.Addr-f.ranges[i].from < f.ranges[i].to-f.ranges[i].from {
		return f.ranges[i].pool
	}
	return UnknownPool
}

// Key returns the pair of ids, "0,0" for the default pool, "" for [UnknownPool].
func (f *poolFinder) Key(id snapshot.PoolID) string {
	if id == UnknownPool {
		return ""
	}
	p := f.s.Pools[id]
	return strconv.FormatUint(p.A, 10) + "," + strconv.FormatUint(p.B, 10)
}
