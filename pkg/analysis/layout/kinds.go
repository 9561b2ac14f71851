package layout

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// smallSize is the largest rounded request, and block, of the small size class.
const smallSize = 1 << 20

// SizeClassOf is the size class that serves a rounded request.
func SizeClassOf(rounded int64) snapshot.SizeClass {
	if rounded <= smallSize {
		return snapshot.SizeClassSmall
	}
	return snapshot.SizeClassLarge
}

// spanKinds says whom a range served that was given back during the recording.
// Events do not say it of themselves: a range that cudaMalloc made is small
// exactly if it has 2 MiB, and pages are of the kind of their reservation,
// which stays one stream's and one size class's for life.
type spanKinds struct {
	d     *replay.Device
	known []knownPlace // by stream and address
}

// knownPlace is an address of an expandable segment whose kind is known.
type knownPlace struct {
	addr uint64
	kind spanKind
}

func (p knownPlace) compare(o knownPlace) int {
	return cmp.Or(cmp.Compare(p.kind.stream, o.kind.stream), cmp.Compare(p.addr, o.addr))
}

func newSpanKinds(s *snapshot.Snapshot, d *replay.Device, settings *Settings) *spanKinds {
	k := &spanKinds{d: d}
	if !k.unmaps() {
		return k
	}
	for i := range s.Segments {
		if seg := &s.Segments[i]; seg.Device == d.ID && seg.Expandable &&
			possibleRange(seg.Address, seg.TotalSize) {
			kind := k.ofFinal(seg)
			k.known = append(k.known, knownPlace{seg.Address, kind},
				knownPlace{seg.Address + uint64(seg.TotalSize) - 1, kind})
		}
	}
	k.learnFromMaps(settings)
	k.learnFromBlocks(settings)
	slices.SortStableFunc(k.known, knownPlace.compare)
	return k
}

func (k *spanKinds) unmaps() bool {
	return slices.ContainsFunc(k.d.Reserved, func(c replay.ReservedChange) bool {
		return k.d.Events.Action[c.Event] == snapshot.SegmentUnmap
	})
}

// learnFromMaps takes the size class of mapped pages from the request they were
// mapped for: the next event on their stream that has one, as nothing comes between.
func (k *spanKinds) learnFromMaps(settings *Settings) {
	e := k.d.Events
	class := map[snapshot.StreamID]snapshot.SizeClass{}
	for i := e.Len() - 1; i >= 0; i-- {
		switch e.Action[i] {
		case snapshot.Alloc:
			class[e.Stream[i]] = SizeClassOf(settings.BlockSize(e.Size[i]))
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
			k.known = append(k.known, knownPlace{e.Addr[i], kind})
		}
	}
}

// learnFromBlocks takes the size class of pages from what lay in them: a small
// block is never in a large segment, nor the other way round. One block a page is enough.
func (k *spanKinds) learnFromBlocks(settings *Settings) {
	seen := map[knownPlace]bool{}
	for i := range k.d.Allocations {
		a := &k.d.Allocations[i]
		page := knownPlace{a.Addr - a.Addr%uint64(PageSize(snapshot.SizeClassSmall)),
			spanKind{stream: a.Stream, expandable: true}}
		if seen[page] {
			continue
		}
		seen[page] = true
		page.kind.class = SizeClassOf(settings.BlockSize(a.Size))
		page.addr = a.Addr
		k.known = append(k.known, page)
	}
}

// ofFinal is the kind of a segment of the snapshot.
func (k *spanKinds) ofFinal(seg *snapshot.Segment) spanKind {
	class := seg.SizeClass
	if class == snapshot.SizeClassUnknown {
		class = classOfMalloc(seg.TotalSize)
	}
	return spanKind{seg.Stream, seg.Pool, class, seg.Expandable}
}

// classOfMalloc is the size class of a cudaMalloc'd segment.
func classOfMalloc(size int64) snapshot.SizeClass {
	if size <= allocator.SegmentSize(smallSize) {
		return snapshot.SizeClassSmall
	}
	return snapshot.SizeClassLarge
}

// ofReleased is the kind of the range that a segment_free or segment_unmap gave back.
func (k *spanKinds) ofReleased(event replay.EventIndex) spanKind {
	e := k.d.Events
	kind := spanKind{stream: e.Stream[event]}
	if e.Action[event] == snapshot.SegmentFree {
		kind.class = classOfMalloc(e.Size[event])
	} else {
		near := false
		kind, near = k.nearest(e.Addr[event], kind.stream)
		if !near && e.Size[event]%PageSize(snapshot.SizeClassLarge) != 0 {
			kind.class = snapshot.SizeClassSmall // no whole pages of the other class
		}
	}
	if e.Pool != nil {
		kind.pool = e.Pool[event]
	}
	return kind
}

// nearest is the kind of the known place of a stream that is closest to an
// address: most likely of the same reservation, which is larger than the device's memory.
// Near is false if that is too far away to be.
func (k *spanKinds) nearest(addr uint64, stream snapshot.StreamID) (kind spanKind, near bool) {
	best := spanKind{stream: stream, class: snapshot.SizeClassLarge, expandable: true}
	at, _ := slices.BinarySearchFunc(k.known, knownPlace{addr, spanKind{stream: stream}}, knownPlace.compare)
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

// maxReservation is more address space than an expandable segment has: nine
// eighths of a device's memory.
const maxReservation = 512 << 30
