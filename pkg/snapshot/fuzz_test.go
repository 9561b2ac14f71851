package snapshot

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// fuzzLimits keep one input of the fuzzer cheap.
var fuzzLimits = pickle.Limits{Stack: 1 << 16, Memo: 1 << 16, Objects: 1 << 16, StringBytes: 1 << 16, Memory: 16 << 20,
	LoadBytes: 1 << 20}

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
	f.Add(pickled(f, list{dict{"device", 1, "total_size", 512, "blocks",
		list{dict{"size", 512, "state", "active_allocated", "history", list{dict{"real_size", 3}}}}}}))
	f.Add(pickled(f, dict{"device_traces",
		list{list{dict{"action", "boom", "frames", list{frame("a", 1, "b")}, "user_metadata",
			dict{"k", list{1, 2.5}}}}}, "allocator_settings", dict{"a", dict{"b", true}}}))
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

// FuzzSalvage: whatever is broken, a part is read without a panic and says what
// it is; and salvaging changes nothing in an intact file.
func FuzzSalvage(f *testing.F) {
	data := write(f, small(), 4)
	f.Add(data, uint16(len(data)/2), byte(0xff))
	f.Add(data, uint16(len(data)), byte('e'))
	f.Add(write(f, small(), 2), uint16(900), byte('0'))
	f.Fuzz(func(t *testing.T, data []byte, at uint16, opcode byte) {
		if int(at) < len(data) {
			data[at] = opcode
		}
		o := Options{Limits: fuzzLimits}
		s, err := ReadWith(bytes.NewReader(data), int64(len(data)), o)
		o.Salvage = true
		part, salvageErr := ReadWith(bytes.NewReader(data), int64(len(data)), o)
		switch {
		case err == nil && (salvageErr != nil || part.Salvaged != nil || describe(s) != describe(part)):
			t.Fatalf("it is read whole, and salvaged as %v, %+v", salvageErr, part)
		case err == nil || salvageErr != nil:
			return
		case part.Salvaged == nil || part.Salvaged.Err == nil:
			t.Fatalf("it cannot be read (%v), and the part does not say so", err)
		}
		events := 0
		for i := range part.Traces {
			events += part.Traces[i].Events.Len()
		}
		if events != part.Salvaged.Events || events == 0 && len(part.Segments) == 0 {
			t.Errorf("%+v, of %d events", part.Salvaged, events)
		}
		for i := range part.Segments {
			if device := part.Segments[i].Device; !part.EndKnown(device) {
				t.Errorf("a segment of device %d, whose end is not known", device)
			}
		}
	})
}
