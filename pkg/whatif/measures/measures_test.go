package measures

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// eachMeasurable calls do with every recording, of the examples and real ones, for which
// measures can be predicted.
func eachMeasurable(t *testing.T, do func(t *testing.T, run *whatif.Run)) {
	t.Helper()
	found := 0
	for _, file := range testkit.Snapshots(t) {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Devices() {
			run := whatif.New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, id)))
			if Try(run, whatif.Limit{}) == nil {
				continue
			}
			found++
			name := filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
			t.Run(fmt.Sprint(name, " ", id), func(t *testing.T) { do(t, run) })
		}
	}
	if found < 10 {
		t.Errorf("%d recordings", found)
	}
}

// TestWithoutMeasure: an empty edit is the recording. Its active peak is that of the
// replay, and what it reserves is what the recorded settings do from an empty cache.
func TestWithoutMeasure(t *testing.T) {
	eachMeasurable(t, func(t *testing.T, run *whatif.Run) {
		recorded := run.Stream()
		none := &training{run.Stream(), run.Recording()}
		none.apply(newEdit())
		if !slices.Equal(none.Ops, recorded.Ops) || !slices.Equal(none.Before, recorded.Before) ||
			!slices.Equal(none.Requests, recorded.Requests) {
			t.Error("an empty edit changes the stream")
		}
		active, at := none.ActivePeak()
		totals := run.Recording().Device.Totals
		if active != totals.PeakBytes || at >= 0 && int(none.Ops[at].Event) >= totals.PeakState {
			t.Errorf("peak of %d bytes after op %d, recorded are %d in state %d", active, at, totals.PeakBytes,
				totals.PeakState)
		}
		study := run.Study(whatif.Question{Settings: []whatif.Setting{run.Recorded()}, Quick: true})
		want := study.Reference
		if want.Assumed {
			return
		}
		if got := none.Serve(whatif.Options{Limit: study.Limit.Bytes}); got.ReservedPeak != want.ReservedPeak ||
			got.FailedOf != want.FailedOf {
			t.Errorf("reserved %d with %d failures, want %d with %d", got.ReservedPeak, got.FailedOf, want.ReservedPeak,
				want.FailedOf)
		}
	})
}

// TestEdits: every measure gives requests that are freed once at most and after they were
// made, and leaves alone the families that it does not name. None has more live where the
// peak was, but for half the batch twice a step, which keeps gradients there.
func TestEdits(t *testing.T) {
	others := map[Measure][]families.Family{
		SetToNone:      {families.Parameter, families.Optimizer, families.Activation},
		DropOutputs:    {families.Parameter, families.Optimizer, families.Gradient},
		StopLeak:       {families.Parameter},
		LossInParts:    {families.Parameter, families.Optimizer, families.Input},
		ShardTensors:   {families.Parameter, families.Gradient, families.Activation},
		Fused:          {families.Parameter, families.Optimizer, families.Gradient, families.Activation},
		NoForeach:      {families.Parameter, families.Optimizer, families.Gradient, families.Activation},
		Checkpoint:     {families.Parameter, families.Optimizer, families.Gradient, families.Input},
		EightBit:       {families.Parameter, families.Gradient, families.Activation, families.Temporary},
		ShardOptimizer: {families.Parameter, families.Gradient, families.Activation},
		Accumulate:     {families.Parameter, families.Optimizer},
		ShardGradients: {families.Parameter, families.Activation},
		ShardWeights:   {families.Activation},
		HostOptimizer:  {families.Parameter, families.Gradient, families.Activation},
		HalfBatch:      {families.Parameter, families.Optimizer, families.Gradient},
	}
	applied := map[Measure]int{}
	eachMeasurable(t, func(t *testing.T, run *whatif.Run) {
		x := newMeasurer(run, whatif.Limit{}, DefaultGPUs)
		before := madeBytes(x.base)
		peak, at := x.base.ActivePeak()
		for i := range measureCount {
			m := Measure(i)
			p := x.edited([]Measure{m})
			if p == nil {
				continue
			}
			applied[m]++
			checkLifetimes(t, m, p)
			if now := activeAfter(p, x.base.Ops[max(at, 0)].Event); now > peak && m != Accumulate && at >= 0 {
				t.Errorf("%s: %d bytes are live where the peak was, which had %d", m.Key(), now, peak)
			}
			after := madeBytes(p)
			for _, family := range others[m] {
				if after[family] != before[family] {
					t.Errorf("%s: %d bytes of %s, %d before", m.Key(), after[family], family.Key(), before[family])
				}
			}
		}
	})
	for i := range measureCount {
		if applied[Measure(i)] == 0 {
			t.Errorf("%s applies to no recording", Measure(i).Key())
		}
	}
}

// madeBytes are the bytes that a training asks for, and has at the start, by family.
func madeBytes(p *training) (bytes [families.Count]int64) {
	for _, id := range p.Before {
		bytes[p.family(id)] += p.Requests[id].Bytes
	}
	for _, o := range p.Ops {
		if o.Kind == whatif.Allocate {
			bytes[p.family(o.Request)] += p.Requests[o.Request].Bytes
		}
	}
	return bytes
}

// activeAfter are the bytes that are live when all ops of an event and those before it are
// done.
func activeAfter(p *training, event replay.EventIndex) (bytes int64) {
	for _, id := range p.Before {
		bytes += p.Requests[id].Bytes
	}
	for _, o := range p.Ops {
		switch {
		case o.Event > event:
			return bytes
		case o.Kind == whatif.Allocate:
			bytes += p.Requests[o.Request].Bytes
		case o.Kind.Frees():
			bytes -= p.Requests[o.Request].Bytes
		}
	}
	return bytes
}

func checkLifetimes(t *testing.T, m Measure, p *training) {
	t.Helper()
	live := map[int32]bool{}
	for _, id := range p.Before {
		live[id] = true
	}
	for i, o := range p.Ops {
		if int(o.Request) >= len(p.Requests) {
			t.Fatalf("%s: op %d is of request %d of %d", m.Key(), i, o.Request, len(p.Requests))
		}
		switch {
		case o.Kind == whatif.Allocate:
			if live[o.Request] {
				t.Fatalf("%s: request %d is made twice, in event %d", m.Key(), o.Request, o.Event)
			}
			live[o.Request] = true
		case o.Kind == whatif.RequestFree || o.Kind.Frees():
			if !live[o.Request] {
				t.Fatalf("%s: request %d, of allocation %d, is freed in event %d and not live", m.Key(), o.Request,
					p.Requests[o.Request].Of, o.Event)
			}
			if o.Kind.Frees() {
				delete(live, o.Request)
			}
		}
	}
}

// TestSharded: state that is sharded already is not sharded again.
func TestSharded(t *testing.T) {
	for file, want := range map[string]bool{"sharded-optimizer": false, "data-parallel": true} {
		s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", file, "rank0.pickle.gz"))
		if err != nil {
			t.Fatal(err)
		}
		run := whatif.New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0)))
		for _, m := range []Measure{ShardOptimizer, ShardTensors, ShardGradients} {
			if got := Try(run, whatif.Limit{}, m) != nil; got != want {
				t.Errorf("%s: %s applies: %t", file, m.Key(), got)
			}
		}
	}
}

// TestTogether: the cheapest combination under which nothing fails. What is left out of
// it was not needed, and nothing is found where not even all measures are enough.
func TestTogether(t *testing.T) {
	const mib = 1 << 20
	const oom, story = "out-of-memory/snapshot.pickle.gz", "measures/before.pickle.gz"
	for _, test := range []struct {
		file     string
		mib      int64
		want     string
		hopeless bool
	}{
		{oom, 1 << 20, "[]", false},
		{oom, 4096, "[checkpoint]", false},
		{oom, 512, "[]", true},
		{story, 480, "[set_to_none]", false},
		// The peak is in the optimizer only once the blocks are checkpointed.
		{story, 380, "[set_to_none fused checkpoint]", false},
		{story, 300, "[set_to_none del checkpoint 8bit_optimizer]", false},
	} {
		s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(test.file)))
		if err != nil {
			t.Fatal(err)
		}
		run := whatif.New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0)))
		m := Find(run, whatif.Limit{Bytes: test.mib * mib, From: whatif.LimitGiven})
		var got []string
		if m.Together != nil {
			for i, measure := range m.Together.Measures {
				got = append(got, measure.Key())
				without := slices.Delete(slices.Clone(m.Together.Measures), i, i+1)
				if o := Try(run, whatif.Limit{Bytes: test.mib * mib}, without...); o.Failed == 0 {
					t.Errorf("%d MiB: %s is not needed", test.mib, measure.Key())
				}
			}
			if m.Together.Failed > 0 {
				t.Errorf("%d MiB: %d requests fail under %v", test.mib, m.Together.Failed, got)
			}
		}
		if fmt.Sprint(got) != test.want || m.Hopeless != test.hopeless {
			t.Errorf("%d MiB: %v, hopeless %t", test.mib, got, m.Hopeless)
		}
	}
}

// TestTrace: where a measure puts what is live. In no state do two requests overlap, and no more is live than at
// the predicted peak.
func TestTrace(t *testing.T) {
	eachMeasurable(t, func(t *testing.T, run *whatif.Run) {
		limit := whatif.Limit{}
		rows := Find(run, limit).Rows
		for i := range rows {
			o := &rows[i]
			if o.Measures[0].Rough() {
				continue
			}
			p := Trace(run, limit, o)
			if p.ReservedPeak != o.Reserved || p.Layout == nil || len(p.Curve) == 0 {
				t.Fatalf("%s: reserved %d, predicted were %d", o.Measures[0].Key(), p.ReservedPeak, o.Reserved)
			}
			n := run.Recording().Device.Events.Len()
			for _, event := range []replay.EventIndex{replay.None, 0, replay.EventIndex(n / 2), o.PeakEvent,
				replay.EventIndex(n - 1)} {
				checkLayout(t, o, p.Layout, event)
			}
		}
	})
}

// checkLayout checks the state after an event.
func checkLayout(t *testing.T, o *Outcome, l *whatif.Layout, event replay.EventIndex) {
	t.Helper()
	var live []int
	sum := int64(0)
	for i, x := range l.Lifetimes {
		if l.Addr[i] != 0 && x.Start <= event && (x.End == replay.None || x.End > event) {
			live = append(live, i)
			sum += x.Bytes
			if x.Bytes > l.Block[i] {
				t.Errorf("%s: request %d of %d bytes is in a block of %d", o.Measures[0].Key(), i, x.Bytes, l.Block[i])
			}
		}
	}
	if len(live) == 0 && event == o.PeakEvent && o.Active > 0 {
		t.Errorf("%s: nothing is live at the peak", o.Measures[0].Key())
	}
	if sum > o.Active {
		t.Errorf("%s: %d bytes are live after event %d, at the peak %d", o.Measures[0].Key(), sum, event, o.Active)
	}
	slices.SortFunc(live, func(a, b int) int { return cmp.Compare(l.Addr[a], l.Addr[b]) })
	for i := 1; i < len(live); i++ {
		if a, b := live[i-1], live[i]; l.Addr[a]+uint64(l.Block[a]) > l.Addr[b] {
			t.Fatalf("%s: requests %d and %d overlap after event %d", o.Measures[0].Key(), a, b, event)
		}
	}
}

// TestFits: a measure fits only if what it reserves may be ReservedPercent more, and does not
// only if it may be as much less.
func TestFits(t *testing.T) {
	eachMeasurable(t, func(t *testing.T, run *whatif.Run) {
		x := newMeasurer(run, whatif.Limit{}, DefaultGPUs)
		o := x.outcome(Checkpoint)
		if o == nil {
			return
		}
		for _, test := range []struct {
			limit     int64
			no, maybe bool
		}{
			{2 * o.Reserved, false, false}, {o.Active, true, true},
			{o.Active * 100 / (105 + ReservedPercent), true, false},
		} {
			at := newMeasurer(run, whatif.Limit{Bytes: test.limit}, DefaultGPUs)
			got := at.fit(at.outcome(Checkpoint))
			if ok := got == whatif.Fits && !test.no || got == whatif.MayFit && test.maybe ||
				got == whatif.DoesNotFit && test.no; !ok {
				t.Errorf("%d active and %d reserved with a limit of %d: %v", o.Active, o.Reserved, test.limit, got)
			}
		}
	})
}
