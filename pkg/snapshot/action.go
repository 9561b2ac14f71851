package snapshot

// Action is what a trace event says happened. Values from
// FirstUnknownAction on are actions that only the file has a name for.
type Action uint8

const (
	Alloc         Action = iota // a block handed out; its size is the requested size
	FreeRequested               // the program freed the block; the size as in Alloc
	FreeCompleted               // the block is back in its pool, at once or when other streams are done with it
	Free                        // both in one, as post-processed files have it
	SegmentAlloc                // cudaMalloc; address and size of the segment
	SegmentFree                 // cudaFree
	SegmentMap                  // a range mapped into an expandable segment
	SegmentUnmap                // a range unmapped, possibly in the middle
	SnapshotTaken               // an earlier snapshot; the size is the active bytes of the device
	OOM                         // a request failed; the rounded size, and free bytes of the device in place of an address
	UserDefined                 // an annotation of some nightly builds of torch
	Annotate                    // a note on a live allocation; changes no memory
	NoAction                    // an event without a usable action
	FirstUnknownAction
)

// maxUnknownActions bounds the distinct unknown names that are kept apart;
// later ones share the last code.
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

// ReservedSign is +1 for actions that add their size to reserved memory, -1
// for those that take it away, and 0 for the rest.
func (a Action) ReservedSign() int64 {
	switch a {
	case SegmentAlloc, SegmentMap:
		return +1
	case SegmentFree, SegmentUnmap:
		return -1
	}
	return 0
}
