package whatif

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// start is the allocator before the first event: the final segments with all events
// undone.
type start struct {
	segments     []allocator.Segment     // in address order
	reservations []allocator.Reservation // of the expandable ones
	live         []int32                 // pre-existing allocations (indices into Device.Allocations), by address
	liveBytes    int64                   // bytes that they requested
	cached       int64                   // bytes outside live blocks
	anomalies    layout.Anomalies
}

func startOf(r *analysis.Recording, settings *layout.Settings) start {
	m := r.Layouts().At(0)
	s := start{cached: m.FreeBytes(), liveBytes: m.RequestedBytes, anomalies: m.Anomalies}
	for i := range m.Segments {
		seg := &m.Segments[i]
		made := allocator.Segment{
			Address: seg.Address, TotalSize: seg.Size, Stream: allocator.Stream(r.Snapshot.Streams[seg.Stream]),
			Pool: r.Snapshot.Pools[seg.Pool], SizeClass: seg.SizeClass, Expandable: seg.Expandable,
		}
		for _, x := range m.ExtentsOf(seg) {
			b := allocator.Block{Address: x.Address, Size: x.Size, State: x.State}
			if x.Allocation != layout.NoAllocation {
				b.RequestedSize = r.Device.Allocations[x.Allocation].Size
				s.live = append(s.live, x.Allocation)
			}
			made.Blocks = append(made.Blocks, b)
		}
		s.segments = append(s.segments, made)
	}
	s.reservations = reservationsOf(r, &settings.Settings, s.segments)
	return s
}

// broken reports whether the state contradicts itself or lies outside the address space.
func (s *start) broken() bool {
	if n := len(s.segments); n > 0 && s.segments[n-1].Address >= maxAddress {
		return true
	}
	return s.anomalies != (layout.Anomalies{})
}

// maxAddress is above any address that a process can have.
const maxAddress = 1 << 57

// maxReservation is more address space, in bytes, than any reservation has: PyTorch
// reserves nine eighths of the device's memory.
const maxReservation = 512 << 30

// owner is the stream, pool and size class that a reservation serves; it serves no other.
type owner struct {
	stream allocator.Stream
	pool   snapshot.Pool
	class  snapshot.SizeClass
}

// ownedAddress is an address at which memory of an owner began at some time.
type ownedAddress struct {
	addr uint64
	owner
}

func (p ownedAddress) compare(o ownedAddress) int { return cmp.Compare(p.addr, o.addr) }

// reservationsOf infers the address ranges that expandable segments lie in, which files
// do not record. One begins at the lowest page that was ever mapped in it and ends
// before the next memory of another owner.
func reservationsOf(r *analysis.Recording, settings *allocator.Settings,
	segments []allocator.Segment) []allocator.Reservation {
	if !slices.ContainsFunc(segments, func(s allocator.Segment) bool { return s.Expandable }) {
		return nil
	}
	known := addressesOf(r, settings, segments)
	last := map[owner]uint64{} // end of each owner's reservation
	var list []allocator.Reservation
	for i := range segments {
		s := &segments[i]
		who := owner{s.Stream, s.Pool, s.SizeClass}
		if !s.Expandable || s.Address < last[who] {
			continue
		}
		x := allocator.Reservation{Address: s.Address, Stream: s.Stream, Pool: s.Pool, SizeClass: s.SizeClass}
		at, _ := slices.BinarySearchFunc(known, ownedAddress{addr: s.Address}, ownedAddress.compare)
		for n := at - 1; n >= 0 && known[n].owner == who && s.Address-known[n].addr < maxReservation &&
			known[n].addr >= last[who]; n-- {
			x.Address = known[n].addr
		}
		end := x.Address + maxReservation
		for n := at; n < len(known) && known[n].addr < end; n++ {
			if known[n].owner != who {
				end = known[n].addr
			}
		}
		x.Size = int64(end - x.Address)
		x.Size -= x.Size % settings.PageSize(s.SizeClass)
		last[who] = x.Address + uint64(x.Size)
		list = append(list, x)
	}
	return list
}

// addressesOf returns all addresses at which memory began, before and during the
// recording, in order.
func addressesOf(r *analysis.Recording, settings *allocator.Settings, segments []allocator.Segment) []ownedAddress {
	var list []ownedAddress
	for i := range segments {
		s := &segments[i]
		list = append(list, ownedAddress{s.Address, owner{s.Stream, s.Pool, s.SizeClass}})
	}
	e := r.Device.Events
	asked := map[snapshot.StreamID]snapshot.SizeClass{} // of the next request of each stream
	for i := e.Len() - 1; i >= 0; i-- {
		switch e.Action[i] {
		case snapshot.Alloc:
			asked[e.Stream[i]] = layout.SizeClassOf(settings.RoundSize(e.Size[i]))
		case snapshot.OOM:
			asked[e.Stream[i]] = layout.SizeClassOf(e.Size[i])
		case snapshot.SegmentAlloc, snapshot.SegmentMap:
			who := owner{stream: allocator.Stream(r.Snapshot.Streams[e.Stream[i]]), class: asked[e.Stream[i]]}
			if e.Pool != nil {
				who.pool = r.Snapshot.Pools[e.Pool[i]]
			}
			list = append(list, ownedAddress{e.Addr[i], who})
		}
	}
	slices.SortStableFunc(list, ownedAddress.compare)
	return list
}
