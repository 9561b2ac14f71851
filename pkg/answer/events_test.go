package answer

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// expanding is a recording of an expandable segment that grows, gets a hole and is
// filled again, with everything that can stand between events.
func expanding() *snapshot.Snapshot {
	const base, MiB = 0x300000000, units.MiB
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true, HasUserMetadata: true})
	where := c.Stack(snapshot.FrameText{File: "/home/ada/a_rather_long_name_of_a_module.py", Line: 1234,
		Name: "forward"})
	label := c.Stack(snapshot.FrameText{File: "a label", Name: "START"})
	now := int64(1_000_000)
	event := func(e snapshot.EventText) {
		now += 1_000_250
		e.TimeMicros = now
		if e.Stream == 0 {
			e.Stream = 7
		}
		c.Event(0, e)
	}
	c.Annotation("before the first event", true, 1_500_000)
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base, Size: 2 * MiB})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: base, Size: MiB, Stack: where, Metadata: "epoch 1",
		Context: "0/0 [fn]"})
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base + 2*MiB, Size: 20 * MiB})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: base + MiB, Size: 20 * MiB, Stack: where})
	c.Annotation("Optimizer.step#AdamW.step", true, now+1)
	c.Annotation("Optimizer.step#AdamW.step", false, now+2)
	event(snapshot.EventText{Action: snapshot.UserDefined, Stack: label})
	event(snapshot.EventText{Action: snapshot.Annotate, Addr: base, Metadata: "the weights"})
	event(snapshot.EventText{Action: snapshot.Free, Addr: base + MiB, Size: 20 * MiB})
	event(snapshot.EventText{Action: snapshot.SegmentUnmap, Addr: base + 4*MiB, Size: 10 * MiB})
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base + 4*MiB, Size: 10 * MiB})
	event(snapshot.EventText{Action: snapshot.SegmentMap, Addr: base + 100*MiB, Size: 2 * MiB})
	event(snapshot.EventText{Action: snapshot.FreeRequested, Addr: 77, Size: 512})
	event(snapshot.EventText{Action: snapshot.Alloc, Addr: 99, Size: 512, Stream: 8})
	event(snapshot.EventText{Action: snapshot.NoAction})
	c.Segment(snapshot.Segment{Address: base, TotalSize: 22 * MiB, Stream: c.Stream(7), Expandable: true,
		SizeClass: snapshot.SizeClassLarge},
		snapshot.Block{Address: base, Size: MiB, RequestedSize: MiB, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: base + MiB, Size: 21 * MiB})
	c.Segment(snapshot.Segment{Address: base + 100*MiB, TotalSize: 2 * MiB, Stream: c.Stream(7), Expandable: true},
		snapshot.Block{Address: base + 100*MiB, Size: 2 * MiB})
	return c.Snapshot()
}

func events(t *testing.T, o EventOptions, in ...Input) *Sheet {
	t.Helper()
	s, err := Events(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEvents(t *testing.T) {
	in := []Input{
		NewInput("training.pickle", testsnap.Training()), NewInput("expanding.pickle", expanding()),
		NewInput("cut.pickle", testsnap.Cut()), NewInput("state_only.pickle", testsnap.StateOnly()),
		NewInput("hostile.pickle", testsnap.Hostile()),
	}
	whole := events(t, EventOptions{}, in...)
	fits(t, "events", whole)
	text := written(t, whole, Text)
	fitsTerminal(t, string(text))
	for _, r := range string(text) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text holds %U", r)
		}
	}
	testkit.Golden(t, "events.txt", text)

	part := events(t, EventOptions{From: eventBound(2), To: eventBound(8),
		Grep: regexp.MustCompile(`cudaMalloc|model\.py|epoch|Adam`)}, in[:2]...)
	fits(t, "events", part)
	testkit.Golden(t, "events_part.txt", append(written(t, part, Text), written(t, part, Markdown)...))
	testkit.Golden(t, "events_part.json", written(t, part, JSON))
}

// Totals are those of the replay, and names do not depend on where a log begins.
func TestEventsAddUp(t *testing.T) {
	for _, in := range []Input{NewInput("training.pickle", testsnap.Training()),
		NewInput("expanding.pickle", expanding()), example(t, "out-of-memory")} {
		whole := decoded(t, events(t, EventOptions{}, in))
		device := in.Devices[0]
		if len(whole.Events) != device.Events.Len() || len(whole.Events) == 0 {
			t.Fatalf("%s: %d events of %d", in.Name, len(whole.Events), device.Events.Len())
		}
		active, reserved := device.ActiveBytes(), device.ReservedBytes()
		for i, e := range whole.Events {
			if e.Event != i || e.ActiveBytes != active[i+1] || e.ReservedBytes != reserved[i+1] {
				t.Fatalf("%s: event %d is %+v, want active %d and reserved %d", in.Name, i, e, active[i+1],
					reserved[i+1])
			}
			if n := e.Allocation; n != nil && units.Address(device.Allocations[*n].Addr) != e.Address {
				t.Errorf("%s: event %d names t%d, which is elsewhere", in.Name, i, *n)
			}
		}
		from := len(whole.Events) / 2
		part := decoded(t, events(t, EventOptions{From: eventBound(from)}, in))
		for i, e := range part.Events {
			if want := whole.Events[from+i]; e.Text != want.Text || e.Event != want.Event {
				t.Fatalf("%s: from %d event %d says %q, in all it says %q", in.Name, from, e.Event, e.Text, want.Text)
			}
		}
	}
}

// decoded is the first device of the answer, which must hold no other keys.
func decoded(t *testing.T, s *Sheet) EventsDevice {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(written(t, s, JSON)))
	d.DisallowUnknownFields()
	var answer devices[EventsDevice]
	if err := d.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Devices[0]
}

// Every allocation of the real allocator lies in a segment of the log, from its
// first event on.
func TestEventsPlaces(t *testing.T) {
	in := example(t, "training-loop")
	allocs := 0
	for _, e := range decoded(t, events(t, EventOptions{}, in)).Events {
		if e.Action == "alloc" {
			allocs++
			if e.Segment == nil || !strings.Contains(e.Text, " = s"+strconv.Itoa(*e.Segment)+"[") {
				t.Errorf("event %d lies in no segment: %s", e.Event, e.Text)
			}
		}
	}
	if allocs < 100 {
		t.Errorf("%d allocs", allocs)
	}
}

func TestEventsWithoutTimes(t *testing.T) {
	from, _ := ParseBound("5us")
	_, err := Events([]Input{NewInput("cut.pickle", testsnap.Cut())}, EventOptions{From: from})
	if err == nil || !strings.HasPrefix(err.Error(), "cut.pickle, cuda:0: a time is not in this recording") {
		t.Errorf("got %v", err)
	}
}

// A log whose reader is gone ends.
func TestEventsToNobody(t *testing.T) {
	s := events(t, EventOptions{}, example(t, "out-of-memory"))
	for _, format := range Formats {
		w := &closedWriter{}
		if err := s.Write(w, format, Look{}); err == nil && format != Markdown {
			t.Errorf("%s: no error", format)
		}
		if w.calls > 1 {
			t.Errorf("%s: written %d times to a reader that is gone", format, w.calls)
		}
	}
}

type closedWriter struct{ calls int }

func (w *closedWriter) Write([]byte) (int, error) {
	w.calls++
	return 0, io.ErrClosedPipe
}
