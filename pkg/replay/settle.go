package replay

import "github.com/memviz-go/memviz/pkg/snapshot"

// settle compares the end of the trace with the final segments: it closes allocations
// whose free was requested but not recorded as completed, adds those that the trace never
// opened, and counts the differences.
func (m *machine) settle(s *snapshot.Snapshot) {
	r := &m.d.Reconciliation
	r.EndNotWritten = s.Format.MLX
	if r.EndUnknown = !s.EndKnown(m.d.ID); r.EndUnknown {
		return // open allocations stay open
	}
	live := map[uint64]*snapshot.Block{}
	for _, b := range s.LiveBlocks(m.d.ID) {
		r.LiveBlocks++
		r.LiveRequestedBytes += m.bytes(b.RequestedSize)
		r.LiveBlockBytes += m.bytes(b.Size)
		live[b.Address] = b
	}
	m.closeRequested(live)
	m.compareOpen(live)
	for seg, b := range s.LiveBlocks(m.d.ID) {
		a, t := m.tenant(m.at.number(b.Address))
		if a != nil {
			continue
		} else if t.version > 0 {
			m.d.Anomalies[ReopenedBlocks]++
		}
		r.PreExistingBlocks++
		size := b.RequestedSize
		if size < 0 || size > MaxSize {
			size = 0 // counted above
		}
		m.addPre(t, Allocation{
			Addr: b.Address, Size: size, Start: None, End: None, FreeRequested: None,
			Stack: b.Stack, Stream: seg.Stream, Version: t.version, From: FromBlock,
		})
	}
	segments := s.SegmentsOf(m.d.ID)
	r.Segments = len(segments)
	for i := range segments {
		if !even(s, &segments[i]) {
			m.d.Anomalies[UnevenSegments]++
		}
	}
}

// even reports whether the blocks of a segment tile it and have the sums that it
// gives for them. Segments made from a profile give none.
func even(s *snapshot.Snapshot, seg *snapshot.Segment) bool {
	end, allocated, active := seg.Address, int64(0), int64(0)
	for _, b := range s.BlocksOf(seg) {
		if b.Address != end || b.Size < 0 {
			return false
		}
		end += uint64(b.Size)
		if b.State == snapshot.ActiveAllocated {
			allocated += b.Size
		}
		if b.State.Live() {
			active += b.Size
		}
	}
	return end == seg.Address+uint64(seg.TotalSize) &&
		(s.Format.HasProfilerSegment || allocated == seg.AllocatedSize && active == seg.ActiveSize)
}

// closeRequested ends every open allocation whose free was requested and that is not live
// in the final segments, at the request.
func (m *machine) closeRequested(live map[uint64]*snapshot.Block) {
	for i := range m.tenancies {
		t := &m.tenancies[i]
		if !t.isOpen() {
			continue
		}
		a := m.get(t.open)
		if _, ok := live[a.Addr]; !ok && a.FreeRequested != None {
			a.End = a.FreeRequested
			m.endsAtRequest = true
			t.open = closed
		}
	}
}

// compareOpen counts the allocations that the final segments do not confirm.
func (m *machine) compareOpen(live map[uint64]*snapshot.Block) {
	r := &m.d.Reconciliation
	for i := range m.tenancies {
		t := &m.tenancies[i]
		if !t.isOpen() {
			continue
		}
		a := m.get(t.open)
		if b, ok := live[a.Addr]; !ok {
			m.d.Anomalies[MissingBlocks]++
			r.MissingBlockBytes += a.Size
		} else if b.RequestedSize != a.Size {
			m.d.Anomalies[ChangedBlocks]++
		}
	}
}

// findHistoryCut decides whether the trace begins where the recording began. A completion
// without its request proves nothing for host memory, where frees complete long after their
// requests. The allocator keeps its events in a ring and drops the oldest in silence; only the
// newest torch versions say so in the file.
func (d *Device) findHistoryCut(s *snapshot.Snapshot) {
	r, e := &d.Reconciliation, d.Events
	n := e.Len()
	switch {
	case n == 0:
	case s.Trace(d.ID).Overflowed:
		r.HistoryCut, r.HistoryCutReason = true, "the file says that its ring buffer overflowed"
	case d.ID != snapshot.Pinned && n > 1 && e.Action[0] == snapshot.FreeCompleted && d.hasFreeRequests():
		r.HistoryCut, r.HistoryCutReason = true, "the first event completes a free whose request is missing"
	case roundLimit(n):
		r.HistoryCut, r.HistoryCutReason = true,
			"the number of events is a round limit, as a full ring buffer leaves it"
	}
}

func (d *Device) hasFreeRequests() bool {
	for _, a := range d.Events.Action {
		if a == snapshot.FreeRequested {
			return true
		}
	}
	return false
}

// roundLimit reports whether n looks like a max_entries that a person typed:
// one digit and at least four zeros.
func roundLimit(n int) bool {
	if n < 10_000 {
		return false
	}
	for n%10 == 0 {
		n /= 10
	}
	return n < 10
}
