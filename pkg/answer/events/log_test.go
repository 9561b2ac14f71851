package events

import (
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestAnnotationsOfALog: a log of events 1 to 2 has the annotations after event 0 and
// up to event 1; one that reaches an end of the recording has all on that side.
func TestAnnotationsOfALog(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true})
	for _, micros := range []int64{10, 20, 30} {
		c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken, TimeMicros: micros})
	}
	for _, micros := range []int64{35, 5, 10, 15, 20, 25, 30} {
		c.Annotation("a", true, micros)
	}
	in := answer.NewInput("", c.Snapshot())
	for _, test := range []struct {
		from, end int
		want      []int64
	}{
		{0, 3, []int64{5, 10, 15, 20, 25, 30, 35}}, {1, 3, []int64{15, 20, 25, 30, 35}}, {0, 2, []int64{5, 10, 15, 20}},
		{1, 2, []int64{15, 20}}, {1, 1, nil}, {0, 0, nil}, {3, 3, nil},
	} {
		var got []int64
		for _, a := range (&eventLog{s: in.Snapshot, d: in.Devices[0], from: test.from,
			end: test.end}).annotationsHere() {
			got = append(got, a.TimeMicros)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%d to %d: annotations at %d, want %d", test.from, test.end, got, test.want)
		}
	}
}

// TestSegmentNumbers: five events change reserved memory, so there are at most five
// segments; a range without bytes is none.
func TestSegmentNumbers(t *testing.T) {
	n := newSegmentNames(answer.NewInput("", answertest.Expanding()).Recordings[0])
	if n.atMost() != 5 {
		t.Errorf("at most %d segments, want 5", n.atMost())
	}
	for _, test := range []struct {
		size int64
		want int
	}{{0, noSegment}, {-1, noSegment}, {512, 0}, {512, 1}} {
		if got := n.add(4096, test.size, 0, false); got != test.want {
			t.Errorf("%d bytes are segment %d, want %d", test.size, got, test.want)
		}
	}
}

// TestEventColumns: a row without bytes and site has the room of all columns.
func TestEventColumns(t *testing.T) {
	c := eventColumns{event: 5, what: 20, where: 9}
	room := 20 + len(sheet.Gutter) + activeWidth + len(sheet.Gutter) + 9
	for n, want := range map[int]int{room: room, room + 1: room} {
		got := c.row("1", "", strings.Repeat("x", n), "", "")
		if width := len([]rune(got)) - len(sheet.Indent) - 5 - len(sheet.Gutter); width != want {
			t.Errorf("%d characters became %d, want %d", n, width, want)
		}
	}
}

// TestEventRemark says which of five events there are.
func TestEventRemark(t *testing.T) {
	d := answertest.Kept(1, 1, 1, 1, 1).Device
	for _, test := range []struct {
		from, end int
		want      string
	}{
		{0, 5, "5 events"}, {0, 4, "events 0 to 3 of 5"}, {2, 5, "events 2 to 4 of 5"}, {3, 4, "events 3 to 3 of 5"},
		{3, 3, "no event of 5"},
	} {
		if got := (&eventLog{d: d, from: test.from, end: test.end}).remark(); got != test.want {
			t.Errorf("%d to %d: %q, want %q", test.from, test.end, got, test.want)
		}
	}
}
