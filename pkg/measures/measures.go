// Package measures predicts what changes of a training would do to its memory: each is
// an edit of the recorded requests, which are then served again by the model of
// PyTorch's allocator (package whatif). An edit changes lifetimes (edit.go, lifetimes),
// sizes, or whether there are requests at all; what it assumes of the program is said
// where it is printed.
//
// With and without a measure the requests are served from an empty cache, so that the
// predictions compare with each other, and not with what was recorded.
package measures

import (
	"cmp"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Measure is a change of the training that may bring the peak down.
type Measure uint8

// The measures in the order in which their edits are made: first what changes
// lifetimes, then sizes that look at those of parameters, then shards, then the batch.
const (
	SetToNone      Measure = iota // zero_grad before the forward pass
	DropOutputs                   // del of the outputs of a step
	Fused                         // an optimizer without temporaries
	NoForeach                     // an optimizer whose temporaries live one at a time
	Checkpoint                    // of the block that repeats
	EightBit                      // optimizer state in 8 bits
	ShardOptimizer                // optimizer state cut evenly over several GPUs
	ShardGradients                // gradients, too
	ShardWeights                  // parameters, too, but for those of two blocks
	HostOptimizer                 // optimizer state in the memory of the host
	Accumulate                    // half the batch, twice a step
	HalfBatch                     // half the batch
	measureCount   int     = iota
)

var measureKeys = [measureCount]string{
	SetToNone: "set_to_none", DropOutputs: "del", Fused: "fused", NoForeach: "no_foreach", Checkpoint: "checkpoint",
	EightBit: "8bit_optimizer", ShardOptimizer: "zero1", ShardGradients: "zero2", ShardWeights: "zero3",
	HostOptimizer: "host_optimizer", Accumulate: "accumulate", HalfBatch: "half_batch",
}

// Key names the measure in files: "checkpoint".
func (m Measure) Key() string { return measureKeys[m] }

// cost is what a measure costs, the cheapest first.
type cost uint8

const (
	costNothing cost = iota
	costTime
	costNumerics
	costGPUs
)

var measureCosts = [measureCount]cost{
	SetToNone: costNothing, DropOutputs: costNothing, Fused: costNothing, NoForeach: costTime, Checkpoint: costTime,
	HostOptimizer: costTime, Accumulate: costTime, EightBit: costNumerics, HalfBatch: costNumerics,
	ShardOptimizer: costGPUs, ShardGradients: costGPUs, ShardWeights: costGPUs,
}

// Rough reports whether only active memory is predicted, and no combination has the
// measure: buffers that come and go with it are in no recording of a run without it.
func (m Measure) Rough() bool { return m == ShardGradients || m == ShardWeights || m == HostOptimizer }

// Shards is over how many GPUs ShardOptimizer cuts the state.
const Shards = 8

// Outcome is what a training with some measures would have needed.
type Outcome struct {
	Measures []Measure // in the order of the constants
	// Active is the predicted peak of requested bytes that are live. ActiveLeast is less
	// where a recording does not tell which tensors grow with the batch: then Active
	// takes all that may be weights for weights.
	Active, ActiveLeast int64
	// Reserved is the predicted peak of reserved bytes, 0 for a rough measure.
	// ReservedLeast goes with ActiveLeast.
	Reserved, ReservedLeast int64
	Failed                  int // requests that fail under the limit
	// PeakStack is the stack of the request that makes the active peak, 0 if it is older
	// than the recording; PeakPhase is the phase in which that is.
	PeakStack snapshot.StackID
	PeakPhase stacks.Activity
	PeakEvent replay.EventIndex
}

// Findings are the measures for a recording.
type Findings struct {
	// Base is the recorded training without any measure, served in the same way as with them: from
	// an empty cache.
	Base Outcome
	// NextStep: the recording is of a first step, in which the optimizer's state is made
	// after the peak. All figures are of a step in which it is there from the start, and
	// the gradients of the step before are gone.
	NextStep bool
	// Rows are those that lower the peak of active memory by half a percent, or under which
	// fewer requests fail, that which saves most first. Useless are the others that apply.
	Rows    []Outcome
	Useless []Measure
	// Together is the cheapest combination under which no request fails; nil if none
	// does without any, if there is no limit, or if no combination is enough.
	Together *Outcome
	Hopeless bool // no combination is enough
}

// worthMeasuring: a measure has to save one part in that many of the peak.
const worthMeasuring = 200

// Find predicts what changes of the training would do under a limit. It is nil if the
// model does not reproduce the recording, or if the recording has no forward pass.
func Find(run *whatif.Run, limit whatif.Limit) *Findings {
	x := newMeasurer(run, limit)
	if x == nil {
		return nil
	}
	m := &Findings{Base: x.serve(x.base), NextStep: x.next}
	var outcomes [measureCount]*Outcome
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range outcomes {
		g.Go(func() error {
			outcomes[i] = x.outcome(Measure(i))
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	var applicable []Measure
	for i, o := range outcomes {
		if o == nil {
			continue
		}
		helps := m.Base.Active-o.ActiveLeast >= m.Base.Active/worthMeasuring
		switch {
		case !helps && (o.Failed >= m.Base.Failed || Measure(i).Rough()):
			m.Useless = append(m.Useless, Measure(i))
		default:
			m.Rows = append(m.Rows, *o)
		}
		if !Measure(i).Rough() {
			applicable = append(applicable, Measure(i))
		}
	}
	slices.SortStableFunc(m.Rows, func(a, b Outcome) int { return cmp.Compare(a.Active, b.Active) })
	if m.Base.Failed > 0 {
		m.Together = x.together(applicable, m.Base)
		m.Hopeless = m.Together == nil
	}
	return m
}

// Try predicts some measures together; without any, the recorded training. It is nil if
// one of them does not apply, or where the result of Find is.
func Try(run *whatif.Run, limit whatif.Limit, measures ...Measure) *Outcome {
	x := newMeasurer(run, limit)
	if x == nil {
		return nil
	}
	return x.outcome(sorted(slices.Clone(measures))...)
}

// Trace serves the training once more with the measures of an outcome that is not rough:
// the prediction has Curve and Layout.
func Trace(run *whatif.Run, limit whatif.Limit, o *Outcome) *whatif.Prediction {
	x := newMeasurer(run, limit)
	return x.edited(doubtfulKept, o.Measures).Serve(whatif.Options{Limit: x.limit, Traced: true})
}

// measurer applies measures to one training.
type measurer struct {
	limit int64 // bytes; 0: none
	base  *training
	next  bool // base is the step after the recorded one
}

// newMeasurer is nil where nothing can be predicted.
func newMeasurer(run *whatif.Run, limit whatif.Limit) *measurer {
	r := run.Recording()
	if !run.Proof.Holds() || !slices.ContainsFunc(r.Phases(), isForward) {
		return nil
	}
	x := &measurer{limit: limit.Bytes, base: &training{run.Stream(), r}, next: r.Peaks().First.Bytes > 0}
	if x.next {
		x.base.nextStep()
	}
	return x
}

// outcome predicts a combination of measures, which are in order; nil if one of them
// does not apply.
func (x *measurer) outcome(measures ...Measure) *Outcome {
	p := x.edited(doubtfulKept, measures)
	if p == nil {
		return nil
	}
	if slices.ContainsFunc(measures, Measure.Rough) {
		o := describe(p)
		o.Measures = measures
		return &o
	}
	o := x.serve(p)
	o.Measures = measures
	if slices.Contains(measures, HalfBatch) || slices.Contains(measures, Accumulate) {
		least := x.serve(x.edited(allHalved, measures))
		o.ActiveLeast, o.ReservedLeast = least.Active, least.Reserved
	}
	return &o
}

// describe says where a training has its peak of active memory.
func describe(p *training) (o Outcome) {
	var at int
	o.Active, at = p.ActivePeak()
	o.ActiveLeast, o.PeakEvent = o.Active, replay.None
	if at >= 0 {
		op := p.Ops[at]
		o.PeakEvent, o.PeakPhase = op.Event, p.phaseAt(op.Event)
		o.PeakStack = p.stack(op.Request)
	}
	return o
}

// serve serves a training from an empty cache.
func (x *measurer) serve(p *training) Outcome {
	o := describe(p)
	served := p.Serve(whatif.Options{Limit: x.limit})
	o.Reserved, o.ReservedLeast, o.Failed = served.ReservedPeak, served.ReservedPeak, served.FailedOf
	if served.TooMuch {
		o.Failed++
	}
	return o
}

// edited is the base under some measures; nil if one of them does not apply.
func (x *measurer) edited(doubt batchReading, measures []Measure) *training {
	p := x.base.clone()
	for m := range Measure(measureCount) {
		if !slices.Contains(measures, m) {
			continue
		}
		applies := false
		switch m {
		case SetToNone, DropOutputs:
			applies = p.cut(m)
		case Fused:
			applies = p.dropTemporaries()
		case NoForeach:
			applies = p.oneAtATime()
		case Checkpoint:
			applies = p.checkpoint()
		case EightBit:
			applies = p.eightBit()
		case ShardOptimizer:
			applies = p.shard(Shards)
		case ShardGradients:
			applies = p.shard(Shards) && p.shardFamilies(Shards, families.Gradient)
		case ShardWeights:
			applies = p.shard(Shards) && p.shardWeights(Shards)
		case HostOptimizer:
			applies = p.offload()
		case Accumulate:
			applies = p.accumulate(doubt)
		case HalfBatch:
			applies = p.halve(doubt)
		}
		if !applies {
			return nil
		}
	}
	return p
}

func sorted(list []Measure) []Measure {
	slices.Sort(list)
	return list
}
