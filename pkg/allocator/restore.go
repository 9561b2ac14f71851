package allocator

import (
	"fmt"
	"sort"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Reservation is the address space of one expandable segment. Snapshots do not record it:
// they show the parts that have memory as segments.
type Reservation struct {
	Address   uint64 // pages are aligned relative to it
	Size      int64  // bytes, in whole pages
	Stream    Stream
	Pool      snapshot.Pool
	SizeClass snapshot.SizeClass
}

// Restore puts a new allocator into a given state: segments in address order, and the
// reservations of the expandable ones. It does not call the driver, which must hold the
// memory already. Pending blocks wait for [Allocator.CompleteFree], and free blocks have
// age 0. An error names the impossible segment; the allocator must not be used after it.
func (a *Allocator) Restore(segments []Segment, reservations []Reservation) error {
	expandable := 0
	for i := range segments {
		s := &segments[i]
		if err := s.check(); err != nil {
			return fmt.Errorf("segment at %#x: %w", s.Address, err)
		}
		if i > 0 && segments[i-1].end() > s.Address {
			return fmt.Errorf("segment at %#x: lies on the one before", s.Address)
		}
		if s.Expandable {
			expandable++
			continue
		}
		a.restoreSegment(s, nil, nil)
	}
	for i := range reservations {
		n, err := a.restoreReservation(&reservations[i], segments)
		if err != nil {
			return err
		}
		expandable -= n
	}
	if expandable != 0 {
		return fmt.Errorf("%d expandable segments are not each in one reservation", expandable)
	}
	return nil
}

// restoreReservation restores the segments that lie in a reservation, with unmapped
// blocks around them, and returns their number.
func (a *Allocator) restoreReservation(r *Reservation, segments []Segment) (n int, err error) {
	space := &reservation{addr: r.Address, size: r.Size, page: a.settings.PageSize(r.SizeClass)}
	if r.Size <= 0 || r.Size%space.page != 0 || r.end() < r.Address {
		return 0, fmt.Errorf("reservation at %#x: %d bytes are not whole pages", r.Address, r.Size)
	}
	var last *block
	first := sort.Search(len(segments), func(i int) bool { return segments[i].Address >= r.Address })
	for _, s := range segments[first:] {
		if s.Address >= r.end() {
			break
		}
		if !s.Expandable || s.Stream != r.Stream || s.Pool != r.Pool || s.SizeClass != r.SizeClass {
			return 0, fmt.Errorf("segment at %#x: lies in the reservation of others", s.Address)
		}
		if s.end() > r.end() || int64(s.Address-r.Address)%space.page != 0 || s.TotalSize%space.page != 0 {
			return 0, fmt.Errorf("segment at %#x: is not whole pages of its reservation", s.Address)
		}
		if last != nil && last.end() == s.Address {
			return 0, fmt.Errorf("segment at %#x: touches the one before", s.Address)
		}
		last = a.restoreSegment(&s, space, a.restoreGap(r, space, last, s.Address))
		n++
	}
	a.restoreGap(r, space, last, r.end())
	return n, nil
}

// restoreGap fills a reservation with an unmapped block up to an address.
func (a *Allocator) restoreGap(r *Reservation, space *reservation, last *block, to uint64) *block {
	at := r.Address
	if last != nil {
		at = last.end()
	}
	if at == to {
		return last
	}
	b := a.newBlock()
	b.addr, b.size, b.state = at, int64(to-at), unmapped
	b.stream, b.pool, b.reservation = r.Stream, a.poolOf(r.Pool, r.SizeClass), space
	b.follow(last)
	b.pool.insert(b)
	return b
}

// restoreSegment restores the blocks of a segment after another block, and returns the
// last of them.
func (a *Allocator) restoreSegment(s *Segment, space *reservation, last *block) *block {
	p := a.poolOf(s.Pool, s.SizeClass)
	a.reserve(p, s.TotalSize)
	var cached []*block
	for _, x := range s.Blocks {
		if !x.State.Live() && last != nil && last.state == free {
			last.size += x.Size // free neighbours are one block
			continue
		}
		b := a.newBlock()
		b.addr, b.size, b.state, b.requested = x.Address, x.Size, free, x.RequestedSize
		b.stream, b.pool, b.reservation = s.Stream, p, space
		b.follow(last)
		last = b
		if x.State.Live() {
			a.restoreLive(b, x.State)
		} else {
			cached = append(cached, b)
		}
	}
	for _, b := range cached {
		p.insert(b)
	}
	return last
}

func (a *Allocator) restoreLive(b *block, state snapshot.BlockState) {
	a.blocks[b.addr] = b
	a.stats.Requested.add(b.requested)
	a.stats.Active.add(b.size)
	if state == snapshot.ActivePendingFree {
		b.state = pending
		a.held = append(a.held, b)
		return
	}
	b.state = allocated
	a.stats.Allocated.add(b.size)
}

// poolOf returns the pool of a size class with an id, which is made if needed.
func (a *Allocator) poolOf(id snapshot.Pool, class snapshot.SizeClass) *pool {
	pools := a.poolsOf(id)
	if class == snapshot.SizeClassSmall {
		return &pools.small
	}
	return &pools.large
}

// follow links a block after another in the list of their segment.
func (b *block) follow(last *block) {
	b.prev = last
	if last != nil {
		last.next = b
	}
}

func (s *Segment) end() uint64 { return s.Address + uint64(s.TotalSize) }

func (r *Reservation) end() uint64 { return r.Address + uint64(r.Size) }

// check reports whether the blocks tile the segment.
func (s *Segment) check() error {
	at := s.Address
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.Address != at || b.Size <= 0 || b.Size > s.TotalSize || at+uint64(b.Size) < at {
			return fmt.Errorf("the block at %#x does not follow the one before", b.Address)
		}
		at += uint64(b.Size)
	}
	if at != s.end() || at == s.Address {
		return fmt.Errorf("its blocks end at %#x, not where it does", at)
	}
	return nil
}
