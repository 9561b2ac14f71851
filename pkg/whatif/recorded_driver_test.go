package whatif

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// driverOf answers as these segment events say.
func driverOf(events program) *recordedDriver {
	d := replay.Replay(events.composer("").Snapshot(), 0)
	return &recordedDriver{events: d.Events, list: d.Reserved, end: len(d.Reserved)}
}

// TestRecordedRanges gives one range after another: on the same address space, only one.
func TestRecordedRanges(t *testing.T) {
	const last = maxAddress - 4096
	tests := []struct {
		name string
		addr uint64
		size int64
		want bool
	}{
		{"a range", 8 * mib, 2 * mib, true},
		{"right behind it", 10 * mib, 2 * mib, true},
		{"right before it", 6 * mib, 2 * mib, true},
		{"over its last byte", 12*mib - 1, 2 * mib, false},
		{"over its first byte", 4*mib + 1, 2 * mib, false},
		{"empty", 100 * mib, 0, false},
		{"as large as can be", 200 * mib, replay.MaxSize, true},
		{"larger", 1 << 45, replay.MaxSize + 1, false},
		{"below the end of all addresses", last, 4096, true},
		{"at their end", maxAddress, 4096, false},
	}
	d := driverOf(nil)
	for _, test := range tests {
		d.departed = nil
		if got := d.hold(3, Call{Addr: test.addr, Size: test.size}); got != test.want ||
			(d.departed == nil) != test.want {
			t.Errorf("%s: %t, %+v", test.name, got, d.departed)
		}
	}
}

// TestRecordedCalls asks for memory where the next recorded event is another one.
func TestRecordedCalls(t *testing.T) {
	malloc := func(d *recordedDriver) bool { _, ok := d.Malloc(2 * mib); return ok }
	mapped := func(d *recordedDriver) bool { return d.Map(8*mib, 2*mib) }
	reserve := func(d *recordedDriver) bool { _, ok := d.Reserve(1); return ok }
	event := func(action snapshot.Action, addr uint64, size int64) program { return program{{action, addr, size}} }
	tests := []struct {
		name     string
		call     func(d *recordedDriver) bool
		recorded program
		ok       bool
		departs  bool
	}{
		{"malloc, recorded", malloc, event(snapshot.SegmentAlloc, 8*mib, 2*mib), true, false},
		{"malloc, another size", malloc, event(snapshot.SegmentAlloc, 8*mib, 4*mib), false, true},
		{"malloc, a page", malloc, event(snapshot.SegmentMap, 8*mib, 2*mib), false, true},
		{
			"malloc refused, as the release behind it says",
			malloc,
			event(snapshot.SegmentFree, 8*mib, 2*mib),
			false,
			false,
		},
		{"malloc refused at the end", malloc, nil, false, false},
		{"map, recorded", mapped, event(snapshot.SegmentMap, 8*mib, 2*mib), true, false},
		{"map, elsewhere", mapped, event(snapshot.SegmentMap, 6*mib, 2*mib), false, true},
		{"map refused", mapped, event(snapshot.SegmentUnmap, 6*mib, 2*mib), false, false},
		{"map refused at the end", mapped, nil, false, false},
		{"reserve for a page", reserve, event(snapshot.SegmentMap, 8*mib, 2*mib), true, false},
		{"reserve, a segment", reserve, event(snapshot.SegmentAlloc, 8*mib, 2*mib), false, true},
		{"reserve refused", reserve, event(snapshot.SegmentUnmap, 8*mib, 2*mib), false, false},
	}
	for _, test := range tests {
		d := driverOf(test.recorded)
		if ok := test.call(d); ok != test.ok || (d.departed != nil) != test.departs {
			t.Errorf("%s: %t, %+v", test.name, ok, d.departed)
		}
	}
}

// TestReorder takes releases in another order, but not past a range that was given, or the end of the step.
func TestReorder(t *testing.T) {
	p := program{}
	for i, action := range []snapshot.Action{snapshot.SegmentFree, snapshot.SegmentFree, snapshot.SegmentFree,
		snapshot.SegmentAlloc, snapshot.SegmentFree} {
		p = append(p, program{{action, uint64(i+1) * 100 * mib, 2 * mib}}...)
	}
	release := func(n uint64) allocator.Event {
		return allocator.Event{Action: snapshot.SegmentFree, Addr: n * 100 * mib, Size: 2 * mib}
	}
	d := driverOf(p)
	for _, n := range []uint64{3, 1, 2} {
		if d.compare(release(n)); d.departed != nil {
			t.Fatalf("release %d: %+v", n, d.departed)
		}
	}
	if d.compare(release(5)); d.departed == nil || d.departed.Event != 3 || d.done != 3 {
		t.Errorf("a release before the range that was handed out: %+v, %d done", d.departed, d.done)
	}
	d = driverOf(p)
	d.end = 2
	if d.compare(release(3)); d.departed == nil {
		t.Error("a release of a later step is taken")
	}
	d = driverOf(p)
	d.strict = true
	if d.compare(release(2)); d.departed == nil {
		t.Error("without private pools releases have an order")
	}
}

// TestUpTo allows the segment events before an event, not the event itself.
func TestUpTo(t *testing.T) {
	d := driverOf(
		program{{snapshot.SegmentAlloc, mib, mib}, {snapshot.Alloc, mib, mib}, {snapshot.SegmentAlloc, 4 * mib, mib}},
	)
	d.end = 0
	for event, want := range []int{0, 1, 1, 2} {
		if d.upTo(replay.EventIndex(event)); d.end != want {
			t.Errorf("before event %d are %d, want %d", event, d.end, want)
		}
	}
}

// TestReservationsOf finds the address ranges around expandable segments: from the lowest page of theirs up
// to 512 GiB, in whole pages, or to the memory of anybody else.
func TestReservationsOf(t *testing.T) {
	const (
		x   = 1 << 45
		gib = 1 << 30
		all = 512 * gib
	)
	segment := func(addr uint64, stream uint64) allocator.Segment {
		return allocator.Segment{Address: addr, TotalSize: 20 * mib, Stream: allocator.Stream(stream), Expandable: true,
			SizeClass: snapshot.SizeClassLarge}
	}
	type reserved struct {
		addr uint64
		size int64
	}
	tests := []struct {
		name     string
		segments []allocator.Segment
		mapped   []uint64 // pages of the default stream, for a large request
		want     []reserved
	}{
		{"alone", []allocator.Segment{segment(x, 0)}, nil, []reserved{{x, all - 8*mib}}}, // 26214 pages of 20 MiB
		{
			"a lower page",
			[]allocator.Segment{segment(x, 0)},
			[]uint64{x - 40*mib},
			[]reserved{{x - 40*mib, all - 8*mib}},
		},
		{"two lower pages", []allocator.Segment{segment(x, 0)}, []uint64{x - 40*mib, x - 80*mib},
			[]reserved{{x - 80*mib, all - 8*mib}}},
		{"a page too far below", []allocator.Segment{segment(x, 0)}, []uint64{x - all}, []reserved{{x, all - 8*mib}}},
		{"nearly too far", []allocator.Segment{segment(x, 0)}, []uint64{x - all + mib},
			[]reserved{{x - all + mib, all - 8*mib}}},
		{"another stream above", []allocator.Segment{segment(x, 0), segment(x+50*mib, 1)}, nil,
			[]reserved{{x, 40 * mib}, {x + 50*mib, all - 8*mib}}},
		{"another stream between", []allocator.Segment{segment(x-20*mib, 1), segment(x, 0)}, []uint64{x - 40*mib},
			[]reserved{{x - 20*mib, 20 * mib}, {x, all - 8*mib}}},
		{
			"two segments in one",
			[]allocator.Segment{segment(x, 0), segment(x+gib, 0)},
			nil,
			[]reserved{{x, all - 8*mib}},
		},
		{"two reservations", []allocator.Segment{segment(x, 0), segment(x+all-8*mib, 0)}, nil,
			[]reserved{{x, all - 8*mib}, {x + all - 8*mib, all - 8*mib}}},
		{"nothing expandable", []allocator.Segment{{Address: x, TotalSize: 20 * mib}}, nil, nil},
	}
	for _, test := range tests {
		p := program{}
		for _, addr := range test.mapped {
			p = append(p, program{{snapshot.SegmentMap, addr, 20 * mib}, {snapshot.Alloc, addr, 12 * mib}}...)
		}
		s := p.composer("").Snapshot()
		if len(s.Streams) == 0 {
			s.Streams = []uint64{0}
		}
		var got []reserved
		for _, r := range reservationsOf(recordingOf(s), &allocator.Settings{}, test.segments) {
			got = append(got, reserved{r.Address, r.Size})
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.want)
		}
	}
}

// TestUnexplained: sizes that disagree and actions that are not known do not say that events are
// missing, anything else does.
func TestUnexplained(t *testing.T) {
	agree := []replay.Anomaly{
		replay.UnequalEnd,
		replay.ChangedBlocks,
		replay.ActiveAboveReserved,
		replay.UnevenSegments,
		replay.UnknownActions,
	}
	for kind := range len(replay.Anomalies{}) {
		var a replay.Anomalies
		a[kind] = 1
		if got := unexplained(a); got == slices.Contains(agree, replay.Anomaly(kind)) {
			t.Errorf("%s: %t", replay.Anomaly(kind).Kind().Key, got)
		}
	}
	if unexplained(replay.Anomalies{}) {
		t.Error("events are missing where nothing is wrong")
	}
}

// TestForeign: PyTorch's allocator hands out multiples of 512 bytes.
func TestForeign(t *testing.T) {
	for _, test := range []struct {
		addr  uint64
		block int64
		conf  string
		want  bool
	}{
		{0x1000, 1024, "", false}, {0x1100, 1024, "", true}, {0x1000, 1025, "", true},
		{0x1100, 1025, "roundup_power2_divisions:1", false}, // which once meant no rounding
	} {
		c := program{{snapshot.Alloc, test.addr, 1000}}.composer(test.conf)
		c.Segment(snapshot.Segment{Address: 0x1000, TotalSize: 2 * mib},
			snapshot.Block{Address: test.addr, Size: test.block, RequestedSize: 1000, State: snapshot.ActiveAllocated})
		r := recordingOf(c.Snapshot())
		if got := (&Run{r: r, settings: layout.SettingsOf(r.Snapshot)}).foreign(); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// TestSteps turns events into what the program did.
func TestSteps(t *testing.T) {
	const a, b = 0x1000, 0x2000
	type event struct {
		action snapshot.Action
		addr   uint64
		line   int32 // of the program
	}
	tests := []struct {
		name   string
		events []event
		want   []Op
	}{
		{"a free in one event", []event{{snapshot.Alloc, a, 1}, {snapshot.Free, a, 2}},
			[]Op{{Allocate, 0, 0}, {Free, 1, 0}}},
		{
			"a free in two events",
			[]event{{snapshot.Alloc, a, 1}, {snapshot.FreeRequested, a, 2}, {snapshot.FreeCompleted, a, 2}},
			[]Op{{Allocate, 0, 0}, {Free, 2, 0}},
		},
		{"completed by another line",
			[]event{{snapshot.Alloc, a, 1}, {snapshot.FreeRequested, a, 2}, {snapshot.FreeCompleted, a, 3}},
			[]Op{{Allocate, 0, 0}, {RequestFree, 1, 0}, {CompleteFree, 2, 0}}},
		{"completed later",
			[]event{{snapshot.Alloc, a, 1}, {snapshot.FreeRequested, a, 2}, {snapshot.Alloc, b, 3},
				{snapshot.FreeCompleted, a, 2}},
			[]Op{{Allocate, 0, 0}, {RequestFree, 1, 0}, {Allocate, 2, 1}, {CompleteFree, 3, 0}}},
		{"of an allocation from before", []event{{snapshot.FreeCompleted, a, 2}}, []Op{{Free, 0, 0}}},
		{"a second free of it", []event{{snapshot.Alloc, a, 1}, {snapshot.FreeRequested, a, 2},
			{snapshot.FreeRequested, a, 2}, {snapshot.FreeCompleted, a, 2}},
			[]Op{{Allocate, 0, 0}, {RequestFree, 1, 0}, {CompleteFree, 3, 0}}},
		{"two releases in a row", []event{{snapshot.SegmentFree, a, 1}, {snapshot.SegmentFree, b, 1}},
			[]Op{{EmptyCache, 2, NoRequest}}},
		{"a request between them",
			[]event{{snapshot.SegmentFree, a, 1}, {snapshot.Alloc, 0x9000, 1}, {snapshot.SegmentUnmap, b, 1}},
			[]Op{{EmptyCache, 1, NoRequest}, {Allocate, 1, 0}, {EmptyCache, 3, NoRequest}}},
		{"something else between them",
			[]event{{snapshot.SegmentFree, a, 1}, {snapshot.SnapshotTaken, 0, 1}, {snapshot.SegmentFree, b, 1}},
			[]Op{{EmptyCache, 1, NoRequest}, {EmptyCache, 3, NoRequest}}},
		{"a failure completes what was just completed",
			[]event{
				{snapshot.Alloc, a, 1},
				{snapshot.FreeRequested, a, 2},
				{snapshot.FreeCompleted, a, 3},
				{snapshot.OOM, 0, 3},
			},
			[]Op{{Allocate, 0, 0}, {RequestFree, 1, 0}, {AllocateFailed, 3, NoRequest}, {CompleteFree, 2, 0}}},
		{
			"but not what was completed before another request",
			[]event{{snapshot.Alloc, a, 1}, {snapshot.FreeRequested, a, 2},
				{snapshot.FreeCompleted, a, 3}, {snapshot.Alloc, b, 3}, {snapshot.OOM, 0, 3}},
			[]Op{
				{Allocate, 0, 0},
				{RequestFree, 1, 0},
				{CompleteFree, 2, 0},
				{Allocate, 3, 1},
				{AllocateFailed, 4, NoRequest},
			},
		},
	}
	for _, test := range tests {
		c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
		c.Trace(0)
		for _, e := range test.events {
			c.Event(0, snapshot.EventText{Action: e.action, Addr: e.addr, Size: 512,
				Stack: c.Stack(snapshot.FrameText{File: "program.py", Line: e.line, Name: "main"})})
		}
		if got := opsOf(replay.Replay(c.Snapshot(), 0), nil); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestPoolsOfHostMemory: private pools of host memory explain nothing of a GPU.
func TestPoolsOfHostMemory(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	graph := c.Pool(snapshot.Pool{A: 0, B: 1})
	c.Segment(snapshot.Segment{Device: snapshot.Pinned, Address: 4096, TotalSize: 64, Pool: graph})
	c.Segment(snapshot.Segment{Address: 512, TotalSize: 512})
	if n := countPools(c.Snapshot()); n != 1 {
		t.Errorf("%d pools, want that of the GPU", n)
	}
	c.Segment(snapshot.Segment{Address: 1024, TotalSize: 512, Pool: c.Pool(snapshot.Pool{A: 0, B: 2})})
	if n := countPools(c.Snapshot()); n != 2 {
		t.Errorf("%d pools, want both of the GPU", n)
	}
}
