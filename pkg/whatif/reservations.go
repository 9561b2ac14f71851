package whatif

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// maxReservation is more address space than a reservation has: nine eighths of
// the device's memory.
const maxReservation = 512 << 30

// owner is who alone uses a reservation.
type owner struct {
	stream allocator.Stream
	pool   snapshot.Pool
	class  snapshot.SizeClass
}

// place is where memory of an owner began at some time.
type place struct {
	addr uint64
	owner
}

func (p place) compare(o place) int { return cmp.Compare(p.addr, o.addr) }

// reservationsOf are the address ranges that expandable segments lie in. No file
// has them. One begins at the lowest page that was ever mapped in it, and ends
// before the next memory of anybody else.
func reservationsOf(r *analysis.Recording, settings *allocator.Settings,
	segments []allocator.Segment) []allocator.Reservation {
	if !slices.ContainsFunc(segments, func(s allocator.Segment) bool { return s.Expandable }) {
		return nil
	}
	places := placesOf(r, settings, segments)
	last := map[owner]uint64{} // where the reservation of an owner ends
	var list []allocator.Reservation
	for i := range segments {
		s := &segments[i]
		who := owner{s.Stream, s.Pool, s.SizeClass}
		if !s.Expandable || s.Address < last[who] {
			continue
		}
		x := allocator.Reservation{Address: s.Address, Stream: s.Stream, Pool: s.Pool, SizeClass: s.SizeClass}
		at, _ := slices.BinarySearchFunc(places, place{addr: s.Address}, place.compare)
		for n := at - 1; n >= 0 && places[n].owner == who && s.Address-places[n].addr < maxReservation &&
			places[n].addr >= last[who]; n-- {
			x.Address = places[n].addr
		}
		end := x.Address + maxReservation
		for n := at; n < len(places) && places[n].addr < end; n++ {
			if places[n].owner != who {
				end = places[n].addr
			}
		}
		x.Size = int64(end - x.Address)
		x.Size -= x.Size % settings.PageSize(s.SizeClass)
		last[who] = x.Address + uint64(x.Size)
		list = append(list, x)
	}
	return list
}

// placesOf are where memory began before and during the recording, by address.
func placesOf(r *analysis.Recording, settings *allocator.Settings, segments []allocator.Segment) []place {
	var list []place
	for i := range segments {
		s := &segments[i]
		list = append(list, place{s.Address, owner{s.Stream, s.Pool, s.SizeClass}})
	}
	e := r.Device.Events
	asked := map[snapshot.StreamID]snapshot.SizeClass{} // by the next request of each stream
	for i := e.Len() - 1; i >= 0; i-- {
		switch e.Action[i] {
		case snapshot.Alloc:
			asked[e.Stream[i]] = classOf(settings.RoundSize(e.Size[i]))
		case snapshot.OOM:
			asked[e.Stream[i]] = classOf(e.Size[i])
		case snapshot.SegmentAlloc, snapshot.SegmentMap:
			who := owner{stream: allocator.Stream(r.Snapshot.Streams[e.Stream[i]]), class: asked[e.Stream[i]]}
			if e.Pool != nil {
				who.pool = r.Snapshot.Pools[e.Pool[i]]
			}
			list = append(list, place{e.Addr[i], who})
		}
	}
	slices.SortStableFunc(list, place.compare)
	return list
}
