package snapshot

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Python values to pickle: dict keeps its order, list and pair are what they say.
type (
	dict []any // key, value, key, value, ...
	list []any
	pair [2]uint64
)

func pickled(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := pickle.NewEncoder(&b, 4)
	put(t, e, v)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t testing.TB, e *pickle.Encoder, v any) {
	switch v := v.(type) {
	case dict:
		e.Dict(len(v)/2, func(i int) { put(t, e, v[2*i]); put(t, e, v[2*i+1]) })
	case list:
		e.List(len(v), func(i int) { put(t, e, v[i]) })
	case pair:
		e.Pair(v[0], v[1])
	case string:
		e.Shared(v)
	case int:
		e.Int(int64(v))
	case uint64:
		e.Uint(v)
	case float64:
		e.Float(v)
	case bool:
		e.Bool(v)
	case nil:
		e.Text(markNone)
	case []byte:
		e.Text(markBytes)
	case itself:
		e.Text(markItself)
	default:
		t.Fatalf("%T has no pickle here", v)
	}
}

// load reads a value in both ways.
func load(t testing.TB, v any) *Snapshot {
	t.Helper()
	data := pickled(t, v)
	s := readWay(t, data, wayStream)
	requireSame(t, s, readWay(t, data, wayGopickle))
	return s
}

func frame(file string, line any, name string) dict {
	return dict{"name", name, "filename", file, "line", line}
}

func TestLegacyHistory(t *testing.T) {
	s := load(t, dict{"segments", list{dict{
		"device", 0, "address", 1 << 30, "total_size", 4096, "allocated_size", 1024, "active_size", 1024, "stream", 0,
		"segment_type", "small",
		"blocks", list{
			dict{"size", 1024, "state", "active_allocated", "history", list{
				dict{"addr", 1 << 30, "real_size", 700, "frames", list{frame("new.py", 1, "f")}},
				dict{"addr", 1 << 30, "real_size", 300, "frames", list{frame("old.py", 1, "f")}},
			}},
			dict{"size", 512, "state", "active_allocated"},
			dict{"size", 2560, "state", "inactive"},
		}}}, "device_traces", list{list{}}})
	want := []Block{
		{Address: 1 << 30, Size: 1024, RequestedSize: 700, State: ActiveAllocated, Stack: 1},
		{Address: 1<<30 + 1024, Size: 512, RequestedSize: 512, State: ActiveAllocated},
		{Address: 1<<30 + 1536, Size: 2560, RequestedSize: 2560, State: Inactive},
	}
	if !reflect.DeepEqual(s.Blocks, want) {
		t.Errorf("blocks %+v\nwant   %+v", s.Blocks, want)
	}
	if file := s.String(s.Frames[s.Stacks.Frames(s.Blocks[0].Stack)[0]].File); file != "new.py" {
		t.Errorf("the newest use comes first in the history, got the stack of %s", file)
	}
	if !s.Format.Legacy || s.TorchVersion() != "2.0 or earlier" {
		t.Errorf("legacy %t, torch %s", s.Format.Legacy, s.TorchVersion())
	}
}

func TestBareList(t *testing.T) {
	s := load(t, list{dict{"device", 1, "address", 512, "total_size", 512, "blocks",
		list{dict{"size", 512, "state", "active_allocated", "requested_size", 3}}}})
	if !s.Format.BareList || len(s.Segments) != 1 || s.Blocks[0].Address != 512 ||
		!reflect.DeepEqual(s.Devices(), []DeviceID{1}) {
		t.Errorf("%+v %+v", s.Format, s.Segments)
	}
	if s := load(t, list{}); !s.Format.BareList || len(s.Devices()) != 0 {
		t.Errorf("an empty list: %+v", s)
	}
}

func TestTraceShapes(t *testing.T) {
	event := dict{"action", "alloc", "addr", 512, "size", 1, "stream", 0}
	for name, tt := range map[string]struct {
		traces  any
		devices int
		events  []int
	}{
		"no traces":      {list{}, 0, nil},
		"empty traces":   {list{list{}, list{}}, 2, []int{0, 0}},
		"second device":  {list{list{}, list{event}}, 2, []int{0, 1}},
		"not even lists": {list{5, list{event}}, 2, []int{0, 1}},
	} {
		s := load(t, dict{"segments", list{}, "device_traces", tt.traces})
		if len(s.Traces) != tt.devices {
			t.Errorf("%s: %d traces", name, len(s.Traces))
		}
		for i, want := range tt.events {
			if got := s.Traces[i].Events.Len(); got != want {
				t.Errorf("%s: device %d has %d events, want %d", name, i, got, want)
			}
		}
	}
}

// TestNobodyElses: what stands outside the lists that count is not taken in, and
// what two of them share belongs to the first, or a small file could ask for
// endless work.
func TestNobodyElses(t *testing.T) {
	segment := func(device int, blocks list) dict {
		return dict{"device", device, "address", 512, "total_size", 512, "blocks", blocks}
	}
	block := dict{"size", 512, "state", "active_allocated", "requested_size", 3}
	s := load(t, dict{"elsewhere", list{segment(0, list{block})}, "segments",
		list{segment(1, list{block}), segment(5000, list{}), segment(-1, list{})},
		"traces", list{list{dict{"action", "alloc", "addr", 1}}}, "device_traces", list{}})
	if len(s.Segments) != 1 || s.Segments[0].Device != 1 || s.Segments[0].BlockCount != 1 {
		t.Errorf("segments %+v", s.Segments)
	}

	const event = "}(X\x06\x00\x00\x00actionX\x05\x00\x00\x00allocX\x04\x00\x00\x00addrK\x01u"
	data := []byte("\x80\x02}q\x00(X\x0d\x00\x00\x00device_traces](]q\x01(" + event + event + "eh\x01h\x01eu.")
	s = readWay(t, data, wayStream)
	if len(s.Traces) != 3 || s.Traces[0].Events.Len() != 2 || s.Traces[1].Events.Len() != 0 ||
		s.Oddity.WrongTypes["device_traces of another device"] != 2 {
		t.Errorf("traces %+v, oddities %+v", s.Traces, s.Oddity)
	}
	requireSame(t, s, readWay(t, data, wayGopickle))
}

// TestLastKeyCounts: of two traces under the same key the last one counts, and
// anything but a list of lists is counted as wrong.
func TestLastKeyCounts(t *testing.T) {
	event := dict{"action", "alloc", "addr", 1}
	s := load(t, dict{"device_traces", list{list{event, event}}, "device_traces", list{list{event}}})
	if len(s.Traces) != 1 || s.Traces[0].Events.Len() != 1 {
		t.Errorf("traces %+v", s.Traces)
	}
	s = load(t, dict{"segments", list{dict{"total_size", 512, "device", 0, "address", 512}},
		"device_traces", list{event, event}})
	if len(s.Traces) != 0 || s.Oddity.WrongTypes["device_traces"] != 1 {
		t.Errorf("traces %+v, oddities %+v", s.Traces, s.Oddity)
	}
}

func TestFields(t *testing.T) {
	s := load(t, dict{"device_traces", list{list{
		dict{"action", "alloc", "addr", -512, "size", 8, "stream", 5, "frames",
			list{frame("a.py", uint64(math.MaxUint64), "f"), frame("a.py", 7, "g")}, "time_us", 5},
		dict{"size", 2, "action", "explode", "addr", 1, "stream", 5, "color", "red"},
		dict{"action", "oom", "device_free", 77, "size", "many", "stream", 0},
		dict{"action", 3, "addr", 1.5, "size", 1, "stream", 0, "frames", "none"},
		dict{"action", "explode", "user_metadata", dict{"k", "v"}, "pool_id", list{0, 2}, "compile_context", "N/A"},
	}}, "segments", list{}, "host_traces", list{}, "made_up", 1})
	e := &s.Traces[0].Events
	if e.Addr[0] != math.MaxUint64-511 {
		t.Errorf("a signed address reads %#x", e.Addr[0])
	}
	if f := s.Frames[s.Stacks.Frames(e.Stack[0])[0]]; f.Line != 0 {
		t.Errorf("line 2^64-1 reads %d", f.Line)
	}
	if got := s.ActionName(e.Action[1]); got != "explode" || e.Action[1].Known() || e.Action[4] != e.Action[1] {
		t.Errorf("unknown action %q", got)
	}
	if e.Action[2] != OOM || e.Addr[2] != 77 || e.Size[2] != 0 || e.Action[3] != NoAction {
		t.Errorf("events %+v", e)
	}
	if got := s.String(e.Metadata[4]); got != `{"k":"v"}` {
		t.Errorf("metadata %s", got)
	}
	if got := s.Pools[e.Pool[4]]; got != (Pool{0, 2}) || e.CompileContext != nil {
		t.Errorf("pool %v, contexts %v", got, e.CompileContext)
	}
	if !reflect.DeepEqual(e.TimeMicros, []int64{5, 0, 0, 0, 0}) {
		t.Errorf("times %v", e.TimeMicros)
	}
	want := Oddities{
		UnknownKeys:    map[string]int{"color": 1, "made_up": 1},
		UnknownActions: map[string]int{"explode": 2},
		WrongTypes:     map[string]int{"event.size": 1, "event.action": 1, "event.addr": 1, "event.frames": 1},
	}
	if !reflect.DeepEqual(s.Oddity, want) {
		t.Errorf("oddities %+v\nwant     %+v", s.Oddity, want)
	}
}

// TestOverflow reads every form in which a file may say that a ring buffer was
// full: of all devices, or of each.
func TestOverflow(t *testing.T) {
	event := dict{"action", "alloc", "addr", 512, "size", 1, "stream", 0}
	for _, tt := range []struct {
		name     string
		value    any
		inside   bool // allocator_settings
		overflow [2]bool
	}{
		{"yes", true, false, [2]bool{true, true}},
		{"a number of events", 7, true, [2]bool{true, true}},
		{"no", false, false, [2]bool{}},
		{"zero", 0, true, [2]bool{}},
		{"by device", list{false, true}, true, [2]bool{false, true}},
		{"more devices than there are", list{0, 0, 1}, false, [2]bool{}},
		{"a pair", pair{0, 1}, false, [2]bool{false, true}},
		{"by name", dict{"1", true, "0", false, "cuda", true}, true, [2]bool{false, true}},
		{"words", "yes", false, [2]bool{}},
	} {
		root := dict{"device_traces", list{list{event}, list{event}}}
		if tt.inside {
			root = append(root, "allocator_settings", dict{"trace_alloc_overflowed", tt.value})
		} else {
			root = append(root, "trace_alloc_overflowed", tt.value)
		}
		s := load(t, root)
		if got := [2]bool{s.Traces[0].Overflowed, s.Traces[1].Overflowed}; got != tt.overflow {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.overflow)
		}
	}
}

// TestFilledInSteps reads dicts and lists that grow over several opcodes, as
// writers other than CPython's make them.
func TestFilledInSteps(t *testing.T) {
	const event = "}(X\x04\x00\x00\x00sizeK\x09uX\x06\x00\x00\x00actionX\x05\x00\x00\x00allocsX\x04\x00\x00\x00addrM\x00\x02s"
	data := []byte("\x80\x02}(X\x0d\x00\x00\x00device_traces]](" + event + "e(" + event + "e(" + event + "eau.")
	s := readWay(t, data, wayStream)
	requireSame(t, s, readWay(t, data, wayGopickle))
	e := &s.Traces[0].Events
	if e.Len() != 3 || e.Size[2] != 9 || e.Addr[2] != 512 || e.Action[2] != Alloc {
		t.Errorf("%+v", e)
	}
}

// TestSharedRows reads lists that name rows twice and out of order.
func TestSharedRows(t *testing.T) {
	const first = "}q\x01(X\x06\x00\x00\x00actionX\x05\x00\x00\x00allocX\x04\x00\x00\x00addrK\x01u"
	const second = "}q\x02(X\x06\x00\x00\x00actionX\x05\x00\x00\x00allocX\x04\x00\x00\x00addrK\x02u"
	data := []byte("\x80\x02}q\x00(X\x0d\x00\x00\x00device_traces](](" + first + second +
		"h\x01h\x02h\x01e](h\x02h\x01eeu.")
	s := readWay(t, data, wayStream)
	requireSame(t, s, readWay(t, data, wayGopickle))
	if got := s.Traces[0].Events.Addr; !reflect.DeepEqual(got, []uint64{1, 2, 1, 2, 1}) {
		t.Errorf("device 0: %v", got)
	}
	if got := s.Traces[1].Events.Addr; !reflect.DeepEqual(got, []uint64{2, 1}) {
		t.Errorf("device 1: %v", got)
	}
}

// TestRepeatedStacks reads frame lists that are written with the same bytes
// again and again, also after the memo entry of a frame was stored anew.
func TestRepeatedStacks(t *testing.T) {
	text := func(s string) string { return "X" + string(rune(len(s))) + "\x00\x00\x00" + s }
	frame := func(name string, memo byte) string {
		return "}q" + string(rune(memo)) + "(" + text("name") + text(name) + text("filename") + text("a.py") +
			text("line") + "K\x01u"
	}
	event := func(list string) string {
		return "}(" + text("action") + text("alloc") + text("addr") + "K\x01" + text("frames") + list + "u"
	}
	again := event("](h\x01h\x02h\x01e")
	data := []byte("\x80\x02}q\x00(" + text("device_traces") + "](](" + event("]("+frame("f", 1)+frame("g", 2)+"e") +
		again + again +
		event("]("+frame("h", 1)+"h\x02e") + again + again + "eeu.")
	s := readWay(t, data, wayStream)
	e := &s.Traces[0].Events
	if want := []StackID{1, 2, 2, 3, 4, 4}; !reflect.DeepEqual(e.Stack, want) {
		t.Fatalf("stacks %v, want %v", e.Stack, want)
	}
	for id, want := range map[StackID]string{2: "fgf", 4: "hgh"} {
		var names string
		for _, f := range s.Stacks.Frames(id) {
			names += s.String(s.Frames[f].Name)
		}
		if names != want {
			t.Errorf("stack %d is %s, want %s", id, names, want)
		}
	}
}

func TestTorchVersion(t *testing.T) {
	for want, f := range map[string]Format{
		"2.1":                      {HasPoolID: true},
		"2.1 or later (torch_npu)": {HasPoolID: true, PoolBeforeType: true},
		"2.2":                      {HasPoolID: true, HasTime: true},
		"2.3 or 2.4":               {HasPoolID: true, HasTime: true, HasSettings: true},
		"2.5 to 2.7":               {HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true},
		"2.8 or 2.9": {HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
			HasCompileContext: true},
		"2.10 or 2.11": {HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
			HasCompileContext: true, HasUserMetadata: true},
		"2.12 or later": {HasPoolID: true, HasTime: true, HasUserMetadata: true, HasEventPool: true},
		"2.14 or later": {HasPoolID: true, HasTime: true, HasEventPool: true, HasHost: true},
	} {
		c := NewComposer(f)
		c.Event(0, EventText{Action: Alloc, Size: 1})
		c.Segment(Segment{})
		if got := c.Snapshot().TorchVersion(); got != want {
			t.Errorf("%+v reads as %s, want %s", f, got, want)
		}
	}
}

// TestTorchVersionByContent: an action or a setting shows what no other key does.
func TestTorchVersionByContent(t *testing.T) {
	for want, add := range map[string]func(c *Composer){
		"2.12 or later": func(c *Composer) { c.Setting("max_split_size", "-1") },
		"2.13 or later": func(c *Composer) { c.Setting("max_round_threshold", "-1") },
		"2.14 or later": func(c *Composer) { c.Event(0, EventText{Action: Annotate, Metadata: "weights"}) },
	} {
		c := NewComposer(Format{HasPoolID: true, HasTime: true, HasSettings: true, HasEventPool: true})
		c.Event(0, EventText{Action: Alloc, Size: 1})
		c.Segment(Segment{})
		add(c)
		if got := c.Snapshot().TorchVersion(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestTorchVersionByFrames: the lines of torch's own Python narrow down what the keys
// leave open, do not contradict them, and are all that torch_npu shows.
func TestTorchVersionByFrames(t *testing.T) {
	const module = "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py"
	keys := Format{HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true} // 2.5 to 2.7
	npu := Format{HasPoolID: true, PoolBeforeType: true}
	user := Format{HasPoolID: true, HasUserMetadata: true}                      // 2.10 or 2.11
	pools := Format{HasPoolID: true, HasUserMetadata: true, HasEventPool: true} // 2.12 or later
	for _, test := range []struct {
		format Format
		frames []FrameText
		cut    bool
		want   string
	}{
		{keys, []FrameText{{module, 1739, "_wrapped_call_impl"}, {module, 1750, "_call_impl"}}, false, "2.6"},
		{keys, []FrameText{{`C:\lib\torch\nn\modules\module.py`, 1762, "_call_impl"}}, false, "2.7"},
		{keys, []FrameText{{module, 1786, "_call_impl"}}, false, "2.5 to 2.7"},
		{keys, []FrameText{{module, 1747, "_call_impl"}, {module, 1762, "_call_impl"}}, false, "2.5 to 2.7"},
		{keys, []FrameText{{"/my/module.py", 1762, "_call_impl"}}, false, "2.5 to 2.7"},
		{npu, []FrameText{{module, 1562, "_call_impl"}}, false, "2.4 (torch_npu)"},
		{npu, nil, false, "2.1 or later (torch_npu)"},
		{npu, []FrameText{{module, 1790, "_call_impl"}}, false, "2.11 (torch_npu)"},
		{Format{HasPoolID: true, HasUserMetadata: true}, []FrameText{{module, 1790, "_call_impl"}}, false, "2.11"},
		{keys, []FrameText{{module, 1790, "_call_impl"}}, false, "2.5 to 2.7"},
		{user, []FrameText{{module, 1776, "_wrapped_call_impl"}, {module, 1787, "_call_impl"}}, false, "2.10"},
		{user, []FrameText{{module, 1776, "_wrapped_call_impl"}}, false, "2.10 or 2.11"},
		{pools, []FrameText{{module, 1776, "_wrapped_call_impl"}, {module, 1789, "_call_impl"}}, false, "2.12 or 2.13"},
		{pools, []FrameText{{module, 1783, "_wrapped_call_impl"}, {module, 1794, "_call_impl"}}, false,
			"2.14 or later"},
		{pools, []FrameText{{module, 1790, "_call_impl"}}, false, "2.12 or later"},
		{npu, []FrameText{{module, 1789, "_call_impl"}}, false, "2.12 or 2.13 (torch_npu)"},
		{keys, nil, true, "2.5 or later"},
		{keys, []FrameText{{module, 1786, "_call_impl"}}, true, "2.9"},
		{Format{HasTime: true, HasPoolID: true}, nil, true, "2.2 or later"},
	} {
		c := NewComposer(test.format)
		c.Event(0, EventText{Action: Alloc, Size: 1, Stack: c.Stack(test.frames...)})
		c.Segment(Segment{})
		s := c.Snapshot()
		if test.cut {
			s.Salvaged = &Salvaged{From: NoDevice}
		}
		if got := s.TorchVersion(); got != test.want {
			t.Errorf("%+v, cut %t: %s, want %s", test.frames, test.cut, got, test.want)
		}
	}
}

// TestStackGrows: a list of frames that grows after an event has it grows for
// all events that have it, as in Python.
func TestStackGrows(t *testing.T) {
	data := "\x80\x04}(\x8c\x0ddevice_traces](](" +
		"}(\x8c\x06action\x94\x8c\x05alloc\x94\x8c\x06frames\x94](" + // memo 0, 1, 2
		"}(\x8c\x04name\x8c\x01f\x8c\x08filename\x8c\x04a.py\x8c\x04lineK\x01u\x94e\x94u" + // frame 3, list 4
		"h\x04h\x03a0}(h\x00h\x01h\x02h\x04ueeu."
	s, err := Read(bytes.NewReader([]byte(data)), int64(len(data)), pickle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i, stack := range s.Traces[0].Events.Stack {
		if depth := len(s.Stacks.Frames(stack)); depth != 2 {
			t.Errorf("event %d has %d frames", i, depth)
		}
	}
}
