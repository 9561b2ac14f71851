package codec

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/internal/space"
)

// The columns of a payload of a space, in the order of the package comment.
const (
	spaceLaneSize = iota
	spaceKindPool
	spaceKindStream
	spaceKindLarge
	spaceKindExpandable
	spaceReservedKind
	spaceReservedLane
	spaceReservedOffset
	spaceReservedSize
	spaceReservedFrom
	spaceReservedTo
	spaceCode
	spaceOffset
	spaceEscape
	spaceMoreAlloc
	spaceMoreUnits
	spaceRoundedFrom
	spaceRoundedTo
	spaceColumns
)

// The columns of a payload of addresses.
const (
	addrOfLane = iota
	addrOfOutside
	addrColumns
)

// savedSpace is where the tensors of a device of a report lay.
type savedSpace struct {
	columns, addresses *savedColumns
	lanes              []uint32 // units
	places             []uint32 // by allocation
	outside            int      // allocations
}

// readSpace takes apart where the tensors of a device lay, and checks all of it: with the
// model that a page runs, too.
func (d *savedDevice) readSpace(raw []byte) error {
	events := make([]int32, 0, d.n[columnReservedEvent])
	for _, event := range d.sums(columnReservedEvent) {
		events = append(events, int32(min(event, 1<<31-1)))
	}
	columns, err := splitColumns(raw, spaceColumns, false)
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
func (d *savedDevice) readPredictedSpace(raw []byte) (err error) {
	columns, err := splitColumns(raw, spaceColumns, false)
	if err == nil {
		d.predicted, err = d.decodePredicted(columns, d.view.Predicted.Space.Unit, d.tensors())
	}
	return err
}

// decodePredicted takes apart where tensors would have lain.
func (d *savedDevice) decodePredicted(columns *savedColumns, unit int64, tensors *space.Tensors) (*savedSpace, error) {
	events := min(d.view.Events, 1<<31-1)
	s, err := d.decodeSpace(columns, unit, events, func(number uint64) int32 { return int32(number - 1) }, tensors)
	if err == nil {
		s.places = nil // nothing asks for them
	}
	return s, err
}

// decodeSpace takes apart where tensors lie. Numbers up to events stand for events.
func (d *savedDevice) decodeSpace(columns *savedColumns, unit int64, events int, event func(number uint64) int32,
	tensors *space.Tensors) (*savedSpace, error) {
	s := &savedSpace{columns: columns}
	if err := s.checkCounts(); err != nil {
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

// checkCounts holds the length of every column against the others.
func (s *savedSpace) checkCounts() error {
	for _, c := range []struct {
		column int
		name   string
		n      int
	}{
		{spaceKindStream, "kind.stream", s.columns.n[spaceKindPool]},
		{spaceKindLarge, "kind.large", s.columns.n[spaceKindPool]},
		{spaceKindExpandable, "kind.expandable", s.columns.n[spaceKindPool]},
		{spaceReservedLane, "reserved.lane", s.columns.n[spaceReservedKind]},
		{spaceReservedOffset, "reserved.offset", s.columns.n[spaceReservedKind]},
		{spaceReservedSize, "reserved.size", s.columns.n[spaceReservedKind]},
		{spaceReservedFrom, "reserved.from", s.columns.n[spaceReservedKind]},
		{spaceReservedTo, "reserved.to", s.columns.n[spaceReservedKind]},
		{spaceMoreUnits, "more.units", s.columns.n[spaceMoreAlloc]},
		{spaceRoundedTo, "rounded.to", s.columns.n[spaceRoundedFrom]},
	} {
		if err := s.columns.have(c.column, c.name, c.n); err != nil {
			return err
		}
	}
	for _, column := range []int{spaceLaneSize, spaceKindPool, spaceKindStream, spaceReservedOffset, spaceReservedSize,
		spaceCode, spaceOffset} {
		if err := s.columns.below(column, "column "+strconv.Itoa(column), space.MaxPlaces); err != nil {
			return err
		}
	}
	return nil
}

// frame is what tensors lie in. What is wrong with it, space.Decode finds out.
func (s *savedSpace) frame(d *savedDevice, unit int64, events int, event func(number uint64) int32) (*space.Frame,
	error) {
	c := s.columns
	f := &space.Frame{Unit: unit, Lanes: valuesOf[uint32](c, spaceLaneSize)}
	starts, place := make([]uint64, len(f.Lanes)), uint64(0)
	for i, size := range f.Lanes {
		starts[i] = place
		place += uint64(size)
	}
	pools, streams := c.cursor(spaceKindPool), c.cursor(spaceKindStream)
	large, expandable := c.cursor(spaceKindLarge), c.cursor(spaceKindExpandable)
	for range c.n[spaceKindPool] {
		f.Kinds = append(f.Kinds, space.Kind{Pool: uint32(pools.next()), Stream: uint32(streams.next()),
			Small: large.next() == 0, Expandable: expandable.next() != 0})
	}
	kinds, offsets, sizes := c.cursor(spaceReservedKind), c.cursor(spaceReservedOffset), c.cursor(spaceReservedSize)
	to := c.cursor(spaceReservedTo)
	var lanes []int64
	for _, lane := range c.signedSums(spaceReservedLane) {
		lanes = append(lanes, lane)
	}
	for i, from := range c.sums(spaceReservedFrom) {
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
func (s *savedSpace) codes() *space.Codes {
	c := s.columns
	x := &space.Codes{Codes: valuesOf[uint32](c, spaceCode), Offsets: valuesOf[uint32](c, spaceOffset),
		Escapes: valuesOf[uint64](c, spaceEscape)}
	units := c.cursor(spaceMoreUnits)
	for _, i := range c.sums(spaceMoreAlloc) {
		x.More = append(x.More, space.More{Index: int(min(i, maxAllocations)), Units: unzigzag(units.next())})
	}
	to := c.cursor(spaceRoundedTo)
	for _, requested := range c.all(spaceRoundedFrom) {
		x.Rounded = append(x.Rounded, space.Rounded{Requested: int64(requested), Bytes: int64(to.next())})
	}
	return x
}

// valuesOf are the values of a column, which fit.
func valuesOf[T uint32 | uint64](c *savedColumns, column int) []T {
	list := make([]T, 0, c.n[column])
	for _, v := range c.all(column) {
		list = append(list, T(v))
	}
	return list
}

// tensors are the allocations as the model of the allocator wants them.
func (d *savedDevice) tensors() *space.Tensors {
	m := d.n[columnSize]
	all := make([]interval, 0, m)
	for _, l := range d.intervals() {
		all = append(all, l)
	}
	streams, pools := valuesOf[uint32](d.savedColumns, columnStream), valuesOf[uint32](d.savedColumns, columnPool)
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
func (d *savedDevice) readSpaceAddresses(raw []byte) (err error) {
	s := d.space
	if s.addresses, err = splitColumns(raw, addrColumns, false); err != nil {
		return err
	}
	lanes, outside := len(s.lanes), s.outside
	if !d.view.HasAddr {
		lanes, outside = 0, 0
	}
	if err := s.addresses.have(addrOfLane, "lane.addr", lanes); err != nil {
		return err
	}
	return s.addresses.have(addrOfOutside, "outside.addr", outside)
}

func (d *savedDevice) packSpace() chunk {
	return pack(packOthers, nil, func(c *columnWriter) { d.space.columns.write(c, 0, spaceColumns) })
}

func (d *savedDevice) packPredictedSpace() chunk {
	return pack(packOthers, nil, func(c *columnWriter) { d.predicted.columns.write(c, 0, spaceColumns) })
}

func (d *savedDevice) packSpaceAddresses() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		if d.view.HasAddr {
			d.space.addresses.write(c, 0, addrColumns)
			return
		}
		c.column(0, nil)
		c.column(0, nil)
	})
}

// addressesOf gives the address of each allocation in turn. lane and outside give those
// of each lane, and of each allocation that lies in none, likewise.
func (s *savedSpace) addressesOf(unit int64, lane, outside func() uint64) func(i int, size int64) uint64 {
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
func (d *savedDevice) spaceAddresses() func(i int, size int64) uint64 {
	base := d.view.LowestAddr()
	sum := func(column int) func() uint64 {
		c, at := d.space.addresses.cursor(column), base
		return func() uint64 {
			at += uint64(unzigzag(c.next()))
			return at
		}
	}
	return d.space.addressesOf(d.view.Space.Unit, sum(addrOfLane), sum(addrOfOutside))
}
