package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestWindowRows cuts a table of five windows at --rows.
func TestWindowRows(t *testing.T) {
	for _, test := range []struct {
		windows, rows, shown int
		more                 string
	}{
		{5, 3, 3, "and 2 more rows; --rows shows more"}, {5, 4, 4, "and 1 more row; --rows shows more"}, {5, 5, 5, ""},
		{2, 5, 2, ""}, {1, 5, 0, ""},
	} {
		table := windowTable(&Device{Windows: make([]Window, test.windows)}, steps.ByOptimizer,
			Options{Rows: test.rows})
		if len(table.Rows) != test.shown || table.More != test.more {
			t.Errorf("%+v: %d rows, %q", test, len(table.Rows), table.More)
		}
	}
}

func TestStatsText(t *testing.T) {
	for _, test := range []struct {
		golden string
		in     []answer.Input
	}{
		{"stats_training.txt", []answer.Input{answer.NewInput("runs/training.pickle", testsnap.Training())}},
		{"stats_hostile.txt", []answer.Input{answer.NewInput("hostile.pickle", testsnap.Hostile())}},
		{"stats_states.txt", []answer.Input{
			answer.NewInput("state_only.pickle", testsnap.StateOnly()),
			answer.NewInput("one_event.pickle", testsnap.OneEvent()),
			answer.NewInput("cut.pickle", testsnap.Cut()),
			answer.NewInput("empty.pickle", snapshot.NewComposer(snapshot.Format{}).Snapshot()),
		}},
	} {
		var text bytes.Buffer
		if err := Answer(test.in, Options{Rows: 5}).Write(&text, sheet.Text, sheet.Look{}); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, test.golden, text.Bytes())
		answertest.Fits(t, "stats", Answer(test.in, Options{Rows: 5}))
		for line := range strings.Lines(text.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > sheet.DefaultWidth &&
				!strings.Contains(line, "_record_memory_history") {
				t.Errorf("%s: a line of %d columns: %s", test.golden, n, line)
			}
		}
	}
}

func TestStatsJSON(t *testing.T) {
	var text bytes.Buffer
	if err := Answer([]answer.Input{answer.NewInput("runs/training.pickle", testsnap.Training())},
		Options{Rows: 5}).Write(&text,
		sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "stats_training.json", text.Bytes())

	var answer struct {
		Schema  string
		Devices []map[string]any
	}
	if err := json.Unmarshal(text.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Schema != "memviz.stats/1" || len(answer.Devices) != 1 {
		t.Fatalf("the answer is %s", &text)
	}
	// The keys that people may build on.
	keys := strings.Fields(`file torch device events allocations unmatched_frees preexisting_blocks overlapping_allocs
		baseline_bytes peak_bytes peak_state final_bytes live_at_end reserved_baseline_bytes reserved_peak_bytes
		reserved_final_bytes segments live_block_requested_bytes live_block_bytes oom_events`)
	device := answer.Devices[0]
	for _, key := range keys {
		if _, ok := device[key]; !ok {
			t.Errorf("no key %s", key)
		}
	}
}

// An answer without files or devices has empty lists, which scripts can loop over.
func TestStatsJSONHasNoNull(t *testing.T) {
	for _, in := range [][]answer.Input{nil, {answer.NewInput("empty",
		snapshot.NewComposer(snapshot.Format{}).Snapshot())}} {
		var text bytes.Buffer
		if err := Answer(in, Options{Rows: 5}).Write(&text, sheet.JSON, sheet.Look{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "null") {
			t.Errorf("%d files give %s", len(in), &text)
		}
	}
}

func TestTextHoldsNoControlCharacters(t *testing.T) {
	s := testsnap.Hostile()
	s.Oddity.UnknownActions = map[string]int{"\x1b]0;title\x07\u202e": 1}
	s.Oddity.WrongTypes = map[string]int{"\x1b[2J": 1}
	var text bytes.Buffer
	if err := Answer([]answer.Input{answer.NewInput("\x1b[31mred\r\n\u202e.pickle", s)},
		Options{Rows: 5}).Write(&text, sheet.Text,
		sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	answertest.Printable(t, text.String())
}

// TestStatsNumbers: a quarter of 4 MiB is reserved, and two OOMs are counted.
func TestStatsNumbers(t *testing.T) {
	r := answertest.Kept(512<<10, 256<<10)
	in := answer.Input{Source: r.Source, Devices: []*replay.Device{r.Device}, Recordings: []*analysis.Recording{r}}
	s := Answer([]answer.Input{in}, Options{Capacity: 4 << 20})
	if d := s.Value.(*answer.Devices[Device]).Devices[0]; d.Utilisation != 0.25 || d.CapacityBytes != 4<<20 {
		t.Errorf("%v of %d bytes are reserved", d.Utilisation, d.CapacityBytes)
	}
	for ooms, want := range map[int]string{0: "end 0, 3 events, ", 1: "3 events, 1 OOM, ", 2: "3 events, 2 OOMs, "} {
		got := answertest.Said(t, func(s *sheet.Sheet) {
			writeLine(s, &in, r, &Device{Events: 3,
				OOMEvents: ooms}, 0)
		})
		if !strings.Contains(got, want) || strings.Contains(got, "OOM") != (ooms > 0) {
			t.Errorf("%d ooms: %s", ooms, got)
		}
	}
	for _, test := range []struct {
		capacity, given int64
		want            string
	}{
		{0, 0, "reserved 1.00 MiB, end"}, {4 << 20, 4 << 20, "reserved 1.00 MiB of 4.00 MiB (25 %), end"},
		{0, 5, "reserved 1.00 MiB of at least 1.00 MiB, end"}, // the capacity is refuted
	} {
		stats := &Device{ReservedPeakBytes: 1 << 20, CapacityBytes: test.capacity}
		got := answertest.Said(t, func(s *sheet.Sheet) { writeLine(s, &in, r, stats, test.given) })
		if !strings.Contains(got, test.want) {
			t.Errorf("%+v: %s", test, got)
		}
	}
	table := reconciled(r.Device, &Device{FinalBytes: 3072, LiveBlockRequestedBytes: 1024, LiveAtEnd: 5})
	if row := table.Rows[0]; row[1] != "3,072" || row[2] != "1,024" || row[3] != "+2.00 KiB" {
		t.Errorf("bytes: %v", row)
	}
	if row := table.Rows[1]; row[1] != "5" || row[2] != "2" || row[3] != "+3" { // the file has 2 blocks
		t.Errorf("blocks: %v", row)
	}
}

// TestUnread: whatever was not understood is counted.
func TestUnread(t *testing.T) {
	x := map[string]int{"x": 1}
	for _, o := range []snapshot.Oddities{
		{UnknownKeys: x}, {UnknownActions: x}, {WrongTypes: x}, {UnknownKeys: x, UnknownActions: x},
		{UnknownActions: x, WrongTypes: x}, {UnknownKeys: x, WrongTypes: x},
	} {
		if got := newUnread(&o); got == nil || !maps.Equal(got.Keys, o.UnknownKeys) ||
			!maps.Equal(got.Actions, o.UnknownActions) || !maps.Equal(got.Fields, o.WrongTypes) {
			t.Errorf("%+v: %+v", o, got)
		}
	}
	if got := newUnread(&snapshot.Oddities{}); got != nil {
		t.Errorf("nothing: %+v", got)
	}
}

// TestWindowFragmentation measures up to 200 windows.
func TestWindowFragmentation(t *testing.T) {
	for n, measured := range map[int]bool{200: true, 201: false} {
		list := windows(answertest.Kept(slices.Repeat([]int64{1}, n)...), Every{Events: 1})
		if len(list) != n || (list[n-1].FragmentationBytes != nil) != measured {
			t.Errorf("%d windows of %d, measured: %v", len(list), n, !measured)
		}
	}
}

// TestSpan: one event has no duration.
func TestSpan(t *testing.T) {
	for n, want := range map[int64]string{1: "", 2: "over 1.00 ms", 3: "over 2.00 ms"} {
		c := snapshot.NewComposer(snapshot.Format{HasTime: true})
		for i := range n {
			c.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken, TimeMicros: 5 + 1000*i})
		}
		if got := answertest.WithSpaces(fmt.Sprint(counts(answertest.RecordingOf(c),
			&Device{}).Rows[0][2])); got != want {
			t.Errorf("%d events: %q, want %q", n, got, want)
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, test := range []struct {
		values []int64
		width  int
		want   string
	}{
		{nil, 4, ""},
		{[]int64{0, 0}, 4, "▁▁"},
		{[]int64{0, 7, 14}, 4, "▁▅█"},
		{[]int64{0, 9, 0, 0, 3, 0}, 3, "█▁▃"},
		{[]int64{-5, 1 << 62}, 2, "▁█"},
	} {
		if got := sheet.Sparkline(test.values, test.width); got != test.want {
			t.Errorf("sparkline(%v, %d) = %s, want %s", test.values, test.width, got, test.want)
		}
	}
}

// TestAnnotationsLeftOut: where the annotations are too many for two devices to have all
// of them, each has its own, and says so.
func TestAnnotationsLeftOut(t *testing.T) {
	for _, test := range []struct {
		marks int // of device 0; device 1 has one
		want  [2]int
	}{{1<<20 - 1, [2]int{}}, {1 << 20, [2]int{1, 1 << 20}}} {
		c := snapshot.NewComposer(snapshot.Format{HasTime: true})
		stack := c.Stack(snapshot.FrameText{File: "x.py", Line: 7, Name: "load"})
		for device := range snapshot.DeviceID(2) {
			for i := range uint64(2) {
				c.Event(device, snapshot.EventText{Action: snapshot.Alloc, Addr: 512 * i, Size: 512, Stack: stack,
					TimeMicros: 1})
			}
		}
		s := c.Snapshot()
		s.Annotations = make([]snapshot.Annotation, test.marks+1)
		s.Annotations[test.marks].Device = 1
		in := answer.NewInput("many.pickle", s)
		for i, r := range in.Recordings {
			stats := newDevice(&in, r, Options{})
			warns := slices.ContainsFunc(trust.WarningsOf(r), func(w trust.Warning) bool {
				return strings.HasPrefix(w.Fact, "The file has too many annotations ") &&
					strings.HasPrefix(w.Consequence, units.Count(test.want[i])+" start")
			})
			if stats.AnnotationsLeftOut != test.want[i] || warns != (test.want[i] > 0) {
				t.Errorf("%d on device %d: %d left out, warns: %t", test.marks, i, stats.AnnotationsLeftOut, warns)
			}
		}
	}
}
