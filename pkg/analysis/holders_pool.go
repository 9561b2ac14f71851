package analysis

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// UnknownPool stands for a pool that nothing in the file names.
const UnknownPool snapshot.PoolID = -1

// poolFinder says which pool an allocation belongs to. Events name it from
// torch 2.12 on. Before that only the final segments do: an address is taken to
// have stayed in the pool where they have it.
type poolFinder struct {
	s        *snapshot.Snapshot
	events   *snapshot.Events
	segments []*snapshot.Segment // of the device, by address; none when the file names no pools
}

func newPoolFinder(s *snapshot.Snapshot, d *replay.Device) poolFinder {
	f := poolFinder{s: s, events: d.Events}
	if !s.Format.HasPoolID {
		return f
	}
	for i := range s.Segments {
		if seg := &s.Segments[i]; seg.Device == d.ID {
			f.segments = append(f.segments, seg)
		}
	}
	slices.SortStableFunc(f.segments, func(a, b *snapshot.Segment) int { return cmp.Compare(a.Address, b.Address) })
	return f
}

// ID is the pool that an allocation of the device lies in, or [UnknownPool].
func (f *poolFinder) ID(a *replay.Allocation) snapshot.PoolID {
	if f.events.Pool != nil {
		for _, event := range [...]replay.EventIndex{a.Start, a.FreeRequested, a.End} {
			if event != replay.None {
				return f.events.Pool[event]
			}
		}
	}
	i, found := slices.BinarySearchFunc(f.segments, a.Addr, func(seg *snapshot.Segment, addr uint64) int {
		return cmp.Compare(seg.Address, addr)
	})
	if !found {
		i-- // the last segment that begins below the address
	}
	if i >= 0 && a.Addr-f.segments[i].Address < uint64(max(f.segments[i].TotalSize, 0)) {
		return f.segments[i].Pool
	}
	return UnknownPool
}

// Key is the pair of ids, "0,0" for the default pool, "" for [UnknownPool].
func (f *poolFinder) Key(id snapshot.PoolID) string {
	if id == UnknownPool {
		return ""
	}
	p := f.s.Pools[id]
	return strconv.FormatUint(p.A, 10) + "," + strconv.FormatUint(p.B, 10)
}
