package pagetest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

// loggedEvent is an event as the command prints it, as far as the page has it.
type loggedEvent struct {
	Event   int
	Action  string
	Address string
	Bytes   int64
}

// eventLog is what `memviz events --format json` says of the first device.
func eventLog(t *testing.T, in answer.Input) []loggedEvent {
	t.Helper()
	said, err := events.Answer([]answer.Input{in}, events.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := said.Write(&text, sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Devices []struct{ Events []loggedEvent }
	}
	if err := json.Unmarshal(text.Bytes(), &all); err != nil || len(all.Devices) == 0 {
		t.Fatalf("%v: %.200s", err, &text)
	}
	return all.Devices[0].Events
}

// compareEvents: the page works out the same events as the command prints.
func compareEvents(t *testing.T, p *page, r *recording, path string) {
	t.Helper()
	got := eval[[]struct {
		Event  int
		Action string
		Addr   string
		Size   int64
		ID     *int
	}](p, "memviz.events()")
	want := eventLog(t, r.Input)
	if len(got) != len(want) || len(want) != r.d.Events.Len() {
		t.Fatalf("%s: the page has %d events, the command %d", path, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Event != w.Event || g.Action != w.Action || g.Size != w.Bytes || g.ID != nil && g.Addr != w.Address {
			t.Fatalf("%s: event %d is %+v on the page, and %+v in the command", path, i, g, w)
		}
	}
}

// TestEventsTab: the list stands where the cursor is, a click goes to an event and pins what it is about, and Enter in
// the search box goes from match to match.
func TestEventsTab(t *testing.T) {
	t.Parallel()
	x, p := openExample(t, "out-of-memory", "")
	p.click("#table .tabs > :nth-child(5)")
	if got := p.hash("tab"); got != "events" {
		t.Errorf("the address says tab=%s", got)
	}
	line := func() string { // the event at the cursor's line
		return eval[string](p, `(() => {
			const row = document.querySelector('.events .row.cursor'), box = row?.getBoundingClientRect();
			const list = document.querySelector('.events .rows').getBoundingClientRect();
			return row && box.top > list.top && box.bottom < list.bottom ? row.children[0].textContent : 'out of sight';
		})()`)
	}
	if got, want := line(), units.Count(x.d.Totals.PeakState); got != want {
		t.Errorf("the line stands above event %s, the peak is state %s", got, want)
	}
	p.goTo("tab=events&at=4000")
	if got := line(); got != "4,000" {
		t.Errorf("with the cursor in state 4,000 the line is above event %s", got)
	}
	log := eventLog(t, x.Input)
	words := map[string]string{"alloc": "alloc +", "free_requested": "free asked ", "free_completed": "free \u2212",
		"segment_alloc": "reserve +", "segment_free": "return \u2212", "oom": "OOM "}
	active := x.d.ActiveBytes()
	for _, row := range eval[[][]string](p,
		"[...document.querySelectorAll('.events .row')].map((r) => [...r.children].map((c) => c.textContent))") {
		at, err := strconv.Atoi(strings.ReplaceAll(row[0], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		want := words[log[at].Action] + units.Bytes(log[at].Bytes) + " " + units.Bytes(active[at+1])
		if got := plainSpaces(row[1] + " " + row[2] + " " + row[4]); got != want {
			t.Errorf("event %d reads %q, want %q", at, got, want)
		}
	}

	p.point(0, 0)
	box := eval[[]float64](p, `(b => [b.left + 20, b.top + 12])(document.querySelector('.events .row.cursor').
		nextElementSibling.getBoundingClientRect())`)
	p.point(box[0], box[1])
	p.until("document.querySelector('#where b').textContent.startsWith('4,00')")
	p.clickAt(box[0], box[1])
	if got := p.hash("at"); !strings.HasPrefix(got, "400") {
		t.Errorf("a click on event 4,001 sets the cursor to %q", got)
	}
	if sel := p.hash("sel"); sel == "" {
		t.Error("and pins nothing")
	}

	p.goTo("tab=events&at=0&q=optimizer")
	p.click("#find input")
	at := -1
	for range 5 {
		p.typed("\r")
		p.rest()
		next := eval[int](p,
			"Number(document.querySelector('.events .row.on').children[0].textContent.replace(',', ''))")
		faded := eval[bool](p, "!!document.querySelector('.events .row.on.faded')")
		if next <= at || faded {
			t.Errorf("after event %d Enter goes to %d, faded: %v", at, next, faded)
		}
		at = next
	}
}
