package pagetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
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

// active are the active bytes of every state of the first device, from the end
// backwards.
func (r *recording) active(t *testing.T) []int64 {
	t.Helper()
	walk := newBackward(r.Snapshot, r.d.ID)
	active := make([]int64, r.d.Events.Len()+1)
	for k := len(active) - 1; k >= 0; k-- {
		if err := walk.to(k); err != nil {
			t.Fatal(err)
		}
		active[k] = walk.active
	}
	return active
}

// live are the allocations of the first device that are live in a state, in pile
// order.
func (r *recording) live(state int) (all []*replay.Allocation) {
	for i := range r.d.Allocations {
		if a := &r.d.Allocations[i]; a.LiveIn(state) {
			all = append(all, a)
		}
	}
	return all
}

// interval is the first and the last state in which an allocation is live.
func (r *recording) interval(id int) (first, last int) {
	first, last = 0, r.d.Events.Len()
	if a := &r.d.Allocations[id]; a.Start != replay.None {
		first = int(a.Start) + 1
	}
	if a := &r.d.Allocations[id]; a.End != replay.None {
		last = int(a.End)
	}
	return first, last
}

// under is the allocation under a point of the plot and the state drawn there, by
// stacking all that is live.
func (r *recording) under(t *testing.T, g geometry, x, y float64) (id, state int) {
	t.Helper()
	state = g.Columns[int((x-g.Left)/g.Width*float64(len(g.Columns)))]
	at := g.BytesFrom + (1-(y-g.Top)/g.Height)*(g.BytesTo-g.BytesFrom)
	for i := range r.d.Allocations {
		if a := &r.d.Allocations[i]; a.LiveIn(state) {
			if at -= float64(a.Size); at < 0 {
				return i, state
			}
		}
	}
	t.Fatalf("nothing lies under (%.0f, %.0f)", x, y)
	return 0, 0
}

// inStack says whether a frame of an allocation, as "file:line function", has a text.
func (r *recording) inStack(text string) func(a *replay.Allocation) bool {
	return func(a *replay.Allocation) bool {
		for _, f := range r.Snapshot.Stacks.Frames(a.Stack) {
			frame := r.Snapshot.Frames[f]
			if strings.Contains(fmt.Sprintf("%s:%d %s", r.Snapshot.String(frame.File), frame.Line,
				r.Snapshot.String(frame.Name)), text) {
				return true
			}
		}
		return false
	}
}

// userFrame is the innermost frame of the program itself, as function and
// file:line; the examples' programs live in one folder.
func (r *recording) userFrame(a *replay.Allocation) (function, line string) {
	for _, f := range r.Snapshot.Stacks.Frames(a.Stack) {
		frame := r.Snapshot.Frames[f]
		if file, ok := strings.CutPrefix(r.Snapshot.String(frame.File), "/home/ada/gpt/"); ok {
			return r.Snapshot.String(frame.Name), fmt.Sprintf("%s:%d", file, frame.Line)
		}
	}
	return "", ""
}

// largestSite is the call site with most bytes among some allocations; those
// without a frame of the program do not count.
func (r *recording) largestSite(is func(a *replay.Allocation) bool) (function, line string, bytes int64) {
	sums := map[[2]string]int64{}
	for i := range r.d.Allocations {
		if a := &r.d.Allocations[i]; is(a) {
			function, line := r.userFrame(a)
			sums[[2]string{function, line}] += a.Size
		}
	}
	for site, sum := range sums {
		if site[0] != "" && sum > bytes {
			function, line, bytes = site[0], site[1], sum
		}
	}
	return function, line, bytes
}

// rangeSums is what happens from one state to another, summed up allocation by allocation.
type rangeSums struct {
	from, to                          int
	kept, allocated, freed            int64
	keptTensors, tensors, freedTensor int
	change, live                      int64
}

func sumRange(d *replay.Device, from, to int) rangeSums {
	r := rangeSums{from: from, to: to}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		made := a.Start != replay.None && int(a.Start) >= from && int(a.Start) < to
		gone := a.End != replay.None && int(a.End) >= from && int(a.End) < to
		if made {
			r.allocated += a.Size
			r.tensors++
		}
		if gone {
			r.freed += a.Size
			r.freedTensor++
		}
		if a.LiveIn(to) {
			r.live += a.Size
			r.change += a.Size
		}
		if a.LiveIn(from) {
			r.change -= a.Size
		}
		if made && a.LiveIn(to) {
			r.kept += a.Size
			r.keptTensors++
		}
	}
	return r
}

// exactly is a number of bytes as titles have it.
func exactly(n int64) string { return units.Count(n) + " B" }

func near(a, b, far float64) bool { return max(a-b, b-a) <= far }
