package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestStatsText(t *testing.T) {
	for _, test := range []struct {
		golden string
		in     []Input
	}{
		{"stats_training.txt", []Input{NewInput("runs/training.pickle", testsnap.Training())}},
		{"stats_hostile.txt", []Input{NewInput("hostile.pickle", testsnap.Hostile())}},
		{"stats_states.txt", []Input{
			NewInput("state_only.pickle", testsnap.StateOnly()),
			NewInput("one_event.pickle", testsnap.OneEvent()),
			NewInput("cut.pickle", testsnap.Cut()),
			NewInput("empty.pickle", snapshot.NewComposer(snapshot.Format{}).Snapshot()),
		}},
	} {
		var text bytes.Buffer
		if err := Stats(test.in, StatsOptions{Rows: 5}).Write(&text, Text, Look{}); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, test.golden, text.Bytes())
		fits(t, "stats", Stats(test.in, StatsOptions{Rows: 5}))
		for line := range strings.Lines(text.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > DefaultWidth &&
				!strings.Contains(line, "_record_memory_history") {
				t.Errorf("%s: a line of %d columns: %s", test.golden, n, line)
			}
		}
	}
}

func TestStatsJSON(t *testing.T) {
	var text bytes.Buffer
	if err := Stats([]Input{NewInput("runs/training.pickle", testsnap.Training())}, StatsOptions{Rows: 5}).Write(&text,
		JSON, Look{}); err != nil {
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
	for _, in := range [][]Input{nil, {NewInput("empty", snapshot.NewComposer(snapshot.Format{}).Snapshot())}} {
		var text bytes.Buffer
		if err := Stats(in, StatsOptions{Rows: 5}).Write(&text, JSON, Look{}); err != nil {
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
	if err := Stats([]Input{NewInput("\x1b[31mred\r\n\u202e.pickle", s)}, StatsOptions{Rows: 5}).Write(&text, Text,
		Look{}); err != nil {
		t.Fatal(err)
	}
	printable(t, text.String())
}

func printable(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text holds %U:\n%q", r, text)
		}
	}
}

// TestStatsNumbers: a quarter of 4 MiB is reserved, and two OOMs are counted.
func TestStatsNumbers(t *testing.T) {
	r := kept(512<<10, 256<<10)
	in := Input{Source: r.Source, Devices: []*replay.Device{r.Device}, Recordings: []*analysis.Recording{r}}
	s := Stats([]Input{in}, StatsOptions{Capacity: 4 << 20})
	if d := s.value.(*devices[DeviceStats]).Devices[0]; d.Utilisation != 0.25 || d.CapacityBytes != 4<<20 {
		t.Errorf("%v of %d bytes are reserved", d.Utilisation, d.CapacityBytes)
	}
	for ooms, want := range map[int]string{0: "end 0, 3 events, ", 1: "3 events, 1 OOM, ", 2: "3 events, 2 OOMs, "} {
		got := said(t, func(s *Sheet) { s.oneLine(&in, r, &DeviceStats{Events: 3, OOMEvents: ooms}, 0) })
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
		stats := &DeviceStats{ReservedPeakBytes: 1 << 20, CapacityBytes: test.capacity}
		got := said(t, func(s *Sheet) { s.oneLine(&in, r, stats, test.given) })
		if !strings.Contains(got, test.want) {
			t.Errorf("%+v: %s", test, got)
		}
	}
	table := reconciled(r.Device, &DeviceStats{FinalBytes: 3072, LiveBlockRequestedBytes: 1024, LiveAtEnd: 5})
	if row := table.rows[0]; row[1] != "3,072" || row[2] != "1,024" || row[3] != "+2.00 KiB" {
		t.Errorf("bytes: %v", row)
	}
	if row := table.rows[1]; row[1] != "5" || row[2] != "2" || row[3] != "+3" { // the file has 2 blocks
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
		list := windows(kept(slices.Repeat([]int64{1}, n)...), Every{Events: 1})
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
		if got := withSpaces(fmt.Sprint(counts(recordingOf(c), &DeviceStats{}).rows[0][2])); got != want {
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
		if got := sparkline(test.values, test.width); got != test.want {
			t.Errorf("sparkline(%v, %d) = %s, want %s", test.values, test.width, got, test.want)
		}
	}
}
