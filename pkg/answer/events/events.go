// Package events answers with the log of events.
package events

import (
	"bufio"
	"bytes"
	"iter"
	"regexp"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Device is the log of one device. Times are microseconds since its first
// event.
type Device struct {
	answer.Subject
	From          int              `json:"from"`           // the first event that was asked for
	To            int              `json:"to"`             // the last one
	ActiveBytes   int64            `json:"active_bytes"`   // after the last one
	ReservedBytes int64            `json:"reserved_bytes"` // after the last one
	Annotations   []AnnotationEnds `json:"annotations"`    // among the events
	Events        []Event          `json:"events"`         // a line each
}

// AnnotationEnds is one end of a range that the code named. The recording does
// not say which device it belongs to.
type AnnotationEnds struct {
	Name       string `json:"name"`
	Stage      string `json:"stage"` // START or END
	TimeMicros int64  `json:"time_us"`
}

// Event is what happened in one event, and the totals after it. Keys without a
// meaning for its action are left out.
type Event struct {
	Event           int    `json:"event"` // its index
	TimeMicros      *int64 `json:"time_us,omitempty"`
	Action          string `json:"action"`
	Text            string `json:"text"` // in words
	Address         string `json:"address,omitempty"`
	Bytes           int64  `json:"bytes"`
	DeviceFreeBytes int64  `json:"device_free_bytes,omitempty"` // of an oom
	Stream          string `json:"stream"`                      // its handle
	Allocation      *int   `json:"allocation,omitempty"`        // the number behind t
	Family          string `json:"family,omitempty"`            // what that allocation is for: "gradient"
	Segment         *int   `json:"segment,omitempty"`           // the number behind s
	Site            string `json:"site,omitempty"`
	Metadata        string `json:"metadata,omitempty"`
	CompileContext  string `json:"compile_context,omitempty"`
	ActiveBytes     int64  `json:"active_bytes"`
	ReservedBytes   int64  `json:"reserved_bytes"`
}

// Options are the options of Events.
type Options struct {
	From, To answer.Bound   // inclusive
	Grep     *regexp.Regexp // only events that match; nil: all
}

// Answer answers with the log of events, one per line. It is written while events
// are read.
func Answer(in []answer.Input, o Options) (*sheet.Sheet, error) {
	value := &eventsValue{}
	s := &sheet.Sheet{Value: value}
	err := answer.EachRecording(s, in, func(in *answer.Input, r *analysis.Recording) error {
		l, err := newEventLog(in, r, o)
		if err != nil {
			return err
		}
		value.logs = append(value.logs, l)
		answer.Section(s, in, r.Device, l.remark())
		if w, ok := trust.Clock(r.Device); ok {
			s.Note("%s %s", w.Fact, w.Consequence)
		}
		if l.end > l.from {
			s.Lines(l.lines)
		} else if r.Device.Events.Len() == 0 {
			trust.WriteWarnings(s, r)
		}
		return nil
	})
	return s, err
}

// Rows yields every event of a device as [Events] lists it, but without its text.
func Rows(in *answer.Input, r *analysis.Recording) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		l, err := newEventLog(in, r, Options{})
		if err != nil {
			return // only a bound can be wrong, and there is none
		}
		l.noText = true
		for h := range l.matching() {
			if !yield(l.value(h)) {
				return
			}
		}
	}
}

// remark says which events the log has.
func (l *eventLog) remark() string {
	n := l.d.Events.Len()
	if l.from == 0 && l.end == n {
		return units.Plural(n, "event", "events")
	} else if l.end <= l.from {
		return "no event of " + units.Count(n)
	}
	return "events " + units.Count(l.from) + " to " + units.Count(l.end-1) + " of " + units.Count(n)
}

// eventsValue writes the JSON of devices[Device] without holding all of it.
type eventsValue struct {
	logs []*eventLog
	answer.Provenance
}

func (v *eventsValue) WriteJSON(w *bufio.Writer) error {
	head, err := sheet.JSONLine(answer.Devices[int]{Schema: answer.SchemaName("events"), Provenance: v.Provenance,
		Devices: []int{}})
	if err != nil {
		return err
	}
	w.Write(bytes.TrimSuffix(head, []byte("]}")))
	for i, l := range v.logs {
		if i > 0 {
			w.WriteByte(',')
		}
		if err := l.writeJSON(w); err != nil {
			return err
		}
	}
	_, err = w.WriteString("]}\n")
	return err
}

// eventFigures is a log with the number of its events in place of them.
type eventFigures struct {
	Device
	Events int `json:"events"`
}

func (v *eventsValue) Figures() any {
	value := answer.NewDevices[eventFigures]("events")
	for _, l := range v.logs {
		figures := eventFigures{Device: l.device()}
		for range l.matching() {
			figures.Events++
		}
		value.Devices = append(value.Devices, figures)
	}
	return value
}

// device is the log without its events.
func (l *eventLog) device() Device {
	device := Device{
		Subject: answer.NewSubject(l.in, l.d), From: l.from, To: l.end - 1,
		ActiveBytes: l.active[l.end], ReservedBytes: l.reserved[l.end],
		Annotations: []AnnotationEnds{}, Events: []Event{},
	}
	for _, a := range l.annotations {
		device.Annotations = append(device.Annotations, l.annotationEnds(a))
	}
	return device
}

func (l *eventLog) writeJSON(w *bufio.Writer) error {
	text, err := sheet.JSONLine(l.device())
	if err != nil {
		return err
	}
	w.Write(bytes.TrimSuffix(text, []byte("[]}"))) // the events come last
	events := func(yield func(Event) bool) {
		for h := range l.matching() {
			if !yield(l.value(h)) {
				return
			}
		}
	}
	if err := sheet.WriteArray(w, events); err != nil {
		return err
	}
	return w.WriteByte('}')
}

// value is an event as JSON.
func (l *eventLog) value(h loggedEvent) Event {
	i, e := h.event, l.d.Events
	v := Event{
		Event: i, Action: l.s.ActionName(e.Action[i]), Text: h.what, Bytes: e.Size[i],
		Stream: units.Address(l.s.Streams[e.Stream[i]]), Site: l.site(e.Stack[i]),
		Metadata: l.metadata(i), CompileContext: l.compileContext(i),
		ActiveBytes: l.active[i+1], ReservedBytes: l.reserved[i+1],
	}
	if l.timed() {
		micros := e.SinceFirst(i)
		v.TimeMicros = &micros
	}
	switch e.Action[i] {
	case snapshot.OOM:
		v.DeviceFreeBytes = freeOnDevice(e, i)
	case snapshot.SnapshotTaken, snapshot.UserDefined:
	default:
		v.Address = units.Address(e.Addr[i])
	}
	if h.allocation != layout.NoAllocation {
		number := int(h.allocation)
		v.Allocation, v.Family = &number, l.r.Families().Family(number).Key()
	}
	if h.segment != noSegment {
		v.Segment = &h.segment
	}
	return v
}
