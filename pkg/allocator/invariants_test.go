package allocator

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// checkInvariants fails the test if the allocator is in a state that cannot be.
func checkInvariants(t *testing.T, a *Allocator) {
	t.Helper()
	if a == nil {
		return
	}
	blocks := checkSets(t, a)
	for b := range blocks {
		checkBlock(t, b, blocks)
	}
	checkTotals(t, a, blocks)
	checkSegments(t, a)
}

// checkSets returns all blocks, each of which must be in exactly the one set
// that its state says.
func checkSets(t *testing.T, a *Allocator) map[*block]bool {
	t.Helper()
	blocks := map[*block]bool{}
	add := func(b *block, ok bool) {
		if !ok || blocks[b] {
			t.Fatalf("block %+v is in the wrong set or in two", *b)
		}
		blocks[b] = true
	}
	for addr, b := range a.blocks {
		add(b, b.addr == addr && b.live())
	}
	for _, p := range a.pools() {
		for b := range p.free.all() {
			add(b, b.pool == p && b.state == free)
		}
		for b := range p.unmapped.all() {
			add(b, b.pool == p && b.state == unmapped)
		}
		checkOrder(t, &p.free, freeKey)
		checkOrder(t, &p.unmapped, unmappedKey)
	}
	return blocks
}

// checkOrder checks that the keys in a set are current and ascend.
func checkOrder(t *testing.T, s *blockSet, keyOf func(*block) key) {
	t.Helper()
	n := 0
	var last key
	for _, chunk := range s.chunks {
		if len(chunk) == 0 || len(chunk) > chunkSize {
			t.Fatalf("a chunk has %d entries", len(chunk))
		}
		for _, e := range chunk {
			if e.key != keyOf(e.block) || n > 0 && !last.less(e.key) {
				t.Fatalf("entry %d of a set, %+v after %+v: not the key %+v of its block or not ascending", n, e.key,
					last, keyOf(e.block))
			}
			last = e.key
			n++
		}
	}
	if n != s.len {
		t.Fatalf("a set holds %d blocks but says %d", n, s.len)
	}
}

// checkBlock checks a block by itself and against the one after it.
func checkBlock(t *testing.T, b *block, known map[*block]bool) {
	t.Helper()
	if b.size <= 0 || b.size%minBlockSize != 0 || b.addr%minBlockSize != 0 {
		t.Fatalf("block at %#x of %d bytes: not in units of %d", b.addr, b.size, minBlockSize)
	}
	if b.state == unmapped && (b.size%b.reservation.page != 0 ||
		(b.addr-b.reservation.addr)%uint64(b.reservation.page) != 0) {
		t.Fatalf("unmapped block at %#x of %d bytes: not whole pages", b.addr, b.size)
	}
	if b.prev != nil && (!known[b.prev] || b.prev.next != b) {
		t.Fatalf("block at %#x: its neighbour before does not know it", b.addr)
	}
	n := b.next
	if n == nil {
		return
	}
	if !known[n] || n.prev != b || n.addr != b.end() {
		t.Fatalf("block at %#x: its neighbour at %#x does not follow it", b.addr, n.addr)
	}
	if n.pool != b.pool || n.stream != b.stream || n.reservation != b.reservation {
		t.Fatalf("blocks at %#x and %#x of one segment do not belong together", b.addr, n.addr)
	}
	if n.state == b.state && !b.live() {
		t.Fatalf("blocks at %#x and %#x are not merged", b.addr, n.addr)
	}
}

// checkTotals compares the counters with sums over the blocks and with the driver.
func checkTotals(t *testing.T, a *Allocator, blocks map[*block]bool) {
	t.Helper()
	var requested, inUse, active, reserved int64
	for b := range blocks {
		if b.state != unmapped {
			reserved += b.size
		}
		if b.live() {
			active += b.size
			requested += b.requested
		}
		if b.state == allocated {
			inUse += b.size
		}
	}
	s := a.Stats()
	if s.Requested.Current != requested || s.Allocated.Current != inUse || s.Active.Current != active ||
		s.Reserved.Current != reserved {
		t.Fatalf("%+v, but the blocks say requested %d, allocated %d, active %d, reserved %d", s, requested, inUse,
			active, reserved)
	}
	if requested > active {
		t.Fatalf("%d bytes requested but only %d active", requested, active)
	}
	var pools int64
	for _, p := range a.pools() {
		pools += p.reserved
	}
	if free, total := a.driver.Memory(); total-free != reserved || pools != reserved {
		t.Fatalf("%d bytes reserved, but the driver gave %d and pools hold %d", reserved, total-free, pools)
	}
}

// checkSegments checks the listing: legal sizes, ascending, tiled by blocks.
func checkSegments(t *testing.T, a *Allocator) {
	t.Helper()
	var reserved, active int64
	var end uint64
	for _, s := range a.Segments() {
		if s.Address < end {
			t.Fatalf("segment at %#x starts before the one before ends", s.Address)
		}
		if !legalSize(s) {
			t.Fatalf("segment at %#x has %d bytes, not a legal size", s.Address, s.TotalSize)
		}
		end = s.Address
		for _, b := range s.Blocks {
			if b.Address != end {
				t.Fatalf("segment at %#x has a gap before %#x", s.Address, b.Address)
			}
			end += uint64(b.Size)
		}
		if end != s.Address+uint64(s.TotalSize) {
			t.Fatalf("segment at %#x is not as long as its blocks", s.Address)
		}
		reserved += s.TotalSize
		active += s.ActiveSize
	}
	if reserved != a.Reserved() || active != a.Stats().Active.Current {
		t.Fatalf("segments have %d bytes, %d active; the counters say %+v", reserved, active, a.Stats())
	}
}

func legalSize(s Segment) bool {
	small := s.SizeClass == snapshot.SizeClassSmall
	switch {
	case s.Expandable && small:
		return s.TotalSize%smallBuffer == 0
	case s.Expandable:
		return s.TotalSize%largeBuffer == 0
	case small:
		return s.TotalSize == smallBuffer
	}
	return s.TotalSize >= minLargeAlloc && s.TotalSize%roundLarge == 0
}
