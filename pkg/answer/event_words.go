package answer

import (
	"math"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// what is an event in the words of python -m torch.cuda._memory_viz trace, with
// names that an allocation and a segment keep: t3 = s1[512 B:1.00 MiB].
func (l *eventLog) what(i int, seg namedSegment, begun bool) string {
	e := l.d.Events
	size := units.Bytes(e.Size[i])
	switch action := e.Action[i]; action {
	case snapshot.Alloc:
		return l.tensor(i) + " = " + place(seg, e.Addr[i], size)
	case snapshot.FreeRequested:
		return "del " + l.tensor(i) + " # " + size
	case snapshot.FreeCompleted:
		return "free completed " + l.tensor(i)
	case snapshot.Free:
		return "free " + l.tensor(i) + " # " + size
	case snapshot.SegmentAlloc:
		return segmentName(seg, e.Addr[i]) + " = cudaMalloc(" + size + ")"
	case snapshot.SegmentFree:
		return "cudaFree(" + segmentName(seg, e.Addr[i]) + ") # " + size
	case snapshot.SegmentMap:
		if begun {
			return segmentName(seg, e.Addr[i]) + " = map(" + size + ")"
		}
		return "map " + place(seg, e.Addr[i], size)
	case snapshot.SegmentUnmap:
		return "unmap " + place(seg, e.Addr[i], size)
	case snapshot.SnapshotTaken:
		return "snapshot # " + size + " active"
	case snapshot.OOM:
		return "OOM(" + size + ") # " + units.Bytes(freeOnDevice(e, i)) + " free"
	case snapshot.UserDefined:
		return strings.TrimSpace("user_defined " + l.userDefined(e.Stack[i]))
	case snapshot.Annotate:
		return "annotate " + units.Address(e.Addr[i]) + " # " + l.metadata(i)
	default:
		if name := l.s.ActionName(action); name != "" {
			return name
		}
		return "no action"
	}
}

// freeOnDevice is what an oom event says in place of an address.
func freeOnDevice(e *snapshot.Events, i int) int64 { return int64(min(e.Addr[i], math.MaxInt64)) }

// tensor is the name of the allocation of an event; its number is its place in
// the pile. An event without one has an address.
func (l *eventLog) tensor(i int) string {
	if l.who[i] == layout.NoAllocation {
		return units.Address(l.d.Events.Addr[i])
	}
	return tensorName(int(l.who[i]))
}

func tensorName(number int) string { return "t" + strconv.Itoa(number) }

func segmentName(seg namedSegment, addr uint64) string {
	if seg.number == noSegment {
		return units.Address(addr)
	}
	return "s" + strconv.Itoa(seg.number)
}

// place is a range in a segment, or at an address that is in none.
func place(seg namedSegment, addr uint64, size string) string {
	if seg.number == noSegment {
		return size + " at " + units.Address(addr)
	}
	return segmentName(seg, addr) + "[" + units.Bytes(int64(addr-seg.base)) + ":" + size + "]"
}

// userDefined is the frame that a user_defined event carries: a stage and what
// the user called it.
func (l *eventLog) userDefined(id snapshot.StackID) string {
	frames := l.s.Stacks.Frames(id)
	if len(frames) == 0 {
		return ""
	}
	f := l.s.Frames[frames[0]]
	return l.s.String(f.Name) + " " + l.s.String(f.File)
}
