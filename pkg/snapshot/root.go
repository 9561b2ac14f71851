package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// ErrNotSnapshot: the file is a pickle or JSON, but not a snapshot.
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
	b.read, b.partial = res.Bytes, res.Partial
	var err error
	switch c, ok := h.Container(res.Root); {
	case ok && c.Kind == pickle.Dict, ok && c.Kind == pickle.EmptyDict:
		err = b.rootDict(h, h.Items(res.Root))
	case ok && (c.Kind == kindRows || c.Kind == pickle.EmptyList || c.Kind == pickle.Tuple):
		err = b.rootList(h, res.Root)
	default:
		err = fmt.Errorf("%w: its top level is not a dict of segments and traces", ErrNotSnapshot)
	}
	if err == nil {
		err = b.somethingRead()
	}
	if err != nil {
		return nil, err
	}
	s := b.s
	s.Strings = h.Strings
	s.CutTexts()
	s.Stacks = b.stacks.table
	s.Streams = b.streams.values
	s.Pools = b.pools.values
	s.Format.Protocol = res.Protocol
	s.Format.NPU = s.inPackage("torch_npu")
	s.Oddity.BadText = h.Repaired
	if res.Partial {
		b.leaveOutEnd(res)
	}
	return s, nil
}

// somethingRead returns an error if a file has values where segments and events belong,
// but none could be read.
func (b *builder) somethingRead() error {
	unread := b.s.Oddity.Unread()
	delete(unread, fieldKey) // other keys were read
	hasEvents := slices.ContainsFunc(b.s.Traces, func(t Trace) bool { return t.Events.Len() > 0 })
	if len(unread) == 0 || len(b.s.Segments) > 0 || hasEvents {
		return nil
	}
	return fmt.Errorf("%w: it has no segment or event that can be read (%s)", ErrNotSnapshot,
		strings.Join(sortedKeys(unread), ", "))
}

// rootList reads what torch.cuda.memory_snapshot() returns: a list of segments.
func (b *builder) rootList(h *pickle.Heap, root pickle.Value) error {
	rows, ok := b.rows(h, root, kindSegment)
	if !ok {
		return fmt.Errorf("%w: its top level is a list, but not of segments", ErrNotSnapshot)
	}
	b.s.Format.BareList = true
	return b.keepSegments(rows, nil)
}

func (b *builder) rootDict(h *pickle.Heap, pairs []pickle.Value) error {
	values := map[key]pickle.Value{} // the last of several keys counts
	for p := 0; p < len(pairs); p += 2 {
		k := b.keyOf(h, pairs[p])
		values[k] = pairs[p+1]
		if k == keyUnknown {
			b.unknownKey(h, pairs[p])
		}
	}
	traces, hasTraces := values[keyDeviceTraces]
	hostTraces, hasHostTraces := values[keyHostTraces]
	_, hasHostSegments := values[keyHostSegments]
	if _, ok := values[keySegments]; !ok && !hasTraces && !hasHostTraces && !hasHostSegments {
		return fmt.Errorf("%w: its top level is a dict without segments and device_traces%s", ErrNotSnapshot,
			b.someKeys(h, pairs))
	}
	f := &b.s.Format
	f.HasTraces, f.HasHost = hasTraces, hasHostTraces || hasHostSegments
	if hasTraces {
		if err := b.traces(h, traces); err != nil {
			return err
		}
	}
	if v, ok := values[keyAllocatorSettings]; ok {
		f.HasSettings = true
		b.settings(h, v)
		b.overflows(h, valueOf(b, h, v, keyOverflowed))
	}
	b.overflows(h, values[keyOverflowed])
	if hasHostTraces {
		if err := b.hostTrace(h, hostTraces); err != nil {
			return err
		}
	}
	segments := b.rowsAt(h, values, keySegments, kindSegment, fieldSegments)
	_, f.HasAnnotations = values[keyExternalAnnotations]
	annotations := b.rowsAt(h, values, keyExternalAnnotations, kindAnnotation, "external_annotations")
	if err := b.keepSegments(segments, b.rowsAt(h, values, keyHostSegments, kindSegment,
		fieldHostSegments)); err != nil {
		return err
	}
	if err := b.orderHostTrace(hasHostSegments); err != nil {
		return err
	}
	b.findWriter()
	if err := b.room(24 * int64(annotations.len())); err != nil {
		return err
	}
	b.s.Annotations = keep(b.s.Annotations, annotations)
	return nil
}

// holdsAnything reports whether a list has an item other than empty lists.
func holdsAnything(h *pickle.Heap, v pickle.Value) bool {
	c, ok := h.Container(v)
	if !ok || c.Kind == pickle.EmptyList {
		return false
	}
	return c.Kind != pickle.List && c.Kind != pickle.Tuple ||
		slices.ContainsFunc(h.Items(v), func(item pickle.Value) bool {
			c, ok := h.Container(item)
			return !ok || c.Kind != pickle.EmptyList && (c.Kind != pickle.Tuple || len(h.Items(item)) > 0)
		})
}

// rowsAt returns the list of rows under a key of the root, if it has the key.
func (b *builder) rowsAt(h *pickle.Heap, values map[key]pickle.Value, k key, kind pickle.Kind, name string) *rowList {
	v, there := values[k]
	if !there {
		return nil
	}
	list, ok := b.rows(h, v, kind)
	if !ok {
		b.wrongType(name)
	}
	return list
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
func (b *builder) traces(h *pickle.Heap, v pickle.Value) error {
	lists := h.Items(v)
	if c, ok := h.Container(v); !ok || c.Kind != pickle.List && c.Kind != pickle.EmptyList && c.Kind != pickle.Tuple {
		b.wrongType(fieldTraces)
		lists = nil
	}
	if n := len(lists); b.partial && n > 0 && isEvent(h, lists[n-1]) {
		lists = lists[:n-1] // reading ended before the event was added to its list
	}
	if len(lists) > maxDevices {
		if slices.ContainsFunc(lists[maxDevices:], func(v pickle.Value) bool { return holdsAnything(h, v) }) {
			b.wrongType(fieldManyTraces)
		}
		lists = lists[:maxDevices]
	}
	for device, list := range lists {
		rows, ok := b.rows(h, list, kindEvent)
		c, _ := b.list(h, list)
		if !ok {
			b.wrongType(fieldTraces)
		} else if rows != nil && b.traced[c.Ref] {
			b.wrongType(fieldSharedTrace)
			rows = nil
		}
		if rows != nil {
			b.traced[c.Ref] = true
		}
		if err := b.trace(DeviceID(device), rows); err != nil {
			return err
		}
	}
	return nil
}

// trace adds the trace of a device; rows is nil if it has no events.
func (b *builder) trace(device DeviceID, rows *rowList) error {
	trace := Trace{Device: device}
	switch {
	case rows == nil:
	case rows.rows == nil:
		trace.Events = b.events.slice(rows.start, rows.start+rows.n)
	default:
		if err := b.room(b.events.rowBytes() * int64(len(rows.rows))); err != nil {
			return err
		}
		trace.Events = b.events.gather(rows.rows)
	}
	b.checkEvents(&trace.Events)
	b.s.Traces = append(b.s.Traces, trace)
	return nil
}

func isEvent(h *pickle.Heap, v pickle.Value) bool {
	c, ok := h.Container(v)
	return ok && c.Kind == kindEvent
}

// room counts, and so bounds, the memory for a copy of rows: rows are copied only if a
// file's lists name them out of order, and then two bytes of the file suffice for a row.
func (b *builder) room(bytes int64) error {
	b.assembled += bytes
	if most := b.limits.MemoryFor(b.read); b.assembled > most {
		return pickle.OverLimit("memory", b.read,
			"its lists name the same rows again and again: %d bytes, where %d are allowed", b.assembled, most)
	}
	return nil
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
			if device := b.integer(h, v, "annotation.device"); device >= 0 && device < maxDevices {
				a.Device = DeviceID(device)
			} else {
				b.wrongType("annotation.device beyond 1,024")
			}
		case keyTimeMicros:
			a.TimeMicros = b.integer(h, v, "annotation.time_us")
		}
	}
}

// settings flattens allocator_settings, a free-form tree. A setting that no known program
// writes is kept, and counted as an unknown key.
func (b *builder) settings(h *pickle.Heap, v pickle.Value) {
	if c, ok := h.Container(v); ok && c.Kind == pickle.Dict {
		pairs := h.Items(v)
		for p := 0; p < len(pairs); p += 2 {
			if name := scalar(h, pairs[p]); !knownSettings[name] {
				count(&b.s.Oddity.UnknownKeys, join("allocator_settings", name))
			}
		}
	}
	walkSettings(h, v, "", func(key, value string) {
		if len(b.s.Settings) < maxSettings {
			kept, _ := CutText(value)
			b.s.Settings = append(b.s.Settings, Setting{Key: key, Value: kept})
		}
	})
	slices.SortStableFunc(b.s.Settings, func(x, y Setting) int { return strings.Compare(x.Key, y.Key) })
}

// walkSettings calls leaf for the leaves of a tree of dicts and lists. It returns how
// many values it visited.
func walkSettings(h *pickle.Heap, v pickle.Value, path string, leaf func(key, value string)) int {
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
	return maxSettings - max(budget, 0)
}

func join(path, key string) string {
	if path != "" {
		key = path + "." + key
	}
	return key[:min(len(key), maxSettingKey)]
}

// scalar returns a value as text.
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

// overflows reads trace_alloc_overflowed: one boolean for all devices, a list by device,
// or a dict by device. A number other than 0 means true.
func (b *builder) overflows(h *pickle.Heap, v pickle.Value) {
	set := func(device int) {
		if device >= 0 && device < len(b.s.Traces) {
			b.s.Traces[device].Overflowed = true
		}
	}
	c, ok := h.Container(v)
	items := h.Items(v)
	switch {
	case !ok && isTrue(h, v):
		for device := range b.s.Traces {
			set(device)
		}
	case ok && c.Kind == pickle.Dict:
		for p := 0; p < len(items); p += 2 {
			if device, err := strconv.Atoi(scalar(h, items[p])); err == nil && isTrue(h, items[p+1]) {
				set(device)
			}
		}
	default:
		for device, item := range items {
			if isTrue(h, item) {
				set(device)
			}
		}
	}
}

// isTrue reports whether a value is true or a number other than 0.
func isTrue(h *pickle.Heap, v pickle.Value) bool {
	truth, _ := v.Truth()
	i, _ := h.Int64(v)
	return truth || i != 0
}

// valueOf returns the last value of a key in a dict; None if there is none.
func valueOf(b *builder, h *pickle.Heap, d pickle.Value, k key) (v pickle.Value) {
	if c, ok := h.Container(d); !ok || c.Kind != pickle.Dict {
		return v
	}
	pairs := h.Items(d)
	for p := 0; p < len(pairs); p += 2 {
		if b.keyOf(h, pairs[p]) == k {
			v = pairs[p+1]
		}
	}
	return v
}
