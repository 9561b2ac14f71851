package oom_test

import (
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
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

// TestFailedRequests distinguishes attempts of one request from separate requests.
func TestFailedRequests(t *testing.T) {
	type step struct {
		action snapshot.Action
		size   int64
		stream uint64
	}
	oom := func(size int64) step { return step{snapshot.OOM, size, 0} }
	alloc, free, release := step{snapshot.Alloc, 512, 0}, step{snapshot.FreeCompleted, 512, 0},
		step{snapshot.SegmentFree, 2 * mib, 0}
	tests := []struct {
		name     string
		steps    []step
		events   []replay.EventIndex
		attempts []int
	}{
		{"none", []step{alloc, free}, nil, nil},
		{"one", []step{alloc, oom(gib)}, []replay.EventIndex{1}, []int{1}},
		{"again after emptying the cache", []step{oom(gib), free, release, oom(gib)}, []replay.EventIndex{3}, []int{2}},
		{"again after other requests", []step{oom(gib), alloc, oom(gib)}, []replay.EventIndex{0, 2}, []int{1, 1}},
		{"a smaller request", []step{oom(gib), oom(gib / 2)}, []replay.EventIndex{0, 1}, []int{1, 1}},
		{"on another stream", []step{oom(gib), {snapshot.OOM, gib, 7}}, []replay.EventIndex{0, 1}, []int{1, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := snapshot.NewComposer(snapshot.Format{})
			c.Trace(0)
			for _, s := range test.steps {
				c.Event(0, snapshot.EventText{Action: s.action, Size: s.size, Stream: s.stream, Addr: 1 << 20})
			}
			var events []replay.EventIndex
			var attempts []int
			for _, o := range recorded.Snapshot(c.Snapshot()).OOMs(0) {
				events, attempts = append(events, o.Event), append(attempts, o.Attempts)
			}
			if !slices.Equal(events, test.events) || !slices.Equal(attempts, test.attempts) {
				t.Errorf("events %v, attempts %v", events, attempts)
			}
		})
	}
}

func TestManyFailures(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	const n = 507
	for i := range n {
		c.Event(0, snapshot.EventText{Action: snapshot.OOM, Size: int64(i+1) * mib})
	}
	list := recorded.Snapshot(c.Snapshot()).OOMs(0)
	if len(list) != 100 || list[0].Event != n-100 || list[99].Event != n-1 {
		t.Errorf("%d failures, from event %d", len(list), list[0].Event)
	}
}

// TestOOMFacts reads a failure whose numbers are known to the byte.
func TestOOMFacts(t *testing.T) {
	g := testsnap.NewProgram("", allocator.NewSimulatedDriver(100*mib))
	g.Ask(4*mib, 0)     // a segment of 20 MiB, of which 16 stay free
	g.Ask(100, 0)       // a small segment
	g.Ask(30*mib, 0x10) // another stream
	g.Ask(8*mib, 0x10)  // a segment of 20 MiB
	if _, ok := g.Ask(40*mib, 0); ok {
		t.Fatal("40 MiB were free")
	}
	g.Drop(0)
	g.Drop(0)
	list := recorded.Snapshot(g.Stop()).OOMs(120 * mib)
	if len(list) != 1 {
		t.Fatalf("%d failures", len(list))
	}
	o := &list[0]
	other := slices.IndexFunc(o.Pools, func(p oom.PoolFree) bool { return p.Stream != 0 })
	if o.Requested != 40*mib || o.Needed != 40*mib || o.DeviceFree != 28*mib || o.Reserved != 72*mib ||
		o.Active != 42*mib+512 || o.InUse != 42*mib+100 ||
		o.FreeSame != 16*mib || o.LargestSame != 16*mib || o.FreeOther != 12*mib || o.LargestOther != 12*mib ||
		o.Visible() != 100*mib || o.Outside() != 20*mib || !o.CapacityGiven || o.WouldFit.Missing != 0 ||
		o.WouldFit.Never {
		t.Errorf("%+v", o)
	}
	if len(o.Pools) != 3 || !o.Pools[0].Serves || o.Pools[other].Segments != 2 || o.Pools[other].Reserved != 50*mib ||
		o.Pools[other].Active != 38*mib {
		t.Errorf("%+v", o.Pools)
	}
	if o.After != (oom.Aftermath{}) {
		t.Errorf("%+v", o.After)
	}
}

func TestAftermath(t *testing.T) {
	tests := []struct {
		name            string
		after           func(t *testing.T, g *testsnap.Program)
		unwound, wentOn bool
	}{
		{"nothing", func(*testing.T, *testsnap.Program) {}, false, false},
		{"the error lets go", func(t *testing.T, g *testsnap.Program) {
			for range 15 {
				g.Drop(0)
			}
			g.Ask(512, 0)
		}, true, false},
		{"training goes on", func(t *testing.T, g *testsnap.Program) {
			for range 15 {
				g.Drop(0)
				g.Ask(10*mib, 0)
			}
		}, false, true},
	}
	for _, test := range tests {
		g := testsnap.NewProgram("", allocator.NewSimulatedDriver(gib))
		for range 20 {
			g.Ask(50*mib, 0)
		}
		g.Ask(50*mib, 0)
		test.after(t, g)
		list := recorded.Snapshot(g.Stop()).OOMs(0)
		if len(list) != 1 || list[0].After.Unwound != test.unwound || list[0].After.WentOn != test.wentOn {
			t.Errorf("%s: %+v", test.name, list)
		}
	}
}

func TestCapacity(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	c.Event(0, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: 1 << 40, Size: 60 * gib})
	c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 18 * gib, Size: 20 * gib})
	c.Event(0, snapshot.EventText{Action: snapshot.SegmentFree, Addr: 1 << 40, Size: 60 * gib})
	c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 70 * gib, Size: 72 * gib})
	r := recorded.Snapshot(c.Snapshot())
	for given, want := range map[int64]oom.Capacity{
		0:        {AtLeast: 78 * gib, Card: 80},
		80 * gib: {AtLeast: 78 * gib, Card: 80, Given: 80 * gib},
		70 * gib: {AtLeast: 78 * gib, Card: 80, TooSmall: 70 * gib},
	} {
		got := oom.CapacityOf(r.Device, given)
		if got.CardBytes < 79*gib || got.CardBytes > 80*gib {
			t.Errorf("a card of %d bytes", got.CardBytes)
		}
		if got.CardBytes = 0; got != want {
			t.Errorf("given %d: %+v, want %+v", given, got, want)
		}
	}
	ooms := r.OOMs(0)
	if ooms[1].Outside() != 8*gib || ooms[1].CapacityGiven {
		t.Errorf("the second failure has %d bytes outside", ooms[1].Outside())
	}
	if quiet := oom.CapacityOf(recorded.Snapshot(testsnap.NewTape().Snapshot()).Device, 0); quiet != (oom.Capacity{}) {
		t.Errorf("without a failure: %+v", quiet)
	}
}
