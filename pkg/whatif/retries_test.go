package whatif

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestReleases distinguishes what requests released from what empty_cache did, in
// programs of which that is known: by stacks, and without any.
func TestReleases(t *testing.T) {
	for _, stacks := range []bool{true, false} {
		right, taken, missed, limits := 0, 0, 0, 0
		for _, v := range readVectors(t) {
			if v.Kind != "plain" && v.Kind != "exp" && v.Kind != "stream" {
				continue
			}
			s := v.snapshot(0)
			if !stacks {
				s.Format.HasTime = false
				clear(s.Traces[0].Events.Stack)
			}
			r := analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
			x := r.Retries()
			truth := v.owned()
			for i, action := range r.Device.Events.Action {
				if action.ReservedSign() >= 0 {
					continue
				}
				_, owned := x.Owners[replay.EventIndex(i)]
				switch {
				case owned == truth[i]:
					right++
				case owned:
					taken++
				default:
					missed++
				}
			}
			if limit := limitOf(r.Device, r.Settings(), x); limit.From == LimitRefused {
				limits++
				if c := v.limit(); limit.Bytes > c || limit.Below <= c {
					t.Errorf("limit %+v, PyTorch may have %d bytes", limit, c)
				}
			}
		}
		t.Logf("stacks %t: %d right, %d of empty_cache taken for requests, %d missed; %d limits from retries", stacks,
			right, taken, missed, limits)
		if stacks && taken+missed > 0 || right == 0 || 10*(taken+missed) > right || limits == 0 {
			t.Errorf("stacks %t: %d right, %d taken, %d missed, %d limits", stacks, right, taken, missed, limits)
		}
	}
}

// limit is what PyTorch may have of the device.
func (v *vector) limit() int64 {
	for _, x := range v.Ops {
		if text, is := strings.CutPrefix(x, "frac "); is {
			fraction, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic(err)
			}
			return int64(fraction * float64(v.capacity()))
		}
	}
	return v.capacity()
}

// owned are the events that happen in requests, by event.
func (v *vector) owned() (list []bool) {
	for i, events := range v.Events {
		for _, line := range events {
			if !strings.HasPrefix(line, "seg ") {
				list = append(list, strings.HasPrefix(v.Ops[i], "a "))
			}
		}
	}
	return list
}

// TestIgnoredExpandable: settings that ask for expandable segments, on a device that
// makes none, were not changed: they have no effect there, and are not advised.
func TestIgnoredExpandable(t *testing.T) {
	s := readVectors(t)[0].snapshot(0)
	s.Settings = append(s.Settings, snapshot.Setting{Key: "expandable_segments", Value: "true"})
	run := runOf(s)
	if !run.Proof.Holds() || run.Settings().Expandable || !run.Settings().ExpandableIgnored {
		t.Errorf("%+v, %+v", run.Proof.First, run.Settings())
	}
	for _, setting := range run.Few() {
		if setting.Settings.Expandable {
			t.Errorf("%s is tried", setting.Conf)
		}
	}
}

// TestDepartures damages a recording that is reproduced, and looks at what is
// said of it.
func TestDepartures(t *testing.T) {
	v := readVectors(t)[0]
	tests := []struct {
		name   string
		damage func(s *snapshot.Snapshot, e *snapshot.Events)
		want   Cause
		why    Reason
	}{
		{"a request on another stream",
			func(s *snapshot.Snapshot, e *snapshot.Events) { e.Stream[at(e, snapshot.Alloc, 9)] ^= 1 }, CauseAddress,
			ReasonUnknown},
		{"a larger request", func(_ *snapshot.Snapshot, e *snapshot.Events) {
			addr := e.Addr[at(e, snapshot.SegmentAlloc, 0)]
			for i := range e.Addr[:6] {
				if e.Addr[i] == addr && e.Action[i].ReservedSign() == 0 {
					e.Size[i] += 100 << 20
				}
			}
		}, CauseOtherCall, ReasonMissing}, // it lies outside its segment, which denies that the file adds up
		{"an odd address", func(_ *snapshot.Snapshot, e *snapshot.Events) { e.Addr[at(e, snapshot.Alloc, 0)]++ },
			CauseStart, ReasonForeign},
		{"other settings", func(s *snapshot.Snapshot, e *snapshot.Events) {
			s.Settings = append(s.Settings, snapshot.Setting{Key: "expandable_segments", Value: "true"})
			e.Action[at(e, snapshot.SegmentAlloc, 1)] = snapshot.SegmentMap
		}, CauseOtherCall, ReasonChanged},
		{"no settings", func(s *snapshot.Snapshot, e *snapshot.Events) {
			s.Settings = nil
			e.Stream[at(e, snapshot.Alloc, 9)] ^= 1
		}, CauseAddress, ReasonSettings},
		{"a failure that was none", func(_ *snapshot.Snapshot, e *snapshot.Events) {
			e.Size[at(e, snapshot.OOM, 0)] = 512
		}, CauseServed, ReasonUnknown},
		{"no history", func(s *snapshot.Snapshot, _ *snapshot.Events) { s.Traces = nil }, CauseNoRequest,
			ReasonUnknown},
	}
	for _, test := range tests {
		s := v.snapshot(0)
		test.damage(s, &s.Traces[0].Events)
		run := runOf(s)
		first := run.Proof.First
		if run.Proof.Holds() || first == nil || first.Cause != test.want || first.Why != test.why {
			t.Errorf("%s: %+v, want %s, %s", test.name, first, test.want.Key(), test.why.Key())
		}
		if study := run.Study(Question{}); len(study.Outcomes) > 0 || study.Best != nil {
			t.Errorf("%s: predictions without a proof", test.name)
		}
	}
}

// at is the n-th event of an action.
func at(e *snapshot.Events, action snapshot.Action, n int) int {
	for i := range e.Action {
		if e.Action[i] == action {
			if n--; n < 0 {
				return i
			}
		}
	}
	panic("there is no such event")
}

// TestUnsplitPool: a pool whose blocks are never split departs from the model, and the
// default pool of the same recording does not get that reason.
func TestUnsplitPool(t *testing.T) {
	const first, second = 0x7f0000000000, 0x7f0002000000
	for _, test := range []struct {
		pool snapshot.Pool
		why  Reason
	}{{snapshot.Pool{B: 1}, ReasonUnsplit}, {snapshot.Pool{}, ReasonUnknown}} {
		c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true,
			HasEventPool: true})
		c.Setting("PYTORCH_CUDA_ALLOC_CONF", "")
		pool := c.Pool(test.pool)
		for _, addr := range []uint64{first, second} { // the second request would fit after the first
			c.Event(0, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: addr, Size: 20 * mib})
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: addr, Size: 2 * mib})
			c.Segment(snapshot.Segment{Address: addr, TotalSize: 20 * mib, SizeClass: snapshot.SizeClassLarge,
				Pool: pool},
				snapshot.Block{Address: addr, Size: 20 * mib, RequestedSize: 2 * mib, State: snapshot.ActiveAllocated})
		}
		s := c.Snapshot()
		e := &s.Traces[0].Events
		e.Pool = make([]snapshot.PoolID, e.Len())
		for i := range e.Pool {
			e.Pool[i] = pool
		}
		if got := runOf(s).Proof.First; got == nil || got.Why != test.why {
			t.Errorf("pool %v: %+v, want %s", test.pool, got, test.why.Key())
		}
	}
}
