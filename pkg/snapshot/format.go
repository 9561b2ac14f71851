package snapshot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Format is how a file was written, as far as its keys show.
type Format struct {
	Protocol int    // pickle protocol
	Way      string // the decoder: "stream", "gopickle" or "json"
	BareList bool   // the root is a list of segments: torch.cuda.memory_snapshot()
	Legacy   bool   // blocks carry history instead of frames (torch 2.0 and older)

	HasPoolID           bool // segment_pool_id in segments
	HasTime             bool // time_us in events
	HasSettings         bool
	HasAnnotations      bool // external_annotations is a key, even if empty
	HasCompileContext   bool
	HasUserMetadata     bool
	HasEventPool        bool // pool_id in events
	HasTraces           bool // device_traces is a key
	PoolBeforeType      bool // segment_pool_id comes before segment_type: torch_npu
	HasForwardFrames    bool
	HasProfilerSegment  bool // segments without allocated_size: made from a profile
	HasHost             bool // host_segments or host_traces is a key, even if empty
	HasInternalMetadata bool // internal_metadata in events
	XPU                 bool // allocator_settings as the allocator of Intel's GPUs writes them
	NPU                 bool // files of torch_npu are on its stacks
	MLX                 bool // MLX wrote it: events and no segments, and an allocator of its own
	HasCategory         bool // category in events: MLX, and snapshots made from a profile
}

// TorchVersion is the range of torch versions that write files like this one,
// such as "2.5 to 2.7", or "" if torch did not write this one. It is a guess and should
// be shown as one.
func (s *Snapshot) TorchVersion() string {
	f := &s.Format
	if f.MLX {
		return ""
	}
	v := s.versionByKeys()
	if s.Salvaged != nil && v.first > 0 {
		v.last = later // the keys of newer versions may be in the part that was not read
	}
	switch told := s.versionByFrames(); {
	case told == versions{}:
	case v == versions{}:
		v = told
	case v.first <= told.last && told.first <= v.last:
		v = versions{max(v.first, told.first), min(v.last, told.last)}
	}
	text := "unknown"
	switch {
	case f.HasProfilerSegment && len(s.Segments) > 0:
		return "unknown (made from a profile)"
	case v.last == 0 && !f.HasPoolID && len(s.Segments) > 0 && !f.NPU:
		text = "2.0 or earlier"
	case v == versions{}:
	case v.last == later:
		text = fmt.Sprintf("2.%d or later", v.first)
	case v.first == v.last:
		text = fmt.Sprintf("2.%d", v.first)
	case v.first+1 == v.last:
		text = fmt.Sprintf("2.%d or 2.%d", v.first, v.last)
	default:
		text = fmt.Sprintf("2.%d to 2.%d", v.first, v.last)
	}
	switch {
	case f.XPU:
		text += " (XPU)"
	case s.isNPU():
		text += " (torch_npu)"
	}
	return text
}

// versions are minor versions of torch 2, from the first to the last that is possible.
type versions struct{ first, last int }

const later = 1 << 30 // no last version

// versionByKeys guesses the version from the keys of a file; zero: unknown, or torch 2.0.
func (s *Snapshot) versionByKeys() versions {
	f := &s.Format
	events := 0
	for i := range s.Traces {
		events += s.Traces[i].Events.Len()
	}
	switch {
	case f.XPU:
		return versions{11, later}
	case f.HasHost || f.HasInternalMetadata || s.hasAction(Annotate):
		return versions{14, later}
	case f.HasEventPool && s.hasSetting("max_round_threshold"):
		return versions{13, later}
	case f.HasEventPool:
		return versions{12, later}
	case f.HasUserMetadata:
		return versions{10, 11}
	case f.HasCompileContext:
		return versions{8, 9}
	case !f.HasPoolID && len(s.Segments) > 0:
		return versions{}
	case s.isNPU(): // torch_npu writes no other keys, whatever its version
		return versions{1, later}
	case events == 0 && f.HasAnnotations:
		return versions{5, later}
	case f.HasAnnotations:
		return versions{5, 7}
	case f.HasSettings:
		return versions{3, 4}
	case f.HasTime:
		return versions{2, 2}
	case events == 0 && f.BareList:
		return versions{1, later}
	case f.HasPoolID && events == 0:
		return versions{1, 2}
	case f.HasPoolID:
		return versions{1, 1}
	}
	return versions{}
}

// hasAction reports whether any event has an action.
func (s *Snapshot) hasAction(a Action) bool {
	return slices.ContainsFunc(s.Traces, func(t Trace) bool { return slices.Contains(t.Events.Action, a) })
}

// hasSetting reports whether allocator_settings has a key.
func (s *Snapshot) hasSetting(key string) bool {
	return slices.ContainsFunc(s.Settings, func(item Setting) bool { return item.Key == key })
}

// isNPU reports whether torch_npu wrote the file.
func (s *Snapshot) isNPU() bool {
	return s.Format.NPU || s.Format.PoolBeforeType
}

// callLines are the lines of each release at which functions of torch/nn/modules/module.py
// call the next one. Each was seen in a bug report or a recording that names its torch
// version, except _call_impl of 2.13, which is 11 lines below _wrapped_call_impl as in all
// releases since 2.5. 2.14 is the last release seen. Lines of _wrapped_call_impl from which
// another release calls a compiled module are left out: 1773 (2.8, 2.9) and 1776 (2.10, 2.12,
// 2.13).
var callLines = map[string]map[int32]versions{
	"_wrapped_call_impl": {
		1518: {1, 1}, 1511: {2, 2}, 1532: {3, 3}, 1553: {4, 4}, 1736: {5, 5}, 1739: {6, 6}, 1751: {7, 7},
		1775: {9, 9}, 1779: {11, 11}, 1778: {12, 13}, 1783: {14, later},
	},
	"_call_impl": {
		1527: {1, 1}, 1520: {2, 2}, 1541: {3, 3}, 1562: {4, 4}, 1747: {5, 5}, 1750: {6, 6}, 1762: {7, 7},
		1784: {8, 8}, 1786: {9, 9}, 1787: {10, 10}, 1790: {11, 11}, 1789: {12, 13}, 1794: {14, later},
	},
}

// versionByFrames guesses the version from frames of torch's own Python; zero if they do
// not show it.
func (s *Snapshot) versionByFrames() (found versions) {
	for _, f := range s.Frames {
		v, known := callLines[s.String(f.Name)][f.Line]
		if !known || !strings.HasSuffix(strings.ReplaceAll(s.String(f.File), `\`, "/"), "torch/nn/modules/module.py") {
			continue
		}
		if found != (versions{}) && found != v {
			return versions{}
		}
		found = v
	}
	return found
}

// Oddities counts what was unexpected in a file. None of it is fatal.
type Oddities struct {
	UnknownKeys    map[string]int // key, or key=value of a known key with a value that is not -> times seen
	UnknownActions map[string]int // action -> events
	WrongTypes     map[string]int // field -> values that did not have the field's type
	BadText        int            // distinct strings that are not UTF-8; invalid bytes were replaced by U+FFFD
	LongText       int            // distinct strings of more than MaxText bytes, which were cut
}

// MaxText is how many bytes of a text are kept. Real names and paths are far
// shorter, and a page that lays out a name of megabytes hangs.
const MaxText = 4 << 10

// CutText cuts a text to at most MaxText bytes, and reports whether it had to.
func CutText(text string) (kept string, cut bool) {
	if len(text) <= MaxText {
		return text, false
	}
	const ellipsis = "…"
	end := MaxText - len(ellipsis)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis, true // a copy, so that the rest need not stay in memory
}

// CutTexts cuts the strings of a snapshot to MaxText bytes, and counts the cut ones that
// are in use: as names, annotations or metadata.
func (s *Snapshot) CutTexts() {
	long := map[StringID]bool{} // and whether it was counted
	for id, text := range s.Strings {
		if kept, cut := CutText(text); cut {
			s.Strings[id], long[StringID(id)] = kept, false
		}
	}
	if len(long) == 0 {
		return
	}
	use := func(id StringID) {
		if counted, is := long[id]; is && !counted {
			long[id] = true
			s.Oddity.LongText++
		}
	}
	for _, f := range s.Frames {
		use(f.Name)
		use(f.File)
	}
	for _, a := range s.Annotations {
		use(a.Name)
	}
	for i := range s.Traces {
		for _, column := range [][]StringID{s.Traces[i].Events.CompileContext, s.Traces[i].Events.Metadata} {
			for _, id := range column {
				use(id)
			}
		}
	}
}

// Fields of WrongTypes that are not a single value.
const (
	fieldItem         = "item of a list"
	fieldKey          = "key of a dict"
	fieldSegments     = "segments"
	fieldTraces       = "device_traces"
	fieldHostSegments = "host_segments"
	fieldHostTraces   = "host_traces"
	fieldManyTraces   = "device_traces beyond 1,024"
	fieldSharedTrace  = "device_traces of another device"
	fieldFarDevice    = "segment.device beyond 1,024"
	fieldSharedBlocks = "segment.blocks of another segment"
)

// memoryFields are the fields of WrongTypes that totals depend on: a value that
// was not understood counts as zero, or its record is left out. No total depends
// on the other fields, such as names and times.
var memoryFields = []string{
	"event.action", "event.addr", "event.size",
	"segment.device", "segment.address", "segment.total_size", "segment.allocated_size", "segment.active_size",
	"segment.blocks", "block.address", "block.size", "block.requested_size", "block.state", "history.real_size",
	fieldItem, fieldKey, fieldSegments, fieldTraces, fieldManyTraces, fieldSharedTrace, fieldFarDevice,
	fieldSharedBlocks, fieldHostSegments, fieldHostTraces,
}

// Unread counts, by field, the values that totals depend on and that did not have
// their field's type. It is nil if there are none.
func (o *Oddities) Unread() map[string]int {
	var unread map[string]int
	for _, field := range memoryFields {
		if n := o.WrongTypes[field]; n > 0 {
			if unread == nil {
				unread = map[string]int{}
			}
			unread[field] = n
		}
	}
	return unread
}

func count(m *map[string]int, key string) {
	key, _ = CutText(key)
	if *m == nil {
		*m = map[string]int{}
	}
	if _, ok := (*m)[key]; !ok && len(*m) >= maxOddityKeys {
		key = "(others)"
	}
	(*m)[key]++
}

// maxOddityKeys bounds the keys of one map of Oddities.
const maxOddityKeys = 64

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
