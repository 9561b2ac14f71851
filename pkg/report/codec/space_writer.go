package codec

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/space"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// findSpaces finds out where the tensors of each device lay.
func findSpaces(in *answer.Input) []*deviceSpace {
	list := make([]*deviceSpace, len(in.Devices))
	if in.Origin.AddressesLost {
		return list
	}
	for i, d := range in.Devices {
		r := in.Recordings[i]
		p := recording.NewPile(d, r.Families())
		if recorded, ok := recordedPlacement(p, r.Layouts(), poolColumn(p, r.Pools())); ok {
			list[i] = recorded.encode()
		}
	}
	return list
}

// poolColumn is the column pool.
func poolColumn(p *recording.Pile, pools *layout.Pools) func(i int) uint32 {
	if len(pools.Names) < 2 {
		return func(int) uint32 { return 0 }
	}
	return func(i int) uint32 { return uint32(pools.Of[p.Index(i)]) }
}

// setSpaces says in the view whether it is known where the tensors lay, and where the
// best other setting would have put them.
func (p *deviceWriter) setSpaces(recorded *deviceSpace) {
	if recorded == nil || p.view.WideAddr || recorded.spread(p.view.LowestAddr()) {
		return
	}
	p.space = recorded
	p.view.Space = &recording.Space{Payload: "space-" + p.number, Addresses: "addresses-" + p.number,
		Unit: p.space.frame.Unit}
	p.setMeasuredSpaces()
	view := p.view.Predicted
	if view == nil || view.Best == nil {
		return
	}
	p.predicted = predictedPlacement(p.Pile, view.Best, poolColumn(p.Pile, p.pools)).encode()
	if p.predicted == nil || len(p.packPredictedSpace().packed) > recording.MaxPredictedSpace {
		p.predicted = nil
		return
	}
	view.Space = &recording.PredictedSpace{Payload: "predicted-" + p.number, Unit: p.predicted.frame.Unit}
}

// spread reports whether a lane is too far from an address.
func (d *deviceSpace) spread(base uint64) bool {
	return slices.ContainsFunc(d.lanes, func(addr uint64) bool {
		return max(addr, base)-min(addr, base) > recording.MaxExact
	})
}

func (p *deviceWriter) packSpace() chunk { return pack(packOthers, nil, p.writeSpace) }

// writeSpace writes where the tensors lay.
func (p *deviceWriter) writeSpace(c *columnWriter) {
	events := make([]uint64, len(p.Device.Reserved))
	for i, change := range p.Device.Reserved {
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
func (p *deviceWriter) packPredictedSpace() chunk {
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
// number encodes an event; 0 is none.
func (d *deviceSpace) write(c *columnWriter, number func(event int32) uint64) {
	writeFrame(c, d.frame, number)
	writeCodes(c, d.codes)
}

func (p *deviceWriter) packSpaceAddresses() chunk {
	return pack(packOthers, nil, p.writeSpaceAddresses)
}

// writeSpaceAddresses writes the addresses of the lanes, and of what lies in none.
func (p *deviceWriter) writeSpaceAddresses(c *columnWriter) {
	if !p.view.HasAddr {
		addressColumns.from(c, "lane.addr").empty("lane.addr", "outside.addr")
		return
	}
	base := p.view.LowestAddr()
	p.space.writeAddresses(c, p.Pile, func(addr uint64) uint64 { return addr - base })
}

// writeAddresses writes addresses that count from somewhere.
func (d *deviceSpace) writeAddresses(c *columnWriter, p *recording.Pile, address func(uint64) uint64) {
	w := addressColumns.from(c, "lane.addr")
	w.put("lane.addr", len(d.lanes), func(i int) int64 { return int64(address(d.lanes[i])) })
	w.put("outside.addr", len(d.outside), func(i int) int64 { return int64(address(p.At(int(d.outside[i])).Addr)) })
}

// writeFrame writes what was reserved. number encodes an event.
func writeFrame(c *columnWriter, f *space.Frame, number func(event int32) uint64) {
	w := spaceColumns.from(c, "lane.size")
	w.put("lane.size", len(f.Lanes), func(i int) int64 { return int64(f.Lanes[i]) })
	w.put("kind.pool", len(f.Kinds), func(i int) int64 { return int64(f.Kinds[i].Pool) })
	w.put("kind.stream", len(f.Kinds), func(i int) int64 { return int64(f.Kinds[i].Stream) })
	w.put("kind.large", len(f.Kinds), func(i int) int64 { return int64(oneIf(!f.Kinds[i].Small)) })
	w.put("kind.expandable", len(f.Kinds), func(i int) int64 { return int64(oneIf(f.Kinds[i].Expandable)) })
	starts, place := make([]uint64, len(f.Lanes)), uint64(0)
	for i, size := range f.Lanes {
		starts[i] = place
		place += uint64(size)
	}
	all := f.Reservations
	n := len(all)
	w.put("reserved.kind", n, func(i int) int64 { return int64(all[i].Kind) })
	w.put("reserved.lane", n, func(i int) int64 { return int64(all[i].Lane) })
	w.put("reserved.offset", n, func(i int) int64 { return int64(uint64(all[i].Start) - starts[all[i].Lane]) })
	w.put("reserved.size", n, func(i int) int64 { return int64(all[i].Size) })
	w.put("reserved.from", n, func(i int) int64 { return int64(number(all[i].Reserved)) })
	w.put("reserved.to", n, func(i int) int64 {
		if returned := number(all[i].Returned); returned > 0 {
			return int64(returned - number(all[i].Reserved))
		}
		return 0
	})
}

// writeCodes writes what the model of the allocator does not say.
func writeCodes(c *columnWriter, x *space.Codes) {
	w := spaceColumns.from(c, "code")
	w.put("code", len(x.Codes), func(i int) int64 { return int64(x.Codes[i]) })
	w.put("offset", len(x.Offsets), func(i int) int64 { return int64(x.Offsets[i]) })
	w.put("escape", len(x.Escapes), func(i int) int64 { return int64(x.Escapes[i]) })
	w.put("more.alloc", len(x.More), func(i int) int64 { return int64(x.More[i].Index) })
	w.put("more.units", len(x.More), func(i int) int64 { return x.More[i].Units })
	w.put("rounded.from", len(x.Rounded), func(i int) int64 { return int64(x.Rounded[i].Requested) })
	w.put("rounded.to", len(x.Rounded), func(i int) int64 { return int64(x.Rounded[i].Bytes) })
}
