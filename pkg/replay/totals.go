package replay

import "github.com/memviz-go/memviz/pkg/snapshot"

// ActiveBytes are the active bytes of every state, 0 to n. They are shared: who
// asks must not change them.
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

// traceReserved anchors reserved memory at the final segments and walks the
// segment events backwards from there.
func (d *Device) traceReserved(s *snapshot.Snapshot) {
	t := &d.Totals
	for i := range s.Segments {
		if s.Segments[i].Device == d.ID {
			t.ReservedFinalBytes += clamp(s.Segments[i].TotalSize)
		}
	}
	t.ReservedBaselineBytes = t.ReservedFinalBytes
	for i, action := range d.Events.Action {
		if sign := action.ReservedSign(); sign != 0 {
			delta := sign * clamp(d.Events.Size[i])
			d.Reserved = append(d.Reserved, ReservedChange{Event: EventIndex(i), Delta: delta})
			t.ReservedBaselineBytes -= delta
		}
	}
	bytes := t.ReservedBaselineBytes
	t.ReservedPeakBytes = bytes
	if bytes < 0 {
		d.Anomalies.NegativeReserved++
	}
	for _, c := range d.Reserved {
		bytes += c.Delta
		t.ReservedPeakBytes = max(t.ReservedPeakBytes, bytes)
		if bytes < 0 {
			d.Anomalies.NegativeReserved++
		}
	}
}

func clamp(size int64) int64 {
	if size < 0 || size > maxSize {
		return 0
	}
	return size
}

// sum fills the totals of active memory and compares them with reserved memory.
func (d *Device) sum() {
	d.active = d.sumActive()
	t, active := &d.Totals, d.active
	t.BaselineBytes, t.FinalBytes = active[0], active[len(active)-1]
	reserved, next := t.ReservedBaselineBytes, 0
	known := d.Reconciliation.Segments > 0 || len(d.Reserved) > 0
	for k, bytes := range active {
		if bytes > t.PeakBytes || k == 0 {
			t.PeakBytes, t.PeakState = bytes, k
		}
		for ; next < len(d.Reserved) && int(d.Reserved[next].Event) < k; next++ {
			reserved += d.Reserved[next].Delta
		}
		if known && bytes > reserved {
			d.Reconciliation.ActiveAboveReserved++
		}
	}
	for i := range d.Allocations {
		if d.Allocations[i].LiveAtEnd() {
			t.LiveAtEnd++
		}
	}
}
