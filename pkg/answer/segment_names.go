package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// segmentNames follows the segments of a device from event to event and numbers
// them: first those of state 0 by address, then the others as they come. A
// number is never used again. Pages that are mapped beside an expandable segment
// of their stream belong to it.
type segmentNames struct {
	d    *replay.Device
	now  ranges.Set[namedSegment]
	next int // number
}

// namedSegment is a segment with its number.
type namedSegment struct {
	number     int
	base       uint64 // where its offsets begin
	stream     snapshot.StreamID
	expandable bool
}

// noSegment stands for the number of what lies in no known segment.
const noSegment = -1

func newSegmentNames(r *analysis.Recording) *segmentNames {
	n := &segmentNames{d: r.Device}
	l := r.Layouts().At(0)
	for i := range l.Segments {
		seg := &l.Segments[i]
		n.add(seg.Address, seg.Size, seg.Stream, seg.Expandable)
	}
	return n
}

// atMost is the largest number that there will be.
func (n *segmentNames) atMost() int { return n.next + len(n.d.Reserved) }

// add puts a new segment where nothing is and returns its number.
func (n *segmentNames) add(addr uint64, size int64, stream snapshot.StreamID, expandable bool) int {
	end := addr + uint64(max(size, 0))
	if end <= addr {
		return noSegment
	}
	n.now.Cut(addr, end)
	n.now.Add(addr, end, namedSegment{n.next, addr, stream, expandable})
	n.next++
	return n.next - 1
}

// step is the segment that an event made, grew, shrank or freed, and whether
// the event began it.
func (n *segmentNames) step(i int) (seg namedSegment, begun bool) {
	e := n.d.Events
	addr, end := e.Addr[i], e.Addr[i]+uint64(max(e.Size[i], 0))
	sign := e.Action[i].ReservedSign()
	switch {
	case sign == 0 || end <= addr:
		return namedSegment{number: noSegment}, false
	case sign < 0:
		seg := n.at(addr)
		n.now.Cut(addr, end)
		return seg, false
	}
	expandable := e.Action[i] == snapshot.SegmentMap
	if seg, known := n.beside(addr, end, e.Stream[i]); known && expandable {
		n.now.Cut(addr, end)
		n.now.Add(addr, end, seg)
		return seg, false
	}
	number := n.add(addr, e.Size[i], e.Stream[i], expandable)
	return namedSegment{number: number, base: addr}, true
}

// at is the segment that an address lies in.
func (n *segmentNames) at(addr uint64) namedSegment {
	if x, ok := n.now.At(addr); ok {
		return x.Use
	}
	return namedSegment{number: noSegment}
}

// beside is the expandable segment of a stream that a range touches.
func (n *segmentNames) beside(addr, end uint64, stream snapshot.StreamID) (namedSegment, bool) {
	for _, neighbour := range [...]uint64{addr - 1, end} {
		if x, ok := n.now.At(neighbour); ok && x.Use.expandable && x.Use.stream == stream {
			return x.Use, true
		}
	}
	return namedSegment{}, false
}
