package trust

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		name     string
		snapshot *snapshot.Snapshot
		ok       bool
		text     string
		why      string // a part of it
		facts    []string
	}{
		{"training", testsnap.Training(), true, "adds up",
			"9.00 MiB in 6 blocks, and nothing in the file contradicts it. 2 allocations are from before the " +
				"recording, with 3.00 MiB.", nil},
		{"state only", testsnap.StateOnly(), false, "no history", "only the final state, 1.00 MiB in 1 block.",
			[]string{"No history was recorded."}},
		{"one event", testsnap.OneEvent(), false, "no history", "only the final state",
			[]string{"Only one event was recorded."}},
		{"cut", testsnap.Cut(), false, "history cut", "completes a free whose request is missing", []string{
			"The oldest events are missing: the first event completes a free whose request is missing.",
			"No stacks were recorded."}},
		{"hostile", testsnap.Hostile(), false, "does not add up",
			"15,393,162,788,864 bytes active, the allocator's own list of blocks has 0: +14.0 TiB.", []string{
				"The picture does not add up.", "Parts of the file could not be read as expected.",
				"The file lists no segments."}},
	} {
		d := replay.Replay(test.snapshot, 0)
		v := VerdictOn(d)
		if v.OK != test.ok || v.Text != test.text || !strings.Contains(withSpaces(v.Why), test.why) {
			t.Errorf("%s: the verdict is %+v", test.name, v)
		}
		var facts []string
		for _, w := range WarningsOn(test.snapshot, d) {
			facts = append(facts, w.Fact)
			if w.Consequence == "" {
				t.Errorf("%s: %q has no consequence", test.name, w.Fact)
			}
		}
		if !reflect.DeepEqual(facts, test.facts) {
			t.Errorf("%s: the warnings are %q, want %q", test.name, facts, test.facts)
		}
	}
}

// TestEveryAnomalyIsSaid: warnings tell of each kind, and the verdict of each that
// keeps a device from adding up.
func TestEveryAnomalyIsSaid(t *testing.T) {
	s := &snapshot.Snapshot{}
	empty := &replay.Device{Events: &snapshot.Events{}}
	quiet := len(WarningsOn(s, empty))
	for i := range empty.Anomalies {
		kind := replay.Anomaly(i)
		d := &replay.Device{Events: &snapshot.Events{}}
		d.Anomalies[kind] = 2
		sentence := anomalySentence(d, kind)
		if kind != replay.UnequalEnd && !strings.HasPrefix(sentence, "2 "+kind.Kind().Many) ||
			!strings.HasSuffix(sentence, ".") {
			t.Errorf("%s: %q", kind.Kind().Key, sentence)
		}
		if denied := strings.Contains(VerdictOn(d).Why, sentence); denied != kind.Kind().Denies {
			t.Errorf("%s: the verdict is %+v", kind.Kind().Key, VerdictOn(d))
		}
		warnings := WarningsOn(s, d)
		if len(warnings) == quiet || !slices.ContainsFunc(warnings, func(w Warning) bool {
			return w.Fact == sentence || strings.Contains(w.Consequence, sentence)
		}) {
			t.Errorf("%s: nothing warns of it: %+v", kind.Kind().Key, warnings)
		}
	}
}

func TestWarnings(t *testing.T) {
	alloc := func(c *snapshot.Composer, action snapshot.Action, n int) {
		for i := range n {
			c.Event(0, snapshot.EventText{Action: action, Addr: uint64(1 + i), Size: 1})
		}
	}
	for _, test := range []struct {
		name    string
		compose func(c *snapshot.Composer)
		mend    func(s *snapshot.Snapshot)
		want    Warning
	}{
		{name: "no allocs", compose: func(c *snapshot.Composer) { alloc(c, snapshot.Free, 3) },
			want: Warning{"The recording holds no alloc events.",
				"Every freed allocation looks as if it was there before the recording.", ""}},
		{name: "no allocs, but one whole free",
			compose: func(c *snapshot.Composer) {
				alloc(c, snapshot.FreeRequested, 1)
				alloc(c, snapshot.FreeCompleted,
					1)
			},
			want: Warning{"The recording holds no alloc events.",
				"Every freed allocation looks as if it was there before the recording.", ""}},
		{name: "no completions",
			compose: func(c *snapshot.Composer) { alloc(c, snapshot.Alloc, 3); alloc(c, snapshot.FreeRequested, 3) },
			want: Warning{"The recording holds no free_completed events.",
				"Allocations are shown as ending where their free was requested.", ""}},
		{name: "unknown actions", compose: func(c *snapshot.Composer) { alloc(c, snapshot.FirstUnknownAction, 2) },
			mend: func(s *snapshot.Snapshot) {
				s.Oddity.UnknownActions = map[string]int{"b\x1b": 1, "a": 1200, strings.Repeat("x", 50): 1, "c": 1,
					"d": 1, "e": 1, "f": 1}
			},
			want: Warning{"2 events have an unknown action and changed nothing.",
				`Not known to this version of memviz: "a" (1,200), "b\x1b" (1), "c" (1), "d" (1), "e" (1), and 2 more.`,
				""}},
		{name: "overflowed", compose: func(c *snapshot.Composer) { alloc(c, snapshot.Alloc, 250_001) },
			mend: func(s *snapshot.Snapshot) { s.Traces[0].Overflowed = true },
			want: Warning{"The oldest events are missing: the file says that its ring buffer overflowed.",
				"Nothing was live when the first event here was recorded. Keep more events:",
				"torch.cuda.memory._record_memory_history(max_entries=10000000)"}},
	} {
		c := snapshot.NewComposer(snapshot.Format{})
		test.compose(c)
		s := c.Snapshot()
		if test.mend != nil {
			test.mend(s)
		}
		d := replay.Replay(s, 0)
		found := false
		list := WarningsOn(s, d)
		for _, w := range list {
			found = found || w == test.want
		}
		if !found {
			t.Errorf("%s: no warning %+v among %+v", test.name, test.want, list)
		}
	}
}

// TestUnequalEnd says by how much the replay differs from the final segments.
func TestUnequalEnd(t *testing.T) {
	d := &replay.Device{}
	d.Totals.FinalBytes, d.Reconciliation.LiveRequestedBytes = 3072, 1024
	want := "The replay ends with 3,072 bytes active, the allocator's own list of blocks has 1,024: +2.00 KiB."
	if got := withSpaces(anomalySentence(d, replay.UnequalEnd)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNoWarnings: events that allocate nothing lack no stacks and no segments.
func TestNoWarnings(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken})
	c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken})
	s := c.Snapshot()
	if list := WarningsOn(s, replay.Replay(s, 0)); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

// TestRoom advises a power of ten, at least ten times the events that there are.
func TestRoom(t *testing.T) {
	for events, want := range map[int]string{2: "=1000000)", 100_000: "=1000000)", 100_001: "=10000000)"} {
		d := &replay.Device{Events: &snapshot.Events{Action: make([]snapshot.Action, events)}}
		d.Reconciliation.HistoryCut = true
		list := historyWarnings(&snapshot.Snapshot{Format: snapshot.Format{HasPoolID: true, HasAnnotations: true}}, d)
		if len(list) != 1 || !strings.HasSuffix(list[0].Code, want) {
			t.Errorf("%d events: %+v", events, list)
		}
	}
}

func TestQuoted(t *testing.T) {
	x := strings.Repeat("x", 40)
	for name, want := range map[string]string{x: `"` + x + `" (1)`, x + "y": `"` + x + `…" (1)`} {
		if got := phrase.Quoted(map[string]int{name: 1}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestRecordCall(t *testing.T) {
	old := &snapshot.Snapshot{Segments: make([]snapshot.Segment, 1)} // without segment_pool_id: torch 2.0
	now := &snapshot.Snapshot{Format: snapshot.Format{HasPoolID: true, HasAnnotations: true}}
	for _, test := range []struct {
		s        *snapshot.Snapshot
		room     int
		argument string
		want     string
	}{
		{now, 0, "", "()"},
		{now, 0, `context="all"`, `(context="all")`},
		{now, 1_000_000, "", "(max_entries=1000000)"},
		{old, 0, `context="all"`, "(True, trace_alloc_max_entries=100000, trace_alloc_record_context=True)"},
		{old, 1_000_000, "", "(True, trace_alloc_max_entries=1000000, trace_alloc_record_context=True)"},
	} {
		if got, want := Call(test.s, &replay.Device{}, test.room, test.argument),
			"torch.cuda.memory._record_memory_history"+
				test.want; got != want {
			t.Errorf("torch %s: %s, want %s", test.s.TorchVersion(), got, want)
		}
	}
}

func withSpaces(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }
