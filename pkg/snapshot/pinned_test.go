package snapshot

import (
	"bytes"
	"slices"
	"testing"
)

// hostSegment is a segment of host memory as torch 2.14 writes it: one block, and no
// requested_size.
func hostSegment(addr, size int, state string) dict {
	allocated, active := 0, 0
	switch state {
	case "active_allocated":
		allocated, active = size, size
	case "active_pending_free":
		active = size
	}
	return dict{"device", -1, "address", addr, "total_size", size, "allocated_size", allocated, "active_size", active,
		"requested_size", 0, "stream", 0, "segment_type", "small", "segment_pool_id", list{0, 1}, "is_expandable",
		false,
		"frames", list{}, "blocks", list{dict{"address", addr, "size", size, "requested_size", size, "state", state,
			"frames", list{}}}}
}

func hostEvent(action string, addr, size int) dict {
	e := dict{"action", action, "addr", addr, "size", size, "stream", 0, "time_us", 5, "compile_context", "N/A",
		"user_metadata", "", "pool_id", list{0, 0}}
	if action == "alloc" || action == "free_requested" {
		e = append(e, "frames", list{frame("train.py", 3, "load")})
	}
	return e
}

func TestHostMemory(t *testing.T) {
	s := load(t, dict{
		"segments", list{dict{"device", 0, "address", 512, "total_size", 512, "blocks", list{}}},
		"device_traces", list{list{}, list{hostEvent("segment_alloc", 512, 512)}},
		"host_segments", list{hostSegment(1<<20, 4096, "active_pending_free"), hostSegment(4096, 64, "inactive"),
			hostSegment(8192, 64, "active_allocated")},
		"host_traces", list{hostEvent("segment_alloc", 4096, 64), hostEvent("alloc", 4096, 64),
			hostEvent("free_requested", 4096, 64), hostEvent("free_completed", 4096, 64)},
	})
	if got := s.Devices(); !slices.Equal(got, []DeviceID{0, 1, Pinned}) {
		t.Errorf("devices %d", got)
	}
	if got := s.DeviceLabel(Pinned); got != "pinned" || s.DeviceLabel(0) != "cuda:0" {
		t.Errorf("label %q", got)
	}
	var addrs []uint64
	for _, seg := range s.SegmentsOf(Pinned) {
		addrs = append(addrs, seg.Address)
	}
	if !slices.Equal(addrs, []uint64{4096, 8192, 1 << 20}) || len(s.SegmentsOf(0)) != 1 {
		t.Errorf("segments %+v", s.Segments)
	}
	e := s.Events(Pinned)
	if e.Len() != 4 || s.Events(1).Len() != 1 || e.Stack[0] != 0 || e.Stack[1] == 0 || e.Stack[3] != 0 {
		t.Errorf("events %+v", e)
	}
	if !s.Format.HasHost || len(s.Oddity.WrongTypes) > 0 || len(s.Oddity.UnknownKeys) > 0 {
		t.Errorf("format %+v, oddities %+v", s.Format, s.Oddity)
	}

	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return Write(b, s, 4) }, func(b *bytes.Buffer) error { return WriteNative(b, s) },
	} {
		var file bytes.Buffer
		if err := write(&file); err != nil {
			t.Fatal(err)
		}
		again := readWay(t, file.Bytes(), wayStream)
		if got := again.Events(Pinned); !slices.Equal(got.Action, e.Action) || !slices.Equal(got.Addr, e.Addr) ||
			len(again.SegmentsOf(Pinned)) != 3 || len(again.SegmentsOf(0)) != 1 {
			t.Errorf("written and read again: %+v and %+v", again.Segments, got)
		}
	}
}

// TestHostOnly: a file without a GPU, as after record_cuda=False, is a snapshot, and lists that
// are there and empty are no device.
func TestHostOnly(t *testing.T) {
	s := load(t, dict{"host_segments", list{}, "host_traces",
		list{hostEvent("alloc", 4096, 64), hostEvent("alloc", 64, 64)}})
	if got := s.Devices(); !slices.Equal(got, []DeviceID{Pinned}) {
		t.Errorf("devices %d", got)
	}
	s = load(t, dict{"segments", list{}, "device_traces", list{}, "host_segments", list{}, "host_traces", list{}})
	if got := s.Devices(); len(got) > 0 || !s.Format.HasHost {
		t.Errorf("devices %d, format %+v", got, s.Format)
	}
}

// TestOddHostMemory: anything unlike torch's files is counted.
func TestOddHostMemory(t *testing.T) {
	events := list{hostEvent("alloc", 4096, 64), hostEvent("alloc", 64, 64)}
	for _, test := range []struct {
		root  dict
		field string // "": nothing is odd
	}{
		{dict{"segments", list{}, "device_traces", list{events}, "host_traces", 5}, fieldHostTraces},
		{dict{"segments", list{}, "device_traces", list{events}, "host_traces", list{events, events}}, fieldHostTraces},
		{dict{"segments", list{}, "host_traces", list{events}}, ""},
		{dict{"device_traces", list{events}, "host_segments", "none"}, fieldHostSegments},
		{dict{"segments", list{hostSegment(4096, 64, "inactive")}, "device_traces", list{events}}, fieldFarDevice},
	} {
		s := load(t, test.root)
		if n := s.Oddity.WrongTypes[test.field]; test.field != "" && n != 1 ||
			test.field == "" && len(s.Oddity.WrongTypes) > 0 {
			t.Errorf("%v: oddities %+v", test.root, s.Oddity)
		}
	}
}

// TestSalvageHostMemory cuts a file at every byte: what is missing of host memory is said of it,
// and of no GPU whose events were all read.
func TestSalvageHostMemory(t *testing.T) {
	whole := load(t, dict{
		"segments", list{dict{"device", 0, "address", 512, "total_size", 512, "blocks", list{}}},
		"device_traces", list{list{hostEvent("segment_alloc", 512, 512), hostEvent("alloc", 512, 512)}},
		"host_segments", list{hostSegment(4096, 64, "active_allocated"), hostSegment(8192, 64, "active_allocated")},
		"host_traces", list{hostEvent("segment_alloc", 4096, 64), hostEvent("alloc", 4096, 64),
			hostEvent("segment_alloc", 8192, 64), hostEvent("alloc", 8192, 64)},
	})
	data := write(t, whole, 4)
	said := 0
	for cut := range data {
		s, err := readPart(data[:cut])
		if err != nil {
			continue
		}
		for _, device := range s.Devices() {
			events, segments := s.Events(device).Len(), len(s.SegmentsOf(device))
			if !s.Cut(device) && events < whole.Events(device).Len() {
				t.Fatalf("cut at %d: %s has %d events and is not cut: %+v", cut, s.DeviceLabel(device), events,
					s.Salvaged)
			}
			if s.EndKnown(device) && segments < len(whole.SegmentsOf(device)) {
				t.Fatalf("cut at %d: the end of %s is known, with %d segments", cut, s.DeviceLabel(device), segments)
			}
			if device == Pinned {
				said++
				if s.Cut(0) {
					t.Fatalf("cut at %d: cuda:0 is cut, and host memory was read behind it", cut)
				}
			}
		}
	}
	if said == 0 {
		t.Error("no cut leaves host memory")
	}
}
