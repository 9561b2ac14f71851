package replay

import "github.com/memviz-go/memviz/pkg/snapshot"

// ActiveBytes are the active bytes of every state, 0 to n. The slice is shared;
// callers must not change it.
func (d *Device) ActiveBytes() []int64 { return d.active }

func (d *Device) sumActive() []int64 {
	total := make([]int64, d.States())
	for i := range d.Allocations {
		a := &d.Allocations[i]
		total[a.Start+1] += a.Size
		if a.End != None {
			total[a.End+1] -= a.Size
		}
	}
	for k := 1; k < len(total); k++ {
		total[k] += total[k-1]
	}
	return total
}

// ReservedBytes are the reserved bytes of every state, 0 to n.
func (d *Device) ReservedBytes() []int64 {
	total := make([]int64, d.States())
	bytes, from := d.Totals.ReservedBaselineBytes, 0
	for _, c := range d.Reserved {
		for ; from <= int(c.Event); from++ {
			total[from] = bytes
		}
		bytes += c.Delta
	}
	for ; from < len(total); from++ {
		total[from] = bytes
	}
	return total
}

// Live appends to ids the indices of the allocations live in state k, bottom
// of the pile first.
func (d *Device) Live(ids []int32, k int) []int32 {
	for i := range d.Allocations {
		if int(d.Allocations[i].Start) >= k {
			break
		}
		if d.Allocations[i].LiveIn(k) {
			ids = append(ids, int32(i))
		}
	}
	return ids
}

// traceReserved walks the segment events backwards from the final segments; where those
// are unknown, it puts the curve as low as it can be.
func (d *Device) traceReserved(s *snapshot.Snapshot) {
	var sum, change int64
	for _, seg := range s.SegmentsOf(d.ID) {
		d.Totals.ReservedFinalBytes += d.bytes(&sum, seg.TotalSize)
	}
	for i, action := range d.Events.Action {
		if sign := action.ReservedSign(); sign != 0 {
			delta := sign * d.bytes(&sum, d.Events.Size[i])
			d.Reserved = append(d.Reserved, ReservedChange{Event: EventIndex(i), Delta: delta})
			change += delta
		}
	}
	t := &d.Totals
	t.ReservedBaselineBytes = t.ReservedFinalBytes - change
	if d.Reconciliation.EndUnknown {
		t.ReservedBaselineBytes = d.leastReserved()
		t.ReservedFinalBytes = t.ReservedBaselineBytes + change
	}
	t.ReservedPeakBytes = t.ReservedBaselineBytes
	if t.ReservedBaselineBytes < 0 {
		d.Anomalies[NegativeReserved]++
	}
	bytes := t.ReservedBaselineBytes
	for _, c := range d.Reserved {
		bytes += c.Delta
		t.ReservedPeakBytes = max(t.ReservedPeakBytes, bytes)
		if bytes < 0 {
			d.Anomalies[NegativeReserved]++
		}
	}
}

// leastReserved returns the smallest number of bytes that can have been reserved in state
// 0, given that reserved memory was never less than active memory. Without segment events
// nothing is known of reserved memory, and it is 0.
func (d *Device) leastReserved() int64 {
	if len(d.Reserved) == 0 {
		return 0
	}
	var least, change int64
	next := 0
	for k, active := range d.active {
		for ; next < len(d.Reserved) && int(d.Reserved[next].Event) < k; next++ {
			change += d.Reserved[next].Delta
		}
		least = max(least, active-change)
	}
	return least
}

// sum fills the totals of active memory and compares them with reserved memory.
func (d *Device) sum() {
	t, active := &d.Totals, d.active
	t.BaselineBytes, t.FinalBytes = active[0], active[len(active)-1]
	reserved, next := t.ReservedBaselineBytes, 0
	known := d.Reconciliation.Segments > 0 || len(d.Reserved) > 0
	for k, bytes := range active {
		for ; next < len(d.Reserved) && int(d.Reserved[next].Event) < k; next++ {
			reserved += d.Reserved[next].Delta
		}
		if bytes > t.PeakBytes || k == 0 {
			t.PeakBytes, t.PeakState, t.ReservedAtPeakBytes = bytes, k, reserved
		}
		if known && bytes > reserved {
			d.Anomalies[ActiveAboveReserved]++
		}
	}
	for i := range d.Allocations {
		if d.Allocations[i].LiveAtEnd() {
			t.LiveAtEnd++
		}
	}
	if r := &d.Reconciliation; !r.EndUnknown && t.FinalBytes != r.LiveRequestedBytes {
		d.Anomalies[UnequalEnd]++
	}
}
