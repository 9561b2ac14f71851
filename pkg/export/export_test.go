package export

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// eachSnapshot runs a test on all stories and real snapshots.
func eachSnapshot(t *testing.T, test func(t *testing.T, in []answer.Input)) {
	for _, path := range testkit.Snapshots(t) {
		name := filepath.ToSlash(path)
		t.Run(strings.ReplaceAll(name[max(strings.LastIndex(name, "examples/"), 0):], "/", ":"), func(t *testing.T) {
			s, err := snapshot.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, []answer.Input{answer.NewInput(filepath.Base(path), s)})
		})
	}
}

// input wraps a snapshot made by testsnap.
func input(s *snapshot.Snapshot) []answer.Input {
	return []answer.Input{answer.NewInput("snap.pickle", s)}
}

// write returns the export of inputs in a format.
func write(t testing.TB, f *Format, in []answer.Input, o Options) []byte {
	t.Helper()
	o.Program = "memviz"
	var b bytes.Buffer
	if err := f.Write(&b, in, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// csvRows returns the rows of a table, by the names of its columns.
func csvRows(t testing.TB, in []answer.Input, o Options) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(write(t, csvFormat, in, o))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// jsonRows returns the rows of JSON Lines, with exact numbers.
func jsonRows(t testing.TB, in []answer.Input, o Options) []map[string]any {
	t.Helper()
	var rows []map[string]any
	d := json.NewDecoder(bytes.NewReader(write(t, jsonlFormat, in, o)))
	d.UseNumber()
	for {
		var row map[string]any
		if err := d.Decode(&row); err == io.EOF {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// everything returns the output of all formats and tables, unpacked.
func everything(t testing.TB, in []answer.Input, o Options) []byte {
	t.Helper()
	var all []byte
	for _, f := range Formats {
		tables := []*Table{nil}
		if slices.Contains(f.Takes, TableOption) {
			tables = Tables
		}
		for _, table := range tables {
			o.Table = table
			text := write(t, f, in, o)
			if f == pprofFormat {
				r, err := gzip.NewReader(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				if text, err = io.ReadAll(r); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, text...)
		}
	}
	return all
}

// TestRedacted: no name of a redacted snapshot is in any export.
func TestRedacted(t *testing.T) {
	o := redact.Options{Paths: true, Names: true, Salt: []byte("salt")}
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		s := in[0].Snapshot
		if len(s.Frames) == 0 {
			return // no names
		}
		before := namesOf(s)
		o.Snapshot(s)
		for text := range namesOf(s) {
			delete(before, text) // public
		}
		if len(before) == 0 {
			t.Fatal("nothing was redacted")
		}
		name := in[0].Name
		all := everything(t, []answer.Input{answer.NewInput(o.FileName(name), s)}, Options{})
		before[name], before["/ada/"] = true, true
		for text := range before {
			if hasName(all, text) {
				t.Errorf("%q is in an export", text)
			}
		}
	})
}

// hasName reports whether a text contains a name that is not part of another one.
func hasName(text []byte, name string) bool {
	inWord := func(b byte) bool {
		return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
	}
	for at := 0; name != ""; at++ {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			return false
		}
		at += i
		end := at + len(name)
		before := at > 0 && inWord(text[at-1]) && inWord(name[0])
		after := end < len(text) && inWord(text[end]) && inWord(name[len(name)-1])
		if !before && !after {
			return true
		}
	}
	return false
}

// namesOf returns the names in a snapshot, and the texts that people wrote.
func namesOf(s *snapshot.Snapshot) map[string]bool {
	names := map[string]bool{}
	for i := range s.Frames {
		names[s.String(s.Frames[i].Name)], names[s.String(s.Frames[i].File)] = true, true
	}
	for i := range s.Annotations {
		names[s.String(s.Annotations[i].Name)] = true
	}
	for i := range s.Traces {
		e := &s.Traces[i].Events
		for _, id := range slices.Concat(e.Metadata, e.CompileContext) {
			names[s.String(id)] = true
		}
	}
	return names
}

// TestOmitted: without addresses no address and no handle of a stream is in any export,
// and without times no time.
func TestOmitted(t *testing.T) {
	in := input(testsnap.Training())
	o := Options{Omit: Omission{Addresses: true, Times: true}}
	with, without := everything(t, in, Options{}), everything(t, in, o)
	d := in[0].Devices[0]
	var secrets []string
	for i := range d.Allocations {
		secrets = append(secrets, hexOf(d.Allocations[i].Addr))
	}
	for _, handle := range in[0].Snapshot.Streams[1:] {
		secrets = append(secrets, hexOf(handle))
	}
	for _, secret := range secrets {
		if !bytes.Contains(with, []byte(secret)) {
			t.Errorf("%s is in no export with addresses", secret)
		}
		if bytes.Contains(without, []byte(secret)) {
			t.Errorf("%s is in an export without addresses", secret)
		}
	}
	for _, table := range Tables {
		o.Table = table
		for _, row := range csvRows(t, in, o) {
			for _, name := range []string{"address", "time_us", "start_time_us", "end_time_us", "segment"} {
				if row[name] != "" {
					t.Fatalf("%s: %s is %s", table.Name, name, row[name])
				}
			}
		}
	}
	trace := readTrace(t, write(t, perfettoFormat, in, o))
	if trace.BaseTime != 0 || trace.OtherData["redacted"] != "addresses,times" {
		t.Errorf("a trace without times has the base %d, and says that %q is redacted", trace.BaseTime,
			trace.OtherData["redacted"])
	}
	for _, e := range trace.Events {
		if e.At > int64(d.Events.Len()) || e.At < 0 {
			t.Errorf("%s is at %d", e.Name, e.At)
		}
	}
}

// TestLostAddresses: placeholders that a report has for addresses are not exported.
func TestLostAddresses(t *testing.T) {
	in := input(testsnap.Training())
	in[0].Origin.AddressesLost = true
	for _, table := range Tables {
		for _, row := range csvRows(t, in, Options{Table: table}) {
			if row["address"] != "" || row["segment"] != "" {
				t.Fatalf("%s has the address %q and the segment %q", table.Name, row["address"], row["segment"])
			}
		}
	}
}

// TestFullDisk: a failed write is an error, and ends the work soon.
func TestFullDisk(t *testing.T) {
	in := input(testsnap.Training())
	for _, f := range Formats {
		whole := len(write(t, f, in, Options{}))
		for _, room := range []int{0, whole / 2, whole - 1} {
			disk := &fullDisk{room: room}
			if err := f.Write(disk, in, Options{Program: "memviz"}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes: %v", f.Name, room, whole, err)
			}
		}
	}
}

var errFull = errors.New("the disk is full")

type fullDisk struct{ room int }

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestMoments: a moment that a recording does not have is an error that names it.
func TestMoments(t *testing.T) {
	at, err := answer.ParseMoment("step=99")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		format *Format
		table  *Table
	}{{pprofFormat, nil}, {csvFormat, sitesTable}, {jsonlFormat, segmentsTable}} {
		err := tt.format.Write(io.Discard, input(testsnap.Training()), Options{At: &at, Table: tt.table})
		if err == nil || !strings.HasPrefix(err.Error(), "snap.pickle, cuda:0: ") {
			t.Errorf("%s: %v", tt.format.Name, err)
		}
	}
}

// TestIsFile: exports are distinguished from other files in the same formats.
func TestIsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	is := func(content []byte) bool {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return IsFile(path)
	}
	in := input(testsnap.Training())
	in[0].Name = `"quoted\".pickle`
	for _, f := range Formats {
		for _, table := range Tables {
			if !is(write(t, f, in, Options{Table: table})) {
				t.Errorf("the table %s as %s is not known", table.Name, f.Name)
			}
		}
	}
	for name, content := range map[string][]byte{
		"JSON Lines of host memory": write(t, jsonlFormat, input(testsnap.HostMemory()), Options{}),
		"an older CSV":              []byte("file,device,allocation,bytes,end\nsnap.pickle,0,0,512,\n"),
		"a newer CSV":               []byte("file,device,state,time_us,active_bytes,colour\n"),
		"an empty, much older CSV":  []byte("file,device,site,state"),
		"an older JSON Lines":       []byte(`{"file":"a","device":0,"site":"a.py:1:f","state":7}`),
	} {
		if !is(content) {
			t.Errorf("%s is not known", name)
		}
	}
	profile, database := write(t, pprofFormat, in, Options{}), write(t, sqliteFormat, in, Options{})
	for name, content := range map[string][]byte{
		"nothing":    nil,
		"CSV":        []byte("file,device\nsnap.pickle,0\n"),
		"more CSV":   []byte("file,device,allocation,bytes_per_second\nsda,0,1,2\n"),
		"other CSV":  []byte("name,file,device,allocation,bytes\n"),
		"JSON":       []byte(`{"file":"a","device":0,"name":1}`),
		"more JSON":  []byte(`{"file":"a","device":0,"state":"on","brightness":1}`),
		"a trace":    []byte(`{"displayTimeUnit":"ms","baseTimeNanoseconds":1,"otherData":{},"traceEvents":[]}`),
		"a profile":  bytes.Replace(profile, []byte("memviz"), []byte("pprof "), 1),
		"a database": append(append([]byte{}, database[:68]...), make([]byte, 8000)...),
	} {
		if is(content) {
			t.Errorf("%s is taken for an export", name)
		}
	}
	if IsFile(filepath.Join(t.TempDir(), "missing")) {
		t.Error("a missing file is an export")
	}
}

// TestSameBytes: the same recordings give the same bytes in every format.
func TestSameBytes(t *testing.T) {
	for _, in := range [][]answer.Input{input(testsnap.Training()), input(testsnap.Hostile())} {
		for _, f := range Formats {
			if !bytes.Equal(write(t, f, in, Options{}), write(t, f, in, Options{})) {
				t.Errorf("%s differs from run to run", f.Name)
			}
		}
	}
}

// TestNothing: a file without devices gives an empty export that readers accept.
func TestNothing(t *testing.T) {
	in := input(snapshot.NewComposer(snapshot.Format{}).Snapshot())
	if rows := csvRows(t, in, Options{}); len(rows) != 0 {
		t.Errorf("csv has %d rows", len(rows))
	}
	if trace := readTrace(t, write(t, perfettoFormat, in, Options{})); len(trace.Events) != 0 {
		t.Errorf("a trace has %d events", len(trace.Events))
	}
	if p := readProfile(t, write(t, pprofFormat, in, Options{})); len(p.Sample) != 0 {
		t.Errorf("a profile has %d samples", len(p.Sample))
	}
	if got := query(t, in, "SELECT count(*) FROM recordings"); got != "0" {
		t.Errorf("a database has %s recordings", got)
	}
}
