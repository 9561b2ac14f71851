package snapshot

import (
	"cmp"
	"maps"
	"slices"
)

// Format is how a file was written, as far as its keys tell.
type Format struct {
	Protocol int    // pickle protocol
	Way      string // the decoder: "stream", "gopickle" or "json"
	BareList bool   // the root is a list of segments: torch.cuda.memory_snapshot()
	Legacy   bool   // blocks carry history instead of frames (torch 2.0 and older)

	HasPoolID          bool // segment_pool_id in segments
	HasTime            bool // time_us in events
	HasSettings        bool
	HasAnnotations     bool // external_annotations is a key, even if empty
	HasCompileContext  bool
	HasUserMetadata    bool
	HasEventPool       bool // pool_id in events
	HasTraces          bool // device_traces is a key
	PoolBeforeType     bool // segment_pool_id stands before segment_type: torch_npu
	HasForwardFrames   bool
	HasProfilerSegment bool // segments without allocated_size: made from a profile
	HasHost            bool // pinned CPU memory, which is not read: host_segments, host_traces
	XPU                bool // allocator_settings as the allocator of Intel's GPUs writes them
}

// TorchVersion is the range of torch versions that write files like this one,
// such as "2.5 to 2.7". It is a guess and should be shown as one.
func (s *Snapshot) TorchVersion() string {
	f := &s.Format
	events := 0
	for i := range s.Traces {
		events += s.Traces[i].Events.Len()
	}
	switch {
	case f.HasProfilerSegment && len(s.Segments) > 0:
		return "unknown (made from a profile)"
	case f.XPU:
		return "2.11 or later (XPU)"
	case f.HasEventPool:
		return "2.12 or later"
	case f.HasUserMetadata:
		return "2.10 or 2.11"
	case f.HasCompileContext:
		return "2.8 or 2.9"
	case f.PoolBeforeType && !f.HasSettings:
		return "2.1 (torch_npu)"
	case !f.HasPoolID && len(s.Segments) > 0:
		return "2.0 or earlier"
	case events == 0 && f.HasAnnotations:
		return "2.5 or later"
	case f.HasAnnotations:
		return "2.5 to 2.7"
	case f.HasSettings:
		return "2.3 or 2.4"
	case f.HasTime:
		return "2.2"
	case events == 0 && f.BareList:
		return "2.1 or later"
	case f.HasPoolID && events == 0:
		return "2.1 or 2.2"
	case f.HasPoolID:
		return "2.1"
	}
	return "unknown"
}

// Oddities counts what was not as expected in a file. None is fatal.
type Oddities struct {
	UnknownKeys    map[string]int // key -> times seen
	UnknownActions map[string]int // action -> events
	WrongTypes     map[string]int // field -> values that did not have the field's type
	BadText        int            // distinct strings that are not UTF-8; invalid bytes were replaced by U+FFFD
}

func count(m *map[string]int, key string) {
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
