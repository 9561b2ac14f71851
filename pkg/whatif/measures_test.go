package whatif

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// eachMeasurable calls do with every recording, of the examples and real ones, for which
// measures can be predicted.
func eachMeasurable(t *testing.T, do func(t *testing.T, run *Run)) {
	t.Helper()
	found := 0
	for _, file := range testkit.Snapshots(t) {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Devices() {
			run := New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, id)))
			if run.Try(Limit{}) == nil {
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
	eachMeasurable(t, func(t *testing.T, run *Run) {
		none := run.recorded().editable()
		none.apply(newEdit())
		if !slices.Equal(none.steps, run.steps) || !slices.Equal(none.before, run.start.live) {
			t.Error("an empty edit changes the steps")
		}
		active, at := none.activePeak()
		totals := run.r.Device.Totals
		if active != totals.PeakBytes || at >= 0 && int(none.steps[at].event) >= totals.PeakState {
			t.Errorf("peak of %d bytes in event %d, recorded are %d in state %d", active, none.steps[at].event,
				totals.PeakBytes, totals.PeakState)
		}
		want := run.predict(run.settings.Settings, Options{Limit: run.Limit.Bytes, Anew: true})
		if got := run.serve(none, run.settings.Settings, Options{Limit: run.Limit.Bytes, Anew: true}); got.ReservedPeak !=
			want.ReservedPeak || got.FailedOf != want.FailedOf {
			t.Errorf("reserved %d with %d failures, want %d with %d", got.ReservedPeak, got.FailedOf, want.ReservedPeak,
				want.FailedOf)
		}
	})
}

// TestEdits: every measure gives requests that are freed once at most and after they were
// made, and leaves alone the families that it does not name.
func TestEdits(t *testing.T) {
	others := map[Measure][]families.Family{
		SetToNone:      {families.Parameter, families.Optimizer, families.Activation},
		DropOutputs:    {families.Parameter, families.Optimizer, families.Gradient},
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
	eachMeasurable(t, func(t *testing.T, run *Run) {
		x := run.measurer(Limit{})
		before := madeBytes(x.base)
		for i := range measureCount {
			m := Measure(i)
			p := x.edited(doubtfulKept, []Measure{m})
			if p == nil {
				continue
			}
			applied[m]++
			checkWorkload(t, m, p)
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

// madeBytes are the bytes that a workload asks for, and has at the start, by family.
func madeBytes(p *workload) (bytes [families.Count]int64) {
	family := func(id int32) families.Family { return p.run.r.Families().Family(int(p.of(id))) }
	for _, id := range p.before {
		bytes[family(id)] += p.request(id).bytes
	}
	for _, s := range p.steps {
		if s.kind == stepAlloc {
			bytes[family(s.id)] += p.request(s.id).bytes
		}
	}
	return bytes
}

func checkWorkload(t *testing.T, m Measure, p *workload) {
	t.Helper()
	live := map[int32]bool{}
	for _, id := range p.before {
		live[id] = true
	}
	for i, s := range p.steps {
		if i > 0 && s.kind == stepAlloc && s.id >= int32(len(p.requests)) {
			t.Fatalf("%s: step %d is of request %d of %d", m.Key(), i, s.id, len(p.requests))
		}
		switch s.kind {
		case stepAlloc:
			if live[s.id] {
				t.Fatalf("%s: request %d is made twice, in event %d", m.Key(), s.id, s.event)
			}
			live[s.id] = true
		case stepFree, stepRequest, stepComplete:
			if !live[s.id] {
				t.Fatalf("%s: request %d, of allocation %d, is freed in event %d and not live", m.Key(), s.id, p.of(s.id),
					s.event)
			}
			if s.kind != stepRequest {
				delete(live, s.id)
			}
		}
	}
}

// TestTogether: the cheapest combination under which nothing fails. What is left out of
// it was not needed, and nothing is found where not even all measures are enough.
func TestTogether(t *testing.T) {
	s, err := snapshot.Open(filepath.Join("..", "..", "examples", "out-of-memory", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	run := New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0)))
	for _, test := range []struct {
		mib      int64
		want     string
		hopeless bool
	}{
		{1 << 20, "[]", false},
		{4096, "[checkpoint]", false},
		{512, "[]", true},
	} {
		m := run.Measures(Limit{Bytes: test.mib * mib, From: LimitGiven})
		var got []string
		if m.Together != nil {
			for i, measure := range m.Together.Measures {
				got = append(got, measure.Key())
				without := slices.Delete(slices.Clone(m.Together.Measures), i, i+1)
				if o := run.Try(Limit{Bytes: test.mib * mib}, without...); o.Failed == 0 {
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
