package steps

import (
	"math"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestRegularBounds: a regular site covers half of the events, and its distances
// deviate by at most 35 % of their mean.
func TestRegularBounds(t *testing.T) {
	tests := []struct {
		name   string
		events []replay.EventIndex
		of     int
		want   bool
	}{
		{"half of 40 events", []replay.EventIndex{10, 20, 30}, 40, true},
		{"less than half of 41", []replay.EventIndex{10, 20, 30}, 41, false},
		{"once", []replay.EventIndex{10}, 0, false},
		{"twice", []replay.EventIndex{10, 20}, 20, true},
		{"distances of 65 and 135, by 35 of 100", []replay.EventIndex{7, 72, 207}, 300, true},
		{"distances of 64 and 136, by 36 of 100", []replay.EventIndex{7, 71, 207}, 300, false},
	}
	for _, test := range tests {
		var r rhythm
		for _, i := range test.events {
			r.beat(i)
		}
		n := len(test.events)
		if r.count != int32(n) || r.first != test.events[0] || r.last != test.events[n-1] ||
			r.regular(test.of) != test.want {
			t.Errorf("%s: %+v, regular %t", test.name, r, r.regular(test.of))
		}
	}
}

// site is what the stack of one call site says.
type site struct {
	activity stacks.Activity
	depth    uint8
}

// finderOf finds steps in allocations by sites, of which site 0 has no stack.
func finderOf(sites []site, allocs []int) *finder {
	c := snapshot.NewComposer(snapshot.Format{})
	c.Trace(0)
	st := &stacks.Table{Facts: make([]stacks.Facts, len(sites))}
	for i, s := range sites {
		if i > 0 {
			c.Stack(snapshot.FrameText{File: "model.py", Line: int32(i), Name: "call"})
		}
		st.Activity, st.Depth = append(st.Activity, s.activity), append(st.Depth, s.depth)
	}
	for i, id := range allocs {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i+1) * 512, Size: 512,
			Stack: snapshot.StackID(id)})
	}
	st.Snapshot = c.Snapshot()
	d := replay.Replay(st.Snapshot, 0)
	return &finder{Input: Input{Stacks: st, Device: d, Activities: stacks.ActivitiesOf(st, d.Events)}}
}

// TestCallsBounds: of twenty sites of a model, 85 % have to come back in all of its four calls but one.
func TestCallsBounds(t *testing.T) {
	sites := []site{{}}
	for range 20 {
		sites = append(sites, site{stacks.InForward, 1})
	}
	tests := []struct {
		name  string
		in    func(site, call int) bool
		found bool
	}{
		{"all in all calls", func(int, int) bool { return true }, true},
		{"three only in two calls", func(site, call int) bool { return site <= 17 || call == 1 || call == 2 }, true},
		{"four only in two calls", func(site, call int) bool { return site <= 16 || call == 1 || call == 2 }, false},
		{"four only in three calls", func(site, call int) bool { return site <= 16 || call < 3 }, true},
		{"four only in the first call", func(site, call int) bool { return site <= 16 || call == 0 }, true},
		{"one for the first time in the last call", func(site, call int) bool { return site <= 19 || call == 3 },
			false},
	}
	for _, test := range tests {
		var allocs []int
		var calls []replay.EventIndex
		for call := range 4 {
			calls = append(calls, replay.EventIndex(len(allocs)))
			for id := 1; id <= 20; id++ {
				if test.in(id, call) {
					allocs = append(allocs, id)
				}
			}
		}
		got := finderOf(sites, allocs).byForward()
		if (len(got) > 0) != test.found || test.found && (len(got) < 4 || got[1] != calls[1] || got[3] != calls[3]) {
			t.Errorf("%s: calls at %v, want them at %v", test.name, got, calls)
		}
	}
}

func TestShallowDepth(t *testing.T) {
	const forward = stacks.InForward
	tests := []struct {
		name  string
		sites []site
		want  uint8
	}{
		{"descending", []site{{}, {forward, 3}, {forward, 2}, {forward, 1}}, 2},
		{"ascending", []site{{}, {forward, 1}, {forward, 2}, {forward, 3}}, 2},
		{"the smallest several times", []site{{}, {forward, 2}, {forward, 5}, {forward, 2}, {forward, 7}}, 5},
		{"only one", []site{{}, {forward, 4}, {forward, 4}}, math.MaxUint8},
		{"other sites do not count", []site{{}, {stacks.InUserCode, 1}, {forward, 4}, {forward, 6}}, 6},
	}
	for _, test := range tests {
		var allocs []int
		for id := 1; id < len(test.sites); id++ {
			allocs = append(allocs, id)
		}
		f := finderOf(append(test.sites, site{forward, 1}), allocs) // the last site never allocates
		if got := f.shallowDepth(f.rhythms()); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// TestAnchor: of the counts that most sites share the earliest site.
func TestAnchor(t *testing.T) {
	sites := make([]site, 5)
	all := func(id snapshot.StackID) bool { return id > 0 }
	for _, test := range []struct {
		name   string
		allocs []int
		want   snapshot.StackID
	}{
		{"the first of two", []int{1, 2, 1, 2, 1, 2}, 1},
		{"the first of two, with the higher number", []int{2, 1, 2, 1, 2, 1}, 2},
		{"more sites allocate twice", []int{1, 2, 3, 1, 1, 2, 3, 1}, 2},
		{"none is regular", []int{1, 2, 3, 4}, 0},
	} {
		f := finderOf(sites, test.allocs)
		if got := f.anchor(f.rhythms(), all); got != test.want {
			t.Errorf("%s: site %d, want %d", test.name, got, test.want)
		}
	}
}

// TestIterations: there are as many steps as iterations, of which the recording may
// cut the first and the last.
func TestIterations(t *testing.T) {
	for _, test := range []struct {
		name   string
		allocs []int
		starts []replay.EventIndex
		want   []replay.EventIndex
	}{
		{"whole", []int{1, 2, 3, 1, 2, 3}, []replay.EventIndex{0, 3}, []replay.EventIndex{0, 3, 6}},
		{"after getting ready", []int{4, 4, 1, 2, 1, 2}, []replay.EventIndex{2, 4}, []replay.EventIndex{0, 4, 6}},
		{"and before other code", []int{4, 1, 2, 1, 2, 5}, []replay.EventIndex{1, 3}, []replay.EventIndex{0, 3, 5}},
		{"the first is cut", []int{2, 1, 2, 1, 2}, []replay.EventIndex{1, 3}, []replay.EventIndex{1, 3, 5}},
		{"the last is cut", []int{1, 2, 3, 1, 2}, []replay.EventIndex{0, 3}, []replay.EventIndex{0, 3}},
		{"no stack says nothing", []int{0, 1, 0, 1, 0}, []replay.EventIndex{1, 3}, []replay.EventIndex{0, 3, 5}},
	} {
		f := finderOf(make([]site, 6), test.allocs)
		if got := f.iterations(test.starts); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestGoesOn: site 2 allocates for the first time in event 3.
func TestGoesOn(t *testing.T) {
	f := finderOf(make([]site, 3), []int{1, 1, 1, 2, 1, 2})
	for last, want := range []bool{true, true, true, false, false, false} {
		if got := f.goesOn(replay.EventIndex(last)); got != want {
			t.Errorf("after event %d: %t", last, got)
		}
	}
}

// TestSparseRhythms: a device with few events has the same rhythms as one with a table
// of all stacks.
func TestSparseRhythms(t *testing.T) {
	f := finderOf(make([]site, 30), []int{7, 3, 7, 29, 3, 7, 0, 7, 29})
	sparse := sparseRhythms(f.Device.Events)
	if dense := f.rhythms(); !slices.Equal(dense, sparse) || len(dense) != 4 {
		t.Errorf("%+v\n%+v", dense, sparse)
	}
}
