package replay_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

const (
	alloc     = snapshot.Alloc
	requested = snapshot.FreeRequested
	completed = snapshot.FreeCompleted
)

// ev is an event at address 512*at.
type ev struct {
	action snapshot.Action
	at     uint64
	size   int64
}

func trace(events []ev, blocks ...snapshot.Block) *replay.Device {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	c.Trace(0)
	for _, e := range events {
		c.Event(0, snapshot.EventText{Action: e.action, Addr: 512 * e.at, Size: e.size})
	}
	c.Segment(snapshot.Segment{Address: 512, TotalSize: 1 << 20}, blocks...)
	return replay.Replay(c.Snapshot(), 0)
}

func block(at uint64, size int64, state snapshot.BlockState) snapshot.Block {
	return snapshot.Block{Address: 512 * at, Size: 512, RequestedSize: size, State: state}
}

func TestAnomalies(t *testing.T) {
	allocated := snapshot.ActiveAllocated
	for _, tt := range []struct {
		name   string
		device *replay.Device
		want   replay.Anomalies
		adds   bool
	}{
		{"allocated and freed", trace([]ev{{alloc, 1, 7}, {requested, 1, 7}, {completed, 1, 7}}), replay.Anomalies{},
			true},
		{"overlap", trace([]ev{{alloc, 1, 7}, {alloc, 1, 8}}, block(1, 8, allocated)),
			replay.Anomalies{replay.OverlappingAllocs: 1}, false},
		{"a free twice", trace([]ev{{alloc, 1, 7}, {completed, 1, 7}, {completed, 1, 7}}),
			replay.Anomalies{replay.RepeatedFrees: 1}, false},
		{"a request twice", trace([]ev{{alloc, 1, 7}, {requested, 1, 7}, {requested, 1, 7}, {completed, 1, 7}}),
			replay.Anomalies{replay.RepeatedFrees: 1}, false},
		{"a free of another size", trace([]ev{{alloc, 1, 7}, {completed, 1, 9}}),
			replay.Anomalies{replay.SizeMismatches: 1},
			false},
		{"a negative size", trace([]ev{{alloc, 1, -7}}, block(1, 0, allocated)),
			replay.Anomalies{replay.ImpossibleSizes: 1},
			false},
		{"more memory than there is", trace([]ev{{alloc, 1, 1 << 43}}, block(1, 0, allocated)),
			replay.Anomalies{replay.ImpossibleSizes: 1}, false},
		{"no such action", trace([]ev{{snapshot.FirstUnknownAction, 1, 7}, {alloc, 1, 7}}, block(1, 7, allocated)),
			replay.Anomalies{replay.UnknownActions: 1}, true},
		{"an unknown action that changed memory", trace([]ev{{snapshot.FirstUnknownAction, 1, 7}, {alloc, 1, 7}}),
			replay.Anomalies{replay.UnknownActions: 1, replay.MissingBlocks: 1, replay.UnequalEnd: 1}, false},
		{"an allocation before the only segment", trace([]ev{{alloc, 0, 7}, {completed, 0, 7}}),
			replay.Anomalies{replay.OutsideSegments: 1}, false},
		{"an allocation that leaves the segment",
			trace([]ev{{alloc, 2048, 512}, {completed, 2048, 512}, {alloc, 2048, 513},
				{completed, 2048, 513}}), replay.Anomalies{replay.OutsideSegments: 1}, false},
		{"an allocation that reaches into the next", trace([]ev{{alloc, 2, 7}, {alloc, 1, 513}, {completed, 1, 513},
			{completed, 2, 7}}), replay.Anomalies{replay.OverlappingRanges: 1}, false},
		{"an allocation inside another", trace([]ev{{alloc, 1, 4096}, {alloc, 3, 7}, {completed, 1, 4096},
			{completed, 3, 7}}), replay.Anomalies{replay.OverlappingRanges: 1}, false},
		{"one behind the other, and one after the other",
			trace([]ev{{alloc, 1, 4096}, {alloc, 9, 7}, {completed, 1, 4096},
				{alloc, 3, 7}, {completed, 9, 7}, {completed, 3, 7}}), replay.Anomalies{}, true},
		{"an allocation in a segment that is gone", trace([]ev{{snapshot.SegmentAlloc, 4096, 1 << 20}, {alloc, 4096, 7},
			{completed, 4096, 7}, {snapshot.SegmentFree, 4096, 1 << 20}, {alloc, 4096, 7}, {completed, 4096, 7}}),
			replay.Anomalies{replay.OutsideSegments: 1}, false},
		{"an allocation across segments side by side", trace([]ev{{snapshot.SegmentMap, 2049, 1 << 20},
			{snapshot.SegmentMap, 4097, 1 << 20}, {alloc, 2050, 2<<20 - 512}, {completed, 2050, 2<<20 - 512},
			{snapshot.SegmentUnmap, 2049, 2 << 20}}), replay.Anomalies{}, true},
		{"more freed than held", trace([]ev{{snapshot.SegmentAlloc, 1, 2 << 20}, {snapshot.SegmentAlloc, 1, 2 << 20}},
			block(1, 1, allocated)),
			replay.Anomalies{replay.NegativeReserved: 2, replay.ActiveAboveReserved: 2, replay.OutsideSegments: 1},
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.device.Anomalies
			got[replay.UnevenSegments] = 0 // the segment of trace holds more than its blocks
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if tt.device.AddsUp() != tt.adds {
				t.Errorf("adds up: %t; %+v", tt.device.AddsUp(), tt.device.Reconciliation)
			}
		})
	}
}

func TestReconciliation(t *testing.T) {
	allocated, pending := snapshot.ActiveAllocated, snapshot.ActivePendingFree
	missing := trace([]ev{{alloc, 1, 7}, {alloc, 2, 8}}, block(1, 7, allocated))
	if r := missing.Reconciliation; missing.Anomalies[replay.MissingBlocks] != 1 || r.MissingBlockBytes != 8 ||
		missing.AddsUp() {
		t.Errorf("an allocation without its block: %+v", r)
	}
	changed := trace([]ev{{alloc, 1, 7}}, block(1, 9, allocated))
	if r := changed.Reconciliation; changed.Anomalies[replay.ChangedBlocks] != 1 || changed.AddsUp() {
		t.Errorf("a block of another size: %+v", r)
	}
	reopened := trace([]ev{{alloc, 1, 7}, {completed, 1, 7}}, block(1, 9, allocated))
	if r := reopened.Reconciliation; reopened.Anomalies[replay.ReopenedBlocks] != 1 || r.PreExistingBlocks != 1 ||
		reopened.Allocations[0].Version != 1 {
		t.Errorf("a block behind the trace's back: %+v", r)
	}
	waiting := trace([]ev{{alloc, 1, 7}, {requested, 1, 7}, {alloc, 2, 1}}, block(1, 7, pending),
		block(2, 1, allocated))
	if a := waiting.Allocations[0]; !a.PendingAtEnd() || !a.LiveAtEnd() || !waiting.AddsUp() {
		t.Errorf("pending at the end: %+v", a)
	}
	before := trace([]ev{{snapshot.SnapshotTaken, 0, 21}, {completed, 3, 5}}, block(1, 7, allocated),
		block(2, 9, pending))
	if before.PreExisting != 3 || before.Totals.BaselineBytes != 21 || before.Totals.FinalBytes != 16 ||
		!before.AddsUp() {
		t.Errorf("what was there before: %+v", before.Totals)
	}
	for _, a := range before.Allocations {
		if !a.PreExisting() || a.LiveIn(0) != true {
			t.Errorf("%+v is not pre-existing", a)
		}
	}
}

// TestUneven: what a segment says of itself is held against its blocks.
func TestUneven(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(seg *snapshot.Segment, blocks []snapshot.Block)
		uneven int
	}{
		"as it should be":     {func(*snapshot.Segment, []snapshot.Block) {}, 0},
		"another total":       {func(seg *snapshot.Segment, _ []snapshot.Block) { seg.TotalSize++ }, 1},
		"another address":     {func(seg *snapshot.Segment, _ []snapshot.Block) { seg.Address++ }, 1},
		"another allocated":   {func(seg *snapshot.Segment, _ []snapshot.Block) { seg.AllocatedSize-- }, 1},
		"another active":      {func(seg *snapshot.Segment, _ []snapshot.Block) { seg.ActiveSize = -1 }, 1},
		"a block elsewhere":   {func(_ *snapshot.Segment, blocks []snapshot.Block) { blocks[1].Address += 512 }, 1},
		"a larger block":      {func(_ *snapshot.Segment, blocks []snapshot.Block) { blocks[0].Size += 512 }, 1},
		"a block of negative": {func(_ *snapshot.Segment, blocks []snapshot.Block) { blocks[2].Size = -512 }, 1},
		"a block freed": {func(_ *snapshot.Segment,
			blocks []snapshot.Block) {
			blocks[0].State = snapshot.Inactive
		}, 1},
	} {
		c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
		c.Trace(0)
		c.Segment(snapshot.Segment{Address: 512, TotalSize: 3 * 512}, block(1, 7, snapshot.ActiveAllocated),
			block(2, 9, snapshot.ActivePendingFree), block(3, 0, snapshot.Inactive))
		s := c.Snapshot()
		tt.change(&s.Segments[0], s.Blocks)
		if got := replay.Replay(s, 0).Anomalies[replay.UnevenSegments]; got != tt.uneven {
			t.Errorf("%s: %d uneven segments, want %d", name, got, tt.uneven)
		}
	}
}

func TestHistoryCut(t *testing.T) {
	full := []ev{{completed, 1, 7}, {alloc, 2, 1}, {requested, 2, 1}, {completed, 2, 1}}
	round := make([]ev, 20_000)
	for i := range round {
		round[i] = ev{alloc, uint64(i + 1), 1}
	}
	for name, tt := range map[string]struct {
		events []ev
		cut    bool
	}{
		"begins inside a free":             {full, true},
		"begins with an alloc":             {full[1:], false},
		"one entry, as enabled=state does": {full[:1], false},
		"frees have no requests":           {[]ev{{completed, 1, 7}, {alloc, 2, 1}, {completed, 2, 1}}, false},
		"a round number of events":         {round, true},
		"one event less":                   {round[1:], false},
	} {
		if r := trace(tt.events).Reconciliation; r.HistoryCut != tt.cut || (r.HistoryCutReason != "") != tt.cut {
			t.Errorf("%s: cut %t (%s)", name, r.HistoryCut, r.HistoryCutReason)
		}
	}
}

// TestVersions numbers the tenancies of one address.
func TestVersions(t *testing.T) {
	d := trace([]ev{{alloc, 1, 7}, {completed, 1, 7}, {alloc, 1, 8}, {completed, 1, 8}, {alloc, 1, 9}, {alloc, 2, 1}})
	var got []int32
	for _, a := range d.Allocations {
		got = append(got, a.Version)
	}
	if want := []int32{0, 1, 2, 0}; len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] ||
		got[3] != want[3] {
		t.Errorf("versions %v, want %v", got, want)
	}
}

// FuzzReplay: any trace is replayed without a panic, and what comes out keeps
// the invariants of states.
func FuzzReplay(f *testing.F) {
	f.Add([]byte{0, 1, 5, 1, 1, 5, 2, 1, 5})
	f.Add([]byte{2, 9, 1, 0, 9, 1, 0, 9, 2, 3, 9, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []ev
		for ; len(data) >= 3; data = data[3:] {
			events = append(events, ev{snapshot.Action(data[0] % 16), uint64(data[1] % 8), int64(int8(data[2]))})
		}
		d := trace(events, block(1, 5, snapshot.ActiveAllocated), block(2, 6, snapshot.ActivePendingFree),
			block(3, 1, snapshot.Inactive))
		active := d.ActiveBytes()
		for k, want := range active {
			var sum int64
			for _, id := range d.Live(nil, k) {
				sum += d.Allocations[id].Size
			}
			if sum != want || sum < 0 {
				t.Fatalf("state %d: live allocations have %d bytes, the total is %d", k, sum, want)
			}
		}
		for i := range d.Allocations {
			if a := &d.Allocations[i]; a.End != replay.None && a.End < a.Start {
				t.Errorf("%+v ends before it starts", a)
			}
		}
	})
}
