package codec

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// addressStep is what every segment of the allocator is aligned to. Addresses
// move by a multiple of it, and none becomes 0.
const addressStep = 2 << 20

// farStep is more than twice the address space of an expandable segment.
const farStep = 1 << 40

// movedAddresses replaces addresses that were left out. Where all of them lie in lanes, the
// replacements reveal nothing but the order of the lanes; else they count from near the
// lowest address.
type movedAddresses struct {
	lanes []movedLane // by address; none: all move by base
	base  uint64
}

// movedLane is a lane of a device, and where it begins instead.
type movedLane struct {
	from, to, at uint64
	device       int   // 1 + its device if it has pages of expandable segments, else 0
	kind         int32 // of such pages
}

func moveAddresses(in *answer.Input, devices []*replay.Device, spaces []*deviceSpace) *movedAddresses {
	m := &movedAddresses{}
	m.setLanes(spaces)
	lowest := ^uint64(0)
	for addr := range everyAddress(in, devices) {
		if lowest = min(lowest, addr); m.laneOf(addr) == nil {
			m.lanes = nil
		}
	}
	if lowest >= addressStep && lowest != ^uint64(0) {
		m.base = lowest - lowest%addressStep - addressStep
	}
	return m
}

// everyAddress yields the addresses of the events, segments and blocks of some devices.
func everyAddress(in *answer.Input, devices []*replay.Device) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for _, d := range devices {
			for i, addr := range d.Events.Addr {
				if addr != 0 && d.Events.Action[i] != snapshot.OOM && !yield(addr) {
					return
				}
			}
		}
		s := in.Snapshot
		for i := range s.Segments {
			seg := &s.Segments[i]
			if !slices.ContainsFunc(devices, func(d *replay.Device) bool { return d.ID == seg.Device }) {
				continue
			}
			if seg.Address != 0 && !yield(seg.Address) {
				return
			}
			for _, b := range s.BlocksOf(seg) {
				if b.Address != 0 && !yield(b.Address) {
					return
				}
			}
		}
	}
}

// setLanes puts the lanes of all devices one after another, if they are known and can be.
// Neighbours that may be parts of one expandable segment keep their distance, and such
// segments are as far from others as their address space reaches.
func (m *movedAddresses) setLanes(spaces []*deviceSpace) {
	step := uint64(addressStep)
	var lanes []movedLane
	for number, d := range spaces {
		if d == nil {
			return
		}
		kinds := d.expandableLanes()
		if len(kinds) > 0 {
			step = farStep
		}
		for i, from := range d.lanes {
			l := movedLane{from: from, to: from + uint64(d.frame.Lanes[i])*uint64(d.frame.Unit)}
			if kind, is := kinds[int32(i)]; is {
				l.device, l.kind = number+1, kind
			}
			lanes = append(lanes, l)
		}
	}
	slices.SortFunc(lanes, func(a, b movedLane) int { return cmp.Compare(a.from, b.from) })
	for i, next := 0, uint64(addressStep); i < len(lanes); i++ {
		l := &lanes[i]
		l.at = next
		if i > 0 {
			before := &lanes[i-1]
			if l.from < before.to || next > recording.MaxExact {
				return
			}
			if l.device > 0 && l.device == before.device && l.kind == before.kind && l.from-before.to < farStep/2 {
				l.at = before.at + l.from - before.from
			}
		}
		next = l.at + (l.to-l.from+addressStep-1)/addressStep*addressStep + step
	}
	m.lanes = lanes
}

// expandableLanes are the kinds of lanes of expandable segments.
func (d *deviceSpace) expandableLanes() map[int32]int32 {
	kinds := map[int32]int32{}
	for i := range d.frame.Reservations {
		if r := &d.frame.Reservations[i]; d.frame.Kinds[r.Kind].Expandable {
			kinds[r.Lane] = r.Kind
		}
	}
	return kinds
}

// laneOf is the lane that an address lies in, or nil.
func (m *movedAddresses) laneOf(addr uint64) *movedLane {
	i,
		is := slices.BinarySearchFunc(m.lanes, addr,
		func(l movedLane, addr uint64) int { return cmp.Compare(l.from, addr) })
	if !is {
		i--
	}
	if i < 0 || addr >= m.lanes[i].to {
		return nil
	}
	return &m.lanes[i]
}

// of replaces an address.
func (m *movedAddresses) of(addr uint64) uint64 {
	if addr == 0 {
		return 0
	} else if l := m.laneOf(addr); l != nil {
		return l.at + addr - l.from
	}
	return addr - m.base
}
