package whatif

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

const mib = 1 << 20

// testDevice is a device with some memory and recorded addresses of ranges of 4 MiB.
func testDevice(limit int64, p Placement, recorded ...uint64) *device {
	run := &Run{r: emptyRecording(), addresses: addresses{
		order: map[int64][]uint64{4 * mib: recorded}, start: map[int64]int{},
	}}
	d := run.newDevice(limit, p)
	d.before = func() {}
	return d
}

// TestPlacement puts ranges one after the other: each takes whole units of 2 MiB.
func TestPlacement(t *testing.T) {
	const first = 1 << 60
	sizes := []int64{1, 2 * mib, 2*mib + 1, 1}
	for placement, want := range map[Placement][]uint64{
		PlaceRecorded:  {first, first + 2*mib, first + 4*mib, first + 8*mib},
		PlaceUpwards:   {first, first + 2*mib, first + 4*mib, first + 8*mib},
		PlaceDownwards: {first - 2*mib, first - 4*mib, first - 8*mib, first - 10*mib},
	} {
		d := testDevice(0, placement)
		for i, size := range sizes {
			if addr, ok := d.Malloc(size); addr != want[i] || !ok {
				t.Errorf("placement %d, range %d: %#x, want %#x", placement, i, addr, want[i])
			}
		}
		if d.calls != (Calls{Mallocs: 4}) {
			t.Errorf("calls %+v", d.calls)
		}
	}
}

// TestRecordedPlacement hands out recorded addresses in order, then those that were given back, the
// latest first, and then new ones.
func TestRecordedPlacement(t *testing.T) {
	d := testDevice(0, PlaceRecorded, 0x1000, 0x2000, 0x1000, 0x3000)
	next := func(want uint64) {
		t.Helper()
		if addr, ok := d.Malloc(4 * mib); addr != want || !ok {
			t.Errorf("%#x, want %#x", addr, want)
		}
	}
	next(0x1000)
	next(0x2000)
	next(1 << 60) // the third was 0x1000 again, which is held
	next(0x3000)
	d.Free(1 << 60)
	d.Free(0x1000)
	d.Free(0x2000)
	next(0x2000)
	next(0x1000)
	next(1<<60 + 4*mib) // an address that was never recorded is not given again
	if d.calls != (Calls{Mallocs: 7, Frees: 3}) || d.used != 16*mib {
		t.Errorf("calls %+v, %d bytes in use", d.calls, d.used)
	}
}

// TestDeviceMemory fills 10 MiB to the last byte, by ranges and by pages.
func TestDeviceMemory(t *testing.T) {
	d := testDevice(10*mib, PlaceUpwards)
	addr, ok := d.Malloc(4 * mib)
	if free, total := d.Memory(); !ok || free != 6*mib || total != 10*mib {
		t.Errorf("%d of %d free", free, total)
	}
	if d.Map(0, 6*mib+1) {
		t.Error("a byte more than there is was mapped")
	}
	if !d.Map(0, 6*mib) {
		t.Error("what is left was not mapped")
	}
	if _, ok := d.Malloc(1); ok {
		t.Error("a full device gave a byte")
	}
	d.Unmap(0, 2*mib)
	d.Free(addr)
	if free, _ := d.Memory(); free != 6*mib {
		t.Errorf("%d free, want 6 MiB", free)
	}
	if d.calls != (Calls{Mallocs: 1, Frees: 1, Maps: 1, Unmaps: 1}) {
		t.Errorf("calls %+v", d.calls)
	}
	if free, total := testDevice(0, PlaceUpwards).Memory(); free != replay.MaxSize || total != replay.MaxSize {
		t.Errorf("without a limit %d of %d free", free, total)
	}
}

// TestReservations: reservations end where new ranges may begin, at half of their first address.
func TestReservations(t *testing.T) {
	d := testDevice(0, PlaceUpwards)
	for i, want := range []uint64{1 << 58, 1<<58 + 2*mib, 1<<58 + 6*mib} {
		if addr, ok := d.Reserve([]int64{1, 2*mib + 1, 2 * mib}[i]); addr != want || !ok {
			t.Errorf("reservation %d at %#x, want %#x", i, addr, want)
		}
	}
	if _, ok := d.Reserve(1<<58 - 8*mib); ok { // 8 MiB are reserved, so this ends at 1<<59
		t.Error("address space without end")
	}
	d = testDevice(0, PlaceUpwards)
	if _, ok := d.Reserve(1<<58 - 2*mib); !ok {
		t.Error("no room below the end of the address space")
	}
}

// TestModelMemory: reservations are sized by the limit, twice what was reserved, or 80 GiB.
func TestModelMemory(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct{ limit, peak, want int64 }{
		{0, 0, 80 * gib}, {81 * gib, 0, 81 * gib}, {0, 40 * gib, 80 * gib}, {0, 41 * gib, 82 * gib},
	} {
		r := emptyRecording()
		r.Device.Totals.ReservedPeakBytes = test.peak
		if got := (&Run{r: r}).newDevice(test.limit, PlaceRecorded).GlobalMemory(); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// TestHold: what was there from the start is in use, and its recorded addresses had their turn.
func TestHold(t *testing.T) {
	d := testDevice(20*mib, PlaceRecorded, 0x1000, 0x2000)
	d.addresses.start[4*mib] = 1
	d.hold(&start{segments: []allocator.Segment{
		{Address: 0x1000, TotalSize: 4 * mib}, {Address: 0x9000, TotalSize: 6 * mib, Expandable: true},
	}})
	if free, _ := d.Memory(); free != 10*mib {
		t.Errorf("%d free, want 10 MiB", free)
	}
	if addr, _ := d.Malloc(4 * mib); addr != 0x2000 {
		t.Errorf("%#x, want the second address", addr)
	}
	d.Free(0x1000)
	if free, _ := d.Memory(); free != 10*mib {
		t.Errorf("%d free, want 10 MiB", free)
	}
	d.Free(0x9000) // of expandable segments only pages are given back
	if free, _ := d.Memory(); free != 10*mib {
		t.Errorf("%d free, want 10 MiB", free)
	}
}

// TestAddresses collects recorded addresses by size, without those that cannot be there at once.
func TestAddresses(t *testing.T) {
	events := program{
		{snapshot.SegmentAlloc, 0x1000_0000, 4 * mib},
		{snapshot.SegmentFree, 0x1000_0000, 4 * mib},
		{snapshot.SegmentAlloc, 0x1000_0000, 4 * mib}, // the same range again
		{snapshot.SegmentFree, 0x1000_0000, 4 * mib},
		{snapshot.SegmentAlloc, 0x1000_0000, 6 * mib},          // another size
		{snapshot.SegmentAlloc, 0x1000_0000 - 2*mib, 4 * mib},  // overlaps from below
		{snapshot.SegmentAlloc, 0x1000_0000 + 2*mib, 2 * mib},  // inside
		{snapshot.SegmentAlloc, 0x1000_0000 + 4*mib, 4 * mib},  // right after
		{snapshot.SegmentMap, 0x2000_0000, 4 * mib},            // a page, no range
		{snapshot.SegmentAlloc, 0x1000_0000 + 20*mib, 4 * mib}, // alone
	}
	run := &Run{r: recordingOf(events.composer("").Snapshot()), start: start{segments: []allocator.Segment{
		{Address: 0x1000_0000 + 10*mib, TotalSize: 4 * mib},
		{Address: 0x1000_0000 + 15*mib, TotalSize: 4 * mib, Expandable: true},
	}}}
	got := run.findAddresses()
	want := []uint64{0x1000_0000 + 10*mib, 0x1000_0000, 0x1000_0000, 0x1000_0000 + 4*mib, 0x1000_0000 + 20*mib}
	if list := got.order[4*mib]; len(got.order) != 1 || len(list) != len(want) || got.start[4*mib] != 1 ||
		len(got.start) != 1 {
		t.Fatalf("%#x, %v", got.order, got.start)
	}
	for i, addr := range got.order[4*mib] {
		if addr != want[i] {
			t.Errorf("range %d at %#x, want %#x", i, addr, want[i])
		}
	}
}
