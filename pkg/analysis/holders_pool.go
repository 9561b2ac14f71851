package analysis

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// unknownPool stands for a pool that nothing in the file names.
const unknownPool snapshot.PoolID = -1

// poolFinder says which pool an allocation belongs to. Events name it from
// torch 2.12 on. Before that only the final segments do: an address is taken to
// have stayed in the pool where they have it.
type poolFinder struct {
	s        *snapshot.Snapshot
	events   *snapshot.Events
	segments []*snapshot.Segment // of the device, by address; none when the file names no pools
}

func newPoolFinder(r *Recording) *poolFinder {
	f := &poolFinder{s: r.Snapshot, events: r.Device.Events}
	if !r.Snapshot.Format.HasPoolID {
		return f
	}
	for i := range r.Snapshot.Segments {
		if seg := &r.Snapshot.Segments[i]; seg.Device == r.Device.ID {
			f.segments = append(f.segments, seg)
		}
	}
	slices.SortStableFunc(f.segments, func(a, b *snapshot.Segment) int { return cmp.Compare(a.Address, b.Address) })
	return f
}

func (f *poolFinder) of(a *replay.Allocation) snapshot.PoolID {
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
	return unknownPool
}

// key is the pair of ids, "0,0" for the default pool.
func (f *poolFinder) key(id snapshot.PoolID) string {
	if id == unknownPool {
		return ""
	}
	p := f.s.Pools[id]
	return strconv.FormatUint(p.A, 10) + "," + strconv.FormatUint(p.B, 10)
}

// PoolFinder is a function that says which pool an allocation of a device
// belongs to, as far as the file tells; else known is false.
func PoolFinder(r *Recording) func(a *replay.Allocation) (id snapshot.PoolID, known bool) {
	f := newPoolFinder(r)
	return func(a *replay.Allocation) (snapshot.PoolID, bool) {
		id := f.of(a)
		return id, id != unknownPool
	}
}
