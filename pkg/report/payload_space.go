package report

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/space"
)

// findSpaces finds out where the tensors of each device lay.
func findSpaces(in *answer.Input) []*deviceSpace {
	list := make([]*deviceSpace, len(in.Devices))
	if in.Origin.AddressesLost {
		return list
	}
	for i, d := range in.Devices {
		r := in.Recordings[i]
		p := newPile(d, r.Families())
		if recorded, ok := recordedPlacement(p, r.Layouts(), poolColumn(p, r.Pools())); ok {
			list[i] = recorded.encode()
		}
	}
	return list
}

// poolColumn is what stands in the column pool.
func poolColumn(p *pile, pools *layout.Pools) func(i int) uint32 {
	if len(pools.Names) < 2 {
		return func(int) uint32 { return 0 }
	}
	return func(i int) uint32 { return uint32(pools.Of[p.index(i)]) }
}

// setSpaces says in the view whether it is known where the tensors lay, and where the
// best other setting would have put them.
func (p *devicePayload) setSpaces(recorded *deviceSpace) {
	if recorded == nil || p.view.WideAddr || recorded.spread(p.view.baseAddr) {
		return
	}
	p.space = recorded
	p.view.Space = &Space{Payload: "space-" + p.number, Addresses: "addresses-" + p.number, Unit: p.space.frame.Unit}
	p.setMeasuredSpaces()
	view := p.view.Predicted
	if view == nil || view.best == nil {
		return
	}
	p.predicted = predictedPlacement(p.pile, view.best, poolColumn(p.pile, p.pools)).encode()
	if p.predicted == nil || len(p.packPredictedSpace().packed) > maxPredictedSpace {
		p.predicted = nil
		return
	}
	view.Space = &PredictedSpace{Payload: "predicted-" + p.number, Unit: p.predicted.frame.Unit}
}

// spread reports whether a lane is too far from an address.
func (d *deviceSpace) spread(base uint64) bool {
	return slices.ContainsFunc(d.lanes, func(addr uint64) bool {
		return max(addr, base)-min(addr, base) > maxExact
	})
}

func (p *devicePayload) packSpace() chunk { return pack(packOthers, nil, p.writeSpace) }

// writeSpace writes where the tensors lay.
func (p *devicePayload) writeSpace(c *columnWriter) {
	events := make([]uint64, len(p.device.Reserved))
	for i, change := range p.device.Reserved {
		events[i] = uint64(change.Event)
	}
	p.space.write(c, func(event int32) uint64 {
		i, is := slices.BinarySearch(events, uint64(event))
		if !is {
			return 0
		}
		return uint64(i + 1)
	})
}

// packPredictedSpace packs where the tensors would have lain. There the events that
// change what is reserved are any.
func (p *devicePayload) packPredictedSpace() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		p.predicted.write(c, func(event int32) uint64 {
			if int(event) >= p.view.Events {
				return 0
			}
			return uint64(event + 1)
		})
	})
}

// write writes what was reserved, and what the model of the allocator does not say.
// number is what stands for an event, 0 for those that are none.
func (d *deviceSpace) write(c *columnWriter, number func(event int32) uint64) {
	writeFrame(c, d.frame, number)
	writeCodes(c, d.codes)
}

func (p *devicePayload) packSpaceAddresses() chunk {
	return pack(packOthers, nil, p.writeSpaceAddresses)
}

// writeSpaceAddresses writes the addresses of the lanes, and of what lies in none.
func (p *devicePayload) writeSpaceAddresses(c *columnWriter) {
	if !p.view.HasAddr {
		c.column(0, nil)
		c.column(0, nil)
		return
	}
	base := p.view.baseAddr
	p.space.writeAddresses(c, p.pile, func(addr uint64) uint64 { return addr - base })
}

// writeAddresses writes addresses that count from somewhere.
func (d *deviceSpace) writeAddresses(c *columnWriter, p *pile, address func(uint64) uint64) {
	c.signedDelta(len(d.lanes), func(i int) int64 { return int64(address(d.lanes[i])) })
	c.signedDelta(len(d.outside), func(i int) int64 { return int64(address(p.at(int(d.outside[i])).Addr)) })
}

// writeFrame writes what was reserved. number is what stands for an event.
func writeFrame(c *columnWriter, f *space.Frame, number func(event int32) uint64) {
	c.column(len(f.Lanes), func(i int) uint64 { return uint64(f.Lanes[i]) })
	c.column(len(f.Kinds), func(i int) uint64 { return uint64(f.Kinds[i].Pool) })
	c.column(len(f.Kinds), func(i int) uint64 { return uint64(f.Kinds[i].Stream) })
	c.column(len(f.Kinds), func(i int) uint64 { return oneIf(!f.Kinds[i].Small) })
	c.column(len(f.Kinds), func(i int) uint64 { return oneIf(f.Kinds[i].Expandable) })
	starts, place := make([]uint64, len(f.Lanes)), uint64(0)
	for i, size := range f.Lanes {
		starts[i] = place
		place += uint64(size)
	}
	all := f.Reservations
	n := len(all)
	c.column(n, func(i int) uint64 { return uint64(all[i].Kind) })
	c.signedDelta(n, func(i int) int64 { return int64(all[i].Lane) })
	c.column(n, func(i int) uint64 { return uint64(all[i].Start) - starts[all[i].Lane] })
	c.column(n, func(i int) uint64 { return uint64(all[i].Size) })
	c.ascending(n, func(i int) uint64 { return number(all[i].Reserved) })
	c.column(n, func(i int) uint64 {
		if returned := number(all[i].Returned); returned > 0 {
			return returned - number(all[i].Reserved)
		}
		return 0
	})
}

// writeCodes writes what the model of the allocator does not say.
func writeCodes(c *columnWriter, x *space.Codes) {
	c.column(len(x.Codes), func(i int) uint64 { return uint64(x.Codes[i]) })
	c.column(len(x.Offsets), func(i int) uint64 { return uint64(x.Offsets[i]) })
	c.column(len(x.Escapes), func(i int) uint64 { return x.Escapes[i] })
	c.ascending(len(x.More), func(i int) uint64 { return uint64(x.More[i].Index) })
	c.signed(len(x.More), func(i int) int64 { return x.More[i].Units })
	c.column(len(x.Rounded), func(i int) uint64 { return uint64(x.Rounded[i].Requested) })
	c.column(len(x.Rounded), func(i int) uint64 { return uint64(x.Rounded[i].Bytes) })
}
