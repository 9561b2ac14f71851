package layout

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// smallSize is the largest rounded request, and block, of the small size class.
const smallSize = 1 << 20

// SizeClassOf returns the size class that serves a rounded request.
func SizeClassOf(rounded int64) snapshot.SizeClass {
	if rounded <= smallSize {
		return snapshot.SizeClassSmall
	}
	return snapshot.SizeClassLarge
}

// spanKinds infers which requests a range served that was released during the recording,
// which events do not record. A range from cudaMalloc serves small requests exactly if it
// has 2 MiB. Pages of expandable segments have the kind of their reservation, which
// serves only one stream and one size class.
type spanKinds struct {
	d        *replay.Device
	settings *Settings
	known    []knownAddress // by stream and address
}

// knownAddress is an address in an expandable segment whose kind is known.
type knownAddress struct {
	addr uint64
	kind spanKind
}

func (p knownAddress) compare(o knownAddress) int {
	return cmp.Or(cmp.Compare(p.kind.stream, o.kind.stream), cmp.Compare(p.addr, o.addr))
}

func newSpanKinds(s *snapshot.Snapshot, d *replay.Device, settings *Settings) *spanKinds {
	k := &spanKinds{d: d, settings: settings}
	if !k.unmaps() {
		return k
	}
	segments := s.SegmentsOf(d.ID)
	for i := range segments {
		if seg := &segments[i]; seg.Expandable && possibleRange(seg.Address, seg.TotalSize) {
			kind := k.ofFinal(seg)
			k.known = append(k.known, knownAddress{seg.Address, kind},
				knownAddress{seg.Address + uint64(seg.TotalSize) - 1, kind})
		}
	}
	k.learnFromMaps()
	k.learnFromBlocks()
	slices.SortStableFunc(k.known, knownAddress.compare)
	return k
}

func (k *spanKinds) unmaps() bool {
	return slices.ContainsFunc(k.d.Reserved, func(c replay.ReservedChange) bool {
		return k.d.Events.Action[c.Event] == snapshot.SegmentUnmap
	})
}

// learnFromMaps takes the size class of mapped pages from the request that they
// were mapped for, which is the next request on their stream.
func (k *spanKinds) learnFromMaps() {
	e := k.d.Events
	class := map[snapshot.StreamID]snapshot.SizeClass{}
	for i := e.Len() - 1; i >= 0; i-- {
		switch e.Action[i] {
		case snapshot.Alloc:
			class[e.Stream[i]] = SizeClassOf(k.settings.RoundSize(e.Size[i]))
		case snapshot.OOM: // its size is rounded already
			class[e.Stream[i]] = SizeClassOf(e.Size[i])
		case snapshot.SegmentMap:
			kind := spanKind{stream: e.Stream[i], class: class[e.Stream[i]], expandable: true}
			if kind.class == snapshot.SizeClassUnknown {
				continue // the recording ends before the request
			}
			if e.Pool != nil {
				kind.pool = e.Pool[i]
			}
			k.known = append(k.known, knownAddress{e.Addr[i], kind})
		}
	}
}

// learnFromBlocks takes the size class of pages from the blocks in them, one for
// each page: a small block is never in a large segment, nor the other way round.
func (k *spanKinds) learnFromBlocks() {
	seen := map[knownAddress]bool{}
	for i := range k.d.Allocations {
		a := &k.d.Allocations[i]
		page := knownAddress{a.Addr - a.Addr%uint64(k.settings.PageSize(snapshot.SizeClassSmall)),
			spanKind{stream: a.Stream, expandable: true}}
		if seen[page] {
			continue
		}
		seen[page] = true
		page.kind.class = SizeClassOf(k.settings.RoundSize(a.Size))
		page.addr = a.Addr
		k.known = append(k.known, page)
	}
}

// ofFinal returns the kind of a segment of the snapshot.
func (k *spanKinds) ofFinal(seg *snapshot.Segment) spanKind {
	class := seg.SizeClass
	if class == snapshot.SizeClassUnknown {
		class = classOfMalloc(seg.TotalSize)
	}
	return spanKind{seg.Stream, seg.Pool, class, seg.Expandable}
}

// classOfMalloc returns the size class of a cudaMalloc'd segment.
func classOfMalloc(size int64) snapshot.SizeClass {
	if size <= allocator.SegmentSize(smallSize) {
		return snapshot.SizeClassSmall
	}
	return snapshot.SizeClassLarge
}

// ofReleased returns the kind of the range that a segment_free or segment_unmap released.
func (k *spanKinds) ofReleased(event replay.EventIndex) spanKind {
	e := k.d.Events
	kind := spanKind{stream: e.Stream[event]}
	if k.d.ID == snapshot.Pinned {
		kind.class = snapshot.SizeClassSmall // as in files for all host segments
	} else if e.Action[event] == snapshot.SegmentFree {
		kind.class = classOfMalloc(e.Size[event])
	} else {
		near := false
		kind, near = k.nearest(e.Addr[event], kind.stream)
		if !near && e.Size[event]%k.settings.PageSize(snapshot.SizeClassLarge) != 0 {
			kind.class = snapshot.SizeClassSmall // no whole pages of the other class
		}
	}
	if e.Pool != nil {
		kind.pool = e.Pool[event]
	}
	return kind
}

// nearest returns the kind of a stream's known address closest to addr, most likely in
// the same reservation, because reservations are larger than the device's memory.
// near is false if it is too far away for that.
func (k *spanKinds) nearest(addr uint64, stream snapshot.StreamID) (kind spanKind, near bool) {
	best := spanKind{stream: stream, class: snapshot.SizeClassLarge, expandable: true}
	at, _ := slices.BinarySearchFunc(k.known, knownAddress{addr, spanKind{stream: stream}}, knownAddress.compare)
	distance := ^uint64(0)
	for _, i := range []int{at - 1, at} {
		if i < 0 || i >= len(k.known) || k.known[i].kind.stream != stream {
			continue
		}
		p := &k.known[i]
		if d := max(p.addr, addr) - min(p.addr, addr); d < distance {
			best, distance = p.kind, d
		}
	}
	return best, distance < maxReservation
}

// maxReservation is more address space than an expandable segment reserves, which
// is nine eighths of the device's memory.
const maxReservation = 512 << 30

// blockSizes infers how large the block of an allocation is. For allocations that live to
// the end, the final segments have it. For others only the request is known. A block may
// be larger, because the allocator does not split off a rest too small to be useful; the
// blocks that ever followed it show where it ended.
type blockSizes struct {
	d        *replay.Device
	settings *Settings
	final    []snapshot.Block // live ones, by address

	// large are the allocations in large blocks, by address and then by start.
	large func() []int32
}

func newBlockSizes(s *snapshot.Snapshot, d *replay.Device, settings *Settings) *blockSizes {
	z := &blockSizes{d: d, settings: settings}
	z.large = sync.OnceValue(z.sortLarge)
	for _, b := range s.LiveBlocks(d.ID) {
		z.final = append(z.final, *b)
	}
	slices.SortStableFunc(z.final, func(x, y snapshot.Block) int { return cmp.Compare(x.Address, y.Address) })
	return z
}

// of returns the size of the block of an allocation. If it is not exact, the block may
// be larger by a remainder that was not split off.
func (z *blockSizes) of(i int32) (size int64, exact bool) {
	a := &z.d.Allocations[i]
	if a.LiveAtEnd() {
		at, is := slices.BinarySearchFunc(z.final, a.Addr,
			func(b snapshot.Block, addr uint64) int { return cmp.Compare(b.Address, addr) })
		if is && possibleRange(a.Addr, z.final[at].Size) {
			return z.final[at].Size, true
		}
	}
	if z.d.ID == snapshot.Pinned { // its events have the sizes of blocks
		return a.Size, true
	}
	return z.settings.RoundSize(a.Size), false
}

// remainder returns how many of the gap bytes that follow a block of a size belong to it.
// splits: its segment is expandable or small, where everything is split off.
func (z *blockSizes) remainder(i int32, size, gap int64, splits bool) int64 {
	limit := z.settings.unsplitLimit(size)
	if splits || limit == 0 {
		return 0
	}
	if gap <= limit && limit <= smallSize {
		return gap // no free block is as small
	}
	end := z.d.Allocations[i].Addr + uint64(size)
	if next, is := z.neighbour(i, end, end+uint64(min(limit, gap))); is {
		return int64(next - end)
	}
	if gap <= limit {
		return gap
	}
	return 0
}

// neighbour returns the lowest address from first to last at which another allocation
// began while allocation i lived.
func (z *blockSizes) neighbour(i int32, first, last uint64) (addr uint64, is bool) {
	alive, large := z.d.Allocations, z.large()
	for at := z.from(0, first, replay.None-1); at < len(large); {
		addr := alive[large[at]].Addr
		if addr > last {
			break
		}
		// Allocations at one address follow one another: of those that began before
		// allocation i ended, the last one ended last.
		end := alive[i].End
		if end == replay.None {
			end = math.MaxInt32
		}
		next := z.from(at, addr, end)
		if next > at {
			if b := &alive[large[next-1]]; b.LiveAtEnd() || b.End > alive[i].Start {
				return addr, true
			}
		}
		at = z.from(next, addr, math.MaxInt32)
	}
	return 0, false
}

// from returns the first position in large, at or after another, of an allocation that
// started at an address at or after an event, or else of a higher address.
func (z *blockSizes) from(at int, addr uint64, start replay.EventIndex) int {
	large := z.large()
	return at + sort.Search(len(large)-at, func(i int) bool {
		a := &z.d.Allocations[large[at+i]]
		return a.Addr > addr || a.Addr == addr && a.Start >= start
	})
}

func (z *blockSizes) sortLarge() []int32 {
	var large []int32
	for i := range z.d.Allocations {
		if z.settings.RoundSize(z.d.Allocations[i].Size) > smallSize {
			large = append(large, int32(i))
		}
	}
	slices.SortFunc(large, func(x, y int32) int {
		a, b := &z.d.Allocations[x], &z.d.Allocations[y]
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Start, b.Start), cmp.Compare(x, y))
	})
	return large
}
