package main

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// backward is a replay that shares nothing with pkg/replay: it starts from the
// final blocks and undoes one event after another. The page is held against it.
type backward struct {
	s        *snapshot.Snapshot
	events   *snapshot.Events
	live     map[uint64]int64 // address -> requested bytes
	active   int64
	reserved int64
	state    int // the state that live and reserved describe
}

func newBackward(s *snapshot.Snapshot, device snapshot.DeviceID) *backward {
	b := &backward{s: s, events: s.Events(device), live: map[uint64]int64{}}
	b.state = b.events.Len()
	for i := range s.Segments {
		seg := &s.Segments[i]
		if seg.Device != device {
			continue
		}
		b.reserved += seg.TotalSize
		for _, block := range s.BlocksOf(seg) {
			if block.State != snapshot.Inactive {
				b.live[block.Address] = block.RequestedSize
				b.active += block.RequestedSize
			}
		}
	}
	return b
}

// to goes back to state k.
func (b *backward) to(k int) error {
	for b.state > k {
		b.state--
		addr, size := b.events.Addr[b.state], b.events.Size[b.state]
		switch b.events.Action[b.state] {
		case snapshot.Alloc:
			if b.live[addr] != size {
				return fmt.Errorf("event %d allocates %d bytes at %#x, where %d are live after it", b.state, size, addr,
					b.live[addr])
			}
			delete(b.live, addr)
			b.active -= size
		case snapshot.FreeCompleted, snapshot.Free:
			b.live[addr] = size
			b.active += size
		case snapshot.SegmentAlloc, snapshot.SegmentMap:
			b.reserved -= size
		case snapshot.SegmentFree, snapshot.SegmentUnmap:
			b.reserved += size
		}
	}
	return nil
}

// stackText is a stack as the page's console API gives it.
func stackText(s *snapshot.Snapshot, id snapshot.StackID) []string {
	lines := []string{}
	for _, f := range s.Stacks.Frames(id) {
		frame := s.Frames[f]
		lines = append(lines, fmt.Sprintf("%s:%d:%s", s.String(frame.File), frame.Line, s.String(frame.Name)))
	}
	return lines
}
