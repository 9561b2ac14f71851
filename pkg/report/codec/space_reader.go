package codec

import (
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/space"
)

// spaceReader is where the tensors of a device of a report lay.
type spaceReader struct {
	columns, addresses *columnSet
	lanes              []uint32 // units
	places             []uint32 // by allocation
	outside            int      // allocations
}

// readSpace takes apart where the tensors of a device lay, and checks all of it: with the
// model that a page runs, too.
func (d *deviceReader) readSpace(raw []byte) error {
	events := make([]int32, 0, d.count("reserved.event"))
	for _, event := range d.sums("reserved.event") {
		events = append(events, int32(min(event, 1<<31-1)))
	}
	columns, err := splitColumns(raw, spaceColumns)
	if err != nil {
		return err
	}
	s, err := d.decodeSpace(columns, d.view.Space.Unit, len(events),
		func(number uint64) int32 { return events[number-1] },
		d.tensors())
	if err != nil {
		return err
	}
	for _, place := range s.places {
		if place == space.Outside {
			s.outside++
		}
	}
	d.space = s
	return nil
}

// readPredictedSpace likewise, of where they would have lain.
func (d *deviceReader) readPredictedSpace(raw []byte) (err error) {
	columns, err := splitColumns(raw, spaceColumns)
	if err == nil {
		d.predicted, err = d.decodePredicted(columns, d.view.Predicted.Space.Unit, d.tensors())
	}
	return err
}

// decodePredicted takes apart where tensors would have lain.
func (d *deviceReader) decodePredicted(columns *columnSet, unit int64, tensors *space.Tensors) (*spaceReader, error) {
	events := min(d.view.Events, 1<<31-1)
	s, err := d.decodeSpace(columns, unit, events, func(number uint64) int32 { return int32(number - 1) }, tensors)
	if err == nil {
		s.places = nil // nothing asks for them
	}
	return s, err
}

// decodeSpace takes apart where tensors lie. Numbers up to events stand for events.
func (d *deviceReader) decodeSpace(columns *columnSet, unit int64, events int, event func(number uint64) int32,
	tensors *space.Tensors) (*spaceReader, error) {
	s := &spaceReader{columns: columns}
	if err := s.check(d); err != nil {
		return nil, err
	}
	f, err := s.frame(d, unit, events, event)
	if err != nil {
		return nil, err
	}
	s.lanes = f.Lanes
	s.places, _, err = space.Decode(f, tensors, s.codes())
	return s, err
}

// check holds the columns against their table.
func (s *spaceReader) check(d *deviceReader) error {
	return s.columns.check(map[string]int{"places": space.MaxPlaces, "allocations": d.count("size")})
}

// frame is what tensors lie in. What is wrong with it, space.Decode finds out.
func (s *spaceReader) frame(d *deviceReader, unit int64, events int, event func(number uint64) int32) (*space.Frame,
	error) {
	c := s.columns
	f := &space.Frame{Unit: unit, Lanes: valuesOf[uint32](c, "lane.size")}
	starts, place := make([]uint64, len(f.Lanes)), uint64(0)
	for i, size := range f.Lanes {
		starts[i] = place
		place += uint64(size)
	}
	pools, streams := c.cursor("kind.pool"), c.cursor("kind.stream")
	large, expandable := c.cursor("kind.large"), c.cursor("kind.expandable")
	for range c.count("kind.pool") {
		f.Kinds = append(f.Kinds, space.Kind{Pool: uint32(pools.next()), Stream: uint32(streams.next()),
			Small: large.next() == 0, Expandable: expandable.next() != 0})
	}
	kinds, offsets, sizes := c.cursor("reserved.kind"), c.cursor("reserved.offset"), c.cursor("reserved.size")
	to := c.cursor("reserved.to")
	var lanes []int64
	for _, lane := range c.signedSums("reserved.lane") {
		lanes = append(lanes, lane)
	}
	for i, from := range c.sums("reserved.from") {
		until, kind := to.next(), kinds.next()
		lane, offset := lanes[i], offsets.next()
		if from > uint64(events) || until > uint64(events)-from || kind >= uint64(len(f.Kinds)) ||
			lane < 0 || lane >= int64(len(f.Lanes)) || starts[lane]+offset >= space.MaxPlaces {
			return nil, fmt.Errorf("reservation %d has values that are too high", i)
		}
		r := space.Reservation{Start: uint32(starts[lane] + offset), Size: uint32(sizes.next()), Lane: int32(lane),
			Kind: int32(kind), Reserved: -1, Returned: int32(min(d.view.Events, 1<<31-1))}
		if from > 0 {
			r.Reserved = event(from)
		}
		if until > 0 {
			r.Returned = event(from + until)
		}
		f.Reservations = append(f.Reservations, r)
	}
	return f, nil
}

// codes are the codes as they stand there.
func (s *spaceReader) codes() *space.Codes {
	c := s.columns
	x := &space.Codes{Codes: valuesOf[uint32](c, "code"), Offsets: valuesOf[uint32](c, "offset"),
		Escapes: valuesOf[uint64](c, "escape")}
	units := c.cursor("more.units")
	for _, i := range c.sums("more.alloc") {
		x.More = append(x.More, space.More{Index: int(min(i, maxAllocations)), Units: unzigzag(units.next())})
	}
	to := c.cursor("rounded.to")
	for _, requested := range c.all("rounded.from") {
		x.Rounded = append(x.Rounded, space.Rounded{Requested: int64(requested), Bytes: int64(to.next())})
	}
	return x
}

// valuesOf are the values of a column, which fit.
func valuesOf[T uint32 | uint64](c *columnSet, column string) []T {
	list := make([]T, 0, c.count(column))
	for _, v := range c.all(column) {
		list = append(list, T(v))
	}
	return list
}

// tensors are the allocations as the model of the allocator wants them.
func (d *deviceReader) tensors() *space.Tensors {
	m := d.count("size")
	all := make([]interval, 0, m)
	for _, l := range d.intervals() {
		all = append(all, l)
	}
	streams, pools := valuesOf[uint32](d.columnSet, "stream"), valuesOf[uint32](d.columnSet, "pool")
	return &space.Tensors{
		Events: d.view.Events, Count: m, PreExisting: d.view.PreExisting,
		Start:  func(i int) int { return all[i].start - 1 },
		End:    func(i int) int { return all[i].end - 1 },
		Size:   func(i int) int64 { return all[i].bytes },
		Stream: func(i int) uint32 { return streams[i] },
		Pool: func(i int) uint32 {
			if len(pools) == 0 {
				return 0
			}
			return pools[i]
		},
	}
}

// readSpaceAddresses takes apart the addresses of the lanes.
func (d *deviceReader) readSpaceAddresses(raw []byte) (err error) {
	s := d.space
	if s.addresses, err = splitColumns(raw, addressColumns); err != nil {
		return err
	}
	lanes, outside := len(s.lanes), s.outside
	if !d.view.HasAddr {
		lanes, outside = 0, 0
	}
	return s.addresses.check(map[string]int{"lanes": lanes, "outside": outside})
}

func (d *deviceReader) packSpace() chunk {
	return pack(packOthers, nil, func(c *columnWriter) { d.space.columns.writeAll(c) })
}

func (d *deviceReader) packPredictedSpace() chunk {
	return pack(packOthers, nil, func(c *columnWriter) { d.predicted.columns.writeAll(c) })
}

func (d *deviceReader) packSpaceAddresses() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		if d.view.HasAddr {
			d.space.addresses.writeAll(c)
			return
		}
		addressColumns.from(c, "lane.addr").empty("lane.addr", "outside.addr")
	})
}

// addressesOf gives the address of each allocation in turn. lane and outside give those
// of each lane, and of each allocation that lies in none, likewise.
func (s *spaceReader) addressesOf(unit int64, lane, outside func() uint64) func(i int, size int64) uint64 {
	starts, addresses := make([]uint64, len(s.lanes)), make([]uint64, len(s.lanes))
	place := uint64(0)
	for i, size := range s.lanes {
		starts[i], addresses[i] = place, lane()
		place += uint64(size)
	}
	last := 0
	return func(i int, _ int64) uint64 {
		place := uint64(s.places[i])
		if place == space.Outside {
			return outside()
		}
		if place < starts[last] || place >= starts[last]+uint64(s.lanes[last]) {
			at, is := slices.BinarySearch(starts, place)
			if !is {
				at--
			}
			last = at
		}
		return addresses[last] + (place-starts[last])*uint64(unit)
	}
}

// spaceAddresses are the addresses of a device that says where its tensors lay.
func (d *deviceReader) spaceAddresses() func(i int, size int64) uint64 {
	base := d.view.LowestAddr()
	sum := func(column string) func() uint64 {
		c, at := d.space.addresses.cursor(column), base
		return func() uint64 {
			at += uint64(unzigzag(c.next()))
			return at
		}
	}
	return d.space.addressesOf(d.view.Space.Unit, sum("lane.addr"), sum("outside.addr"))
}
