package answer

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// eventLog reads the events of a device one by one.
type eventLog struct {
	in *Input
	r  *analysis.Recording
	s  *snapshot.Snapshot
	d  *replay.Device

	from, end int // events from <= i < end are in the log
	grep      *regexp.Regexp

	active, reserved []int64 // by state
	who              []int32 // by event: the allocation it began or freed, or analysis.NoAllocation
	annotations      []snapshot.Annotation
	sites            map[snapshot.StackID]string // see site
}

func newEventLog(in *Input, r *analysis.Recording, o EventOptions) (*eventLog, error) {
	l := &eventLog{
		in: in, r: r, s: r.Snapshot, d: r.Device, grep: o.Grep,
		active: r.Device.ActiveBytes(), reserved: r.Device.ReservedBytes(),
		who: allocationsByEvent(r.Device), sites: map[snapshot.StackID]string{},
	}
	var err error
	if l.from, l.end, err = between(r.Device, o.From, o.To); err != nil {
		return nil, err
	}
	l.annotations = l.annotationsHere()
	return l, nil
}

// allocationsByEvent is, by event, the allocation that it began or freed.
func allocationsByEvent(d *replay.Device) []int32 {
	who := make([]int32, d.Events.Len())
	for i := range who {
		who[i] = layout.NoAllocation
	}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		for _, event := range [...]replay.EventIndex{a.Start, a.FreeRequested, a.End} {
			// An alloc at a used address ends the allocation there, which began before.
			if event != replay.None {
				who[event] = int32(i)
			}
		}
	}
	return who
}

// annotationsHere are the ends of annotations that belong between the events of
// the log, in order of time.
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

// span is the time from one moment to another, bounded like the times of events.
func span(from, to int64) int64 {
	if to < from {
		return -span(to, from)
	}
	return int64(min(uint64(to)-uint64(from), snapshot.MaxSpanMicros))
}

// happening is an event that is to be shown.
type happening struct {
	event      int
	what       string // in words
	allocation int32  // or analysis.NoAllocation
	segment    int    // number, or noSegment
}

// happenings yields the events of the log that match.
func (l *eventLog) happenings() iter.Seq[happening] {
	return func(yield func(happening) bool) {
		names := newSegmentNames(l.r)
		for i := range l.end {
			seg, begun := names.step(i)
			if i < l.from {
				continue
			}
			if seg.number == noSegment && l.who[i] != layout.NoAllocation {
				seg = names.at(l.d.Events.Addr[i])
			}
			h := happening{i, l.what(i, seg, begun), l.who[i], seg.number}
			if l.matches(h) && !yield(h) {
				return
			}
		}
	}
}

// matches reports whether an event is asked for: by its words, its site, its
// action or its address.
func (l *eventLog) matches(h happening) bool {
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

// metadata is what the code said about itself when an event came.
func (l *eventLog) metadata(i int) string {
	if l.d.Events.Metadata == nil {
		return ""
	}
	return l.s.String(l.d.Events.Metadata[i])
}

// compileContext is which compiled code an event came from.
func (l *eventLog) compileContext(i int) string {
	if l.d.Events.CompileContext == nil {
		return ""
	}
	if text := l.s.String(l.d.Events.CompileContext[i]); text != "N/A" {
		return text
	}
	return ""
}
