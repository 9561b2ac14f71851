package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// withField is a snapshot of one segment with one live block, which the only event
// allocated. A field with the path given, such as "event.size", has another value.
func withField(path string, value any) dict {
	row := func(name string, pairs ...any) dict {
		for i := 0; i < len(pairs); i += 2 {
			if name+"."+pairs[i].(string) == path {
				if value == missing {
					return slices.Delete(pairs, i, i+2)
				}
				pairs[i+1] = value
			}
		}
		return pairs
	}
	block := row("block", "address", 512, "size", 512, "requested_size", 300, "state", "active_allocated")
	segment := row("segment", "device", 0, "address", 512, "total_size", 512, "allocated_size", 512,
		"active_size", 512, "stream", 0, "segment_type", "small", "blocks", list{block})
	event := row("event", "action", "alloc", "addr", 512, "size", 300, "stream", 0)
	return row("root", "segments", list{segment}, "device_traces", list{list{event}})
}

// missing represents no value at all.
const missing = "missing"

// TestUnread: a value that totals depend on and that is not of its field's type is
// among the unread ones, which keep the mark of trust from a file.
func TestUnread(t *testing.T) {
	if s := load(t, withField("", nil)); s.Oddity.Unread() != nil {
		t.Fatalf("a sound file has unread fields %v", s.Oddity.Unread())
	}
	junk := list{dict{"action", "alloc", "addr", 512, "size", 300}, "junk"}
	for _, tt := range []struct {
		path  string
		value any
		want  map[string]int
	}{
		{"event.action", 7, map[string]int{"event.action": 1}},
		{"event.addr", 1.5, map[string]int{"event.addr": 1}},
		{"event.addr", missing, map[string]int{"event.addr": 1}},
		{"event.size", 300.0, map[string]int{"event.size": 1}},
		{"event.size", true, map[string]int{"event.size": 1}},
		{"event.size", "300", map[string]int{"event.size": 1}},
		{"event.size", missing, map[string]int{"event.size": 1}},
		{"event.stream", "0", nil},
		{"segment.device", "cuda:3", map[string]int{"segment.device": 1}},
		{"segment.device", 0.0, map[string]int{"segment.device": 1}},
		{"segment.device", 1024, map[string]int{fieldFarDevice: 1}},
		{"segment.address", "512", map[string]int{"segment.address": 1}},
		{"segment.total_size", 512.0, map[string]int{"segment.total_size": 1}},
		{"segment.allocated_size", false, map[string]int{"segment.allocated_size": 1}},
		{"segment.blocks", 3, map[string]int{"segment.blocks": 1}},
		{"segment.segment_type", "huge", nil},
		{"block.address", "512", map[string]int{"block.address": 1}},
		{"block.size", 512.0, map[string]int{"block.size": 1}},
		{"block.size", missing, map[string]int{"block.size": 1}},
		{"block.requested_size", "300", map[string]int{"block.requested_size": 1}},
		{"block.state", 1, map[string]int{"block.state": 1}},
		{"block.state", "alive", map[string]int{"block.state": 1}},
		{"root.segments", dict{"0", 1}, map[string]int{fieldSegments: 1}},
		{"root.device_traces", "none", map[string]int{fieldTraces: 1}},
		{"root.device_traces", list{junk}, map[string]int{fieldItem: 1}},
		{"root.device_traces", list{junk[:1], 5}, map[string]int{fieldTraces: 1}},
	} {
		s := loadOdd(t, withField(tt.path, tt.value))
		if got := s.Oddity.Unread(); !maps.Equal(got, tt.want) {
			t.Errorf("%s = %v: unread %v, want %v", tt.path, tt.value, got, tt.want)
		}
		if d := s.Devices(); tt.path == "segment.device" && len(s.Segments) > 0 {
			t.Errorf("device %v became one of %v", tt.value, d)
		}
	}
}

// TestNothingReadable: a file in which nothing can be read is no snapshot of a GPU that
// nothing was on.
func TestNothingReadable(t *testing.T) {
	for _, v := range []dict{
		{"segments", 5}, {"device_traces", "none"}, {"segments", list{1, 2}, "device_traces", list{}},
		{"segments", dict{"a", 1}, "device_traces", dict{}}, {"segments", list{}, "device_traces", list{list{"a"}}},
	} {
		if s := loadOdd(t, v); s != nil {
			t.Errorf("%v is read: %s", v, describe(s))
		}
	}
	if s := load(t, dict{"segments", list{}, "device_traces", list{list{}, list{}}}); len(s.Devices()) > 0 {
		t.Errorf("devices %v", s.Devices())
	}
}

// TestTuplesAreLists: a snapshot with a tuple in place of every list reads the same, in
// both ways.
func TestTuplesAreLists(t *testing.T) {
	frames := list{frame("a.py", 1, "f"), frame("b.py", 2, "g")}
	event := dict{"action", "alloc", "addr", 512, "size", 300, "stream", 0, "frames", frames}
	block := dict{"address", 512, "size", 512, "requested_size", 300, "state", "active_allocated", "frames", frames,
		"history", list{dict{"real_size", 3, "addr", 512}}}
	segment := dict{"device", 0, "address", 512, "total_size", 512, "allocated_size", 512, "active_size", 512,
		"stream", 0, "segment_type", "small", "blocks", list{block}, "frames", frames}
	mark := dict{"stage", "START", "name", "step", "device", 0, "time_us", 5}
	root := dict{"segments", list{segment, segment}, "device_traces", list{list{}, list{event, event}},
		"external_annotations", list{mark, mark}, "trace_alloc_overflowed", list{false, true}}
	for _, v := range []any{root, list{segment}} {
		want := readWay(t, handMade(t, v, "](", "e"), wayStream)
		if len(want.Segments) == 0 || len(want.Oddity.WrongTypes) > 0 {
			t.Fatalf("the snapshot with lists: %s", describe(want))
		}
		for _, way := range []string{wayStream, wayGopickle} {
			requireSame(t, readWay(t, handMade(t, v, "(", "t"), way), want)
		}
	}
}

// handMade pickles a value with lists as two texts around their items.
func handMade(t testing.TB, v any, open, end string) []byte {
	var write func(v any) string
	write = func(v any) string {
		switch v := v.(type) {
		case dict:
			text := "}("
			for _, item := range v {
				text += write(item)
			}
			return text + "u"
		case list:
			text := open
			for _, item := range v {
				text += write(item)
			}
			return text + end
		case string:
			return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(v)))) + v
		case int:
			return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(v)))
		case bool:
			return map[bool]string{true: "\x88", false: "\x89"}[v]
		}
		t.Fatalf("%T cannot be pickled here", v)
		return ""
	}
	return []byte("\x80\x02" + write(v) + ".")
}

// TestOwnDictsAreNoRecords: a dict in user_metadata with keys that a record has is the
// user's own.
func TestOwnDictsAreNoRecords(t *testing.T) {
	for _, own := range []dict{
		{"action", "train", "size", "big"}, {"state", "warm", "size", "big"}, {"filename", "x.bin", "name", "weights"},
		{"action", "evaluate", "user_metadata", "a"}, {"state", 3, "address", "10 Downing Street"},
	} {
		v := withField("", nil)
		trace := v[3].(list)[0].(list)
		trace[0] = append(trace[0].(dict), "user_metadata", own)
		s := load(t, v)
		e := &s.Traces[0].Events
		if s.Oddity.WrongTypes != nil || e.Metadata == nil {
			t.Errorf("%v: %s", own, describe(s))
			continue
		}
		if text := s.String(e.Metadata[0]); !strings.Contains(text, fmt.Sprintf("%q", own[0])) {
			t.Errorf("%v reads %s", own, text)
		}
	}
}

// TestLongTexts: no text of a snapshot has more than MaxText bytes, and those that
// something has are counted.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("é", 5<<20/2)
	v := withField("", nil)
	trace := v[3].(list)[0].(list)
	trace[0] = append(trace[0].(dict), "frames", list{frame("/"+long, 1, long), frame("a.py", 1, long)},
		"compile_context", long+"0", "user_metadata", long+"1", long+"2", 5)
	v = append(v, "allocator_settings", dict{"PYTORCH_CUDA_ALLOC_CONF", long + "3"},
		"external_annotations", list{dict{"stage", "START", "name", long + "4", "time_us", 1}})
	s := load(t, v)
	if s.Oddity.LongText != 5 {
		t.Errorf("%d long texts, want 5", s.Oddity.LongText)
	}
	check := func(text string) {
		if len(text) > MaxText || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %.40q", len(text), text)
		}
	}
	for _, text := range slices.Concat(s.Strings, slices.Collect(maps.Keys(s.Oddity.UnknownKeys))) {
		check(text)
	}
	for _, setting := range s.Settings {
		check(setting.Value)
	}
	name := s.String(s.Frames[0].Name)
	if len(name) < MaxText-4 || !strings.HasPrefix(name, "éé") || !strings.HasSuffix(name, "é…") {
		t.Errorf("a name of %d bytes, %.20q", len(name), name)
	}
	if text, cut := CutText(strings.Repeat("x", MaxText)); cut || len(text) != MaxText {
		t.Errorf("a text of %d bytes was cut", MaxText)
	}
}

// TestUnreadableIsSaid: the error names what could not be read.
func TestUnreadableIsSaid(t *testing.T) {
	data := oddly(t, dict{"segments", 5, "device_traces", list{list{3}}})
	_, err := read(strings.NewReader(string(data)), int64(len(data)), Options{}, wayStream)
	if !errors.Is(err, ErrNotSnapshot) || !strings.Contains(err.Error(), "(device_traces, segments)") {
		t.Errorf("%v", err)
	}
}

// TestOldProtocols: snapshots that other writers of protocols 0 and 1 may begin in other
// ways, and integers beyond 64 bits in decimal.
func TestOldProtocols(t *testing.T) {
	const segments = "S'segments'\n(lp1\n"
	const event = "(dp5\nS'action'\nS'alloc'\nsS'addr'\nI18446744073709551104\nsS'size'\nI300\ns"
	const traces = "S'device_traces'\n(lp2\n(lp3\n" + event + "aa"
	for _, data := range []string{
		"}p0\n" + segments + "s" + traces + "s.", "(" + segments + traces + "d.", "N0(dp0\n" + segments + "s" + traces +
			"s.",
		"(X\x08\x00\x00\x00segments]" + traces + "d.",
	} {
		s, err := Read(strings.NewReader(data), int64(len(data)), Limits{})
		if err != nil {
			t.Errorf("%q: %v", data, err)
			continue
		}
		e := &s.Traces[0].Events
		if e.Len() != 1 || e.Addr[0] != math.MaxUint64-511 || e.Size[0] != 300 || s.Oddity.WrongTypes != nil {
			t.Errorf("%q: %s", data, describe(s))
		}
	}
	for _, text := range []string{"(Version 3)\n", "Nothing\n", "}p\n", "(X is a letter)\n"} {
		if _, err := Read(strings.NewReader(text), int64(len(text)), Limits{}); !IsSomethingElse(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
