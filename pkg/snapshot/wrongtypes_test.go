package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// wrong are values that hardly any field takes, by what they are.
var wrong = map[string]any{
	"None": nil, "bool": true, "int": 7, "negative": -7, "float": 1.5, "NaN": math.NaN(), "inf": math.Inf(-1),
	"bytes": []byte("abc"),
	"str":   "abc", "empty str": "", "list": list{1, "a"}, "empty list": list{}, "list of dicts": list{dict{"a", 1}},
	"dict": dict{"a", 1}, "empty dict": dict{},
	"tuple": pair{1, 2}, "2^63-1": math.MaxInt64, "2^63": uint64(1 << 63), "2^64-1": uint64(math.MaxUint64),
	"-2^63": math.MinInt64, "itself": itself{},
	"event": dict{"action", "alloc"}, "frame": dict{"filename", "a.py"}, "block": dict{"state", "inactive"},
	"segment": dict{"total_size", 1},
}

// itself represents a list that holds itself.
type itself struct{}

// What Encoder cannot write is a text in its pickles, and is put in place
// of that afterwards.
const (
	markNone   = "this is None"
	markBytes  = "this is bytes"
	markItself = "this is itself"
)

// oddly pickles a value with what the Encoder cannot write.
func oddly(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := pickle.NewEncoder(&b, 3) // which has no frames, whose lengths would change
	put(t, e, v)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	for mark, opcodes := range map[string]string{markNone: "N", markBytes: "C\x03abc", markItself: "]"} {
		text := fmt.Sprintf("X%c\x00\x00\x00%s", rune(len(mark)), mark)
		for i := bytes.Index(data, []byte(text)); i >= 0; i = bytes.Index(data, []byte(text)) {
			put := data[i+len(text) : i+len(text)+2] // BINPUT and its index
			with := opcodes + string(put)
			if mark == markItself {
				with += "h" + string(put[1:]) + "a"
			}
			data = slices.Concat(data[:i], []byte(with), data[i+len(text)+2:])
		}
	}
	return data
}

// loadOdd reads what oddly pickles, in both ways where the first knows all of it. It
// is nil where nothing can be read.
func loadOdd(t testing.TB, v any) *Snapshot {
	t.Helper()
	data := oddly(t, v)
	if _, err := read(bytes.NewReader(data), int64(len(data)), Options{}, wayGopickle); errors.Is(err, ErrNotSnapshot) {
		return nil
	}
	s := readWay(t, data, wayGopickle)
	if stream, err := read(bytes.NewReader(data), int64(len(data)), Options{}, wayStream); err == nil {
		requireSame(t, stream, s)
	} else if !errors.Is(err, pickle.ErrOtherWay) {
		t.Error(err)
	}
	return s
}

// rowWith is a snapshot in which one row has every key, with a value in place of
// the one under key.
func rowWith(row, key string, value any) dict {
	frames := list{frame("a.py", 1, "f")}
	rows := map[string]dict{
		"frame":   {"filename", "a.py", "name", "f", "line", 3},
		"history": {"real_size", 5, "addr", 512, "frames", frames},
		"block": {"state", "active_allocated", "address", 512, "size", 512, "requested_size", 300, "frames", frames,
			"history", list{dict{"real_size", 3}}},
		"segment": {"total_size", 1024, "device", 0, "address", 512, "allocated_size", 512, "active_size", 512,
			"requested_size", 300, "stream", 0,
			"segment_type", "small", "segment_pool_id", pair{0, 0}, "is_expandable", false, "frames", frames,
			"forward_frames", list{"a"},
			"blocks", list{dict{"state", "inactive", "size", 1024}}},
		"event": {"action", "alloc", "addr", 512, "device_free", 7, "size", 300, "stream", 0, "time_us", 5, "frames",
			frames, "compile_context", "0/1",
			"user_metadata", "x", "pool_id", pair{0, 1}, "forward_frames", list{"a"}},
		"annotation": {"stage", "START", "name", "step", "device", 0, "time_us", 5},
		"root": {"segments", list{}, "device_traces", list{}, "allocator_settings", dict{"a", 1},
			"external_annotations", list{}, "trace_alloc_overflowed", false},
	}
	all := rows[row]
	if key == "" {
		return all
	}
	for i := 0; i < len(all); i += 2 {
		if all[i] == key {
			all[i+1] = value
		}
	}
	switch row {
	case "frame":
		return dict{"device_traces", list{list{dict{"action", "alloc", "frames", list{all}}}}}
	case "history":
		return dict{"segments",
			list{dict{"total_size", 512, "blocks", list{dict{"state", "inactive", "history", list{all}}}}}}
	case "block":
		return dict{"segments", list{dict{"total_size", 512, "blocks", list{all}}}}
	case "segment":
		return dict{"segments", list{all}}
	case "event":
		return dict{"device_traces", list{list{all, all}}}
	case "annotation":
		return dict{"device_traces", list{}, "external_annotations", list{all}}
	}
	return all
}

// eachWrong yields a snapshot for every key of every row with every wrong value.
func eachWrong(yield func(name string, v dict)) {
	for _, row := range []string{"root", "segment", "block", "history", "event", "frame", "annotation"} {
		keys := rowWith(row, "", nil)
		for i := 0; i < len(keys); i += 2 {
			key := keys[i].(string)
			for what, value := range wrong {
				yield(fmt.Sprintf("%s.%s = %s", row, key, what), rowWith(row, key, value))
			}
		}
	}
}

// TestWrongTypes puts every kind of value into every field. Both ways read the
// same, nothing is fatal, and what is not of the field's type is counted.
func TestWrongTypes(t *testing.T) {
	n := 0
	eachWrong(func(name string, v dict) {
		n++
		s := loadOdd(t, v)
		if t.Failed() {
			t.Fatal(name)
		}
		if s == nil {
			delete(mustCount, name)
			return
		}
		if mustCount[name] && len(s.Oddity.WrongTypes) == 0 {
			t.Errorf("%s is not counted: %s", name, describe(s))
		}
		delete(mustCount, name)
		for i := range s.Segments {
			if d := s.Segments[i].Device; d < 0 || d >= maxDevices {
				t.Errorf("%s: a segment of device %d", name, d)
			}
		}
	})
	if n < 1000 || len(mustCount) > 0 {
		t.Errorf("%d fields and values; never met: %v", n, mustCount)
	}
}

// mustCount are some of those that no quirk of any writer explains.
var mustCount = map[string]bool{
	"root.segments = int": true, "root.segments = list": true, "root.device_traces = str": true,
	"root.device_traces = None":        true,
	"root.external_annotations = dict": true, "root.segments = event": true,
	"segment.total_size = str": true, "segment.total_size = NaN": true, "segment.total_size = 2^64-1": true,
	"segment.device = negative": true,
	"segment.device = 2^63-1":   true, "segment.address = float": true, "segment.blocks = segment": true,
	"segment.segment_type = int":  true,
	"segment.is_expandable = int": true, "segment.segment_pool_id = str": true, "segment.stream = list": true,
	"segment.frames = bytes": true,
	"block.size = inf":       true, "block.state = str": true, "block.state = list of dicts": true,
	"block.requested_size = dict": true, "block.history = tuple": true,
	"history.real_size = None": true, "history.frames = event": true,
	"event.action = None": true, "event.action = itself": true, "event.addr = str": true, "event.size = 2^63": true,
	"event.size = bool":     true,
	"event.time_us = float": true, "event.frames = block": true, "event.compile_context = int": true,
	"event.user_metadata = list": true,
	"event.pool_id = int":        true, "event.stream = tuple": true,
	"frame.line = str": true, "frame.name = None": true, "frame.filename = bytes": true,
	"annotation.name = dict": true, "annotation.device = 2^63-1": true, "annotation.device = negative": true,
	"annotation.time_us = NaN": true,
}
