package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// contents is all that a snapshot says, field by field and with its texts in
// place, but not how it was read.
func contents(s *snapshot.Snapshot) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for i, f := range s.Frames {
		line("frame %d %q %q %d", i, valid(s.String(f.File)), valid(s.String(f.Name)), max(f.Line, 0))
	}
	for id := range s.Stacks.Len() {
		line("stack %d %v", id, s.Stacks.Frames(snapshot.StackID(id)))
	}
	for _, seg := range s.Segments {
		blocks := s.BlocksOf(&seg)
		seg.FirstBlock = 0
		line("segment %+v", seg)
		for _, block := range blocks {
			line("block %+v", block)
		}
	}
	for i := range s.Traces {
		trace := s.Traces[i]
		columns := reflect.ValueOf(trace.Events)
		trace.Events = snapshot.Events{}
		line("trace %+v", trace)
		for j := range columns.NumField() {
			column := columns.Field(j).Interface()
			if ids, are := column.([]snapshot.StringID); are {
				texts := make([]string, len(ids))
				for k, id := range ids {
					texts[k] = valid(s.String(id))
				}
				column = texts
			}
			if reflect.ValueOf(column).Len() > 0 {
				line("%s %q", columns.Type().Field(j).Name, fmt.Sprint(column))
			}
		}
	}
	for _, a := range s.Annotations {
		name := valid(s.String(a.Name))
		a.Name = 0
		line("annotation %q %+v", name, a)
	}
	format := s.Format
	format.Way = ""
	line("%v %v %q %+v %+v %+v %+v", s.Streams, s.Pools, s.ActionNames, s.Settings, format, s.Oddity, s.Redaction)
	if part := s.Salvaged; part != nil {
		line("salvaged %d %d %d %t", part.At, part.Events, part.From, part.NoEnd)
		in := answer.NewInput("", s)
		line("%+v %s", *in.Salvaged(), in.SalvagedSentence())
	}
	return b.String()
}

// TestContents: contents knows all fields of a snapshot.
func TestContents(t *testing.T) {
	var fields []string
	for i := range reflect.TypeFor[snapshot.Snapshot]().NumField() {
		fields = append(fields, reflect.TypeFor[snapshot.Snapshot]().Field(i).Name)
	}
	const known = "Strings Frames Stacks Streams Pools Segments Blocks Traces ActionNames Settings Annotations " +
		"Format Oddity Salvaged Redaction"
	if got := strings.Join(fields, " "); got != known {
		t.Errorf("a snapshot has %s; contents knows %s", got, known)
	}
}

// writeData writes all that differs between the pages of reports.
func writeData(t testing.TB, w io.Writer, d *Document) {
	t.Helper()
	model, err := json.Marshal(d.report)
	if err == nil {
		err = frame.WriteJSON(w, "memviz-report", model)
	}
	if err == nil {
		err = d.writePayloads(w)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readBack is what the report of a file holds of its snapshot.
func readBack(t testing.TB, d *Document) *snapshot.Snapshot {
	t.Helper()
	s, _ := readOrigin(t, d)
	return s
}

// readOrigin is readBack with what else the report knows of the snapshot.
func readOrigin(t testing.TB, d *Document) (*snapshot.Snapshot, analysis.Origin) {
	t.Helper()
	var page bytes.Buffer
	page.WriteString(`<!doctype html><meta name="generator" content="memviz test">`) // the rest is the same in all
	writeData(t, &page, d)
	read, err := Read(&page)
	if err != nil {
		t.Fatal(err)
	}
	s, origin, err := read.Snapshot(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s, origin
}

// checkSame says where two long texts part.
func checkSame(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, strings.LastIndexByte(want[:at], '\n')+1, at-60)
	t.Errorf("the report says\n%.300s\n, the snapshot\n%.300s", got[from:], want[from:])
}

// known are the snapshots that these tests read back: all committed ones, real
// ones if there are any, and small ones with a point.
func known(t testing.TB) map[string]*snapshot.Snapshot {
	t.Helper()
	all := map[string]*snapshot.Snapshot{
		"training": testsnap.Training(), "state only": testsnap.StateOnly(), "one event": testsnap.OneEvent(),
		"cut": testsnap.Cut(), "nothing": snapshot.NewComposer(snapshot.Format{}).Snapshot(), "busy": busy(3000),
		"host memory": testsnap.HostMemory(), "GPU and host": gpuAndHost(),
	}
	stories, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "*.p*[tz]"))
	if err != nil || len(stories) < 25 {
		t.Fatalf("%d example files, want 25 or more (%v)", len(stories), err)
	}
	for _, path := range slices.Concat(stories, testkit.Snapshots(t), testkit.Encodings(t),
		[]string{filepath.Join("..", "snapshot", "testdata", "newer", "mlx.json")}) {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))] = s
	}
	return all
}

// TestSnapshotOfAReport: a report holds its snapshot, to the last field.
func TestSnapshotOfAReport(t *testing.T) {
	for name, s := range known(t) {
		t.Run(name, func(t *testing.T) {
			want := contents(s)
			back := readBack(t, Encode("memviz test", []answer.Input{answer.NewInput(name, s)}, nil))
			checkSame(t, contents(back), want)
		})
	}
}

// TestReportOfAReport: the report of what a report holds has the same bytes, also
// without addresses and times.
func TestReportOfAReport(t *testing.T) {
	for name, s := range known(t) {
		for _, o := range []codec.Omission{{}, {Addresses: true}, {Addresses: true, Times: true}} {
			t.Run(name+" "+strings.Join(o.Keys(), ","), func(t *testing.T) {
				d := Encode("memviz test", []answer.Input{answer.NewInput(name, s)}, nil)
				d.Omit(o)
				back := readBack(t, d)
				if r := back.Redaction; r.Addresses != o.Addresses || r.Times != o.Times {
					t.Errorf("the snapshot says %+v of itself", r)
				}
				again := Encode("memviz test", []answer.Input{answer.NewInput(name, back)}, nil)
				if !bytes.Equal(bytesOf(t, again), bytesOf(t, d)) {
					t.Error("the reports differ")
				}
			})
		}
	}
}

// answers are what commands say of a snapshot, in every format. With commands,
// only those are asked.
func answers(t testing.TB, in answer.Input, commands ...string) map[string]string {
	t.Helper()
	list, all := []answer.Input{in}, map[string]string{}
	ask := questions(&in)
	ask["whatif"] = func() (*sheet.Sheet, error) { return whatif.Answer(list, whatif.Options{}) }
	for i := range holders.ByCount {
		by := holders.By(i)
		ask["top by "+by.String()] = func() (*sheet.Sheet, error) {
			return top.Answer(list, top.Options{At: answer.Peak, Grouping: holders.Grouping{By: by}, Rows: 50})
		}
	}
	for what, find := range ask {
		command, _, _ := strings.Cut(what, " ")
		if len(commands) > 0 && !slices.Contains(commands, command) {
			continue
		}
		said, err := find()
		if err != nil {
			all[what] = err.Error()
			continue
		}
		answer.MarkRedacted(said, answer.RedactionOf(list))
		answer.MarkSalvaged(said, list)
		for _, format := range sheet.Formats {
			var text strings.Builder
			if err := said.Write(&text, format, sheet.Look{}); err != nil {
				t.Fatal(err)
			}
			all[what+" as "+string(format)] = text.String()
		}
	}
	var folded strings.Builder
	if err := errors.Join(top.Folded(&folded, &in, answer.Peak), top.FoldedSegments(&folded, &in)); err != nil {
		all["folded"] = err.Error()
	}
	all["folded"] += folded.String()
	return all
}

// TestAnswersFromAReport: every command says of a report what it says of the
// snapshot, also with pseudonyms.
func TestAnswersFromAReport(t *testing.T) {
	pseudonyms := redact.Options{Paths: true, Names: true, Salt: []byte("salt")}
	for name, s := range known(t) {
		t.Run(name, func(t *testing.T) {
			back := readBack(t, Encode("memviz test", []answer.Input{answer.NewInput(name, s)}, nil))
			checkAnswers(t, answers(t, answer.NewInput(name, back)), answers(t, answer.NewInput(name, s)))
			pseudonyms.Snapshot(back)
			pseudonyms.Snapshot(s)
			checkAnswers(t, answers(t, answer.NewInput(name, back), "top", "leaks"),
				answers(t, answer.NewInput(name, s), "top", "leaks"))
		})
	}
}

func checkAnswers(t testing.TB, got, want map[string]string) {
	t.Helper()
	if len(want) < 20 {
		t.Errorf("%d answers", len(want))
	}
	for what := range want {
		if got[what] != want[what] {
			t.Errorf("%s:", what)
			checkSame(t, got[what], want[what])
		}
	}
}

// What a person's own rules decided is in the report too, also where their text is
// not to be shown.
func TestDecisionsOfAReport(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		rules, err := families.ParseOverrides("mine.txt", strings.NewReader("# mine\ncache: function forward\n"+
			"optimizer: operator aten::*\ninput: file nowhere.py\n"))
		if err != nil {
			t.Fatal(err)
		}
		if hidden {
			rules.HideText()
		}
		in := answer.NewInput("training", testsnap.Training())
		in.Override(rules)
		want := bytesOf(t, Encode("memviz test", []answer.Input{in}, nil))
		read, err := Read(bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		s, origin, err := read.Snapshot(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := answer.NewInputFrom("training", s, origin)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Recordings[0].Families().Rules, in.Recordings[0].Families().Rules) {
			t.Error("the families differ")
		}
		if !bytes.Equal(bytesOf(t, Encode("memviz test", []answer.Input{again}, nil)), want) {
			t.Error("the reports differ")
		}
		if hidden == bytes.Contains(want, []byte("mine.txt")) {
			t.Errorf("hidden is %t, and the file is named or not", hidden)
		}
		without := answer.NewInput("", s)
		if slices.Max(in.Recordings[0].Families().Rules) == slices.Max(without.Recordings[0].Families().Rules) {
			t.Error("the rules decide nothing")
		}
	}
}

// TestSnapshotWithoutAddresses: replay finds the same in a report that was made
// smaller, but for addresses.
func TestSnapshotWithoutAddresses(t *testing.T) {
	checked := 0
	for name, s := range known(t) {
		t.Run(name, func(t *testing.T) {
			if checkForgotten(t, answer.NewInput(name, s)) {
				checked++
			}
		})
	}
	if checked < 20 {
		t.Errorf("only %d reports lost their addresses", checked)
	}
}

// unplaced is a recording with a final segment of no bytes on each device, which cannot be:
// so a report of it has addresses in place of places.
func unplaced(in answer.Input) answer.Input {
	s := *in.Snapshot
	s.Segments = slices.Clone(s.Segments)
	for _, d := range in.Devices {
		s.Segments = append(s.Segments, snapshot.Segment{Device: d.ID, FirstBlock: int32(len(s.Blocks))})
	}
	s.SortSegments()
	return answer.NewInput(in.Name, &s)
}

// ofAddresses is what only addresses tell two recordings apart by: what reserved memory
// was used for.
var ofAddresses = regexp.MustCompile(`; not in use then [^"]*|"(?:cached|fragmented)_bytes": [^,\n]*` +
	`|(?:How much of it was in use|Fragmentation at the peaks) [^"]*`)

// checkForgotten compares a recording with its report without addresses, if it
// has any.
func checkForgotten(t testing.TB, in answer.Input) bool {
	t.Helper()
	in = unplaced(in)
	d := Encode("memviz test", []answer.Input{in}, nil)
	if !d.has(codec.Addresses) {
		return false
	}
	d.files[0].Omit(codec.Addresses)
	s, origin := readOrigin(t, d)
	if !origin.AddressesLost {
		t.Error("the snapshot does not say that its addresses are lost")
	}
	again, err := answer.NewInputFrom(in.Name, s, origin)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range in.Devices {
		checkReplayed(t, again.Devices[i], want)
	}
	commands := []string{"top", "leaks", "diff", "ranks"} // the others need addresses and refuse such a report
	want, got := answers(t, in, commands...), answers(t, again, commands...)
	for what := range want {
		if what == "diff as json" {
			want[what] = ofAddresses.ReplaceAllString(want[what], "")
			got[what] = ofAddresses.ReplaceAllString(got[what], "")
		} else if strings.HasPrefix(what, "diff as ") { // says the same
			continue
		}
		if !strings.HasPrefix(what, "top by pool") && got[what] != want[what] {
			t.Errorf("%s:", what)
			checkSame(t, got[what], want[what])
		}
	}
	return true
}

// checkReplayed compares two replays of one device whose addresses may differ.
func checkReplayed(t testing.TB, got, want *replay.Device) {
	t.Helper()
	if got.Totals != want.Totals || got.Anomalies != want.Anomalies || got.Reconciliation != want.Reconciliation {
		t.Errorf("%+v %+v %+v, want\n%+v %+v %+v", got.Totals, got.Anomalies, got.Reconciliation, want.Totals,
			want.Anomalies, want.Reconciliation)
	}
	if len(got.Allocations) != len(want.Allocations) {
		t.Fatalf("%d allocations, want %d", len(got.Allocations), len(want.Allocations))
	}
	for i := range want.Allocations {
		a, b := got.Allocations[i], want.Allocations[i]
		a.Addr, a.Version, b.Addr, b.Version = 0, 0, 0, 0
		if a != b {
			t.Fatalf("allocation %d is %+v, want %+v", i, a, b)
		}
	}
}

// A report that is smaller still, or older, does not stand for its snapshot, and
// says why.
func TestIncompleteReport(t *testing.T) {
	d := Encode("memviz test", []answer.Input{answer.NewInput("busy", busy(3000))}, nil)
	var tooLarge *TooLargeError
	if err := d.Fit(1); !errors.As(err, &tooLarge) {
		t.Fatal(err)
	}
	read, err := Read(bytes.NewReader(bytesOf(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	const want = "this report was made smaller (--max-size) and lacks addresses, times finer than 100 µs, stack " +
		"frames below the user's code, the stacks of frees; name the snapshot instead"
	if _, _, err := read.Snapshot(0, 0); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestHostileSnapshots: a report cannot claim more than it holds.
func TestHostileSnapshots(t *testing.T) {
	page, err := decodePage(bytesOf(t,
		Encode("memviz test", []answer.Input{unplaced(answer.NewInput("training", testsnap.Training()))}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	device, rest := page.payloads["device-0-0"], page.payloads["snapshot-0"]
	const deep = 100_000
	// As many stacks as frames, each with all frames.
	deepStacks := make([]byte, 1002)
	deepStacks[0], deepStacks[1] = 0xe8, 7 // 1000 strings
	for range 4 {
		deepStacks = appendColumn(deepStacks, 0) // a frame
	}
	zeros := make([]uint64, deep)
	deepStacks = appendColumn(deepStacks, slices.Repeat([]uint64{1}, deep)...)
	deepStacks = appendColumn(deepStacks, zeros...)
	deepStacks = appendColumn(deepStacks, append([]uint64{0}, slices.Repeat([]uint64{deep}, deep-1)...)...)
	for range 5 {
		deepStacks = appendColumn(deepStacks, zeros...)
	}
	for _, test := range []struct {
		name, want string
		device     func(*recording.Device)
		payloads   map[string][]byte
	}{
		{name: "nothing is changed"},
		{name: "stacks without end", want: "the snapshot in the report takes more memory",
			payloads: map[string][]byte{"stacks-0": deepStacks}},
		{name: "more events", want: "damaged report: snapshot-0: 1073741824 events, of which",
			device:   func(d *recording.Device) { d.Events, d.HasTime = 1<<30, false },
			payloads: map[string][]byte{"device-0-0": edited(t, device, 0, func([]uint64) []uint64 { return nil })}},
		{name: "another device", want: "damaged report: snapshot-0: no trace for device 7",
			device: func(d *recording.Device) { d.Device = 7 }},
		{name: "an event of two allocations", want: "damaged report: snapshot-0: event ",
			payloads: map[string][]byte{"device-0-0": edited(t, device, 1,
				func(values []uint64) []uint64 { values[1] = 0; return values })}},
		{name: "a column less", want: "damaged report: snapshot-0: column ",
			payloads: map[string][]byte{"snapshot-0": rest[:len(rest)-1]}},
	} {
		r := page.report
		r.Files = []recording.File{r.Files[0]}
		r.Files[0].Devices = slices.Clone(r.Files[0].Devices)
		if test.device != nil {
			test.device(&r.Files[0].Devices[0])
		}
		model, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		payloads := maps.Clone(page.payloads)
		maps.Copy(payloads, test.payloads)
		read, err := Read(bytes.NewReader(pageOf(t, model, payloads)))
		if err == nil {
			_, _, err = read.Snapshot(0, 0)
		}
		if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}
