package whatif

import (
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Addresses of ranges that were not recorded begin here, far above any real ones.
const (
	newMallocs      = 1 << 60
	newReservations = 1 << 58
	rangeUnit       = 2 << 20
)

// usualMemory is the least device memory, in bytes, that reservations are sized for.
const usualMemory = 80 << 30

// Calls counts driver calls.
type Calls struct {
	Mallocs, Frees, Maps, Unmaps int
}

// All returns the sum.
func (c Calls) All() int { return c.Mallocs + c.Frees + c.Maps + c.Unmaps }

// device is the simulated device of a prediction. An address is used again only for a
// range of the size that was recorded there.
type device struct {
	limit, used int64 // bytes; a limit of 0 means none
	model       int64 // bytes of memory that the device's model has
	calls       Calls

	placement       Placement
	addresses       *addresses
	served          map[int64]int      // by size: number of recorded addresses used or skipped
	freed           map[int64][]uint64 // by size: recorded addresses that were freed
	held            map[uint64]int64   // sizes of the ranges held now, by address
	above, below    uint64             // where the next unrecorded range goes, upwards and downwards
	nextReservation uint64

	before func() // called before memory is taken
}

func (run *Run) newDevice(limit int64, placement Placement) *device {
	return &device{
		limit: limit, model: max(limit, 2*run.ReservedPeak(), usualMemory), placement: placement,
		addresses: &run.addresses,
		served:    map[int64]int{}, freed: map[int64][]uint64{}, held: map[uint64]int64{},
		above: newMallocs, below: newMallocs, nextReservation: newReservations, before: func() {},
	}
}

// hold marks the segments of the starting state as held.
func (d *device) hold(s *start) {
	for i := range s.segments {
		seg := &s.segments[i]
		d.used += seg.TotalSize
		if !seg.Expandable {
			d.held[seg.Address] = seg.TotalSize
		}
	}
	for size, n := range d.addresses.start {
		d.served[size] = n
	}
}

func (d *device) Malloc(size int64) (addr uint64, ok bool) {
	d.before()
	if !d.take(size) {
		return 0, false
	}
	d.calls.Mallocs++
	addr = d.address(size)
	d.held[addr] = size
	return addr, true
}

// address returns the address for a new range.
func (d *device) address(size int64) uint64 {
	step := uint64(size+rangeUnit-1) / rangeUnit * rangeUnit
	switch d.placement {
	case PlaceRecorded:
		if addr, is := d.recorded(size); is {
			return addr
		}
	case PlaceDownwards:
		d.below -= step
		return d.below
	}
	d.above += step
	return d.above - step
}

// recorded returns a recorded address for the size that is free now.
func (d *device) recorded(size int64) (addr uint64, is bool) {
	if n, order := d.served[size], d.addresses.order[size]; n < len(order) {
		d.served[size]++
		if _, taken := d.held[order[n]]; !taken {
			return order[n], true
		}
	}
	for freed := d.freed[size]; len(freed) > 0; {
		addr, freed = freed[len(freed)-1], freed[:len(freed)-1]
		d.freed[size] = freed
		if _, taken := d.held[addr]; !taken {
			return addr, true
		}
	}
	return 0, false
}

func (d *device) Free(addr uint64) {
	d.calls.Frees++
	size := d.held[addr]
	d.used -= size
	delete(d.held, addr)
	if addr < newReservations {
		d.freed[size] = append(d.freed[size], addr)
	}
}

// Reserve returns address space that was never used before.
func (d *device) Reserve(size int64) (addr uint64, ok bool) {
	addr = d.nextReservation
	d.nextReservation += uint64(size+rangeUnit-1) / rangeUnit * rangeUnit
	return addr, d.nextReservation < newMallocs/2
}

func (d *device) Release(uint64) {}

func (d *device) Map(_ uint64, size int64) (ok bool) {
	d.before()
	if !d.take(size) {
		return false
	}
	d.calls.Maps++
	return true
}

func (d *device) Unmap(_ uint64, size int64) {
	d.calls.Unmaps++
	d.used -= size
}

// Memory returns the free and the total memory available to PyTorch.
func (d *device) Memory() (free, total int64) {
	if d.limit == 0 {
		return replay.MaxSize, replay.MaxSize
	}
	return d.limit - d.used, d.limit
}

func (d *device) GlobalMemory() int64 { return d.model }

func (d *device) take(size int64) (ok bool) {
	if d.limit > 0 && size > d.limit-d.used {
		return false
	}
	d.used += size
	return true
}

// Placement is where a simulated device puts new ranges. It affects only the choice
// between free blocks of the same size.
type Placement uint8

const (
	// PlaceRecorded: the n-th range of a size goes where the n-th one was recorded; if
	// that is taken, where any of that size was; otherwise upwards.
	PlaceRecorded  Placement = iota
	PlaceUpwards             // each range above the one before
	PlaceDownwards           // each range below the one before
)

// addresses are the recorded addresses of cudaMalloc's ranges by size in bytes, in the
// order in which they were handed out. The ranges do not overlap.
type addresses struct {
	order map[int64][]uint64
	start map[int64]int // number of them from before the recording
}

func (run *Run) findAddresses() addresses {
	p := addresses{order: map[int64][]uint64{}, start: map[int64]int{}}
	var known ranges.Set[struct{}]
	for i := range run.start.segments {
		s := &run.start.segments[i]
		known.Add(s.Address, s.Address+uint64(s.TotalSize), struct{}{})
		if !s.Expandable {
			p.order[s.TotalSize] = append(p.order[s.TotalSize], s.Address)
			p.start[s.TotalSize]++
		}
	}
	e := run.r.Device.Events
	for _, c := range run.r.Device.Reserved {
		if e.Action[c.Event] != snapshot.SegmentAlloc || c.Delta <= 0 {
			continue
		}
		from, to := e.Addr[c.Event], e.Addr[c.Event]+uint64(c.Delta)
		if r, is := known.At(from); is && (r.From != from || r.To != to) || !is && known.Overlaps(from, to) {
			continue // it overlaps a range of another time
		} else if !is {
			known.Add(from, to, struct{}{})
		}
		p.order[c.Delta] = append(p.order[c.Delta], from)
	}
	return p
}
