package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/pickle"
)

// ErrNotSnapshot: the file is a pickle, of something else.
var ErrNotSnapshot = errors.New("not a memory snapshot")

const (
	maxDevices    = 1024 // traces; torch's own bound on devices is lower
	maxSettings   = 1024 // leaves of allocator_settings
	maxTreeDepth  = 16
	maxSettingKey = 256 // bytes
)

// finish assembles the snapshot from the root of the pickle.
func (b *builder) finish(res *pickle.Result) (*Snapshot, error) {
	h := res.Heap
	var err error
	switch c, ok := h.Container(res.Root); {
	case ok && c.Kind == pickle.Dict, ok && c.Kind == pickle.EmptyDict:
		err = b.rootDict(h, h.Items(res.Root))
	case ok && (c.Kind == kindRows || c.Kind == pickle.EmptyList):
		err = b.rootList(h, res.Root)
	default:
		err = fmt.Errorf("%w: its top level is no dict of segments and traces", ErrNotSnapshot)
	}
	if err != nil {
		return nil, err
	}
	s := b.s
	s.Strings = h.Strings
	s.Stacks = b.stacks.table
	s.Streams = b.streams.values
	s.Pools = b.pools.values
	s.Format.Protocol = res.Protocol
	s.Oddity.BadText = h.Repaired
	return s, nil
}

// rootList is what torch.cuda.memory_snapshot() returns: segments and nothing else.
func (b *builder) rootList(h *pickle.Heap, root pickle.Value) error {
	rows, ok := b.rows(h, root, kindSegment)
	if !ok {
		return fmt.Errorf("%w: its top level is a list, and not one of segments", ErrNotSnapshot)
	}
	b.s.Format.BareList = true
	b.keepSegments(rows)
	return nil
}

func (b *builder) rootDict(h *pickle.Heap, pairs []pickle.Value) error {
	found := false
	var segments, annotations *rowList
	for p := 0; p < len(pairs); p += 2 {
		v, ok := pairs[p+1], false
		switch b.keyOf(h, pairs[p]) {
		case keySegments:
			found = true
			if segments, ok = b.rows(h, v, kindSegment); !ok {
				b.wrongType("segments")
			}
		case keyDeviceTraces:
			found = true
			b.s.Format.HasTraces = true
			b.traces(h, v)
		case keyAllocatorSettings:
			b.s.Format.HasSettings = true
			b.settings(h, v)
		case keyExternalAnnotations:
			b.s.Format.HasAnnotations = true
			if annotations, ok = b.rows(h, v, kindAnnotation); !ok {
				b.wrongType("external_annotations")
			}
		case keyOverflowed:
			b.s.Format.Overflowed = b.s.Format.Overflowed || anyTrue(h, v)
		case keyHost:
			b.s.Format.HasHost = b.s.Format.HasHost || holdsAnything(h, v)
		case keyUnknown:
			b.unknownKey(h, pairs[p])
		}
	}
	b.s.Format.XPU = b.s.isXPU()
	b.keepSegments(segments)
	b.s.Annotations = keep(b.s.Annotations, annotations)
	if !found {
		return fmt.Errorf("%w: its top level is a dict without segments and device_traces%s", ErrNotSnapshot, b.someKeys(h, pairs))
	}
	return nil
}

// isXPU knows the allocator of Intel's GPUs by the only settings it writes
// (FORMAT.md 6.1).
func (s *Snapshot) isXPU() bool {
	has := func(key string) bool {
		return slices.ContainsFunc(s.Settings, func(item Setting) bool { return item.Key == key })
	}
	return !s.Format.HasAnnotations && has("PYTORCH_ALLOC_CONF") && !has("PYTORCH_CUDA_ALLOC_CONF")
}

// holdsAnything reports whether a list has an item that is no empty list.
func holdsAnything(h *pickle.Heap, v pickle.Value) bool {
	c, ok := h.Container(v)
	if !ok || c.Kind == pickle.EmptyList {
		return false
	}
	return c.Kind != pickle.List || slices.ContainsFunc(h.Items(v), func(item pickle.Value) bool {
		c, ok := h.Container(item)
		return !ok || c.Kind != pickle.EmptyList
	})
}

// someKeys names the first keys of a dict that should have been a snapshot.
func (b *builder) someKeys(h *pickle.Heap, pairs []pickle.Value) string {
	var names []string
	for p := 0; p < len(pairs) && len(names) < 4; p += 2 {
		if pairs[p].Type() == pickle.String {
			name := h.Strings[pairs[p].Index()]
			names = append(names, strconv.Quote(name[:min(len(name), 40)]))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it has " + strings.Join(names, ", ")
}

// traces makes a trace of each list of events.
func (b *builder) traces(h *pickle.Heap, v pickle.Value) {
	lists := h.Items(v)
	if c, ok := h.Container(v); !ok || c.Kind != pickle.List && c.Kind != pickle.EmptyList {
		b.wrongType("device_traces")
		lists = nil
	}
	b.s.Traces = nil // the last of several keys counts
	if len(lists) > maxDevices {
		lists = lists[:maxDevices]
		b.wrongType("device_traces beyond 1,024")
	}
	taken := map[*rowList]bool{} // a device has a list of its own
	for device, list := range lists {
		trace := Trace{Device: DeviceID(device)}
		rows, ok := b.rows(h, list, kindEvent)
		switch {
		case !ok:
			b.wrongType("device_traces")
		case rows == nil:
		case taken[rows]:
			b.wrongType("device_traces of another device")
		case rows.rows == nil:
			trace.Events = b.events.slice(rows.start, rows.start+rows.n)
		default:
			trace.Events = b.events.gather(rows.rows)
		}
		taken[rows] = true
		b.s.Traces = append(b.s.Traces, trace)
	}
}

func (b *builder) setAnnotation(h *pickle.Heap, i int, pairs []pickle.Value) {
	a := &b.s.Annotations[i]
	for p := 0; p < len(pairs); p += 2 {
		v := pairs[p+1]
		switch b.keyOf(h, pairs[p]) {
		case keyName:
			a.Name = b.text(v, "annotation.name")
		case keyStage:
			a.Start = v.Type() == pickle.String && h.Strings[v.Index()] == "START"
		case keyDevice:
			a.Device = DeviceID(b.integer(h, v, "annotation.device"))
		case keyTimeMicros:
			a.TimeMicros = b.integer(h, v, "annotation.time_us")
		}
	}
}

// settings flattens allocator_settings, a free-form tree.
func (b *builder) settings(h *pickle.Heap, v pickle.Value) {
	walkSettings(h, v, "", func(key, value string) {
		if len(b.s.Settings) < maxSettings {
			b.s.Settings = append(b.s.Settings, Setting{Key: key, Value: value})
		}
		if strings.HasPrefix(key, "trace_alloc_overflowed") && (value == "true" || value == "1") {
			b.s.Format.Overflowed = true
		}
	})
	slices.SortStableFunc(b.s.Settings, func(x, y Setting) int { return strings.Compare(x.Key, y.Key) })
}

// walkSettings yields the leaves of a tree of dicts and lists.
func walkSettings(h *pickle.Heap, v pickle.Value, path string, leaf func(key, value string)) {
	budget := maxSettings // of values, because lists may share their items
	var walk func(v pickle.Value, path string, depth int)
	walk = func(v pickle.Value, path string, depth int) {
		if budget--; budget < 0 || depth > maxTreeDepth {
			return
		}
		c, ok := h.Container(v)
		items := h.Items(v)
		switch {
		case !ok:
			leaf(path, scalar(h, v))
		case c.Kind == pickle.Dict:
			for p := 0; p < len(items); p += 2 {
				walk(items[p+1], join(path, scalar(h, items[p])), depth+1)
			}
		default:
			for i, item := range items {
				walk(item, join(path, strconv.Itoa(i)), depth+1)
			}
		}
	}
	walk(v, path, 0)
}

func join(path, key string) string {
	if path != "" {
		key = path + "." + key
	}
	return key[:min(len(key), maxSettingKey)]
}

// scalar is a value as text.
func scalar(h *pickle.Heap, v pickle.Value) string {
	if i, ok := h.Int64(v); ok {
		return strconv.FormatInt(i, 10)
	} else if u, ok := h.Uint64(v); ok {
		return strconv.FormatUint(u, 10)
	} else if f, ok := h.Float64(v); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	} else if truth, ok := v.Truth(); ok {
		return strconv.FormatBool(truth)
	} else if v.Type() == pickle.String {
		return h.Strings[v.Index()]
	}
	return ""
}

// anyTrue reports whether a value, or an item of it, is true or not zero.
func anyTrue(h *pickle.Heap, v pickle.Value) bool {
	for _, item := range append([]pickle.Value{v}, h.Items(v)...) {
		truth, _ := item.Truth()
		if i, _ := h.Int64(item); truth || i != 0 {
			return true
		}
	}
	return false
}
