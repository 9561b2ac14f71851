package snapshot

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// small is a snapshot of two devices that uses every column.
func small() *Snapshot {
	c := NewComposer(Format{HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
		HasCompileContext: true, HasUserMetadata: true})
	forward := c.Stack(FrameText{"model.py", 12, "forward"}, FrameText{"train.py", 40, "step"},
		FrameText{"train.py", 60, "<module>"})
	native := c.Stack(FrameText{"??", 0, "at::_ops::mm::call"}, FrameText{"model.py", 12, "forward"})
	c.Event(0, EventText{Action: SegmentAlloc, Addr: 0x7f0000000000, Size: 2 << 20, Stack: forward, TimeMicros: 100})
	c.Event(0, EventText{Action: Alloc, Addr: 0x7f0000000000, Size: 1000, Stack: forward, TimeMicros: 100,
		Context: "Torch-Compiled Region: 0/1"})
	c.Event(0, EventText{Action: Alloc, Addr: 0x7f0000000400, Size: 500, Stack: native, TimeMicros: 101,
		Metadata: "logits"})
	c.Event(0, EventText{Action: FreeRequested, Addr: 0x7f0000000000, Size: 1000, Stack: forward, TimeMicros: 102})
	c.Event(0, EventText{Action: FreeCompleted, Addr: 0x7f0000000000, Size: 1000, Stack: forward, TimeMicros: 102})
	c.Event(0, EventText{Action: OOM, Addr: 12345, Size: 1 << 40, Stack: native, TimeMicros: 103})
	c.Trace(2)
	c.Event(2, EventText{Action: Alloc, Addr: 1<<63 + 512, Size: 5 << 30, Stream: 1632243552, Stack: forward,
		TimeMicros: 99})
	c.Segment(Segment{Address: 0x7f0000000000, TotalSize: 2 << 20, SizeClass: SizeClassSmall, Stack: forward},
		Block{Address: 0x7f0000000000, Size: 1024, RequestedSize: 1000, State: Inactive},
		Block{Address: 0x7f0000000400, Size: 512, RequestedSize: 500, State: ActiveAllocated, Stack: native},
		Block{Address: 0x7f0000000600, Size: 2<<20 - 1536, RequestedSize: 0, State: Inactive})
	c.Segment(Segment{Device: 2, Address: 1<<63 + 512, TotalSize: 5 << 30, SizeClass: SizeClassLarge, Expandable: true,
		Stream: c.Stream(1632243552), Pool: c.Pool(Pool{0, 3})},
		Block{Address: 1<<63 + 512, Size: 5 << 30, RequestedSize: 5 << 30, State: ActivePendingFree, Stack: forward})
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
	c.Annotation("Optimizer.step#AdamW.step", true, 100)
	c.Annotation("Optimizer.step#AdamW.step", false, 103)
	return c.Snapshot()
}

func write(t testing.TB, s *Snapshot, protocol int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s, protocol); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readWay(t testing.TB, data []byte, way string) *Snapshot {
	t.Helper()
	s, err := read(bytes.NewReader(data), int64(len(data)), Options{}, way)
	if err != nil {
		t.Fatalf("%s: %v", way, err)
	}
	return s
}

// requireSame compares two snapshots, but for the way they were read.
func requireSame(t testing.TB, a, b *Snapshot) {
	t.Helper()
	a, b = plain(a), plain(b)
	va, vb := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range va.NumField() {
		if name := va.Type().Field(i).Name; !reflect.DeepEqual(va.Field(i).Interface(), vb.Field(i).Interface()) {
			t.Errorf("%s differs:\n%.2000v\n%.2000v", name, va.Field(i), vb.Field(i))
		}
	}
}

func plain(s *Snapshot) *Snapshot {
	c := *s
	c.Format.Way = ""
	return &c
}

func TestWriteAndRead(t *testing.T) {
	for protocol := 2; protocol <= 5; protocol++ {
		data := write(t, small(), protocol)
		s := readWay(t, data, wayStream)
		requireSame(t, s, readWay(t, data, wayGopickle))

		want := small()
		want.Format.Protocol = protocol
		if !reflect.DeepEqual(plain(s).Format, want.Format) {
			t.Errorf("format %+v, want %+v", s.Format, want.Format)
		}
		if got, want := describe(s), describe(want); got != want {
			t.Errorf("protocol %d reads back as\n%s\nwant\n%s", protocol, got, want)
		}
		again := readWay(t, write(t, s, protocol), wayStream)
		requireSame(t, s, again)
	}
}

// TestWriteNative: torch's C++ pickler writes other bytes of the same snapshot,
// addresses of 2^63 and more as negative numbers.
func TestWriteNative(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNative(&b, small()); err != nil {
		t.Fatal(err)
	}
	s := readWay(t, b.Bytes(), wayStream)
	requireSame(t, s, readWay(t, b.Bytes(), wayGopickle))
	if s.Format.Protocol != 2 || bytes.Equal(b.Bytes(), write(t, small(), 2)) {
		t.Errorf("protocol %d, as Python would write it", s.Format.Protocol)
	}
	if got, want := describe(s), describe(small()); got != want {
		t.Errorf("it reads back as\n%s\nwant\n%s", got, want)
	}
}

// TestFilesBothWays reads every example and every real file in both ways, and
// our rewriting of it.
func TestFilesBothWays(t *testing.T) {
	for _, path := range testkit.Snapshots(t) {
		t.Run(path, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := readWay(t, data, wayStream)
			requireSame(t, s, readWay(t, data, wayGopickle))
			if n := len(s.Oddity.WrongTypes) + len(s.Oddity.UnknownKeys) + len(s.Oddity.UnknownActions); n > 0 {
				t.Errorf("a real file has oddities: %+v", s.Oddity)
			}
			if got, want := describe(readWay(t, write(t, s, 4), wayStream)), describe(s); got != want {
				t.Error("what we write of it reads back as something else")
			}
		})
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data := write(t, small(), 4)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open(file("a.pickle", data))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(file("b.pickle.gz", zipped.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	requireSame(t, a, b)

	for _, tt := range []struct {
		name string
		data []byte
		err  error
		says string
	}{
		{"empty", nil, nil, "empty; the job may have died"},
		{"text", []byte("hello, world\n"), nil, `begins with "hello`},
		{"broken", []byte("\x80\x02\xff"), pickle.ErrMalformed, "byte 2"},
		{"evil", []byte("\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x8c\x02id\x85R."), pickle.ErrForbidden,
			`"os.system"`},
		{"number", []byte("\x80\x04K\x05."), ErrNotSnapshot, "top level"},
		{"list", []byte("\x80\x04](K\x01K\x02e."), ErrNotSnapshot, "list"},
		{"model", []byte("\x80\x04}\x8c\x0amodel_dictK\x05s."), ErrNotSnapshot, `"model_dict"`},
		{"cut", data[:len(data)/2], pickle.ErrTruncated, "events had been read"},
		{"cut gzip", zipped.Bytes()[:zipped.Len()/2], nil, "events had been read"},
		{"gzip of nothing", []byte("\x1f\x8b"), nil, "gzip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := file(tt.name, tt.data)
			_, err := Open(path)
			if err == nil {
				t.Fatal("it was read")
			}
			if tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("%v is not %v", err, tt.err)
			}
			if !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("%q does not name the file and say %q", err, tt.says)
			}
		})
	}
	if _, err := Open(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
}
