package export

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestHostile: texts that try to break out of a format stay texts, and extreme numbers
// stay numbers, in every format and table.
func TestHostile(t *testing.T) {
	for name, s := range map[string]*snapshot.Snapshot{
		"hostile": testsnap.Hostile(), "state only": testsnap.StateOnly(), "names": withNames(hostileNames...),
		"host memory": testsnap.HostMemory(),
	} {
		t.Run(name, func(t *testing.T) {
			in := input(s)
			in[0].Name = "=cmd\x1b[2J\n'\"&<snap>.pickle"
			for _, table := range Tables {
				rows, objects := csvRows(t, in, Options{Table: table}), jsonRows(t, in, Options{Table: table})
				if len(rows) != len(objects) {
					t.Errorf("%s has %d rows and %d objects", table.Name, len(rows), len(objects))
				}
			}
			readTrace(t, write(t, perfettoFormat, in, Options{}))
			readProfile(t, write(t, pprofFormat, in, Options{}))
			if got, want := query(t, in, "SELECT count(*) FROM allocations"), countAllocations(in); got != want {
				t.Errorf("a database has %s allocations, want %s", got, want)
			}
			for _, f := range []*Format{csvFormat, jsonlFormat, perfettoFormat} {
				for _, r := range string(write(t, f, in, Options{})) {
					if r != '\n' && !unicode.IsPrint(r) {
						t.Fatalf("%s writes %U", f.Name, r)
					}
				}
			}
		})
	}
}

func countAllocations(in []answer.Input) string {
	n := 0
	for _, d := range in[0].Devices {
		n += len(d.Allocations)
	}
	b, _ := json.Marshal(n)
	return string(b)
}

// hostileNames are function names with a meaning in some format; the first formulas of
// them are formulas to a spreadsheet.
var hostileNames = []string{
	"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", " =1", "\u00a0=1", "\r=1", "＝1", "−1",
	`a,"b"`, "two\nlines", `back\slash`, "'); DROP TABLE events; --", "\x1b]0;title\x07", "\u202eltr", "{\"a\":1}",
}

const formulas = 10

// withNames is a recording with an allocation for each function.
func withNames(names ...string) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{})
	for i, name := range names {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 512,
			Stack: c.Stack(snapshot.FrameText{Name: name})})
	}
	return c.Snapshot()
}

// TestFormulas: a name that a spreadsheet would take for a formula gets an apostrophe in
// front, in CSV alone; numbers never do.
func TestFormulas(t *testing.T) {
	in := input(withNames(hostileNames...))
	for i, row := range csvRows(t, in, Options{}) {
		// An unprintable character is replaced, so that no formula follows it.
		safe := strings.HasPrefix(row["site"], "'") || strings.HasPrefix(row["site"], "\ufffd")
		if formula := i < formulas; formula && !safe || !formula && row["site"] != units.Printable(hostileNames[i]) {
			t.Errorf("%q is written as %q", hostileNames[i], row["site"])
		}
		if row["bytes"] != "512" {
			t.Errorf("512 bytes are written as %q", row["bytes"])
		}
	}
	for i, row := range jsonRows(t, in, Options{}) {
		if row["site"] != hostileNames[i] {
			t.Errorf("%q is written as %q", hostileNames[i], row["site"])
		}
	}
}

// TestBounded: memory does not grow with the size of an export.
func TestBounded(t *testing.T) {
	in := input(longRun(80_000))
	for _, f := range []*Format{perfettoFormat, csvFormat, jsonlFormat, sqliteFormat} {
		write := func(w io.Writer) {
			if err := f.Write(w, in, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		write(io.Discard) // caches of the recording stay
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		m := &heapMeter{}
		m.start = m.live()
		write(m)
		if m.written < 8<<20 {
			t.Errorf("%s is %d bytes, too few to judge", f.Name, m.written)
		}
		if m.most > m.start+m.written/4 {
			t.Errorf("%s of %d bytes takes %d bytes of memory", f.Name, m.written, m.most-m.start)
		}
	}
}

// heapMeter is a writer that measures the live heap.
type heapMeter struct{ written, next, start, most uint64 }

func (m *heapMeter) live() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func (m *heapMeter) Write(b []byte) (int, error) {
	if m.written += uint64(len(b)); m.written > m.next {
		m.next = m.written + 2<<20
		m.most = max(m.most, m.live())
	}
	return len(b), nil
}

// longRun allocates and frees n times.
func longRun(n int) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true})
	stack := c.Stack(snapshot.FrameText{File: "/home/ada/train.py", Line: 7, Name: "main"})
	for i := range n {
		for _, action := range []snapshot.Action{snapshot.Alloc, snapshot.FreeRequested, snapshot.FreeCompleted} {
			c.Event(0, snapshot.EventText{Action: action, Addr: uint64(1+i%4) << 20, Size: 512, Stack: stack,
				TimeMicros: int64(1_767_225_600_000_000 + i)})
		}
	}
	return c.Snapshot()
}

// FuzzText: encoding/json reads back the same text.
func FuzzText(f *testing.F) {
	for _, text := range append(testsnap.HostileTexts, hostileNames...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var o object
		o.reset()
		o.text("key", text)
		var read map[string]string
		if err := json.Unmarshal(o.end(), &read); err != nil {
			t.Fatalf("%v: %s", err, o.end())
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && read["key"] != want {
			t.Errorf("%q is read as %q", text, read["key"])
		}
		if bytes.ContainsAny(o.buf, "\x00\x1b\n\r") {
			t.Errorf("%q is written with terminal control characters", text)
		}
	})
}
