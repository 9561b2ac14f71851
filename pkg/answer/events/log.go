package events

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// eventLog describes the events of a device one after another.
type eventLog struct {
	in *answer.Input
	r  *analysis.Recording
	s  *snapshot.Snapshot
	d  *replay.Device

	from, end int // events from <= i < end are in the log
	grep      *regexp.Regexp
	noText    bool // leaves out what happened in words, which is most of the work

	active, reserved []int64 // by state
	allocations      []int32 // by event: the allocation that it began or freed, or layout.NoAllocation
	annotations      []snapshot.Annotation
	sites            map[snapshot.StackID]string // see site
}

func newEventLog(in *answer.Input, r *analysis.Recording, o Options) (*eventLog, error) {
	l := &eventLog{
		in: in, r: r, s: r.Snapshot, d: r.Device, grep: o.Grep,
		active: r.Device.ActiveBytes(), reserved: r.Device.ReservedBytes(),
		allocations: allocationsByEvent(r.Device), sites: map[snapshot.StackID]string{},
	}
	var err error
	if l.from, l.end, err = answer.Between(r.Device, o.From, o.To); err != nil {
		return nil, err
	}
	l.annotations = l.annotationsHere()
	return l, nil
}

// allocationsByEvent is, by event, the allocation that it began or freed; of an
// alloc at a used address, which does both, the one that it began.
func allocationsByEvent(d *replay.Device) []int32 {
	list := slices.Repeat([]int32{layout.NoAllocation}, d.Events.Len())
	for i := range d.Allocations {
		a := &d.Allocations[i]
		for _, event := range [...]replay.EventIndex{a.Start, a.FreeRequested, a.End} {
			if event != replay.None {
				list[event] = int32(i)
			}
		}
	}
	return list
}

// annotationsHere are the starts and ends of annotations between the events of the
// log, in order of time.
func (l *eventLog) annotationsHere() []snapshot.Annotation {
	if !l.timed() || l.end <= l.from {
		return nil
	}
	times := l.d.Events.TimeMicros
	all := slices.SortedStableFunc(slices.Values(l.s.Annotations), func(a, b snapshot.Annotation) int {
		return cmp.Compare(a.TimeMicros, b.TimeMicros)
	})
	return slices.DeleteFunc(all, func(a snapshot.Annotation) bool {
		return l.from > 0 && a.TimeMicros <= times[l.from-1] || l.end < len(times) && a.TimeMicros > times[l.end-1]
	})
}

func (l *eventLog) timed() bool { return len(l.d.Events.TimeMicros) > 0 }

func (l *eventLog) annotationEnds(a snapshot.Annotation) AnnotationEnds {
	stage := "END"
	if a.Start {
		stage = "START"
	}
	return AnnotationEnds{l.s.String(a.Name), stage, span(l.d.Events.TimeMicros[0], a.TimeMicros)}
}

// span is the time between two moments, bounded as the times of events are.
func span(from, to int64) int64 {
	if to < from {
		return -span(to, from)
	}
	return int64(min(uint64(to)-uint64(from), snapshot.MaxSpanMicros))
}

// loggedEvent is an event of the log.
type loggedEvent struct {
	event      int    // its index
	what       string // happened, in words; "" with noText
	allocation int32  // or layout.NoAllocation
	segment    int    // number, or noSegment
}

// matching yields the events of the log that grep selects.
func (l *eventLog) matching() iter.Seq[loggedEvent] {
	return func(yield func(loggedEvent) bool) {
		names := newSegmentNames(l.r)
		for i := range l.end {
			seg, begun := names.step(i)
			if i < l.from {
				continue
			}
			if seg.number == noSegment && l.allocations[i] != layout.NoAllocation {
				seg = names.at(l.d.Events.Addr[i])
			}
			h := loggedEvent{event: i, allocation: l.allocations[i], segment: seg.number}
			if !l.noText {
				h.what = l.what(i, seg, begun)
			}
			if l.matches(h) && !yield(h) {
				return
			}
		}
	}
}

// matches reports whether grep selects an event, by its words, site, action,
// address or metadata.
func (l *eventLog) matches(h loggedEvent) bool {
	if l.grep == nil {
		return true
	}
	e := l.d.Events
	return l.grep.MatchString(strings.Join([]string{
		h.what, l.site(e.Stack[h.event]), l.s.ActionName(e.Action[h.event]), units.Address(e.Addr[h.event]),
		l.metadata(h.event),
	}, "\t"))
}

// site is where an event came from, or "".
func (l *eventLog) site(id snapshot.StackID) string {
	site, known := l.sites[id]
	if !known {
		site = l.r.Stacks.Site(id).String()
		l.sites[id] = site
	}
	return site
}

// metadata is the user's metadata of an event, or "".
func (l *eventLog) metadata(i int) string {
	if l.d.Events.Metadata == nil {
		return ""
	}
	return l.s.String(l.d.Events.Metadata[i])
}

// compileContext is the compiled code that an event came from, or "".
func (l *eventLog) compileContext(i int) string {
	if l.d.Events.CompileContext == nil {
		return ""
	}
	if text := l.s.String(l.d.Events.CompileContext[i]); text != "N/A" {
		return text
	}
	return ""
}

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
