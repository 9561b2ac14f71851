package oom

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// TestVerdictBounds tries each verdict at the byte from which it holds.
func TestVerdictBounds(t *testing.T) {
	// Of 100 GiB, 80 are in use and 30 asked for: 20 are cached here, 5 elsewhere.
	base := Failure{Requested: 30 * gib, Needed: 30 * gib, Reserved: 100 * gib, Active: 80 * gib, FreeSame: 20 * gib,
		FreeOther: 5 * gib, Capacity: 100 * gib}
	tests := []struct {
		name   string
		change func(o *Failure)
		want   Verdict
		pieces bool
	}{
		{"too little free", func(*Failure) {}, Pressure, false},
		{"as much as needed on the device", func(o *Failure) { o.DeviceFree = 30 * gib }, Limit, false},
		{"a byte less than that", func(o *Failure) { o.DeviceFree = 30*gib - 1 }, Fragmented, false},
		{"64 MiB more than needed on the device, and 90 % in use",
			func(o *Failure) { o.DeviceFree, o.Active = 30*gib+64*mib, 90*gib }, Limit, false},
		{"a byte less than that, and 90 % in use",
			func(o *Failure) { o.DeviceFree, o.Active = 30*gib+64*mib-1, 90*gib }, Pressure, false},
		{"a byte less than needed, and 90 % in use",
			func(o *Failure) { o.DeviceFree, o.Active = 30*gib-1, 90*gib }, Pressure, true},
		{"10 of 100 GiB outside", func(o *Failure) { o.Reserved, o.FreeSame = 90*gib, 10*gib }, Outside, false},
		{"a byte less outside", func(o *Failure) { o.Reserved, o.FreeSame = 90*gib+1, 10*gib }, Pressure, false},
		{"1 of 5 GiB outside", func(o *Failure) { o.Capacity, o.Reserved, o.Active = 5*gib, 4*gib, 3*gib }, Outside,
			false},
		{"a byte less than 1 GiB outside", func(o *Failure) {
			o.Capacity, o.Reserved, o.Active = 5*gib, 4*gib+1,
				3*gib
		},
			Pressure, false},
		{"much outside, but enough free here", func(o *Failure) { o.Capacity, o.FreeSame = 200*gib, 30*gib },
			Fragmented, false},
		{"much outside, a byte too little free here", func(o *Failure) { o.Capacity, o.FreeSame = 200*gib, 30*gib-1 },
			Outside, false},
		{"much outside, and the rest 90 % in use",
			func(o *Failure) { o.Capacity, o.FreeSame, o.Active = 200*gib, 30*gib, 90*gib }, Outside, false},
		{"with other pools just enough", func(o *Failure) { o.FreeOther = 10 * gib }, Other, false},
		{"a byte too little with them", func(o *Failure) { o.FreeOther = 10*gib - 1 }, Pressure, false},
		{"enough free here", func(o *Failure) { o.FreeSame, o.FreeOther = 30*gib, 10*gib }, Fragmented, false},
		{"the device's memory adds up", func(o *Failure) { o.DeviceFree = 10 * gib }, Fragmented, false},
		{"enough free, but 90 % in use", func(o *Failure) { o.FreeSame, o.Active = 30*gib, 90*gib }, Pressure, true},
		{"a byte less in use", func(o *Failure) { o.FreeSame, o.Active = 30*gib, 90*gib-1 }, Fragmented, false},
	}
	for _, test := range tests {
		o := base
		test.change(&o)
		if o.decide(); o.Verdict != test.want || o.LastPieces != test.pieces {
			t.Errorf("%s: %s, last pieces %t", test.name, o.Verdict.Key(), o.LastPieces)
		}
	}
}

// TestWouldFitBounds: 10 GiB are visible, of which 7 are in use, 2 free here, and 1 free on the device.
func TestWouldFitBounds(t *testing.T) {
	o := Failure{Requested: 3 * gib, Reserved: 9 * gib, Active: 7 * gib, FreeSame: 2 * gib, DeviceFree: gib,
		Pools: []PoolFree{{Largest: 2 * gib, Serves: true}, {Largest: 3*gib - 1}, {Largest: 3 * gib},
			{Largest: 3 * gib}}}
	expandable := &layout.Settings{Settings: allocator.Settings{Expandable: true}}
	w := o.wouldFit(&layout.Map{}, expandable)
	if w.Missing != 0 || w.Never || w.OtherPool != 2 {
		t.Errorf("%+v", w)
	}
	o.Requested++
	if w = o.wouldFit(&layout.Map{}, expandable); w.Missing != 1 || !w.Never || w.OtherPool != -1 {
		t.Errorf("a byte more: %+v", w)
	}
	o.Requested, o.sizeClass = gib, snapshot.SizeClassLarge
	if w = o.wouldFit(&layout.Map{}, expandable); w.OtherPool != -1 {
		t.Errorf("pools of another size class: %+v", w)
	}
	if w = o.wouldFit(&layout.Map{}, &layout.Settings{}); !w.WithExpandable {
		t.Errorf("the device has as much as was asked for: %+v", w)
	}
	o.Requested++
	if w = o.wouldFit(&layout.Map{}, &layout.Settings{}); w.WithExpandable {
		t.Errorf("the device has a byte less: %+v", w)
	}
}

// TestMaxSplitBounds: a segment of 100 MiB that a block splits.
func TestMaxSplitBounds(t *testing.T) {
	tests := []struct {
		name           string
		segment, block int64
		requested      int64
		want           int64
	}{
		{"a small block", 100 * mib, 4 * mib, 100 * mib, 21 * mib}, // the least that there may be
		{"one of 20 MiB", 100 * mib, 21*mib - 1, 100 * mib, 21 * mib},
		{"one of 21 MiB", 100 * mib, 21 * mib, 100 * mib, 22 * mib},
		{"as large as the segment", 100 * mib, 40 * mib, 100 * mib, 41 * mib},
		{"larger than the segment", 100 * mib, 40 * mib, 100*mib + 1, 0},
		{"hardly larger than the block", 100 * mib, 40 * mib, 41 * mib, 41 * mib},
		{"not larger than that", 100 * mib, 40 * mib, 41*mib - 1, 0},
		{"an empty segment", 100 * mib, 0, 50 * mib, 0},
	}
	for _, test := range tests {
		l := &layout.Map{Extents: []layout.Extent{{Size: test.block, Allocation: 0}},
			Segments: []layout.Segment{{Size: test.segment, ActiveBytes: test.block, ExtentCount: 1}}}
		if got := (&Failure{Requested: test.requested}).maxSplit(l); got != test.want {
			t.Errorf("%s: %d MiB, want %d", test.name, got/mib, test.want/mib)
		}
	}
	// Of two segments the one that needs less.
	l := &layout.Map{Extents: []layout.Extent{{Size: 40 * mib}, {Size: 30 * mib}, {Size: 50 * mib}}}
	for i := range int32(3) {
		l.Segments = append(l.Segments, layout.Segment{Size: 100 * mib, ActiveBytes: 1, FirstExtent: i, ExtentCount: 1})
	}
	if got := (&Failure{Requested: 90 * mib}).maxSplit(l); got != 31*mib {
		t.Errorf("of three segments: %d MiB, want 31", got/mib)
	}
}

// TestAdviceBounds tries what advice needs at its bounds, and whether it would have been enough.
func TestAdviceBounds(t *testing.T) {
	off, rounds := &layout.Settings{}, &layout.Settings{}
	rounds.RoundUpPower2Divisions[5] = 4
	rounding := func(waste, active, missing int64) Failure {
		return Failure{Active: active, WouldFit: WouldFit{Missing: missing},
			Fragmentation: layout.Fragmentation{Rounding: waste}}
	}
	tests := []struct {
		name     string
		o        Failure
		settings *layout.Settings
		want     []Advice
	}{
		{"the device had what was needed", Failure{Verdict: Limit, DeviceFree: gib, Needed: gib}, off,
			[]Advice{{Kind: AdviseFraction, Fits: true}}},
		{"it had less", Failure{Verdict: Limit, DeviceFree: gib - 1, Needed: gib}, off,
			[]Advice{{Kind: AdviseFraction}}},
		{"as much outside as needed", Failure{Verdict: Outside, Capacity: 3 * gib, Reserved: gib, DeviceFree: gib,
			Needed: 2 * gib, FreeSame: gib}, off,
			[]Advice{{Kind: AdviseOutside, Bytes: gib, Fits: true}}},
		{"less outside", Failure{Verdict: Outside, Capacity: 3*gib - 1, Reserved: gib, DeviceFree: gib,
			Needed: 2 * gib},
			off, []Advice{{Kind: AdviseOutside, Bytes: gib - 1}}},
		{"a piece elsewhere", Failure{Verdict: Other, FreeOther: gib}, off,
			[]Advice{{Kind: AdviseStream, Bytes: gib, Fits: true}}},
		{"pieces elsewhere", Failure{Verdict: Other, FreeOther: gib, WouldFit: WouldFit{OtherPool: -1}}, off,
			[]Advice{{Kind: AdviseStream, Bytes: gib}}},
		{"rounding costs what is missing", rounding(gib, 20*gib, gib), rounds,
			[]Advice{{Kind: AdviseLessRounding, Bytes: gib, Fits: true}}},
		{"a byte less", rounding(gib-1, gib, gib), rounds, nil},
		{"5 %, and nothing is missing", rounding(gib, 20*gib, 0), rounds,
			[]Advice{{Kind: AdviseLessRounding, Bytes: gib}}},
		{"less than 5 %", rounding(gib-1, 20*gib, 0), rounds, nil},
		{"a setting does not round", rounding(gib, gib, 0), off, nil},
		{"no memory is wasted", rounding(0, 0, 0), rounds, nil},
		{"less live", Failure{Active: 8 * gib, Requested: 3 * gib, Reserved: 9 * gib, DeviceFree: gib,
			WouldFit: WouldFit{Never: true, WithExpandable: true}}, off,
			[]Advice{{Kind: AdviseLess, Bytes: gib}}},
		{"in pieces, less than 90 % of what is visible in use",
			Failure{Active: 9*gib - 1, Reserved: 9 * gib, DeviceFree: gib,
				Requested: gib, WouldFit: WouldFit{MaxSplit: mib}}, off, []Advice{{Kind: AdviseMaxSplit, Bytes: mib}}},
		{"90 % in use", Failure{Active: 9 * gib, Reserved: 9 * gib, DeviceFree: gib, Requested: gib,
			WouldFit: WouldFit{MaxSplit: mib}}, off, nil},
		{"a byte too little in pieces", Failure{Reserved: 9 * gib, DeviceFree: gib, FreeSame: gib, Requested: 2*gib + 1,
			WouldFit: WouldFit{MaxSplit: mib}}, off, nil},
		{"a limit is set already", Failure{Verdict: Fragmented, WouldFit: WouldFit{MaxSplit: mib}},
			&layout.Settings{Settings: allocator.Settings{MaxSplitSize: 1}}, nil},
	}
	for _, test := range tests {
		got := test.o.Advise(test.settings)
		if len(got) != len(test.want) || len(got) > 0 && got[0] != test.want[0] {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestCapacityBounds: 20 GiB were reserved when 3.5 more were free on the device.
func TestCapacityBounds(t *testing.T) {
	const free = 3*gib + 512*mib
	c := snapshot.NewComposer(snapshot.Format{})
	c.Trace(0)
	c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 40 * mib, Size: 50 * mib})
	c.Event(0, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: gib, Size: 20 * gib})
	c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: free, Size: 4 * gib})
	c.Segment(snapshot.Segment{Address: gib, TotalSize: 20 * gib})
	d := replay.Replay(c.Snapshot(), 0)
	const proven = 20*gib + free // 23.5 GiB
	for given, want := range map[int64]Capacity{
		0:          {AtLeast: proven},
		proven:     {AtLeast: proven, Given: proven},
		proven - 1: {AtLeast: proven, TooSmall: proven - 1},
	} {
		got := CapacityOf(d, given)
		if got.Card != 24 || got.CardBytes/mib != 24268 { // 23.7 GiB
			t.Errorf("card of %d GiB with %d MiB", got.Card, got.CardBytes/mib)
		}
		got.Card, got.CardBytes = 0, 0
		if got != want {
			t.Errorf("given %d: %+v", given, got)
		}
	}
	d.Totals.ReservedPeakBytes = 24 * gib
	if got := CapacityOf(d, 0); got.AtLeast != 24*gib || got.Card != 24 || got.CardBytes != 24*gib {
		t.Errorf("exactly a card: %+v", got)
	}
	d.Totals.ReservedPeakBytes++
	if got := CapacityOf(d, 0); got.Card != 32 {
		t.Errorf("a byte more than a card: %+v", got)
	}
}

// TestAftermathBounds: an error freed ten blocks for each that was allocated after it.
func TestAftermathBounds(t *testing.T) {
	for _, test := range []struct {
		name                  string
		before, after, allocs int
		unwound, wentOn       bool
	}{
		{"frees all", 20, 20, 0, true, false},
		{"ten frees an allocation", 20, 20, 2, true, false},
		{"fewer", 20, 19, 2, false, true},
		{"an eighth", 16, 2, 0, true, false},
		{"less than a tenth", 20, 1, 0, false, false},
		{"nothing", 20, 0, 0, false, false},
	} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Trace(0)
		n := uint64(0)
		event := func(action snapshot.Action, addr uint64) {
			c.Event(0, snapshot.EventText{Action: action, Addr: addr * 1024, Size: 1000})
		}
		for range test.before {
			n++
			event(snapshot.Alloc, n)
		}
		event(snapshot.OOM, 0)
		for i := range test.after {
			event(snapshot.Free, uint64(i+1))
		}
		for range test.allocs {
			n++
			event(snapshot.Alloc, n)
		}
		d := replay.Replay(c.Snapshot(), 0)
		list := failedRequests(d.Events, &layout.Settings{})
		if findAftermath(d, list); list[0].After != (Aftermath{test.unwound, test.wentOn}) ||
			list[0].InUse != int64(test.before)*1000 {
			t.Errorf("%s: %+v, %d in use", test.name, list[0].After, list[0].InUse)
		}
	}
}
