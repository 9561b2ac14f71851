package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestNotes: an annotation belongs to what is live at its address, also if that was
// there before the recording, and to nothing else that has the address.
func TestNotes(t *testing.T) {
	const old, kept, reused = 0x10000000, 0x10000200, 0x10000400
	c := snapshot.NewComposer(snapshot.Format{HasTraces: true})
	event := func(action snapshot.Action, addr uint64, text string) {
		size := int64(512)
		if action == snapshot.Annotate {
			size = 0
		}
		c.Event(0, snapshot.EventText{Action: action, Addr: addr, Size: size, Metadata: text})
	}
	event(snapshot.Annotate, old, "freed later")
	event(snapshot.Annotate, kept, "weights")
	event(snapshot.Annotate, reused, "of nothing yet")
	event(snapshot.Alloc, reused, "own")
	event(snapshot.Annotate, reused, "first")
	event(snapshot.Annotate, reused, "second")
	event(snapshot.FreeRequested, reused, "")
	event(snapshot.FreeCompleted, reused, "")
	event(snapshot.Annotate, reused, "of nothing any more")
	event(snapshot.Alloc, reused, "")
	event(snapshot.Annotate, reused, "third")
	event(snapshot.FreeRequested, old, "")
	event(snapshot.FreeCompleted, old, "")
	event(snapshot.Alloc, old, "")
	c.Segment(snapshot.Segment{Address: old, TotalSize: 2 << 20},
		snapshot.Block{Address: old, Size: 512, RequestedSize: 512, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: kept, Size: 512, RequestedSize: 512, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: reused, Size: 512, RequestedSize: 512, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: reused + 512, Size: 2<<20 - 3*512})
	s := c.Snapshot()
	d := replay.Replay(s, 0)
	if d.Anomalies.Total() != 0 {
		t.Fatalf("anomalies %+v", d.Anomalies)
	}
	notes, got := d.Notes(s), map[string]int{}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		if got[notes.Of(a)]++; !strings.HasSuffix(notes.Of(a), notes.Added(a)) {
			t.Errorf("allocation %d: %q was added to %q", i, notes.Added(a), notes.Of(a))
		}
	}
	want := map[string]int{"freed later": 1, "weights": 1, "own; first; second": 1, "third": 1, "": 1}
	for text, n := range want {
		if got[text] != n || len(got) != len(want) {
			t.Errorf("notes %v, want %v", got, want)
			break
		}
	}
}

// TestNotesAreBounded: very many annotations of one tensor do not make a text of any size.
func TestNotesAreBounded(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasTraces: true})
	c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 512, Size: 512})
	for range 5000 {
		c.Event(0, snapshot.EventText{Action: snapshot.Annotate, Addr: 512, Metadata: "again"})
	}
	s := c.Snapshot()
	d := replay.Replay(s, 0)
	text := d.Notes(s).Of(&d.Allocations[0])
	if n := len(text); n < snapshot.MaxText/2 || n > snapshot.MaxText {
		t.Errorf("a text of %d bytes", n)
	}
	shown := strings.Count(text, "again")
	if want := fmt.Sprintf("; and %d more", 5000-shown); !strings.HasSuffix(text, want) {
		t.Errorf("it has %d of the annotations and ends %q, want %q", shown, text[len(text)-30:], want)
	}
}
