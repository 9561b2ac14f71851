package analysis

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// layout is the map of the state that the walk has come to.
func (b *backwalk) layout() *Layout {
	l := &Layout{State: b.state, Extents: make([]Extent, 0, 2*len(b.live))}
	l.Anomalies = b.anomalies
	live := b.live
	for x := range joined(&b.spans) {
		for len(live) > 0 && b.d.Allocations[live[0]].Addr < x.From {
			b.leaveOut(l, live[0])
			live = live[1:]
		}
		n := 0
		for n < len(live) && b.d.Allocations[live[n]].Addr < x.To {
			n++
		}
		b.fill(l, x, live[:n])
		live = live[n:]
	}
	for _, i := range live {
		b.leaveOut(l, i)
	}
	return l
}

// fill appends a segment with the blocks that lie in it and the gaps between.
func (b *backwalk) fill(l *Layout, x span, blocks []int32) {
	seg := LayoutSegment{
		Address: x.From, Size: x.Bytes(), Stream: x.Use.stream, Pool: x.Use.pool, SizeClass: x.Use.class,
		Expandable:  x.Use.expandable,
		FirstExtent: int32(len(l.Extents)),
	}
	at := x.From
	for n, i := range blocks {
		a := &b.d.Allocations[i]
		if a.Addr > at {
			l.Extents = append(l.Extents, gap(at, a.Addr))
			at = a.Addr
		}
		limit := x.To
		if n+1 < len(blocks) {
			limit = b.d.Allocations[blocks[n+1]].Addr
		}
		size, exact := b.sizes.of(i)
		switch room := int64(limit - at); {
		case size > room:
			l.Anomalies.OverlappingBlocks++
			if size = room; size == 0 {
				continue
			}
		case size < room && !exact:
			size += b.sizes.remainder(i, size, room-size, &seg)
		}
		block := Extent{Address: at, Size: size, Allocation: i, State: snapshot.ActiveAllocated}
		if a.FreeRequested >= 0 && int(a.FreeRequested) < b.state {
			block.State = snapshot.ActivePendingFree
			seg.PendingBytes += size
		}
		seg.ActiveBytes += size
		seg.RequestedBytes += a.Size
		l.Extents = append(l.Extents, block)
		at += uint64(size)
	}
	if at < x.To {
		l.Extents = append(l.Extents, gap(at, x.To))
	}
	seg.ExtentCount = int32(len(l.Extents)) - seg.FirstExtent
	l.Segments = append(l.Segments, seg)
	l.ReservedBytes += seg.Size
	l.ActiveBytes += seg.ActiveBytes
	l.PendingBytes += seg.PendingBytes
	l.RequestedBytes += seg.RequestedBytes
}

func gap(from, to uint64) Extent {
	return Extent{Address: from, Size: int64(to - from), Allocation: NoAllocation}
}

// leaveOut counts a live block that lies in no segment.
func (b *backwalk) leaveOut(l *Layout, i int32) {
	l.Anomalies.BlocksOutside++
	l.Anomalies.BytesOutside += b.d.Allocations[i].Size
}

// byAddress orders allocations by where they are.
func (b *backwalk) byAddress(x, y int32) int {
	return cmp.Or(cmp.Compare(b.d.Allocations[x].Addr, b.d.Allocations[y].Addr), cmp.Compare(x, y))
}

func (b *backwalk) sortByAddress(list []int32) { slices.SortFunc(list, b.byAddress) }
