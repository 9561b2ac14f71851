package timeline

import (
	"cmp"
	"math"
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Annotation is a range that record_function or the profiler named, on the
// time axis of one device.
type Annotation struct {
	Name     snapshot.StringID
	Device   snapshot.DeviceID // of the thread that recorded it, which proves nothing about the memory
	From, To int               // states; the events From to To-1 happened in the range
	Lane     int               // 0 for a range inside no other, one more than the range around it
	NoStart  bool              // the file has only its end: From is 0
	NoEnd    bool              // the file has only its start: To is the last state

	// When it started and ended, as recorded; 0 if not recorded.
	FromMicros, ToMicros int64
}

// FindAnnotations pairs the starts and ends of annotations, in the order in
// which the ranges start, outer ones first. It finds none in a trace without
// times, unless events of the trace itself are annotations.
func FindAnnotations(s *snapshot.Snapshot, d *replay.Device) []Annotation {
	marks := annotationMarks(s, d)
	type key struct {
		device snapshot.DeviceID
		name   snapshot.StringID
	}
	var (
		paired []pairedRange
		orphan []pairedRange // ends without a start, in order
		open   = map[key][]int{}
	)
	for i, m := range marks {
		k := key{m.device, m.name}
		if m.start {
			open[k] = append(open[k], len(paired))
			paired = append(paired, pairedRange{Annotation{
				Name: m.name, Device: m.device, From: m.state, To: d.States() - 1, NoEnd: true,
				FromMicros: m.micros,
			}, math.MaxInt})
			continue
		}
		starts := open[k]
		if len(starts) == 0 {
			orphan = append(orphan, pairedRange{Annotation{
				Name: m.name, Device: m.device, To: m.state, NoStart: true, ToMicros: m.micros,
			}, i})
			continue
		}
		p := &paired[starts[len(starts)-1]]
		p.To, p.ToMicros, p.NoEnd, p.end = m.state, m.micros, false, i
		open[k] = starts[:len(starts)-1]
	}
	slices.Reverse(orphan) // the one that ends last contains the others
	return inLanes(append(orphan, paired...), marks)
}

// pairedRange is a range and the position of its end among the marks.
type pairedRange struct {
	Annotation
	end int
}

// inLanes gives each range a lane below every range that is open when it
// starts. Ranges come in the order in which they start.
func inLanes(ranges []pairedRange, marks []annotationMark) []Annotation {
	var ends []int // of the ranges in each lane
	done := make([]Annotation, len(ranges))
	start := 0 // position of the next start
	for i, p := range ranges {
		at := -1
		if !p.NoStart {
			for !marks[start].start {
				start++
			}
			at = start
			start++
		}
		for len(ends) > 0 && ends[len(ends)-1] < at {
			ends = ends[:len(ends)-1]
		}
		p.Lane = len(ends)
		ends = append(ends, p.end)
		done[i] = p.Annotation
	}
	return done
}

// annotationMark is one end of a range.
type annotationMark struct {
	name   snapshot.StringID
	device snapshot.DeviceID
	state  int
	micros int64
	start  bool
}

// Every device has every annotation on its time axis, up to these numbers of marks and of
// visits to events of all devices. Beyond that, which no program records, each device has
// only the annotations recorded for it.
const (
	maxMarks  = 1 << 21
	maxVisits = 1 << 28
)

// AnnotationsLeftOut returns how many starts and ends of annotations recorded for other
// devices are not on the time axis of a device, because there are too many for every
// device to have them all.
func AnnotationsLeftOut(s *snapshot.Snapshot, d *replay.Device) int {
	if sharesMarks(s) {
		return 0
	}
	n := 0
	for _, a := range s.Annotations {
		if a.Device != d.ID {
			n++
		}
	}
	for i := range s.Traces {
		if s.Traces[i].Device != d.ID {
			n += userDefined(&s.Traces[i])
		}
	}
	return n
}

// userDefined returns how many events of a trace are annotations.
func userDefined(trace *snapshot.Trace) (n int) {
	for _, action := range trace.Events.Action {
		if action == snapshot.UserDefined {
			n++
		}
	}
	return n
}

// sharesMarks reports whether each device has the annotations of the others, too.
func sharesMarks(s *snapshot.Snapshot) bool {
	devices, events, marks := 0, 0, len(s.Annotations)
	for i := range s.Traces {
		if n := s.Traces[i].Events.Len(); n > 0 {
			devices++
			events += n
		}
	}
	if devices*events > maxVisits {
		return false
	}
	for i := range s.Traces {
		marks += userDefined(&s.Traces[i])
	}
	return devices*marks <= maxMarks
}

// annotationMarks returns the starts and ends of all ranges in order of time.
func annotationMarks(s *snapshot.Snapshot, d *replay.Device) []annotationMark {
	clock, shared := newClock(d.Events), sharesMarks(s)
	var marks []annotationMark
	if clock != nil {
		for _, a := range s.Annotations {
			if !shared && a.Device != d.ID {
				continue
			}
			marks = append(marks, annotationMark{a.Name, a.Device, clock.state(a.TimeMicros), a.TimeMicros, a.Start})
		}
	}
	for i := range s.Traces {
		if trace := &s.Traces[i]; shared || trace.Device == d.ID {
			marks = append(marks, userDefinedMarks(s, trace, d, clock)...)
		}
	}
	slices.SortStableFunc(marks, func(a, b annotationMark) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.micros, b.micros))
	})
	return marks
}

// userDefinedMarks returns the annotations that some versions of torch recorded as
// events, all of them on device 0: one frame, START or END in the file LABEL.
func userDefinedMarks(s *snapshot.Snapshot, trace *snapshot.Trace, d *replay.Device, clock *clock) []annotationMark {
	var marks []annotationMark
	e := &trace.Events
	for i, action := range e.Action {
		if action != snapshot.UserDefined {
			continue
		}
		frames := s.Stacks.Frames(e.Stack[i])
		if len(frames) == 0 {
			continue
		}
		frame := s.Frames[frames[0]]
		stage := s.String(frame.Name)
		if stage != "START" && stage != "END" {
			continue
		}
		m := annotationMark{name: frame.File, device: trace.Device, start: stage == "START"}
		if len(e.TimeMicros) == e.Len() {
			m.micros = e.TimeMicros[i]
		}
		switch {
		case trace.Device == d.ID:
			m.state = i
		case clock != nil && m.micros != 0:
			m.state = clock.state(m.micros)
		default:
			continue
		}
		marks = append(marks, m)
	}
	return marks
}

// InnermostNames returns, for each event, the name of the latest range to start around
// it; the empty text outside of all ranges. Ranges come in the order in which they start,
// as [FindAnnotations] returns them.
func InnermostNames(d *replay.Device, ranges []Annotation) []snapshot.StringID {
	names := make([]snapshot.StringID, d.Events.Len())
	var open []int
	next := 0
	for i := range names {
		for ; next < len(ranges) && ranges[next].From <= i; next++ {
			open = append(open, next)
		}
		for len(open) > 0 && ranges[open[len(open)-1]].To <= i {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			names[i] = ranges[open[len(open)-1]].Name
		}
	}
	return names
}
