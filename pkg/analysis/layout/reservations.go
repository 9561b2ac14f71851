package layout

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Reservation is memory that came from the driver at once: a segment of cudaMalloc, or a
// run of pages that was mapped into an expandable segment. Pages that were reserved
// before the recording are split into the runs in which they were unmapped.
type Reservation struct {
	Address    uint64
	Size       int64
	Reserved   replay.EventIndex // None: before the recording
	Returned   replay.EventIndex // None: never
	Stream     snapshot.StreamID
	Pool       snapshot.PoolID
	SizeClass  snapshot.SizeClass
	Expandable bool
}

// End returns the address after the reservation.
func (r *Reservation) End() uint64 { return r.Address + uint64(r.Size) }

// held is a range in the walk back over the segment events.
type held struct {
	spanKind
	returned replay.EventIndex
}

// Reservations returns all reservations of the recording, those from before it first,
// then in the order of their events, then by address. In any state they cover the same
// memory as [History.At], cut into the pieces that came and went at once. ok is false if
// segments and their events contradict each other.
func (h *History) Reservations() (list []Reservation, ok bool) {
	var now ranges.Set[held]
	put := func(addr uint64, size int64, use held) bool {
		if !possibleRange(addr, size) || now.Overlaps(addr, addr+uint64(size)) {
			return false
		}
		now.Add(addr, addr+uint64(size), use)
		return true
	}
	add := func(from, to uint64, use held, event replay.EventIndex) {
		list = append(list, Reservation{Address: from, Size: int64(to - from), Reserved: event, Returned: use.returned,
			Stream: use.stream, Pool: use.pool, SizeClass: use.class, Expandable: use.expandable})
	}
	for i := range h.s.Segments {
		seg := &h.s.Segments[i]
		if seg.Device == h.d.ID && !put(seg.Address, seg.TotalSize, held{h.kinds.ofFinal(seg), replay.None}) {
			return nil, false
		}
	}
	e := h.d.Events
	for _, change := range slices.Backward(h.d.Reserved) {
		event := change.Event
		addr, size := e.Addr[event], e.Size[event]
		if e.Action[event].ReservedSign() < 0 {
			if !put(addr, size, held{h.kinds.ofReleased(event), event}) {
				return nil, false
			}
			continue
		}
		if !possibleRange(addr, size) {
			return nil, false
		}
		for from, end := addr, addr+uint64(size); from < end; {
			x, is := now.At(from)
			whole := x.From == addr && x.To == end
			if !is || !whole && !x.Use.expandable {
				return nil, false
			}
			to := min(x.To, end)
			add(from, to, x.Use, event)
			from = to
		}
		now.Cut(addr, addr+uint64(size))
	}
	for x := range now.All() {
		add(x.From, x.To, x.Use, replay.None)
	}
	slices.SortFunc(list, func(a, b Reservation) int {
		return cmp.Or(cmp.Compare(a.Reserved, b.Reserved), cmp.Compare(a.Address, b.Address))
	})
	return list, true
}

// BlockSize returns the size of the block of an allocation with room bytes up to the next
// block, or the end of its segment, when it is made. It may exceed room in a recording
// that contradicts itself. [Map] has the same sizes.
func (h *History) BlockSize(i int32, room int64, expandable, small bool) int64 {
	size, exact := h.sizes.of(i)
	if size < room && !exact {
		size += h.sizes.remainder(i, size, room-size, expandable || small)
	}
	return size
}

// NewBlockSize is a faster BlockSize for an allocation made in the recording, if while it
// lived no other one began within 1 MiB after it, except right after it.
func (h *History) NewBlockSize(i int32, room int64, expandable, small bool) int64 {
	size, exact := h.sizes.of(i)
	if limit := h.Settings.unsplitLimit(size); !exact && limit <= smallSize && room-size > limit {
		return size
	}
	return h.BlockSize(i, room, expandable, small)
}
