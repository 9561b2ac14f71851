package events

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

func events(t *testing.T, o Options, in ...answer.Input) *sheet.Sheet {
	t.Helper()
	s, err := Answer(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEvents(t *testing.T) {
	in := []answer.Input{
		answer.NewInput("training.pickle", testsnap.Training()), answer.NewInput("expanding.pickle",
			answertest.Expanding()),
		answer.NewInput("cut.pickle", testsnap.Cut()), answer.NewInput("state_only.pickle", testsnap.StateOnly()),
		answer.NewInput("hostile.pickle", testsnap.Hostile()),
	}
	whole := events(t, Options{}, in...)
	answertest.Fits(t, "events", whole)
	text := answertest.Written(t, whole, sheet.Text)
	answertest.FitsTerminal(t, string(text))
	for _, r := range string(text) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text holds %U", r)
		}
	}
	testkit.Golden(t, "events.txt", text)

	part := events(t, Options{From: answertest.EventBound(2), To: answertest.EventBound(8),
		Grep: regexp.MustCompile(`cudaMalloc|model\.py|epoch|Adam`)}, in[:2]...)
	answertest.Fits(t, "events", part)
	testkit.Golden(t, "events_part.txt", append(answertest.Written(t, part, sheet.Text), answertest.Written(t, part,
		sheet.Markdown)...))
	testkit.Golden(t, "events_part.json", answertest.Written(t, part, sheet.JSON))
}

// Totals are those of the replay, and names do not depend on where a log begins.
func TestEventsAddUp(t *testing.T) {
	for _, in := range []answer.Input{answer.NewInput("training.pickle", testsnap.Training()),
		answer.NewInput("expanding.pickle", answertest.Expanding()), answertest.Example(t, "out-of-memory")} {
		whole := decoded(t, events(t, Options{}, in))
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
		part := decoded(t, events(t, Options{From: answertest.EventBound(from)}, in))
		for i, e := range part.Events {
			if want := whole.Events[from+i]; e.Text != want.Text || e.Event != want.Event {
				t.Fatalf("%s: from %d event %d says %q, in all it says %q", in.Name, from, e.Event, e.Text, want.Text)
			}
		}
	}
}

// decoded is the first device of the answer, which must hold no other keys.
func decoded(t *testing.T, s *sheet.Sheet) Device {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(answertest.Written(t, s, sheet.JSON)))
	d.DisallowUnknownFields()
	var answer answer.Devices[Device]
	if err := d.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Devices[0]
}

// Every allocation of the real allocator lies in a segment of the log, from its
// first event on.
func TestEventsPlaces(t *testing.T) {
	in := answertest.Example(t, "training-loop")
	allocs := 0
	for _, e := range decoded(t, events(t, Options{}, in)).Events {
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
	from, _ := answer.ParseBound("5us")
	_, err := Answer([]answer.Input{answer.NewInput("cut.pickle", testsnap.Cut())}, Options{From: from})
	if err == nil || !strings.HasPrefix(err.Error(), "cut.pickle, cuda:0: a time is not in this recording") {
		t.Errorf("got %v", err)
	}
}

// A log whose reader is gone ends.
func TestEventsToNobody(t *testing.T) {
	s := events(t, Options{}, answertest.Example(t, "out-of-memory"))
	for _, format := range sheet.Formats {
		w := &closedWriter{}
		if err := s.Write(w, format, sheet.Look{}); err == nil && format != sheet.Markdown {
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
