package snapshot

// key is a dict key that means something to the loader.
type key uint8

const (
	keyUnknown key = iota
	keyIgnored     // known, and of no use here

	// Decisive keys: one of them says what a dict is.
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
	keyCompileContext
	keyDevice
	keyDeviceFree
	keyForwardFrames
	keyFrames
	keyHistory
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
	keyHost

	numKeys
)

var keyNames = map[string]key{
	"action": keyAction, "filename": keyFilename, "total_size": keyTotalSize, "state": keyState,
	"real_size": keyRealSize, "stage": keyStage,

	"addr": keyAddr, "address": keyAddress, "active_size": keyActiveSize, "allocated_size": keyAllocatedSize,
	"blocks": keyBlocks, "compile_context": keyCompileContext, "device": keyDevice, "device_free": keyDeviceFree,
	"forward_frames": keyForwardFrames, "frames": keyFrames, "history": keyHistory, "is_expandable": keyIsExpandable,
	"line": keyLine, "name": keyName, "pool_id": keyPoolID, "requested_size": keyRequestedSize,
	"segment_pool_id": keySegmentPoolID, "segment_type": keySegmentType, "size": keySize, "stream": keyStream,
	"time_us": keyTimeMicros, "user_metadata": keyUserMetadata,

	"segments": keySegments, "device_traces": keyDeviceTraces, "allocator_settings": keyAllocatorSettings,
	"external_annotations": keyExternalAnnotations, "trace_alloc_overflowed": keyOverflowed,

	"category": keyIgnored, "internal_metadata": keyIgnored, "fx_node_op": keyIgnored, "fx_node_name": keyIgnored,
	"fx_node_target": keyIgnored, "fx_original_trace": keyIgnored, "fx_node_info": keyIgnored, "idx": keyIgnored,
	"version": keyIgnored, "host_segments": keyHost, "host_traces": keyHost, "trace_alloc_max_entries": keyIgnored,
	"categories": keyIgnored, "segment_version": keyIgnored, "addr_version": keyIgnored,
}
