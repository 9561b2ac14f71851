package report

import (
	"bytes"
	"compress/flate"
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
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/replay"
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

// TestContents: contents knows all fields of a snapshot, and the payload all
// flags of its format and of what was redacted.
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
	format, redaction := snapshot.Format{}, snapshot.Redaction{}
	for _, flag := range append(formatFlags(&format), redactionFlags(&redaction)...) {
		*flag = true
	}
	for _, of := range []any{format, redaction} {
		v := reflect.ValueOf(of)
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Bool && !v.Field(i).Bool() {
				t.Errorf("no report holds %s", v.Type().Field(i).Name)
			}
		}
	}
}

// TestMadeUpAddresses: no two allocations have the same, and those that were kept keep theirs.
func TestMadeUpAddresses(t *testing.T) {
	const base = uint64(1) << 62
	for _, test := range []struct {
		kept map[int]uint64
		want []uint64
	}{
		{nil, []uint64{base, base + 1, base + 2}},
		{map[int]uint64{1: 4096}, []uint64{base, 4096, base + 2}},
		{map[int]uint64{1: base}, []uint64{base + 1, base, base + 3}},
		{map[int]uint64{0: base + 2, 1: base + 1}, []uint64{base + 2, base + 1, base + 5}},
		{map[int]uint64{1: base + 3}, []uint64{base, base + 3, base + 2}}, // beyond the last that is made up
	} {
		address := madeUpAddresses(test.kept, 3)
		var got []uint64
		for i := range 3 {
			got = append(got, address(i, 512))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %x, want %x", test.kept, got, test.want)
		}
	}
}

// TestMoveAddresses: where it is not known where the tensors lay, addresses count from 2
// MiB below the lowest one, on whole 2 MiB. What an OOM says is free is none.
func TestMoveAddresses(t *testing.T) {
	const step = 2 << 20
	for _, test := range []struct {
		event, segment, block uint64
		base                  uint64
	}{
		{5*step + 512, 9 * step, 9 * step, 4 * step}, {9 * step, 5*step + 512, 9 * step, 4 * step},
		{9 * step, 9 * step, 5 * step, 4 * step}, {step, 9 * step, 9 * step, 0}, {step - 512, 9 * step, 9 * step, 0},
		{0, 3 * step, 3 * step, 2 * step},
	} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: test.event, Size: 512})
		c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 512, Size: 1 << 30})
		c.Segment(snapshot.Segment{Address: test.segment, TotalSize: step},
			snapshot.Block{Address: test.block, Size: step})
		in := answer.NewInput("", c.Snapshot())
		if m := moveAddresses(&in, in.Devices, []*deviceSpace{nil}); m.base != test.base || m.lanes != nil {
			t.Errorf("%+v: the base is %d, with %d lanes", test, m.base, len(m.lanes))
		}
	}
}

func TestFreeKind(t *testing.T) {
	e := &snapshot.Events{Action: []snapshot.Action{snapshot.Alloc, snapshot.FreeRequested, snapshot.FreeCompleted,
		snapshot.Free}}
	for want, a := range map[freeKind]replay.Allocation{
		usualFree:      {FreeRequested: 1, End: 2},
		completedOnly:  {FreeRequested: replay.None, End: 2},
		freedAtOnce:    {FreeRequested: 3, End: 3},
		requestedOnly:  {FreeRequested: 1, End: 1},
		freeUnrecorded: {FreeRequested: replay.None, End: 0},
	} {
		if got := freeKindOf(&a, e); got != want {
			t.Errorf("%+v is of kind %d, want %d", a, got, want)
		}
	}
	if got := freeKindOf(&replay.Allocation{FreeRequested: replay.None, End: replay.None}, e); got != usualFree {
		t.Errorf("what lives to the end is of kind %d", got)
	}
}

func TestCommonSuffix(t *testing.T) {
	type frames = []snapshot.FrameID
	for _, test := range []struct {
		a, b frames
		want int
	}{
		{nil, nil, 0}, {frames{1}, nil, 0}, {frames{1, 2, 3}, frames{9, 2, 3}, 2}, {frames{2, 3}, frames{1, 2, 3}, 2},
		{frames{1, 2, 3}, frames{2, 3}, 2}, {frames{3, 1}, frames{3, 2}, 0}, {frames{1, 2}, frames{1, 2}, 2},
	} {
		if got := commonSuffix(test.a, test.b); got != test.want {
			t.Errorf("%v and %v: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// writeData writes all that differs between the pages of reports.
func writeData(t testing.TB, w io.Writer, d *Document) {
	t.Helper()
	err := d.page.writeViews(w, "memviz-report", d.report)
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
		for _, o := range []Omission{{}, {Addresses: true}, {Addresses: true, Times: true}} {
			t.Run(name+" "+strings.Join(o.keys(), ","), func(t *testing.T) {
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
	ask["whatif"] = func() (*answer.Sheet, error) { return answer.WhatIf(list, answer.WhatIfOptions{}) }
	for i := range holders.ByCount {
		by := holders.By(i)
		ask["top by "+by.String()] = func() (*answer.Sheet, error) {
			return answer.Top(list, answer.TopOptions{At: answer.Peak, Grouping: holders.Grouping{By: by}, Rows: 50})
		}
	}
	for what, find := range ask {
		command, _, _ := strings.Cut(what, " ")
		if len(commands) > 0 && !slices.Contains(commands, command) {
			continue
		}
		sheet, err := find()
		if err != nil {
			all[what] = err.Error()
			continue
		}
		sheet.Redacted(answer.RedactionOf(list))
		sheet.Salvaged(list)
		for _, format := range answer.Formats {
			var text strings.Builder
			if err := sheet.Write(&text, format, answer.Look{}); err != nil {
				t.Fatal(err)
			}
			all[what+" as "+string(format)] = text.String()
		}
	}
	var folded strings.Builder
	if err := errors.Join(answer.Folded(&folded, &in, answer.Peak), answer.FoldedSegments(&folded, &in)); err != nil {
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

// withoutSpaces has addresses in place of places.
func withoutSpaces(d *Document) *Document {
	for _, f := range d.files {
		for i, p := range f.devices {
			p := p.(*devicePayload)
			p.space, p.view.Space = nil, nil
			f.spaceElements[i], f.addressElements[i], f.predictedElements[i] = element{}, element{}, element{}
			if p.view.Predicted != nil {
				p.view.Predicted.Space = nil
			}
			p.view.Measures.dropSpaces()
			p.measured = nil
		}
		f.encode(nil, func() ([]*deviceSpace, []*differences) {
			return make([]*deviceSpace, len(f.devices)), f.snapshot.differs
		})
	}
	return d
}

// ofAddresses is what only addresses tell two recordings apart by: what reserved memory
// was used for.
var ofAddresses = regexp.MustCompile(`; not in use then [^"]*|"(?:cached|fragmented)_bytes": [^,\n]*` +
	`|(?:How much of it was in use|Fragmentation at the peaks) [^"]*`)

// checkForgotten compares a recording with its report without addresses, if it
// has any.
func checkForgotten(t testing.TB, in answer.Input) bool {
	t.Helper()
	d := withoutSpaces(Encode("memviz test", []answer.Input{in}, nil))
	if !d.has(omitAddresses) {
		return false
	}
	d.files[0].omit(omitAddresses)
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
	page, err := decodePage(bytesOf(t, withoutSpaces(
		Encode("memviz test", []answer.Input{answer.NewInput("training", testsnap.Training())}, nil))))
	if err != nil {
		t.Fatal(err)
	}
	device, rest := page.payloads["device-0-0"], page.payloads["snapshot-0"]
	const deep = 100_000
	withDeepStacks := unpackedColumns(t, func(c *columnWriter) { // as many stacks as frames, each with all frames
		c.strings(make([]string, 1000))
		for range 4 {
			c.column(1, func(int) uint64 { return 0 }) // a frame
		}
		c.column(deep, func(int) uint64 { return 1 })
		c.column(deep, func(int) uint64 { return 0 })
		c.column(deep, func(i int) uint64 { return min(uint64(i), 1) * deep })
		for range stackColumns - stackSite {
			c.column(deep, func(int) uint64 { return 0 })
		}
	})
	for _, test := range []struct {
		name, want string
		device     func(*Device)
		payloads   map[string][]byte
	}{
		{name: "nothing is changed"},
		{name: "stacks without end", want: "the snapshot in the report takes more memory",
			payloads: map[string][]byte{"stacks-0": withDeepStacks}},
		{name: "more events", want: "damaged report: snapshot-0: 1073741824 events, of which",
			device:   func(d *Device) { d.Events, d.HasTime = 1<<30, false },
			payloads: map[string][]byte{"device-0-0": edited(t, device, columnTime, nil)}},
		{name: "another device", want: "damaged report: snapshot-0: no trace for device 7",
			device: func(d *Device) { d.Device = 7 }},
		{name: "an event of two allocations", want: "damaged report: snapshot-0: event ",
			payloads: map[string][]byte{"device-0-0": edited(t, device, columnStart,
				func(values []uint64) []uint64 { values[1] = 0; return values })}},
		{name: "a column less", want: "damaged report: snapshot-0: column ",
			payloads: map[string][]byte{"snapshot-0": rest[:len(rest)-1]}},
	} {
		r := page.report
		r.Files = []File{r.Files[0]}
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

// unpackedColumns is a payload before DEFLATE.
func unpackedColumns(t testing.TB, fill func(*columnWriter)) []byte {
	t.Helper()
	raw, err := io.ReadAll(flate.NewReader(io.MultiReader(bytes.NewReader(pack(packTimes, nil, fill).packed),
		strings.NewReader(lastBlock))))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// edited is the payload of a device with other values in a column; without edit
// the column is empty.
func edited(t testing.TB, raw []byte, column int, edit func([]uint64) []uint64) []byte {
	t.Helper()
	columns, err := splitColumns(raw, deviceColumns, false)
	if err != nil {
		t.Fatal(err)
	}
	var values []uint64
	if edit != nil {
		for _, v := range columns.all(column) {
			values = append(values, v)
		}
		values = edit(values)
	}
	return unpackedColumns(t, func(c *columnWriter) {
		columns.write(c, 0, column)
		c.column(len(values), func(i int) uint64 { return values[i] })
		columns.write(c, column+1, deviceColumns)
	})
}
