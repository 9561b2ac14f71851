package analysis

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// look takes from the layout at the failure what the allocator held, and where.
func (o *OOM) look(l *Layout) {
	o.Reserved, o.Active, o.Pending = l.ReservedBytes, l.ActiveBytes, l.PendingBytes
	o.Fragmentation = FragmentationOf(l, max(o.Requested, 1))
	type served struct {
		stream snapshot.StreamID
		pool   snapshot.PoolID
		class  snapshot.SizeClass
	}
	at := map[served]int{}
	for i := range l.Segments {
		seg := &l.Segments[i]
		kind := served{seg.Stream, seg.Pool, seg.SizeClass}
		n, known := at[kind]
		if !known {
			n = len(o.Pools)
			at[kind] = n
			o.Pools = append(o.Pools, PoolFree{
				Stream: kind.stream, Pool: kind.pool, SizeClass: kind.class,
				Serves: kind == served{o.Stream, o.Pool, o.SizeClass},
			})
		}
		o.Pools[n].add(l, seg)
	}
	for i := range o.Pools {
		switch p := &o.Pools[i]; {
		case p.Serves:
			o.FreeSame += p.Free
			o.LargestSame = max(o.LargestSame, p.Largest)
		case p.SizeClass == o.SizeClass:
			o.FreeOther += p.Free
			o.LargestOther = max(o.LargestOther, p.Largest)
		}
	}
	slices.SortStableFunc(o.Pools, func(x, y PoolFree) int {
		switch {
		case x.Serves:
			return -1
		case y.Serves:
			return 1
		}
		return cmp.Compare(y.Free, x.Free)
	})
}

func (p *PoolFree) add(l *Layout, seg *LayoutSegment) {
	p.Segments++
	p.Reserved += seg.Size
	p.Active += seg.ActiveBytes
	p.Free += seg.FreeBytes()
	for _, x := range l.ExtentsOf(seg) {
		if x.Allocation == NoAllocation {
			p.Largest = max(p.Largest, x.Size)
		}
	}
}
