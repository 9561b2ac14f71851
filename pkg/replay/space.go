package replay

import (
	"math/bits"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// checkSpace counts allocations that lie outside every segment, and those that reach
// into another one that is live. It walks the events a second time, with the live
// allocations by address and the ranges that the allocator held from the driver.
// Where the file has neither segments nor their events, only overlaps are counted;
// where addresses were made up, the counts from before that are taken.
func (m *machine) checkSpace(s *snapshot.Snapshot) {
	d := m.d
	if s.AddressesLost {
		d.Anomalies[OutsideSegments] = s.Misplaced[d.ID].OutsideSegments
		d.Anomalies[OverlappingRanges] = s.Misplaced[d.ID].OverlappingRanges
		return
	} else if len(d.Allocations) == 0 || d.Reconciliation.EndUnknown {
		return
	}
	c := &space{d: d, at: m.at}
	c.index()
	c.known = d.Reconciliation.Segments > 0 || len(d.Reserved) > 0
	c.undoSegments(s)
	born, reserved := d.PreExisting, d.Reserved
	for i := range d.Allocations[:born] {
		if d.Allocations[i].Version == 0 { // otherwise it is an anomaly of another kind
			c.add(int32(i))
		}
	}
	for _, action := range d.Events.Action {
		switch action {
		case snapshot.Alloc:
			c.add(int32(born))
			born++
		case snapshot.SegmentAlloc, snapshot.SegmentMap, snapshot.SegmentFree, snapshot.SegmentUnmap:
			c.change(reserved[0].Event, reserved[0].Delta > 0)
			reserved = reserved[1:]
		}
	}
}

// space is what lies where in one state.
type space struct {
	d         *Device
	at        *addressTable // its tenancies now name places in addresses
	addresses []uint64      // that were ever used, in order
	latest    []int32       // by place in addresses: the allocation there
	places    bitTree       // of allocations that were live when they were last looked at

	known    bool // which ranges are reserved
	reserved ranges.Set[struct{}]
	last     ranges.Range[struct{}] // a reserved range, where the next allocation most likely lies, too
}

// index numbers the addresses in order.
func (c *space) index() {
	c.addresses = make([]uint64, 0, c.at.used)
	for addr := range c.at.all() {
		c.addresses = append(c.addresses, addr)
	}
	slices.Sort(c.addresses)
	c.latest = make([]int32, len(c.addresses))
	for place, addr := range c.addresses {
		c.at.at(addr).open = ref(place)
	}
	c.places = newBitTree(len(c.addresses))
}

// undoSegments goes back from the final segments to those of state 0.
func (c *space) undoSegments(s *snapshot.Snapshot) {
	for i := range s.Segments {
		if seg := &s.Segments[i]; seg.Device == c.d.ID {
			c.reserve(seg.Address, seg.TotalSize, true)
		}
	}
	for _, r := range slices.Backward(c.d.Reserved) {
		c.change(r.Event, r.Delta <= 0)
	}
}

func (c *space) change(event EventIndex, taken bool) {
	c.reserve(c.d.Events.Addr[event], c.d.Events.Size[event], taken)
}

func (c *space) reserve(addr uint64, size int64, taken bool) {
	end := addr + uint64(size)
	if size <= 0 || size > MaxSize || end < addr {
		return // counted as an impossible size
	}
	c.last = ranges.Range[struct{}]{}
	c.reserved.Cut(addr, end)
	if taken {
		c.reserved.Add(addr, end, struct{}{})
	}
}

// holds reports whether a range is reserved, as one segment or several side by side.
func (c *space) holds(from, to uint64) bool {
	if c.last.From <= from && to <= c.last.To {
		return true
	}
	for from < to {
		r, ok := c.reserved.At(from)
		if !ok {
			return false
		}
		c.last, from = r, r.To
	}
	return true
}

// add makes an allocation live, and counts it if something is wrong with its range.
func (c *space) add(i int32) {
	a := &c.d.Allocations[i]
	place, from := int(c.at.at(a.Addr).open), a.Addr
	to := from + uint64(a.Size)
	if c.known && (to < from || !c.holds(from, max(to, from+1))) {
		c.d.Anomalies[OutsideSegments]++
	}
	if c.overlaps(place, from, to, a.Start) {
		c.d.Anomalies[OverlappingRanges]++
	}
	c.latest[place] = i
	c.places.set(place)
}

// overlaps reports whether a range reaches into the allocation before it or behind it
// that is live at an event. One at the same address was ended, and counted, before.
func (c *space) overlaps(place int, from, to uint64, at EventIndex) bool {
	for next := c.places.after(place); next >= 0 && c.addresses[next] < to; next = c.places.after(next) {
		if c.isLive(next, at) {
			return true
		}
	}
	for before := c.places.before(place); before >= 0; before = c.places.before(before) {
		if c.isLive(before, at) {
			a := &c.d.Allocations[c.latest[before]]
			return a.Addr+uint64(a.Size) > from
		}
	}
	return false
}

// isLive reports whether the latest allocation of a place is live at an event, and
// forgets the place if it is not.
func (c *space) isLive(place int, at EventIndex) bool {
	if end := c.d.Allocations[c.latest[place]].End; end == None || end > at {
		return true
	}
	c.places.clear(place)
	return false
}

// bitTree is a set of numbers below some limit. A bit of a level says whether any of
// 64 bits of the level below is set, so each operation looks at a few words.
type bitTree [][]uint64

func newBitTree(limit int) bitTree {
	var t bitTree
	for words := limit; len(t) == 0 || words > 1; {
		words = (words + 63) / 64
		t = append(t, make([]uint64, words))
	}
	return t
}

func (t bitTree) set(i int) {
	for _, level := range t {
		level[i/64] |= 1 << (i % 64)
		i /= 64
	}
}

func (t bitTree) clear(i int) {
	for _, level := range t {
		if level[i/64] &^= 1 << (i % 64); level[i/64] != 0 {
			return
		}
		i /= 64
	}
}

// after is the lowest number above i, or -1.
func (t bitTree) after(i int) int {
	for l, level := range t {
		if rest := level[i/64] &^ (1<<(i%64)<<1 - 1); rest != 0 {
			i = i/64*64 + bits.TrailingZeros64(rest)
			for l--; l >= 0; l-- {
				i = i*64 + bits.TrailingZeros64(t[l][i])
			}
			return i
		}
		i /= 64
	}
	return -1
}

// before is the highest number below i, or -1.
func (t bitTree) before(i int) int {
	for l, level := range t {
		if rest := level[i/64] & (1<<(i%64) - 1); rest != 0 {
			i = i/64*64 + bits.Len64(rest) - 1
			for l--; l >= 0; l-- {
				i = i*64 + bits.Len64(t[l][i]) - 1
			}
			return i
		}
		i /= 64
	}
	return -1
}
