package snapshot

import (
	"encoding/json"
	"math/bits"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// key is a dict key that means something to the loader.
type key uint8

const (
	keyUnknown key = iota
	keyIgnored     // known and not read

	// Decisive keys: one of them decides what a dict is.
	keyAction
	keyFilename
	keyTotalSize
	keyState
	keyRealSize
	keyStage

	keyAddr
	keyAddress
	keyActiveSize
	keyAllocatedSize
	keyBlocks
	keyCategory
	keyCompileContext
	keyDevice
	keyDeviceFree
	keyForwardFrames
	keyFrames
	keyHistory
	keyInternalMetadata
	keyIsExpandable
	keyLine
	keyName
	keyPoolID
	keyRequestedSize
	keySegmentPoolID
	keySegmentType
	keySize
	keyStream
	keyTimeMicros
	keyUserMetadata

	keySegments
	keyDeviceTraces
	keyAllocatorSettings
	keyExternalAnnotations
	keyOverflowed
	keyHostSegments
	keyHostTraces

	numKeys
)

var keyNames = map[string]key{
	"action": keyAction, "filename": keyFilename, "total_size": keyTotalSize, "state": keyState,
	"real_size": keyRealSize, "stage": keyStage,

	"addr": keyAddr, "address": keyAddress, "active_size": keyActiveSize, "allocated_size": keyAllocatedSize,
	"blocks": keyBlocks, "compile_context": keyCompileContext, "device": keyDevice, "device_free": keyDeviceFree,
	"forward_frames": keyForwardFrames, "frames": keyFrames, "history": keyHistory, "is_expandable": keyIsExpandable,
	"internal_metadata": keyInternalMetadata,
	"line":              keyLine, "name": keyName, "pool_id": keyPoolID, "requested_size": keyRequestedSize,
	"segment_pool_id": keySegmentPoolID, "segment_type": keySegmentType, "size": keySize, "stream": keyStream,
	"time_us": keyTimeMicros, "user_metadata": keyUserMetadata,

	"segments": keySegments, "device_traces": keyDeviceTraces, "allocator_settings": keyAllocatorSettings,
	"external_annotations": keyExternalAnnotations, "trace_alloc_overflowed": keyOverflowed,
	"host_segments": keyHostSegments, "host_traces": keyHostTraces,

	"category": keyCategory, "fx_node_op": keyIgnored, "fx_node_name": keyIgnored,
	"fx_node_target": keyIgnored, "fx_original_trace": keyIgnored, "fx_node_info": keyIgnored, "idx": keyIgnored,
	"version": keyIgnored, "trace_alloc_max_entries": keyIgnored,
	"categories": keyIgnored, "segment_version": keyIgnored, "addr_version": keyIgnored,
}

// knownSettings are the keys of allocator_settings in torch, its builds for other
// devices, and forks.
var knownSettings = map[string]bool{
	"PYTORCH_CUDA_ALLOC_CONF": true, "PYTORCH_HIP_ALLOC_CONF": true, "PYTORCH_NPU_ALLOC_CONF": true,
	"PYTORCH_ALLOC_CONF": true, "max_split_size": true, "garbage_collection_threshold": true,
	"expandable_segments": true, "roundup_power2_divisions": true, "release_lock_on_cudamalloc": true,
	"release_lock_on_hipmalloc": true, "graph_capture_record_stream_reuse": true,

	"pinned_num_register_threads": true, "pinned_use_cuda_host_register": true, "pinned_use_hip_host_register": true,
	"max_round_threshold": true, "max_cached_size": true, // of torch 2.13; the next two are a fork's names
	"pinned_max_round_size_mb": true, "pinned_max_cached_size_mb": true,

	"trace_alloc_overflowed": true, "trace_alloc_max_entries": true,
}

// kinds is a set of kinds of records.
type kinds uint16

func only(k pickle.Kind) kinds { return 1 << k }

func (s kinds) first() pickle.Kind { return pickle.Kind(bits.TrailingZeros16(uint16(s))) }

// decisive are the keys that only one kind of record has.
var decisive = [numKeys]kinds{
	keyAction:    only(kindEvent),
	keyFilename:  only(kindFrame),
	keyTotalSize: only(kindSegment),
	keyState:     only(kindBlock),
	keyRealSize:  only(kindHistory),
	keyStage:     only(kindAnnotation),
}

// needTwo are the records that need two companions, because people have words for keys
// such as action in dicts of their own.
const needTwo = 1<<kindEvent | 1<<kindFrame | 1<<kindBlock

// companions are keys of which a record has at least one (two for needTwo) besides its
// decisive key. Every writer of snapshots writes several.
var companions = [numKeys]kinds{
	keyAddr:           only(kindEvent) | only(kindHistory) | only(kindBlock),
	keyAddress:        only(kindSegment) | only(kindBlock),
	keyBlocks:         only(kindSegment),
	keyCompileContext: only(kindEvent),
	keyDevice:         only(kindSegment),
	keyDeviceFree:     only(kindEvent),
	keyFrames:         only(kindEvent) | only(kindHistory) | only(kindBlock),
	keyHistory:        only(kindBlock),
	keyLine:           only(kindFrame),
	keyName:           only(kindFrame),
	keyPoolID:         only(kindEvent),
	keyRequestedSize:  only(kindBlock),
	keySize:           only(kindEvent) | only(kindBlock),
	keyStream:         only(kindEvent) | only(kindSegment),
	keyTimeMicros:     only(kindEvent) | only(kindAnnotation),
	keyUserMetadata:   only(kindEvent),
}

// The methods below read single fields. A value of the wrong type is counted and read as
// zero.

func (b *builder) wrongType(field string) { count(&b.s.Oddity.WrongTypes, field) }

func (b *builder) unknownKey(h *pickle.Heap, k pickle.Value) {
	if k.Type() == pickle.String {
		count(&b.s.Oddity.UnknownKeys, h.Strings[k.Index()])
	} else {
		b.wrongType(fieldKey)
	}
}

// unknownValue counts a value of a known key that no version of torch writes.
func (b *builder) unknownValue(key, value string) { count(&b.s.Oddity.UnknownKeys, key+"="+value) }

func (b *builder) integer(h *pickle.Heap, v pickle.Value, field string) int64 {
	i, ok := h.Int64(v)
	if !ok {
		b.wrongType(field)
	}
	return i
}

// address reads an integer that is unsigned in the allocator; C++ writers cast it to
// int64.
func (b *builder) address(h *pickle.Heap, v pickle.Value, field string) uint64 {
	u, ok := h.Uint64(v)
	if !ok && v.Type() != pickle.None {
		b.wrongType(field)
	}
	return u
}

func (b *builder) text(v pickle.Value, field string) StringID {
	if v.Type() != pickle.String {
		b.wrongType(field)
		return 0
	}
	return StringID(v.Index())
}

// pool reads a pair of ids: a tuple from Python, a list from JSON.
func (b *builder) pool(h *pickle.Heap, v pickle.Value, field string) PoolID {
	items := h.Items(v)
	if len(items) != 2 {
		b.wrongType(field)
		return 0
	}
	return b.pools.id(Pool{b.address(h, items[0], field), b.address(h, items[1], field)})
}

// Bounds on user_metadata: the JSON of one dict in bytes, a value in it in bytes, and the
// values in all dicts together. Dicts may share their values, and each is walked.
const (
	maxMetadata = 16 << 10
	maxLeaf     = 1 << 10
	maxWalked   = 1 << 17
)

// metadata returns user_metadata as text: a string, or a dict as compact JSON.
func (b *builder) metadata(h *pickle.Heap, v pickle.Value) StringID {
	if v.Type() == pickle.String {
		return StringID(v.Index())
	}
	if id, ok := b.metadataOf[v]; ok {
		return id
	}
	if c, _ := h.Container(v); c.Kind != pickle.Dict {
		b.wrongType("event.user_metadata")
		return 0
	} else if b.walked > maxWalked {
		b.wrongType("event.user_metadata beyond 131,072 values")
		return 0
	}
	tree := map[string]string{}
	b.walked += walkSettings(h, v, "", func(key, value string) {
		tree[key] = value[:min(len(value), maxLeaf)]
	})
	text, err := json.Marshal(tree)
	if err != nil {
		b.wrongType("event.user_metadata")
		return 0
	}
	id := StringID(h.Text(text[:min(len(text), maxMetadata)]).Index())
	b.metadataOf[v] = id
	return id
}

// interner numbers distinct values in order of first appearance after the
// default, which is 0.
type interner[T comparable, ID ~int32] struct {
	values []T
	ids    map[T]ID
	last   T // the latest value, which is nearly always the next one too
	lastID ID
}

func newInterner[T comparable, ID ~int32](def T) interner[T, ID] {
	return interner[T, ID]{values: []T{def}, ids: map[T]ID{def: 0}, last: def}
}

func (in *interner[T, ID]) id(v T) ID {
	if v == in.last {
		return in.lastID
	}
	id, ok := in.ids[v]
	if !ok {
		id = ID(len(in.values))
		in.values = append(in.values, v)
		in.ids[v] = id
	}
	in.last, in.lastID = v, id
	return id
}
