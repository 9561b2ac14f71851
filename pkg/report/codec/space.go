package codec

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/internal/space"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// deviceSpace is where the tensors of a device lay.
type deviceSpace struct {
	frame *space.Frame
	lanes []uint64 // addresses
	codes *space.Codes
	// outside are the positions of the allocations that lie in no gap.
	outside []int32
}

// maxOutside is which part of the allocations may lie in nothing reserved, at most: one
// of so many.
const maxOutside = 10

// placement is where an allocator put tensors.
type placement struct {
	tensors      *space.Tensors // by position in a pile
	reservations []layout.Reservation
	// addr is the address of the allocation at a position, rounded what its request is
	// rounded up to, and block the size of its block in bytes: with so many bytes before
	// the next block in memory of a kind, when it is made.
	addr    func(i int) uint64
	rounded func(requested int64) int64
	block   func(i int, room int64, k *space.Kind) int64
	// careful: block looks for what began behind an allocation later. It is only so where
	// something began at a distance from another block, which torch never does.
	careful bool
}

// recordedPlacement is the placement as recorded; not ok where the recording contradicts itself.
func recordedPlacement(p *recording.Pile, h *layout.History, pool func(i int) uint32) (x *placement, ok bool) {
	x = &placement{tensors: tensorsOfPile(p, pool), rounded: h.Settings.RoundSize}
	if x.reservations, ok = h.Reservations(); !ok {
		return nil, false
	}
	x.addr = func(i int) uint64 { return p.At(i).Addr }
	x.block = func(i int, room int64, k *space.Kind) int64 {
		if i < len(p.Bottom) || x.careful {
			return h.BlockSize(int32(p.Index(i)), room, k.Expandable, k.Small)
		}
		return h.NewBlockSize(int32(i), room, k.Expandable, k.Small)
	}
	return x, true
}

// predictedPlacement is the placement of a prediction.
func predictedPlacement(p *recording.Pile, prediction *whatif.Served, pool func(i int) uint32) *placement {
	l := prediction.Layout
	return &placement{
		tensors: tensorsOfPile(p, pool), rounded: prediction.Settings.RoundSize, reservations: l.Reservations,
		addr:  func(i int) uint64 { return l.Addr[p.Index(i)] },
		block: func(i int, _ int64, _ *space.Kind) int64 { return l.Block[p.Index(i)] },
	}
}

// encode is nil where too much lies in nothing that is reserved, or what is reserved and
// what lies in it cannot both be true.
func (p *placement) encode() *deviceSpace {
	if len(p.reservations) == 0 {
		return nil
	}
	for unit := int64(space.MaxUnit); unit > 0; {
		x := &spaceEncoder{placement: p, unit: unit}
		d, again := x.encode()
		if !again {
			return d
		}
		if x.uneven {
			unit /= 2
		}
	}
	return nil
}

// spaceEncoder makes a deviceSpace with places that count so many bytes.
type spaceEncoder struct {
	*placement
	unit   int64
	uneven bool // something does not lie on a unit

	lanes []addressLane
	frame *space.Frame
	near  [1 << 10]addressLane // lanes that were looked for, by some bits of the address
}

// nearBits is how many low bits of an address are usually the same lane.
const nearBits = 21

// addressLane is a lane with its addresses.
type addressLane struct {
	from, to uint64
	start    uint64 // place
}

func (x *spaceEncoder) encode() (d *deviceSpace, again bool) {
	x.setFrame()
	if x.uneven || x.frame == nil {
		return nil, x.uneven
	}
	codes, counts, err := space.Encode(x.frame, x.tensors, &space.Source{
		Place: x.place, Rounded: x.rounded,
		Block: func(i int, room int64, k *space.Kind) int64 { return x.even(x.block(i, room, k)) },
	})
	if x.uneven {
		return nil, true
	} else if counts.Inside > 0 && !x.careful {
		x.careful = true
		return nil, true
	} else if err != nil || counts.Outside*maxOutside > x.tensors.Count {
		return nil, false
	}
	d = &deviceSpace{frame: x.frame, codes: codes}
	for _, l := range x.lanes {
		d.lanes = append(d.lanes, l.from)
	}
	d.outside = outsiders(codes, x.tensors.PreExisting)
	return d, false
}

// tensors are the allocations as the model of the allocator wants them. pool is that of the
// one at a position; 0 if there is one only.
func tensorsOfPile(p *recording.Pile, pool func(i int) uint32) *space.Tensors {
	events := p.Device.Events.Len()
	return &space.Tensors{
		Events: events, Count: p.Len(), PreExisting: len(p.Bottom),
		Start: func(i int) int { return int(p.At(i).Start) },
		End: func(i int) int {
			if end := p.At(i).End; end != replay.None {
				return int(end)
			}
			return events
		},
		Size: func(i int) int64 { return p.At(i).Size }, Pool: pool,
		Stream: func(i int) uint32 { return uint32(p.At(i).Stream) },
	}
}

// even notes whether so many bytes are whole units.
func (x *spaceEncoder) even(bytes int64) int64 {
	x.uneven = x.uneven || bytes&(x.unit-1) != 0
	return bytes
}

// setFrame makes lanes and kinds of the reservations.
func (x *spaceEncoder) setFrame() {
	x.setLanes()
	f := &space.Frame{Unit: x.unit}
	for _, l := range x.lanes {
		f.Lanes = append(f.Lanes, uint32(x.even(int64(l.to-l.from))/x.unit))
	}
	kinds := map[space.Kind]int32{}
	for i := range x.reservations {
		r := &x.reservations[i]
		lane := x.laneAt(r.Address)
		kind := space.Kind{Pool: uint32(r.Pool), Stream: uint32(r.Stream),
			Small:      r.SizeClass == snapshot.SizeClassSmall,
			Expandable: r.Expandable}
		number, is := kinds[kind]
		if !is {
			number = int32(len(f.Kinds))
			kinds[kind] = number
			f.Kinds = append(f.Kinds, kind)
		}
		l := x.lanes[lane]
		if l.start+uint64(x.even(int64(l.to-l.from)))/uint64(x.unit) >= space.MaxPlaces {
			return
		}
		returned := int32(r.Returned)
		if r.Returned == replay.None {
			returned = int32(x.tensors.Events)
		}
		f.Reservations = append(f.Reservations, space.Reservation{
			Start: uint32(l.start) + uint32(x.even(int64(r.Address-l.from))/x.unit),
			Size:  uint32(x.even(r.Size) / x.unit),
			Lane:  int32(lane), Kind: number, Reserved: int32(r.Reserved), Returned: returned,
		})
	}
	x.frame = f
}

// setLanes joins reservations that share an address, or are pages of one kind that touch.
func (x *spaceEncoder) setLanes() {
	order := make([]int32, len(x.reservations))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(x.reservations[a].Address, x.reservations[b].Address)
	})
	var top *layout.Reservation // of the last lane, the one that reaches highest
	for _, i := range order {
		r := &x.reservations[i]
		last := len(x.lanes) - 1
		switch {
		case top == nil || r.Address > top.End() || r.Address == top.End() && !samePages(top, r):
			x.lanes, top = append(x.lanes, addressLane{from: r.Address, to: r.End()}), r
		case r.End() > top.End():
			x.lanes[last].to, top = r.End(), r
		}
	}
	place := uint64(0)
	for i := range x.lanes {
		l := &x.lanes[i]
		l.start = place
		place += (l.to - l.from) / uint64(x.unit)
	}
}

// samePages reports whether two reservations are pages of one kind.
func samePages(a, b *layout.Reservation) bool {
	return a.Expandable && b.Expandable && a.Stream == b.Stream && a.Pool == b.Pool && a.SizeClass == b.SizeClass
}

// laneAt is the last lane that does not begin behind an address; -1 if all do.
func (x *spaceEncoder) laneAt(addr uint64) int {
	i,
		is := slices.BinarySearchFunc(x.lanes, addr,
		func(l addressLane, addr uint64) int { return cmp.Compare(l.from, addr) })
	if !is {
		i--
	}
	return i
}

// place is where an allocation lies, if it begins in a lane.
func (x *spaceEncoder) place(i int) (place uint32, is bool) {
	addr := x.addr(i)
	l := &x.near[addr>>nearBits%uint64(len(x.near))]
	if addr-l.from >= l.to-l.from {
		lane := x.laneAt(addr)
		if lane < 0 || addr >= x.lanes[lane].to {
			return 0, false
		}
		*l = x.lanes[lane]
	}
	return uint32(l.start + uint64(x.even(int64(addr-l.from))/x.unit)), true
}

// outsiders are the positions of the allocations that codes say to lie in no gap.
func outsiders(c *space.Codes, preExisting int) (list []int32) {
	escapes := c.Escapes
	for i := range preExisting + len(c.Codes) {
		if i < preExisting || c.Codes[i-preExisting] == 1 {
			if escapes[0] == 0 {
				list = append(list, int32(i))
			}
			escapes = escapes[1:]
		}
	}
	return list
}
