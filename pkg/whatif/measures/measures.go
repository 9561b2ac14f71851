// Package measures predicts what changes of a training would do to its memory: each is
// an edit of the recorded requests, which are then served again by the model of
// PyTorch's allocator (package whatif). An edit changes lifetimes (lifetimes.go,
// checkpoint.go), sizes (sizes.go, shards.go, loss.go, batch.go), or whether there are
// requests at all; its assumptions about the program are stated where it is printed.
//
// With and without a measure the requests are served from an empty cache, so that the
// predictions are comparable with each other, not with the recording.
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

// Outcome is what a training with some measures would have needed.
type Outcome struct {
	Measures []Measure // in the order of the constants
	// Active is the predicted peak of requested bytes that are live. ActiveLeast is less
	// where a recording does not show which tensors grow with the batch: then Active
	// assumes that all possible weights are weights.
	Active, ActiveLeast int64
	// Reserved is the predicted peak of reserved bytes, 0 for a rough measure.
	// ReservedLeast corresponds to ActiveLeast.
	Reserved, ReservedLeast int64
	Failed                  int // requests that fail under the limit
	// Fits is whether every request is served under the limit, with reserved memory off by up
	// to ReservedPercent. It is known only for measures that are not rough, in Findings in
	// which some request fails without measures.
	Fits whatif.Fit
	// PeakStack is the stack of the request that makes the active peak, 0 if it is older
	// than the recording; PeakPhase is the phase of the peak.
	PeakStack snapshot.StackID
	PeakPhase stacks.Activity
	PeakEvent replay.EventIndex
}

// Precision is the lowest precision among its measures.
func (o *Outcome) Precision() Precision {
	least := Exact
	for _, m := range o.Measures {
		least = max(least, m.Precision())
	}
	return least
}

// Findings are the measures for a recording.
type Findings struct {
	// Base is the recorded training without any measure, also served from an empty cache.
	Base Outcome
	// NextStep: the recording is of a first step, in which the optimizer's state is made
	// after the peak. All figures are for a later step, in which that state is there from
	// the start and the gradients of the step before are gone.
	NextStep bool
	// GPUs is the number of GPUs that the sharding measures use; GPUsAssumed: it was not
	// given.
	GPUs        int
	GPUsAssumed bool
	// Rows are the measures that lower the peak of active memory by half a percent, or
	// under which fewer requests fail, by savings, largest first. Useless are the others
	// that apply.
	Rows    []Outcome
	Useless []Measure
	// Together is the cheapest combination under which no request fails; nil if none
	// fails without measures, if there is no limit, or if no combination is enough.
	Together *Outcome
	Hopeless bool // no combination is enough
}

// worthMeasuring: a measure has to save at least 1/worthMeasuring of the peak.
const worthMeasuring = 200

// Find predicts what changes of the training would do under a limit. It returns nil if
// the model does not reproduce the recording, or if the recording has no forward pass.
func Find(run *whatif.Run, limit whatif.Limit) *Findings { return FindOver(run, limit, 0) }

// FindOver is Find with the number of GPUs to share over, 2 or more; 0: not known.
func FindOver(run *whatif.Run, limit whatif.Limit, gpus int) *Findings {
	x := newMeasurer(run, limit, cmp.Or(gpus, DefaultGPUs))
	if x == nil {
		return nil
	}
	m := &Findings{Base: *x.outcome(), NextStep: x.next, GPUs: int(x.gpus), GPUsAssumed: gpus == 0}
	outcomes := x.single[:]
	inParallel(measureCount, func(i int) {
		// Without a limit nothing fails, and useless measures are only named.
		outcomes[i] = x.predict([]Measure{Measure(i)}, func(o *Outcome) bool {
			return x.limit > 0 || helps(o, m.Base.Active)
		})
	})
	var applicable []Measure
	for i, o := range outcomes {
		if o == nil {
			continue
		}
		if helps(o, m.Base.Active) || o.Failed < m.Base.Failed && !Measure(i).Rough() {
			m.Rows = append(m.Rows, *o)
		} else {
			m.Useless = append(m.Useless, Measure(i))
		}
		if !Measure(i).Rough() {
			applicable = append(applicable, Measure(i))
		}
	}
	slices.SortStableFunc(m.Rows, func(a, b Outcome) int { return cmp.Compare(a.Active, b.Active) })
	if m.Base.Failed > 0 {
		m.Together = x.together(applicable, m.Base)
		m.Hopeless = m.Together == nil
		x.setFits(m)
	}
	return m
}

// setFits sets whether each outcome fits the limit.
func (x *measurer) setFits(m *Findings) {
	m.Base.Fits = whatif.DoesNotFit
	var list []*Outcome
	for i := range m.Rows {
		list = append(list, &m.Rows[i])
	}
	if m.Together != nil {
		list = append(list, m.Together)
	}
	inParallel(len(list), func(i int) { list[i].Fits = x.fit(list[i]) })
}

// fit returns whether an outcome fits the limit.
func (x *measurer) fit(o *Outcome) whatif.Fit {
	if o.Precision() != Exact {
		return whatif.FitNotKnown
	}
	fails := func(p *training, limit int64) bool {
		under := *x
		under.limit = limit
		_, failed := under.serve(p)
		return failed > 0
	}
	p := x.edited(o.Measures)
	switch {
	case o.Failed == 0 && !fails(p, x.limit*100/(100+ReservedPercent)):
		return whatif.Fits
	case o.Failed == 0:
		return whatif.MayFit
	}
	if o.ActiveLeast < o.Active {
		p.halveDoubtful()
	}
	if fails(p, x.limit/100*(100+ReservedPercent)) {
		return whatif.DoesNotFit
	}
	return whatif.MayFit
}

// Try predicts some measures together; without any, the recorded training. It returns nil
// if one of them does not apply, or if Find would.
func Try(run *whatif.Run, limit whatif.Limit, measures ...Measure) *Outcome {
	x := newMeasurer(run, limit, DefaultGPUs)
	if x == nil {
		return nil
	}
	return x.outcome(sorted(slices.Clone(measures))...)
}

// Trace serves the training once more with the measures of an outcome of Find that is not
// rough: the prediction has Curve and Layout.
func Trace(run *whatif.Run, limit whatif.Limit, o *Outcome) *whatif.Served {
	x := newMeasurer(run, limit, DefaultGPUs)
	return x.edited(o.Measures).Serve(whatif.Options{Limit: x.limit, Traced: true})
}

// measurer applies measures to one training.
type measurer struct {
	limit int64 // bytes; 0: none
	gpus  int64
	base  *training
	// single are the outcomes of single measures, for together; nil if one does not apply.
	single [measureCount]*Outcome
	next   bool // base is the step after the recorded one
}

// newMeasurer returns nil if nothing can be predicted.
func newMeasurer(run *whatif.Run, limit whatif.Limit, gpus int) *measurer {
	r := run.Recording()
	if !run.Proof.Holds() || !r.Phases().Has(stacks.InForward) {
		return nil
	}
	x := &measurer{limit: limit.Bytes, gpus: int64(gpus), base: &training{run.Stream(), r},
		next: r.Peaks().First.Bytes > 0}
	if x.next {
		x.base.nextStep()
	}
	return x
}

// outcome predicts a combination of measures, which are in order; nil if one of them
// does not apply.
func (x *measurer) outcome(measures ...Measure) *Outcome {
	return x.predict(measures, func(*Outcome) bool { return true })
}

// predict is outcome, but serves only what is worth it; other outcomes have no Reserved.
func (x *measurer) predict(measures []Measure, worth func(*Outcome) bool) *Outcome {
	p := x.edited(measures)
	if p == nil {
		return nil
	}
	o := describe(p)
	o.Measures = measures
	var least *training // with everything that may grow with the batch
	if slices.Contains(measures, HalfBatch) || slices.Contains(measures, Accumulate) {
		least = p.clone()
		least.halveDoubtful()
		o.ActiveLeast, _ = least.ActivePeak()
	}
	if o.Precision() != Exact || !worth(&o) {
		return &o
	}
	o.Reserved, o.Failed = x.serve(p)
	o.ReservedLeast = o.Reserved
	if least != nil {
		o.ReservedLeast, _ = x.serve(least)
	}
	return &o
}

// helps reports whether a measure lowers a peak of active bytes significantly.
func helps(o *Outcome, base int64) bool { return base-o.ActiveLeast >= base/worthMeasuring }

// describe locates a training's peak of active memory.
func describe(p *training) (o Outcome) {
	var at int
	o.Active, at = p.ActivePeak()
	o.ActiveLeast, o.PeakEvent = o.Active, replay.None
	if at >= 0 {
		op := p.Ops[at]
		o.PeakEvent, o.PeakPhase = op.Event, p.r.Phases().At(op.Event)
		o.PeakStack = p.stack(op.Request)
	}
	return o
}

// serve serves a training from an empty cache. Reserved is the peak in bytes, failed counts
// requests.
func (x *measurer) serve(p *training) (reserved int64, failed int) {
	served := p.Serve(whatif.Options{Limit: x.limit})
	if served.TooMuch {
		return served.ReservedPeak, served.FailedOf + 1
	}
	return served.ReservedPeak, served.FailedOf
}

// edited returns the base under some measures; nil if one of them does not apply.
func (x *measurer) edited(measures []Measure) *training {
	p := x.base.clone()
	for m := range Measure(measureCount) {
		if !slices.Contains(measures, m) {
			continue
		}
		applies := false
		switch m {
		case SetToNone, DropOutputs:
			applies = p.cut(m)
		case StopLeak:
			applies = p.stopLeak()
		case Fused:
			applies = p.dropTemporaries()
		case NoForeach:
			applies = p.oneAtATime()
		case Checkpoint:
			applies = p.checkpoint()
		case EightBit:
			applies = p.eightBit()
		case LossInParts:
			applies = p.lossInParts(LossParts)
		case ShardOptimizer:
			applies = p.shard(x.gpus)
		case ShardTensors:
			applies = p.shardTensors(int(x.gpus))
		case ShardGradients:
			applies = p.shard(x.gpus) && p.shardFamilies(x.gpus, families.Gradient)
		case ShardWeights:
			applies = p.shard(x.gpus) && p.shardWeights(x.gpus)
		case HostOptimizer:
			applies = p.offload()
		case Accumulate:
			applies = p.accumulate()
		case HalfBatch:
			applies = p.halve()
		}
		if !applies {
			return nil
		}
	}
	return p
}

// inParallel calls do with 0 to n-1, on all cores.
func inParallel(n int, do func(i int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = g.Wait() // nothing fails
}
