package replay

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// checkSpace counts allocations that lie outside every segment, and those that overlap
// another live one. It walks the events a second time, keeping track of the live
// allocations by address and of the reserved ranges. Where the file has neither segments
// nor their events, only overlaps are counted.
func (m *machine) checkSpace(s *snapshot.Snapshot, sorted <-chan places) {
	d := m.d
	if len(d.Allocations) == 0 || d.Reconciliation.EndUnknown {
		return
	}
	places := <-sorted
	// Check both halves of the addresses concurrently, if no allocation lies in both.
	if pivot := places.pivot(s.SegmentsOf(d.ID)); pivot > 0 {
		low, high := newSpace(d, places, 0, pivot), newSpace(d, places, pivot, len(places.tenants))
		var other sync.WaitGroup
		other.Go(func() { high.walk(m, s) })
		low.walk(m, s)
		if other.Wait(); !low.isCrossed {
			low.count()
			high.count()
			return
		}
	}
	all := newSpace(d, places, 0, len(places.tenants))
	all.walk(m, s)
	all.count()
}

// places are the addresses that were ever used, in order.
type places struct {
	byNumber []int32       // by number of an address
	tenants  []placeTenant // by place
}

// placeTenant is the latest allocation of an address.
type placeTenant struct {
	from, to uint64
	end      EventIndex
}

func newPlaces(at *addressTable) places {
	sorted := make([]addressSlot, 0, at.used)
	for _, slot := range at.slots {
		if slot.number > 0 {
			sorted = append(sorted, slot)
		}
	}
	sorted = sortByAddress(sorted)
	p := places{make([]int32, len(sorted)), make([]placeTenant, len(sorted))}
	for place, a := range sorted {
		p.byNumber[a.number-1] = int32(place)
		p.tenants[place].from = a.addr
	}
	return p
}

// sortByAddress sorts slots, which it overwrites, byte by byte of the address from the
// lowest. Comparing takes several times as long.
func sortByAddress(slots []addressSlot) []addressSlot {
	other := make([]addressSlot, len(slots))
	for shift := 0; shift < 64; shift += 8 {
		var starts [257]int // by byte value: how many slots have a lower one
		for i := range slots {
			starts[slots[i].addr>>shift&0xff+1]++
		}
		if slices.Contains(starts[1:], len(slots)) {
			continue // all have the same
		}
		for b := 1; b < 256; b++ {
			starts[b] += starts[b-1]
		}
		for i := range slots {
			b := slots[i].addr >> shift & 0xff
			other[starts[b]] = slots[i]
			starts[b]++
		}
		slots, other = other, slots
	}
	return slots
}

// pivot returns a place near the middle where a final segment begins; 0 for none.
func (p *places) pivot(segments []snapshot.Segment) int {
	best, middle := 0, len(p.tenants)/2
	for i := range segments {
		place, _ := slices.BinarySearchFunc(p.tenants, segments[i].Address,
			func(t placeTenant, addr uint64) int { return cmp.Compare(t.from, addr) })
		if place < len(p.tenants) && max(place, middle)-min(place, middle) < max(best, middle)-min(best, middle) {
			best = place
		}
	}
	return best
}

// space is the layout of memory in one state, from one place up to but excluding another.
type space struct {
	d *Device
	places
	from, to int
	live     bitTree // places with tenants that were live when last checked

	known    bool // the reserved ranges are known
	reserved ranges.Set[struct{}]
	last     ranges.Range[struct{}] // a reserved range, most likely that of the next allocation

	outside, overlapping int
	isCrossed            bool // an allocation reaches beyond to
}

func newSpace(d *Device, p places, from, to int) *space {
	return &space{d: d, places: p, from: from, to: to, live: newBitTree(len(p.tenants)),
		known: d.Reconciliation.Segments > 0 || len(d.Reserved) > 0}
}

// walk processes all events.
func (c *space) walk(m *machine, s *snapshot.Snapshot) {
	c.undoSegments(s)
	d, born, reserved := c.d, m.addresses, c.d.Reserved
	for i := range d.Allocations[:d.PreExisting] {
		if a := &d.Allocations[i]; a.Version == 0 { // otherwise it is an anomaly of another kind
			c.add(a, m.at.number(a.Addr))
		}
	}
	next := d.Allocations[d.PreExisting:]
	for _, action := range d.Events.Action {
		switch action {
		case snapshot.Alloc:
			c.add(&next[0], born[0])
			next, born = next[1:], born[1:]
		case snapshot.SegmentAlloc, snapshot.SegmentMap, snapshot.SegmentFree, snapshot.SegmentUnmap:
			c.change(reserved[0].Event, reserved[0].Delta > 0)
			reserved = reserved[1:]
		}
	}
}

func (c *space) count() {
	c.d.Anomalies[OutsideSegments] += c.outside
	c.d.Anomalies[OverlappingRanges] += c.overlapping
}

// undoSegments goes back from the final segments to the segments in state 0.
func (c *space) undoSegments(s *snapshot.Snapshot) {
	for _, seg := range s.SegmentsOf(c.d.ID) {
		c.reserve(seg.Address, seg.TotalSize, true)
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
func (c *space) add(a *Allocation, number int32) {
	place, to := int(c.byNumber[number]), a.Addr+uint64(a.Size)
	if place < c.from || place >= c.to {
		return
	}
	c.isCrossed = c.isCrossed || to < a.Addr || c.to < len(c.tenants) && to > c.tenants[c.to].from
	if c.known && (to < a.Addr || !c.holds(a.Addr, max(to, a.Addr+1))) {
		c.outside++
	}
	if c.overlaps(place, to, a.Start) {
		c.overlapping++
	}
	c.tenants[place].to, c.tenants[place].end = to, a.End
	c.live.set(place)
}

// overlaps reports whether a range that starts at a place overlaps the preceding or
// following allocation live at an event. One at the same place was already ended and
// counted.
func (c *space) overlaps(place int, to uint64, at EventIndex) bool {
	for next := c.live.after(place); next >= 0 && c.tenants[next].from < to; next = c.live.after(next) {
		if c.isLive(next, at) {
			return true
		}
	}
	for before := c.live.before(place); before >= 0; before = c.live.before(before) {
		if c.isLive(before, at) {
			return c.tenants[before].to > c.tenants[place].from
		}
	}
	return false
}

// isLive reports whether the tenant of a place is live at an event, and forgets the
// place if it is not.
func (c *space) isLive(place int, at EventIndex) bool {
	if end := c.tenants[place].end; end == None || end > at {
		return true
	}
	c.live.clear(place)
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

// after returns the lowest number above i, or -1.
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

// before returns the highest number below i, or -1.
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
