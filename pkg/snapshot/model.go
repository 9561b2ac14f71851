package snapshot

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
)

// Typed ids, so that one kind cannot pass as another. Each is an index into
// the Snapshot column named in its comment.
type (
	// DeviceID is a GPU ordinal inside the recorded process, or Pinned.
	DeviceID int32
	// StringID indexes Snapshot.Strings; 0 is the empty string.
	StringID int32
	// FrameID indexes Snapshot.Frames.
	FrameID int32
	// StackID indexes Snapshot.Stacks; 0 is the empty stack, which also stands
	// for "no stack recorded".
	StackID int32
	// StreamID indexes Snapshot.Streams; 0 is the default stream.
	StreamID int32
	// PoolID indexes Snapshot.Pools; 0 is the default pool.
	PoolID int32
)

// Pinned is the host memory that the process has page-locked, as torch 2.14 and later
// record it. Files give its segments this device, too. All its sizes are rounded sizes,
// even where a GPU's are requested bytes. Each of its segments is one block.
const Pinned DeviceID = -1

// Snapshot is one parsed file in columns: what the allocator recorded, with
// every string, frame, stack, stream and pool interned.
type Snapshot struct {
	Strings []string
	Frames  []Frame
	Stacks  Stacks
	Streams []uint64 // raw stream handles, in order of first appearance after the default stream
	Pools   []Pool   // pool id pairs, in order of first appearance after the default pool

	Segments []Segment // by device, then in file order; see SegmentsOf and SortSegments
	Blocks   []Block   // in file order; a segment names its range
	Traces   []Trace   // as in the file: index = device ordinal; Pinned, if present, is last

	ActionNames []string // names of actions this package does not know, by Action - FirstUnknownAction
	Settings    []Setting
	Annotations []Annotation

	Format   Format
	Oddity   Oddities
	Salvaged *Salvaged // nil: the whole file was read

	Redaction Redaction
}

// Redaction lists what was replaced in a snapshot.
type Redaction struct {
	Paths    bool // source files, and paths in texts
	Names    bool // functions, and texts that a person wrote
	Prefixes bool // prefixes of paths were removed

	// Addresses: addresses count from the lowest one of the snapshot, and stream handles
	// are their ids. Distances, order and alignment are as recorded.
	Addresses bool
	// Times: times are ranks. Only their order, and which are equal, is as recorded.
	Times bool
}

// Any reports whether anything was replaced.
func (r Redaction) Any() bool { return r != Redaction{} }

// Frame is one line of a stack.
type Frame struct {
	Name, File StringID
	Line       int32 // 0 when unknown; the file says 0 or 2^64-1
}

// Stacks is the arena of interned stacks.
type Stacks struct {
	ends   []uint32  // ends[id] is where stack id ends in frames; it starts where id-1 ends
	frames []FrameID // innermost first
}

// Len is the number of distinct stacks, the empty stack 0 included.
func (s *Stacks) Len() int { return len(s.ends) }

// Frames are the frames of stack id, innermost first. The caller must not change them.
func (s *Stacks) Frames(id StackID) []FrameID {
	if id <= 0 || int(id) >= len(s.ends) {
		return nil
	}
	return s.frames[s.ends[id-1]:s.ends[id]]
}

// Add appends a stack, innermost frame first, and returns its id. It does not
// look for an equal one. The first stack must be the empty one.
func (s *Stacks) Add(frames []FrameID) StackID {
	s.frames = append(s.frames, frames...)
	s.ends = append(s.ends, uint32(len(s.frames)))
	return StackID(len(s.ends) - 1)
}

// Pool is a segment_pool_id pair. {0, 0} is the default pool; every other one
// is private to CUDA graphs or a MemPool, which may have several.
type Pool struct{ A, B uint64 }

// SizeClass is the class of requests that a segment serves.
type SizeClass uint8

const (
	SizeClassUnknown SizeClass = iota
	SizeClassSmall             // blocks of up to 1 MiB
	SizeClassLarge
)

// Segment is a range that the allocator holds from the driver at the end of
// the recording.
type Segment struct {
	Address       uint64
	TotalSize     int64
	AllocatedSize int64 // sum of the sizes of allocated blocks, as the file says
	ActiveSize    int64 // allocated and pending blocks, as the file says
	RequestedSize int64
	Device        DeviceID
	Stream        StreamID
	Pool          PoolID
	Stack         StackID // where the segment was created
	FirstBlock    int32   // its blocks are Snapshot.Blocks[FirstBlock:FirstBlock+BlockCount]
	BlockCount    int32
	SizeClass     SizeClass
	Expandable    bool
}

// BlockState is what a block was used for when the snapshot was taken.
type BlockState uint8

const (
	Inactive BlockState = iota
	ActiveAllocated
	ActivePendingFree // freed by the user, still used on another stream
)

// Live reports whether the block's bytes count as active.
func (s BlockState) Live() bool { return s != Inactive }

func (s BlockState) String() string {
	switch s {
	case ActiveAllocated:
		return "active_allocated"
	case ActivePendingFree:
		return "active_pending_free"
	}
	return "inactive"
}

// Block is a piece of a segment.
type Block struct {
	Address       uint64
	Size          int64 // rounded
	RequestedSize int64 // meaningless if the block is inactive
	Stack         StackID
	State         BlockState
}

// BlocksOf are the blocks of a segment, in address order.
func (s *Snapshot) BlocksOf(seg *Segment) []Block {
	return s.Blocks[seg.FirstBlock : seg.FirstBlock+seg.BlockCount]
}

// SegmentsOf are the segments of a device, in file order. The caller must not append to
// them.
func (s *Snapshot) SegmentsOf(device DeviceID) []Segment {
	compare := func(seg Segment, device DeviceID) int { return cmp.Compare(seg.Device, device) }
	from, _ := slices.BinarySearchFunc(s.Segments, device, compare)
	to, _ := slices.BinarySearchFunc(s.Segments[from:], device+1, compare)
	return s.Segments[from : from+to]
}

// SortSegments sorts Segments by device, for callers that build a Snapshot by hand.
// Segments of one device keep their order.
func (s *Snapshot) SortSegments() {
	slices.SortStableFunc(s.Segments, func(a, b Segment) int { return cmp.Compare(a.Device, b.Device) })
}

// LiveBlocks yields every block of a device whose bytes are active, with its segment.
func (s *Snapshot) LiveBlocks(device DeviceID) iter.Seq2[*Segment, *Block] {
	return func(yield func(*Segment, *Block) bool) {
		segments := s.SegmentsOf(device)
		for i := range segments {
			blocks := s.BlocksOf(&segments[i])
			for j := range blocks {
				if blocks[j].State.Live() && !yield(&segments[i], &blocks[j]) {
					return
				}
			}
		}
	}
}

// Trace is the history of one device, oldest event first.
type Trace struct {
	Device DeviceID
	Events Events
	// Overflowed: the file itself says that the ring buffer of the device was
	// full, and so lost its oldest events.
	Overflowed bool
	// LateEvents is how many events of host memory came in the file after events that
	// must have followed them. Reading has moved them to where they belong.
	LateEvents int
}

// Events is a device's history in columns; row i is event i. Optional columns
// are nil when no event of the file had the key.
type Events struct {
	Action []Action
	Addr   []uint64 // address; for OOM the free bytes of the device
	Size   []int64  // bytes; what they count depends on the [Action]
	Stream []StreamID
	Stack  []StackID

	TimeMicros     []int64    // optional: Unix time in microseconds
	CompileContext []StringID // optional
	Metadata       []StringID // optional: user_metadata
	Pool           []PoolID   // optional
	Category       []Category // optional; from torch only in snapshots made from a profile
}

// Category is the purpose that an event gives for its tensor.
type Category uint8

const (
	NoCategory Category = iota // none or unknown
	CategoryParameter
	CategoryOptimizer
	CategoryInput
	CategoryTemporary
	CategoryActivation
	CategoryGradient
	CategoryAutograd     // autograd's own memory
	Categories       int = iota
)

// categoryNames are the categories as torch's profiler spells them.
var categoryNames = [Categories]string{CategoryParameter: "parameter", CategoryOptimizer: "optimizer_state",
	CategoryInput: "input", CategoryTemporary: "temporary", CategoryActivation: "activation",
	CategoryGradient: "gradient", CategoryAutograd: "autograd_detail"}

// Len is the number of events.
func (e *Events) Len() int { return len(e.Action) }

// Setting is one leaf of allocator_settings, its path joined with dots.
type Setting struct{ Key, Value string }

// Annotation is one end of a range named by record_function or the
// profiler. Its device is the recording thread's, which may not be the device
// that the range worked on.
type Annotation struct {
	Name       StringID
	Device     DeviceID
	TimeMicros int64
	Start      bool // START, else END
}

// Devices are the devices that have events or segments: GPUs in order, then Pinned.
func (s *Snapshot) Devices() []DeviceID {
	seen := map[DeviceID]bool{}
	for i := range s.Traces {
		if s.Traces[i].Events.Len() > 0 {
			seen[s.Traces[i].Device] = true
		}
	}
	for i := range s.Segments {
		seen[s.Segments[i].Device] = true
	}
	devices := sortedKeys(seen)
	if len(devices) > 0 && devices[0] == Pinned {
		devices = append(devices[1:], Pinned)
	}
	return devices
}

// Events is the history of a device; empty if it has none.
func (s *Snapshot) Events(device DeviceID) *Events { return &s.Trace(device).Events }

// Trace is the trace of a device; empty if it has none.
func (s *Snapshot) Trace(device DeviceID) *Trace {
	for i := range s.Traces {
		if s.Traces[i].Device == device {
			return &s.Traces[i]
		}
	}
	return &Trace{Device: device}
}

// String is the text of a string id.
func (s *Snapshot) String(id StringID) string { return s.Strings[id] }

// DeviceLabel is how PyTorch writes a device: "cuda:0", "xpu:0", "npu:0"; or "pinned".
// MLX has one GPU, which is "gpu:0".
func (s *Snapshot) DeviceLabel(device DeviceID) string {
	kind := "cuda:"
	switch {
	case device == Pinned:
		return "pinned"
	case s.Format.XPU:
		kind = "xpu:"
	case s.Format.PoolBeforeType, s.Format.NPU:
		kind = "npu:"
	case s.Format.MLX:
		kind = "gpu:"
	}
	return kind + strconv.Itoa(int(device))
}

// Action is what happened in an event. Values from FirstUnknownAction on are actions
// that this package does not know, see Snapshot.ActionNames.
type Action uint8

const (
	Alloc         Action = iota // a block handed out; its size is the requested size
	FreeRequested               // the program freed the block; the size as in Alloc
	FreeCompleted               // the block is back in its pool, at once or when other streams have finished with it
	Free                        // both in one event, in post-processed files
	SegmentAlloc                // cudaMalloc; address and size of the segment
	SegmentFree                 // cudaFree
	SegmentMap                  // a range mapped into an expandable segment
	SegmentUnmap                // a range unmapped, possibly in the middle
	SnapshotTaken               // an earlier snapshot; the size is the active bytes of the device
	OOM                         // a request failed; the rounded size, and the free bytes of the device as address
	UserDefined                 // an annotation of some nightly builds of torch
	Annotate                    // a note on a live allocation; changes no memory
	NoAction                    // an event without a usable action
	FirstUnknownAction
)

// maxUnknownActions bounds the distinct unknown names; later ones share the last code.
const maxUnknownActions = 256 - int(FirstUnknownAction)

var actionNames = [FirstUnknownAction]string{
	Alloc: "alloc", FreeRequested: "free_requested", FreeCompleted: "free_completed", Free: "free",
	SegmentAlloc: "segment_alloc", SegmentFree: "segment_free",
	SegmentMap: "segment_map", SegmentUnmap: "segment_unmap",
	SnapshotTaken: "snapshot", OOM: "oom", UserDefined: "user_defined", Annotate: "annotate",
	NoAction: "",
}

// ActionName is the action as the file spells it.
func (s *Snapshot) ActionName(a Action) string {
	if a < FirstUnknownAction {
		return actionNames[a]
	}
	if i := int(a - FirstUnknownAction); i < len(s.ActionNames) {
		return s.ActionNames[i]
	}
	return ""
}

// Known reports whether the replay has a rule for the action.
func (a Action) Known() bool { return a < NoAction }

// ReservedSign is +1 for actions that add their size to reserved memory, -1 for those
// that subtract it, and 0 for the rest.
func (a Action) ReservedSign() int64 {
	switch a {
	case SegmentAlloc, SegmentMap:
		return +1
	case SegmentFree, SegmentUnmap:
		return -1
	}
	return 0
}
