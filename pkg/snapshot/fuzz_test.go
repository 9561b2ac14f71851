package snapshot

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/pickle"
)

// fuzzLimits keep one input of the fuzzer cheap.
var fuzzLimits = pickle.Limits{Stack: 1 << 16, Memo: 1 << 16, Objects: 1 << 16, StringBytes: 1 << 16, Memory: 16 << 20, LoadBytes: 1 << 20}

// written is what of a snapshot Write can say in a format.
func written(s *Snapshot, f *Format) *Snapshot {
	out := *s
	out.Segments, out.Settings = nil, nil // settings come back as the type that they read like
	for _, seg := range s.Segments {
		if !f.HasPoolID {
			seg.Pool, seg.Expandable, seg.Stack = 0, false, 0
		}
		if seg.SizeClass == SizeClassUnknown {
			seg.SizeClass = SizeClassLarge
		}
		if !f.Legacy { // whose blocks have no addresses, and stacks only while they live
			out.Segments = append(out.Segments, seg)
		}
	}
	return &out
}

// FuzzRead: no file panics the loader; where both ways read it they read the
// same, and what was read can be written and read again.
func FuzzRead(f *testing.F) {
	for protocol := 2; protocol <= 5; protocol++ {
		f.Add(write(f, small(), protocol))
	}
	f.Add(pickled(f, list{dict{"device", 1, "total_size", 512, "blocks", list{dict{"size", 512, "state", "active_allocated", "history", list{dict{"real_size", 3}}}}}}))
	f.Add(pickled(f, dict{"device_traces", list{list{dict{"action", "boom", "frames", list{frame("a", 1, "b")}, "user_metadata", dict{"k", list{1, 2.5}}}}}, "allocator_settings", dict{"a", dict{"b", true}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		stream, err1 := read(bytes.NewReader(data), int64(len(data)), Options{Limits: fuzzLimits}, wayStream)
		load, err2 := read(bytes.NewReader(data), int64(len(data)), Options{Limits: fuzzLimits}, wayGopickle)
		if err1 != nil || err2 != nil {
			return
		}
		if a, b := plain(stream), plain(load); !reflect.DeepEqual(a, b) && describe(a) != describe(b) {
			t.Errorf("stream\n%s\nload\n%s", describe(a), describe(b))
		}
		again, err := Read(bytes.NewReader(write(t, stream, 4)), 1, pickle.Limits{})
		if err != nil {
			t.Fatalf("what we write cannot be read: %v", err)
		}
		if a, b := describe(written(stream, &stream.Format)), describe(written(again, &stream.Format)); a != b {
			t.Errorf("read\n%s\nwritten and read again\n%s", a, b)
		}
	})
}
