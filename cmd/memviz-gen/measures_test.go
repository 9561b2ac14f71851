package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// measuredShapes have their peaks in the loss, in the blocks and in the optimizer.
var measuredShapes = []trained{
	{6, 512, 8, 16384, 8, 256},
	{8, 256, 4, 1024, 8, 256},
	{12, 384, 6, 2048, 4, 192},
	{4, 512, 8, 512, 16, 128},
	{2, 768, 8, 8192, 2, 64},
	{4, 1024, 8, 1024, 2, 32},
	{24, 128, 4, 512, 4, 128},
}

// record records such a training from the start.
func (s trained) record(t *testing.T, h habit) *whatif.Run {
	t.Helper()
	k := take{all: !h.python, gpt: true, play: func(p *process) { p.main(func() { p.train(s, h) }) }}
	recorded, err := (&story{name: "measures"}).record(&k, 1)
	if err != nil {
		t.Fatal(err)
	}
	return whatif.New(analysis.NewRecording(analysis.NewSource(recorded), replay.Replay(recorded, 0)))
}

// TestMeasures records the same training without and with each measure, and compares
// the prediction from the first recording with the second.
func TestMeasures(t *testing.T) {
	with := func(list ...measures.Measure) []measures.Measure { return list }
	sharded := adamHabit{shards: measures.DefaultGPUs}
	for _, test := range []struct {
		measures         []measures.Measure
		before, after    habit
		active, reserved float64 // percent that the prediction may be off
	}{
		{measures: nil}, // exact, reserved memory included
		{with(measures.Checkpoint), habit{}, habit{checkpoint: true}, 1, 10},
		{with(measures.ShardOptimizer), habit{}, habit{adamHabit: sharded}, 0, 0},
		{with(measures.EightBit), habit{}, habit{adamHabit: adamHabit{eightBit: true}}, 0, 0},
		{with(measures.Fused), habit{}, habit{adamHabit: adamHabit{fused: true}}, 0, 0},
		{with(measures.NoForeach), habit{}, habit{adamHabit: adamHabit{single: true}}, 0, 0},
		{with(measures.Accumulate), habit{}, habit{accumulate: true}, 0, 2},
		{with(measures.HalfBatch), habit{}, habit{half: true}, 0, 2},
		{with(measures.SetToNone), habit{late: true}, habit{}, 0, 0},
		{with(measures.DropOutputs), habit{logits: true, kept: true}, habit{logits: true}, 0.5, 2},
		{with(measures.DropOutputs), habit{logits: true, last: true, kept: true},
			habit{logits: true, last: true, kept: true, deletes: true}, 0, 2},
		{with(measures.SetToNone, measures.DropOutputs),
			habit{late: true, logits: true, last: true, kept: true},
			habit{logits: true, last: true, kept: true, deletes: true}, 0, 2},
		{with(measures.Checkpoint, measures.ShardOptimizer), habit{},
			habit{checkpoint: true, adamHabit: sharded}, 0.5, 10},
		{with(measures.EightBit, measures.ShardOptimizer), habit{},
			habit{adamHabit: adamHabit{eightBit: true, shards: measures.DefaultGPUs}}, 0, 0},
		{with(measures.Checkpoint, measures.Accumulate), habit{}, habit{checkpoint: true, accumulate: true},
			0.5, 10},
		{with(measures.SetToNone, measures.Fused), habit{late: true}, habit{adamHabit: adamHabit{fused: true}},
			0, 0},
	} {
		for i, s := range measuredShapes {
			t.Run(fmt.Sprint(keys(test.measures), i), func(t *testing.T) {
				before, after := s.record(t, test.before), s.record(t, test.after)
				got, want := measures.Try(before, whatif.Limit{}, test.measures...), measures.Try(after, whatif.Limit{})
				if got == nil || want == nil {
					t.Fatalf("predicted %+v, recorded %+v", got, want)
				}
				least := percent(got.ActiveLeast, want.Active)
				active, reserved := percent(got.Active, want.Active), percent(got.Reserved, want.Reserved)
				t.Logf("active %+.2f %% (least %+.2f %%), reserved %+.2f %% (%+.2f %%); %d of %d MiB", active, least,
					reserved, percent(got.ReservedLeast, want.Reserved), got.Active>>20,
					measures.Try(before, whatif.Limit{}).Active>>20)
				if math.Abs(active) > test.active && math.Abs(least) > test.active {
					t.Errorf("active %d, recorded %d", got.Active, want.Active)
				}
				if math.Abs(reserved) > test.reserved &&
					math.Abs(percent(got.ReservedLeast, want.Reserved)) > test.reserved {
					t.Errorf("reserved %d, recorded %d", got.Reserved, want.Reserved)
				}
			})
		}
	}
}

// TestMeasureOfWholeTensors: with each parameter's state on one GPU the prediction is for
// the fullest GPU.
func TestMeasureOfWholeTensors(t *testing.T) {
	for i, s := range measuredShapes {
		got := measures.Try(s.record(t, habit{}), whatif.Limit{}, measures.ShardTensors)
		var most, reserved int64
		for rank := range measures.DefaultGPUs {
			o := measures.Try(s.record(t, habit{ranks: measures.DefaultGPUs, rank: rank}), whatif.Limit{})
			most, reserved = max(most, o.Active), max(reserved, o.Reserved)
		}
		if got == nil || got.Active != most || math.Abs(percent(got.Reserved, reserved)) > 2 {
			t.Errorf("shape %d: predicted %+v, recorded %d active and %d reserved", i, got, most, reserved)
		}
	}
}

// TestMeasureOfLoss: a loss in parts is predicted approximately, because the recorded one
// computes gradients in the forward pass, which the prediction cannot know.
func TestMeasureOfLoss(t *testing.T) {
	saves := false
	for i, s := range measuredShapes {
		before, after := s.record(t, habit{}), s.record(t, habit{parts: measures.LossParts})
		got, want := measures.Try(before, whatif.Limit{}, measures.LossInParts), measures.Try(after, whatif.Limit{})
		if got == nil || math.Abs(percent(got.Active, want.Active)) > 10 {
			t.Errorf("shape %d: predicted %+v, recorded %+v", i, got, want)
		} else if got.Active < measures.Try(before, whatif.Limit{}).Active*9/10 {
			saves = true
		}
	}
	if !saves {
		t.Error("it saves a tenth for no shape")
	}
}

// TestMeasureOfLeak: a leak is found from eight steps, and predicted away.
func TestMeasureOfLeak(t *testing.T) {
	for i, s := range measuredShapes {
		before, after := s.record(t, habit{steps: 8, leaks: true}), s.record(t, habit{steps: 8})
		got, want := measures.Try(before, whatif.Limit{}, measures.StopLeak), measures.Try(after, whatif.Limit{})
		if got == nil || math.Abs(percent(got.Active, want.Active)) > 5 {
			t.Errorf("shape %d: predicted %+v, recorded %+v", i, got, want)
		}
		if o := measures.Try(after, whatif.Limit{}, measures.StopLeak); o != nil {
			t.Errorf("shape %d: without a leak: %+v", i, o)
		}
	}
}

// TestMeasuresWithoutNative: without C++ frames a recording does not show where a node of
// the backward pass begins, so recomputation may start a tensor early or late.
func TestMeasuresWithoutNative(t *testing.T) {
	for i, s := range measuredShapes {
		before, after := s.record(t, habit{python: true}), s.record(t, habit{python: true, checkpoint: true})
		got, want := measures.Try(before, whatif.Limit{}, measures.Checkpoint), measures.Try(after, whatif.Limit{})
		if got == nil {
			t.Errorf("shape %d: no block", i)
			continue
		}
		active, reserved := percent(got.Active, want.Active), percent(got.Reserved, want.Reserved)
		t.Logf("shape %d: active %+.2f %%, reserved %+.2f %%", i, active, reserved)
		if math.Abs(active) > 2 || math.Abs(reserved) > 10 {
			t.Errorf("shape %d: active %+.2f %%, reserved %+.2f %%", i, active, reserved)
		}
	}
}

// TestMeasuresOfNextStep: the figures for a recording of a first step describe the next
// step, and measures count from there.
func TestMeasuresOfNextStep(t *testing.T) {
	for i, s := range measuredShapes {
		first, later := s.record(t, habit{steps: 1}), s.record(t, habit{})
		checkpointed := s.record(t, habit{checkpoint: true})
		got, want := measures.Find(first, whatif.Limit{}), measures.Find(later, whatif.Limit{})
		if !got.NextStep || want.NextStep {
			t.Errorf("shape %d: next step %t, and %t of three steps", i, got.NextStep, want.NextStep)
		}
		if got.Base.Active != want.Base.Active {
			t.Errorf("shape %d: %d bytes in the next step, recorded are %d", i, got.Base.Active, want.Base.Active)
		}
		with := measures.Try(first, whatif.Limit{}, measures.Checkpoint)
		recorded := measures.Try(checkpointed, whatif.Limit{})
		if with == nil || recorded == nil {
			t.Errorf("shape %d: no block", i)
		} else if active := percent(with.Active, recorded.Active); math.Abs(active) > 1 {
			t.Errorf("shape %d: checkpointed the next step has %d bytes, recorded are %d", i, with.Active,
				recorded.Active)
		}
	}
}

// TestMeasuresOfInference: outputs that a variable holds until the next ones replace them
// exist twice at the peak, unless del drops them first.
func TestMeasuresOfInference(t *testing.T) {
	record := func(s trained, drop bool) *whatif.Run {
		recorded, err := (&scenario{name: "measures", run: func(p *process) {
			m := newGPT(s.layers, s.width, s.heads, s.vocabulary)
			r := p.newGPTRun(m, s.batch, s.length)
			for range 4 {
				r.load()
				p.at("error = loss(net(tokens), targets)", func() {
					p.noGrad(func() { p.set("logits", r.logits(m, p.vars["tokens"])) })
				})
				if drop {
					p.forget("logits")
				}
			}
		}}).record(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		return whatif.New(analysis.NewRecording(analysis.NewSource(recorded), replay.Replay(recorded, 0)))
	}
	for i, s := range measuredShapes {
		before, after := record(s, false), measures.Try(record(s, true), whatif.Limit{})
		got := measures.Try(before, whatif.Limit{}, measures.DropOutputs)
		if got == nil || got.Active != after.Active || got.Active >= measures.Try(before, whatif.Limit{}).Active {
			t.Errorf("shape %d: predicted %+v, recorded %+v", i, got, after)
		}
	}
}

func keys(measures []measures.Measure) (list []string) {
	for _, m := range measures {
		list = append(list, m.Key())
	}
	return list
}

func percent(got, want int64) float64 { return 100 * float64(got-want) / float64(want) }
