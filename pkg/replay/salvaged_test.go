package replay_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestEndUnknown replays what was salvaged of a file: nothing is compared with
// an end that is not there, what is open stays open, and reserved memory is what
// it was at least.
func TestEndUnknown(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	for _, e := range []ev{{alloc, 1, 7}, {snapshot.SegmentAlloc, 8, 100}, {alloc, 2, 90}, {requested, 1, 7},
		{completed, 5, 40}, {snapshot.SegmentFree, 9, 50}} {
		c.Event(0, snapshot.EventText{Action: e.action, Addr: 512 * e.at, Size: e.size})
	}
	s := c.Snapshot()
	s.Salvaged = &snapshot.Salvaged{From: 0}
	d := replay.Replay(s, 0)
	if r := d.Reconciliation; !r.EndUnknown || d.Anomalies.Total() != 0 || d.AddsUp() {
		t.Errorf("%+v %+v", d.Anomalies, r)
	}
	if a := d.Allocations[1]; a.Addr != 512 || !a.PendingAtEnd() {
		t.Errorf("given up, and not known to be gone: %+v", a)
	}
	// Before the segment of 100 bytes, 47 were active; at the end 97, beside 50 less reserved.
	if got := d.Totals; got.ReservedBaselineBytes != 47 || got.ReservedPeakBytes != 147 ||
		got.ReservedFinalBytes != 97 || got.FinalBytes != 97 {
		t.Errorf("%+v", got)
	}
	if s.Salvaged = nil; replay.Replay(s, 0).Anomalies[replay.NegativeReserved] != 1 {
		t.Error("the same events without segments do not fall below zero")
	}
}

// TestSums: sizes that are possible one by one do not wrap together.
func TestSums(t *testing.T) {
	const n = 1<<21 + 10
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	for i := range n {
		c.Event(0, snapshot.EventText{Action: snapshot.SegmentFree, Addr: 512, Size: 1 << 42})
		if i%2 == 0 {
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i) * 512, Size: 1 << 42})
		}
	}
	d := replay.Replay(c.Snapshot(), 0)
	for k, bytes := range d.ReservedBytes() {
		if active := d.ActiveBytes()[k]; bytes < 0 || active < 0 {
			t.Fatalf("state %d: %d bytes reserved, %d active", k, bytes, active)
		}
	}
	if d.Anomalies[replay.ImpossibleSizes] == 0 || d.AddsUp() {
		t.Errorf("%+v", d.Anomalies)
	}
}
