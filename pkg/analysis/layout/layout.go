// Package layout reconstructs the allocator's memory map in any state of a
// recording: which segments it held, and where in them live blocks and free
// memory lay. From a map it measures fragmentation ([FragmentationOf]).
//
// A snapshot has the full map only of its last state. [History] undoes the events from
// there, one after another. Events record when segments and blocks came and went, but
// neither the size class of released memory nor how large the block of a request was;
// inferred.go derives these from how torch's caching allocator works: segments of up to 2
// MiB serve requests of up to 1 MiB, larger ones the others; a block is split unless the
// rest would be too small.
//
// What it cannot see: memory that events mention and the final segments do not
// explain, because the ring buffer of events had overflowed or the file was cut.
// It is counted in [Anomalies].
package layout

import (
	"cmp"
	"iter"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Map is the allocator's memory map in one state: the segments it held, and their
// contents.
type Map struct {
	State    int
	Segments []Segment // in address order, none overlapping
	Extents  []Extent  // of all segments, in address order

	// Sums over all segments; see [Segment].
	ReservedBytes, ActiveBytes, PendingBytes, RequestedBytes int64

	Anomalies Anomalies
}

// Segment is a range held from the driver: one cudaMalloc, or an unbroken
// run of mapped pages of an expandable segment.
type Segment struct {
	Address    uint64
	Size       int64
	Stream     snapshot.StreamID
	Pool       snapshot.PoolID
	SizeClass  snapshot.SizeClass
	Expandable bool
	Page       int64 // bytes of each page, where Expandable

	ActiveBytes    int64 // of live blocks, pending ones included
	PendingBytes   int64 // of blocks that were freed but are still in use by another stream
	RequestedBytes int64 // of live blocks, before rounding

	FirstExtent, ExtentCount int32 // in Map.Extents; see [Map.ExtentsOf]
}

// FreeBytes returns the bytes of the segment that no live block holds.
func (s *Segment) FreeBytes() int64 { return s.Size - s.ActiveBytes }

// NoAllocation is the allocation index of free memory.
const NoAllocation int32 = -1

// Extent is a live block, or the free memory up to the next one. The extents of a
// segment tile it.
type Extent struct {
	Address    uint64
	Size       int64               // of a block: rounded up, including a rest too small to split off
	Allocation int32               // index into replay.Device.Allocations, or NoAllocation
	State      snapshot.BlockState // Inactive for free memory
}

// Anomalies counts contradictions. All are 0 for a complete recording of torch.
type Anomalies struct {
	OverlappingRanges int // segments over others, which were cut
	MissingRanges     int // events that made or grew a segment that is not all there afterwards
	ImpossibleRanges  int // ranges without size, of more than 4 TiB, or beyond the address space
	OverlappingBlocks int // live blocks that overlapped their neighbour or the end of their segment, which were cut
	BlocksOutside     int // live blocks in no segment, which were left out
	BytesOutside      int64
}

// ExtentsOf returns the extents of a segment, in address order.
func (l *Map) ExtentsOf(s *Segment) []Extent {
	return l.Extents[s.FirstExtent : s.FirstExtent+s.ExtentCount]
}

// FreeBytes returns the cached bytes, which no live block holds.
func (l *Map) FreeBytes() int64 { return l.ReservedBytes - l.ActiveBytes }

// History can reconstruct the memory map of one device in any state. It may be
// used by several goroutines.
type History struct {
	s        *snapshot.Snapshot
	d        *replay.Device
	Settings *Settings
	kinds    *spanKinds
	sizes    *blockSizes
}

// New prepares the data that all memory maps of a device need.
func New(s *snapshot.Snapshot, d *replay.Device, settings *Settings) *History {
	return &History{s: s, d: d, Settings: settings, kinds: newSpanKinds(s, d, settings),
		sizes: newBlockSizes(s, d, settings)}
}

// At returns the memory map in a state, 0 to the number of events.
func (h *History) At(state int) *Map {
	for l := range h.All(state) {
		return l
	}
	return nil
}

// All yields the memory maps of several states, each once and the last state
// first, from a single walk back over the events. The maps may be kept.
func (h *History) All(states ...int) iter.Seq[*Map] {
	states = slices.Clone(states)
	for i, state := range states {
		states[i] = min(max(state, 0), h.d.Events.Len())
	}
	slices.Sort(states)
	states = slices.Compact(states)
	return func(yield func(*Map) bool) {
		b := h.walk()
		for _, state := range slices.Backward(states) {
			b.to(state)
			if !yield(b.layout()) {
				return
			}
		}
	}
}

// backwalk undoes events, one after another, from the last state on.
type backwalk struct {
	d     *replay.Device
	state int

	spans  ranges.Set[spanKind] // what is reserved
	kinds  *spanKinds
	undone int // index in d.Reserved: segment events from here on are undone

	live    []int32 // allocations in this state, by address
	endedAt []int32 // by event: the allocation it ended, or NoAllocation
	sizes   *blockSizes

	anomalies Anomalies
}

func (h *History) walk() *backwalk {
	d := h.d
	b := &backwalk{
		d: d, state: d.Events.Len(), undone: len(d.Reserved),
		kinds: h.kinds, sizes: h.sizes,
		endedAt: make([]int32, d.Events.Len()),
	}
	for i := range b.endedAt {
		b.endedAt[i] = NoAllocation
	}
	for i := range d.Allocations {
		if end := d.Allocations[i].End; end != replay.None {
			b.endedAt[end] = int32(i)
		} else {
			b.live = append(b.live, int32(i))
		}
	}
	b.sortByAddress(b.live)
	segments := h.s.SegmentsOf(d.ID)
	for i := range segments {
		seg := &segments[i]
		b.put(seg.Address, seg.TotalSize, b.kinds.ofFinal(seg))
	}
	return b
}

// to goes back to an earlier state, or stays in the same one.
func (b *backwalk) to(state int) {
	for ; b.undone > 0; b.undone-- {
		event := b.d.Reserved[b.undone-1].Event
		if int(event) < state {
			break
		}
		b.undoSegment(event)
	}
	b.undoBlocks(state)
	b.state = state
}

// undoSegment removes the memory that an event reserved, or restores what it
// released.
func (b *backwalk) undoSegment(event replay.EventIndex) {
	e := b.d.Events
	addr, size := e.Addr[event], e.Size[event]
	if e.Action[event].ReservedSign() < 0 {
		b.put(addr, size, b.kinds.ofReleased(event))
		return
	}
	if !possibleRange(addr, size) {
		b.anomalies.ImpossibleRanges++
		return
	}
	// A segment_map may have joined ranges, and restored ranges may be adjacent, so the
	// event may cover a part of one range or of several.
	if b.spans.Cut(addr, addr+uint64(size)) != size {
		b.anomalies.MissingRanges++
	}
}

// put adds a range and cuts what is already there.
func (b *backwalk) put(addr uint64, size int64, kind spanKind) {
	if !possibleRange(addr, size) {
		b.anomalies.ImpossibleRanges++
		return
	}
	if b.spans.Cut(addr, addr+uint64(size)) > 0 {
		b.anomalies.OverlappingRanges++
	}
	b.spans.Add(addr, addr+uint64(size), kind)
}

func possibleRange(addr uint64, size int64) bool {
	return size > 0 && size <= replay.MaxSize && addr+uint64(size) > addr
}

// undoBlocks goes back to the blocks that were live in an earlier state.
func (b *backwalk) undoBlocks(state int) {
	if state == b.state {
		return
	}
	isLive := func(i int32) bool { return int(b.d.Allocations[i].Start) < state }
	var back []int32
	for _, i := range b.endedAt[state:b.state] {
		if i != NoAllocation && isLive(i) {
			back = append(back, i)
		}
	}
	b.sortByAddress(back)
	live := make([]int32, 0, len(b.live)+len(back))
	for _, i := range b.live {
		if !isLive(i) {
			continue
		}
		for len(back) > 0 && b.byAddress(back[0], i) < 0 {
			live, back = append(live, back[0]), back[1:]
		}
		live = append(live, i)
	}
	b.live = append(live, back...)
}

// layout returns the map of the current state.
func (b *backwalk) layout() *Map {
	l := &Map{State: b.state, Extents: make([]Extent, 0, 2*len(b.live))}
	l.Anomalies = b.anomalies
	live := b.live
	for x := range joined(&b.spans) {
		for len(live) > 0 && b.d.Allocations[live[0]].Addr < x.From {
			b.leaveOut(l, live[0])
			live = live[1:]
		}
		n := 0
		for n < len(live) && b.d.Allocations[live[n]].Addr < x.To {
			n++
		}
		b.fill(l, x, live[:n])
		live = live[n:]
	}
	for _, i := range live {
		b.leaveOut(l, i)
	}
	return l
}

// fill appends a segment with the blocks that lie in it and the gaps between.
func (b *backwalk) fill(l *Map, x span, blocks []int32) {
	seg := Segment{
		Address: x.From, Size: x.Bytes(), Stream: x.Use.stream, Pool: x.Use.pool, SizeClass: x.Use.class,
		Expandable:  x.Use.expandable,
		FirstExtent: int32(len(l.Extents)),
	}
	if seg.Expandable {
		seg.Page = b.kinds.settings.PageSize(seg.SizeClass)
	}
	at := x.From
	for n, i := range blocks {
		a := &b.d.Allocations[i]
		if a.Addr > at {
			l.Extents = append(l.Extents, gap(at, a.Addr))
			at = a.Addr
		}
		limit := x.To
		if n+1 < len(blocks) {
			limit = b.d.Allocations[blocks[n+1]].Addr
		}
		size, exact := b.sizes.of(i)
		switch room := int64(limit - at); {
		case size > room:
			l.Anomalies.OverlappingBlocks++
			if size = room; size == 0 {
				continue
			}
		case size < room && !exact:
			size += b.sizes.remainder(i, size, room-size, seg.Expandable || seg.SizeClass == snapshot.SizeClassSmall)
		}
		block := Extent{Address: at, Size: size, Allocation: i, State: snapshot.ActiveAllocated}
		if a.FreeRequested >= 0 && int(a.FreeRequested) < b.state {
			block.State = snapshot.ActivePendingFree
			seg.PendingBytes += size
		}
		seg.ActiveBytes += size
		seg.RequestedBytes += a.Size
		l.Extents = append(l.Extents, block)
		at += uint64(size)
	}
	if at < x.To {
		l.Extents = append(l.Extents, gap(at, x.To))
	}
	seg.ExtentCount = int32(len(l.Extents)) - seg.FirstExtent
	l.Segments = append(l.Segments, seg)
	l.ReservedBytes += seg.Size
	l.ActiveBytes += seg.ActiveBytes
	l.PendingBytes += seg.PendingBytes
	l.RequestedBytes += seg.RequestedBytes
}

func gap(from, to uint64) Extent {
	return Extent{Address: from, Size: int64(to - from), Allocation: NoAllocation}
}

// leaveOut counts a live block in no segment.
func (b *backwalk) leaveOut(l *Map, i int32) {
	l.Anomalies.BlocksOutside++
	l.Anomalies.BytesOutside += b.d.Allocations[i].Size
}

// byAddress orders allocations by their addresses.
func (b *backwalk) byAddress(x, y int32) int {
	return cmp.Or(cmp.Compare(b.d.Allocations[x].Addr, b.d.Allocations[y].Addr), cmp.Compare(x, y))
}

func (b *backwalk) sortByAddress(list []int32) { slices.SortFunc(list, b.byAddress) }

// span is a reserved range of addresses.
type span = ranges.Range[spanKind]

// spanKind is the kind of requests that a range may serve. Adjacent expandable ranges of
// one kind are one segment.
type spanKind struct {
	stream     snapshot.StreamID
	pool       snapshot.PoolID
	class      snapshot.SizeClass
	expandable bool
}

// joined yields spans in address order, joining those that are one segment.
func joined(spans *ranges.Set[spanKind]) iter.Seq[span] {
	return func(yield func(span) bool) {
		var open span
		for x := range spans.All() {
			if open.Use.expandable && open.Use == x.Use && open.To == x.From {
				open.To = x.To
				continue
			}
			if open.Bytes() > 0 && !yield(open) {
				return
			}
			open = x
		}
		if open.Bytes() > 0 {
			yield(open)
		}
	}
}
