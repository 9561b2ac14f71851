package report

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ledger keeps its own account of a device, in the plainest way and with no code
// of the replay. It returns what is wrong with it, or "".
func ledger(s *snapshot.Snapshot, device snapshot.DeviceID) string {
	type tenant struct {
		size    int64
		pending bool
	}
	open, used := map[uint64]tenant{}, map[uint64]bool{}
	e := s.Events(device)
	if s.Salvaged != nil && !s.EndKnown(device) {
		return "the end is not known"
	}
	for i := range e.Len() {
		addr, size := e.Addr[i], e.Size[i]
		was, live := open[addr]
		switch action := e.Action[i]; action {
		case snapshot.Alloc:
			if live && !was.pending {
				return fmt.Sprintf("event %d: allocated twice", i)
			}
			open[addr], used[addr] = tenant{size: size}, true
		case snapshot.FreeRequested, snapshot.FreeCompleted, snapshot.Free:
			if live && was.size != size || !live && used[addr] || live && was.pending &&
				action != snapshot.FreeCompleted {
				return fmt.Sprintf("event %d: what is freed was never allocated so", i)
			}
			used[addr] = true
			if delete(open, addr); action == snapshot.FreeRequested {
				open[addr] = tenant{size, true}
			}
		case snapshot.OOM, snapshot.SnapshotTaken, snapshot.UserDefined, snapshot.Annotate:
			continue
		case snapshot.SegmentAlloc, snapshot.SegmentFree, snapshot.SegmentMap, snapshot.SegmentUnmap:
		case snapshot.NoAction:
			return fmt.Sprintf("event %d: no action", i)
		default: // unknown: had it changed memory, another event or the end would not agree
			continue
		}
		if size < 0 || size > 1<<42 {
			return fmt.Sprintf("event %d: a size of %d", i, size)
		}
	}
	blocks := map[uint64]int64{}
	for i := range s.Segments {
		if seg := &s.Segments[i]; seg.Device == device {
			for _, b := range s.BlocksOf(seg) {
				if _, twice := blocks[b.Address]; b.State.Live() && twice {
					return fmt.Sprintf("two blocks at %#x", b.Address)
				} else if b.State.Live() {
					blocks[b.Address] = b.RequestedSize
				}
			}
		}
	}
	for addr, t := range open {
		if size, there := blocks[addr]; there && size != t.size || !there && !t.pending {
			return fmt.Sprintf("what is open at %#x is no block", addr)
		}
	}
	return ""
}

// account is what a snapshot says, without the numbers of its tables and how it
// was read, for comparing two readings of one file.
func account(s *snapshot.Snapshot) string {
	var b strings.Builder
	stack := func(id snapshot.StackID) {
		for _, f := range s.Stacks.Frames(id) {
			frame := s.Frames[f]
			fmt.Fprintf(&b, " %q:%d:%q", s.String(frame.File), frame.Line, s.String(frame.Name))
		}
		b.WriteByte('\n')
	}
	for i := range s.Segments {
		seg := &s.Segments[i]
		fmt.Fprint(&b, "segment ", seg.Device, seg.Address, seg.TotalSize, s.Streams[seg.Stream], s.Pools[seg.Pool],
			seg.SizeClass)
		stack(seg.Stack)
		for _, block := range s.BlocksOf(seg) {
			fmt.Fprint(&b, "block ", block.Address, block.Size, block.RequestedSize, block.State)
			stack(block.Stack)
		}
	}
	for i := range s.Traces {
		e := &s.Traces[i].Events
		fmt.Fprintln(&b, "device", s.Traces[i].Device)
		for j := range e.Len() {
			fmt.Fprint(&b, s.ActionName(e.Action[j]), e.Addr[j], e.Size[j], s.Streams[e.Stream[j]])
			if len(e.TimeMicros) > 0 {
				fmt.Fprint(&b, " at ", e.TimeMicros[j])
			}
			stack(e.Stack[j])
		}
	}
	fmt.Fprintf(&b, "%d annotations, settings %q\n", len(s.Annotations), s.Settings)
	return b.String()
}
