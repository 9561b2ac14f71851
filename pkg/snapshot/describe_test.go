package snapshot

import (
	"fmt"
	"strings"
)

// describe writes out what a snapshot says, without its ids, so that two
// snapshots with other orders of interning can be compared.
func describe(s *Snapshot) string {
	var b strings.Builder
	stack := func(id StackID) string {
		var lines []string
		for _, f := range s.Stacks.Frames(id) {
			frame := s.Frames[f]
			lines = append(lines, fmt.Sprintf("%s:%d:%s", s.String(frame.File), frame.Line, s.String(frame.Name)))
		}
		return "[" + strings.Join(lines, " ") + "]"
	}
	for i := range s.Segments {
		seg := &s.Segments[i]
		fmt.Fprintf(&b, "segment %d %#x %d %d %d %d stream %d class %d pool %v expandable %t %s\n", seg.Device,
			seg.Address, seg.TotalSize,
			seg.AllocatedSize, seg.ActiveSize, seg.RequestedSize, s.Streams[seg.Stream], seg.SizeClass,
			s.Pools[seg.Pool], seg.Expandable, stack(seg.Stack))
		for _, block := range s.BlocksOf(seg) {
			fmt.Fprintf(&b, "  block %#x %d %d %v %s\n", block.Address, block.Size, block.RequestedSize, block.State,
				stack(block.Stack))
		}
	}
	for i := range s.Traces {
		e := &s.Traces[i].Events
		fmt.Fprintf(&b, "device %d\n", s.Traces[i].Device)
		for j := range e.Len() {
			fmt.Fprintf(&b, "  %s %#x %d stream %d %s", s.ActionName(e.Action[j]), e.Addr[j], e.Size[j],
				s.Streams[e.Stream[j]], stack(e.Stack[j]))
			if e.TimeMicros != nil {
				fmt.Fprintf(&b, " t %d", e.TimeMicros[j])
			}
			if e.CompileContext != nil && e.CompileContext[j] != 0 {
				fmt.Fprintf(&b, " context %q", s.String(e.CompileContext[j]))
			}
			if e.Metadata != nil && e.Metadata[j] != 0 {
				fmt.Fprintf(&b, " metadata %q", s.String(e.Metadata[j]))
			}
			if e.Pool != nil && e.Pool[j] != 0 {
				fmt.Fprintf(&b, " pool %v", s.Pools[e.Pool[j]])
			}
			if e.Category != nil && e.Category[j] != NoCategory {
				fmt.Fprintf(&b, " category %s", categoryNames[e.Category[j]])
			}
			b.WriteByte('\n')
		}
	}
	for _, setting := range s.Settings {
		fmt.Fprintf(&b, "setting %s %s\n", setting.Key, setting.Value)
	}
	for _, a := range s.Annotations {
		fmt.Fprintf(&b, "annotation %s %t %d %d\n", s.String(a.Name), a.Start, a.Device, a.TimeMicros)
	}
	return b.String()
}
