package layout_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/units"
)

const (
	mib = units.MiB
	gib = units.GiB
)

// pieces lays a segment out: sizes in MiB, live blocks above zero and gaps below.
func pieces(l *layout.Map, seg layout.Segment, sizes ...int64) {
	seg.FirstExtent, seg.ExtentCount = int32(len(l.Extents)), int32(len(sizes))
	at := seg.Address
	for _, n := range sizes {
		x := layout.Extent{Address: at, Size: n * mib, State: snapshot.ActiveAllocated}
		if n < 0 {
			x = layout.Gap(at, at+uint64(-n*mib))
		} else {
			seg.ActiveBytes += x.Size
		}
		seg.Size += x.Size
		at += uint64(x.Size)
		l.Extents = append(l.Extents, x)
	}
	l.Segments = append(l.Segments, seg)
	l.ReservedBytes += seg.Size
	l.ActiveBytes += seg.ActiveBytes
}

func TestFragmentationOf(t *testing.T) {
	malloc := layout.Segment{Address: 1 << 40, SizeClass: snapshot.SizeClassLarge}
	mapped := layout.Segment{Address: 1 << 40, SizeClass: snapshot.SizeClassLarge, Expandable: true,
		Page: 20 * mib}
	smaller := mapped // with large_segment_size_mb:12
	smaller.Page = 12 * mib
	small := layout.Segment{Address: 1 << 40, SizeClass: snapshot.SizeClassSmall, Expandable: true,
		Page: 2 * mib}
	tests := []struct {
		name                       string
		seg                        layout.Segment
		sizes                      []int64
		typical                    int64 // MiB
		bytes, returnable, largest int64 // MiB
	}{
		{"a segment in full use", malloc, []int64{20}, 60, 0, 0, 0},
		{"an idle segment goes back", malloc, []int64{-20}, 60, 0, 20, 20},
		{"gaps beside live blocks", malloc, []int64{-10, 5, -30}, 60, 40, 0, 30},
		{"a gap that serves a typical request", malloc, []int64{4, -60}, 60, 0, 0, 60},
		{"of the pages in a gap, whole ones go back", mapped, []int64{4, -50, 6}, 60, 30, 20, 50},
		{"whole pages of 12 MiB go back", smaller, []int64{4, -50, 6}, 60, 14, 36, 50},
		{"a gap within pages", mapped, []int64{30, -20, 10}, 60, 20, 0, 20},
		{"an idle page", mapped, []int64{20, -20, 20}, 60, 0, 20, 20},
		{"small pages have 2 MiB", small, []int64{1, -4, 1}, 60, 2, 2, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := &layout.Map{}
			pieces(l, test.seg, test.sizes...)
			f := layout.FragmentationOf(l, test.typical*mib)
			if f.Bytes != test.bytes*mib || f.Returnable != test.returnable*mib ||
				f.Largest != test.largest*mib {
				t.Errorf(
					"%d MiB, %d returnable, largest %d; want %d, %d, %d",
					f.Bytes/mib,
					f.Returnable/mib,
					f.Largest/mib,
					test.bytes,
					test.returnable,
					test.largest,
				)
			}
			if f.Cached != f.Reserved-l.ActiveBytes {
				t.Errorf("%d bytes cached", f.Cached)
			}
		})
	}
}

func TestFragmentationGrade(t *testing.T) {
	for _, test := range []struct {
		bytes, reserved int64
		want            layout.Grade
	}{
		{0, 0, layout.GradeLow},
		{500 * mib, 1000 * mib, layout.GradeLow}, // too little is reserved to judge
		{4 * gib, 100 * gib, layout.GradeLow},
		{5 * gib, 100 * gib, layout.GradeSome},
		{15 * gib, 100 * gib, layout.GradeSome},
		{16 * gib, 100 * gib, layout.GradeHigh},
	} {
		if f := (layout.Fragmentation{Bytes: test.bytes, Reserved: test.reserved}); f.Grade() != test.want {
			t.Errorf("%d of %d bytes: %s, want %s", test.bytes, test.reserved, f.Grade().Key(), test.want.Key())
		}
	}
}

func TestFragmentationThresholds(t *testing.T) {
	for _, test := range []struct {
		layout.Fragmentation
		share                     float64
		measurable, matters, idle bool
	}{
		{layout.Fragmentation{}, 0, false, false, false},
		{layout.Fragmentation{Bytes: gib / 2, Returnable: gib / 2, Reserved: gib}, 0.5, true, true, true},
		{layout.Fragmentation{Bytes: gib, Returnable: gib, Reserved: gib - 512}, 1, false, false, false},
		{layout.Fragmentation{Bytes: 20 * gib, Returnable: 50*gib - 1, Reserved: 100 * gib}, 0.2, true, true, false},
		{layout.Fragmentation{Bytes: 20*gib - mib, Returnable: 50 * gib, Reserved: 100 * gib}, 0.2, true, false, true},
	} {
		f := &test.Fragmentation
		if math.Abs(f.Share()-test.share) > 1e-4 || f.Measurable() != test.measurable || f.Matters() != test.matters ||
			f.MostlyIdle() != test.idle {
			t.Errorf("%+v: share %v, measurable %v, matters %v, idle %v; want %+v", *f, f.Share(), f.Measurable(),
				f.Matters(), f.MostlyIdle(), test)
		}
	}
}

func TestReservedPeakState(t *testing.T) {
	// Sizes in MiB: + allocates and - frees, S reserves a segment and F returns it.
	for _, test := range []struct {
		name, events string
		want         int
	}{
		{"never changes: the peak of active memory", "+4 +4 -4", 2},
		{"the most active state of those at the peak", "S20 +4 S20 +18 -4 +3", 4},
		{"of the last of them, if it is higher", "S20 +4 S20 +18 -18 +19", 6},
		{"not before what is reserved reached it", "+20 -20 S20 +4", 4},
		{"nor after it shrank", "S20 S20 +4 F20 +20", 3},
		{"up to where it shrinks", "S20 +4 S20 +1 F20 +20", 4},
		{"a small segment while the rest is idle", "S20 +18 -18 S2 +1 +1", 2},
		{"after which another is returned", "S20 +18 -18 S2 +1 F2 S2 S2", 2},
		{"small segments only", "S2 +1 +1 S2 +1", 5},
		{"the first of equals", "S20 +4 F20 S20 +5", 2},
		{"only shrinks", "+1 +1 F20 +1", 2},
		{"shrinks and never grows as far", "+4 -4 F20 S10 +9", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			tape := testsnap.NewTape()
			opened := map[string]testsnap.Tensor{}
			for _, event := range strings.Fields(test.events) {
				n, err := strconv.ParseInt(event[1:], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				action := map[byte]snapshot.Action{'+': snapshot.Alloc, '-': snapshot.Free,
					'S': snapshot.SegmentAlloc, 'F': snapshot.SegmentFree}[event[0]]
				x, was := opened[strings.NewReplacer("-", "+", "F", "S").Replace(event)]
				if !was || event[0] == '+' || event[0] == 'S' {
					x = tape.Fresh(n * mib)
					opened[event] = x
				}
				tape.Emit(action, x, "")
			}
			if got := layout.ReservedPeakState(recorded.Tape(tape).Device); got != test.want {
				t.Errorf("state %d, want %d", got, test.want)
			}
		})
	}
}

// TestReturnableIsWhatEmptyCacheReturns compares with the model of the allocator.
func TestReturnableIsWhatEmptyCacheReturns(t *testing.T) {
	for _, conf := range []string{"", "expandable_segments:True"} {
		for seed := range uint64(30) {
			g := testsnap.NewProgram(conf, allocator.NewSimulatedDriver(1<<40))
			g.Wander(rand.New(rand.NewPCG(seed, 2)), 300, func() {})
			g.Synchronize()
			g.Ask(1, 0) // completes what waited
			state, before := g.State(), g.Reserved()
			g.EmptyCache()
			returned := before - g.Reserved()
			f := recorded.Snapshot(g.Stop()).Layouts().FragmentationsAt(state)[state]
			if f.Returnable != returned {
				t.Errorf("%q, seed %d: %d bytes returnable, emptying the cache returned %d", conf, seed, f.Returnable,
					returned)
			}
			if f.Reserved != before || f.Bytes > f.Cached-f.Returnable {
				t.Errorf("%q, seed %d: %+v", conf, seed, f)
			}
		}
	}
}

func TestTypicalRequest(t *testing.T) {
	tape := testsnap.NewTape()
	for i := range 100 {
		tape.Alloc(testsnap.Loop, int64(i+2)*mib)
		tape.Alloc(testsnap.Loop, 1*mib) // not large
	}
	s := tape.Snapshot()
	if got := layout.TypicalRequest(recorded.Snapshot(s).Device.Events); got != 96*mib {
		t.Errorf("%d bytes, want the 95th of 100", got)
	}
	bounds := testsnap.NewTape()
	for _, size := range []int64{mib, replay.MaxSize, replay.MaxSize + 1} { // too small, the largest, impossible
		bounds.Alloc(testsnap.Loop, size)
	}
	if got := layout.TypicalRequest(recorded.Tape(bounds).Device.Events); got != replay.MaxSize {
		t.Errorf("%d bytes, want the only one that counts", got)
	}
	if got := layout.TypicalRequest(recorded.Tape(testsnap.NewTape()).Device.Events); got != 20*mib {
		t.Errorf("%d bytes without requests", got)
	}
}

// Many states measured in one walk are the same as each by itself.
func TestFragmentationsAt(t *testing.T) {
	g := testsnap.NewProgram("", allocator.NewSimulatedDriver(1<<40))
	g.Wander(rand.New(rand.NewPCG(1, 2)), 4000, func() {})
	r := recorded.Snapshot(g.Stop())
	end := r.Device.Events.Len()
	var states []int
	for state := end; state >= 0; state -= 97 {
		states = append(states, state)
	}
	at, reserved := r.Layouts().FragmentationsAt(states...), r.Device.ReservedBytes()
	if len(at) != len(states) {
		t.Fatalf("%d of %d states", len(at), len(states))
	}
	for state, f := range at {
		if f.State != state || f.Reserved != reserved[state] {
			t.Errorf("state %d: state %d with %d bytes reserved", state, f.State, f.Reserved)
		}
		if alone := r.Layouts().FragmentationsAt(state)[state]; f != alone {
			t.Errorf("state %d by itself is %+v, not %+v", state, alone, f)
		}
	}
	found := r.Fragmentation()
	if found.AtPeak.Reserved != r.Device.Totals.ReservedPeakBytes || found.AtEnd != at[end] {
		t.Errorf("%+v", found)
	}
}
