package analysis

import (
	"cmp"
	"slices"
)

// look takes from the layout at the failure what the allocator held, and where.
func (o *OOM) look(l *Layout) {
	o.Reserved, o.Active, o.Pending = l.ReservedBytes, l.ActiveBytes, l.PendingBytes
	o.Fragmentation = FragmentationOf(l, max(o.Requested, 1))
	at := map[spanKind]int{}
	for i := range l.Segments {
		seg := &l.Segments[i]
		kind := spanKind{stream: seg.Stream, pool: seg.Pool, class: seg.SizeClass}
		n, known := at[kind]
		if !known {
			n = len(o.Pools)
			at[kind] = n
			o.Pools = append(o.Pools, PoolFree{
				Stream: kind.stream, Pool: kind.pool, SizeClass: kind.class,
				Serves: kind == spanKind{stream: o.Stream, pool: o.Pool, class: o.SizeClass},
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
