// Package peaks finds memory that is needlessly live at the peak of a recording, and what
// the peak would be without it; and whether the peak is a first step's, so that later
// ones are higher.
//
// It is based on the families of tensors and on when each was allocated and freed. A new
// peak is the peak of the same history with all lifetimes shortened as far as possible,
// in all steps.
//
// What it cannot see: when the program last read a tensor. It names only what the order
// of events proves to be late: outputs of an iteration that live into the next forward
// pass, gradients that live through one, the temporaries of an optimizer that works on
// all parameters at once, and blocks that were freed long before another stream released
// them.
package peaks

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Kind is why memory need not be live.
type Kind uint8

const (
	LastOutputs Kind = iota // outputs of the last iteration, alive in the next forward pass
	Gradients               // of the last step, alive in the next forward pass
	Foreach                 // temporaries of an optimizer that works on all parameters at once
	Pending                 // freed long ago, but another stream has not released it
	kinds       int  = iota
)

// Key names the kind in files: "last_outputs".
func (k Kind) Key() string { return [...]string{"last_outputs", "gradients", "foreach", "pending"}[k] }

// Needless is memory of one kind that is live at the peak and need not be.
type Needless struct {
	Kind        Kind
	Bytes       int64 // live at the peak
	Allocations int
	Stack       snapshot.StackID // of the call site with most of the bytes
	Peak        int64            // active bytes at the new peak, if the lifetimes of this kind were shorter
}

// Findings are what the peak of a device holds needlessly.
type Findings struct {
	Needless []Needless // the one that lowers the peak most first
	Peak     int64      // the new peak, if all these lifetimes were shorter
	First    FirstStep

	// Cuts are all lifetimes that could be shorter, by Kind, whether the peak would be
	// lower or not.
	Cuts [kinds][]Cut
}

// Input is the data that peaks are judged by, all of the same device.
type Input struct {
	Stacks   *stacks.Table
	Device   *replay.Device
	Phases   timeline.Phases
	Families *families.Assignment
	Steps    *steps.List
}

// Cut is a stretch of states, both included, in which an allocation need not be live.
type Cut struct {
	Allocation int // index into Device.Allocations
	From, To   int
}

// minPercent is the least share of the peak worth reporting.
const minPercent = 1

// Find looks at the peak of active memory. The cost is linear in the events, and
// n log n in the allocations that are live for too long.
func Find(in Input) *Findings {
	d := in.Device
	f := &Findings{Peak: d.Totals.PeakBytes, First: in.firstStep()}
	if d.Events.Len() == 0 {
		return f
	}
	f.Cuts = [kinds][]Cut{
		LastOutputs: in.lastOutputs(), Gradients: in.gradients(), Foreach: in.foreach(), Pending: in.pending(),
	}
	var all []Cut
	for kind, cuts := range f.Cuts {
		n := Needless{Kind: Kind(kind)}
		perStack := map[snapshot.StackID]int64{}
		for _, c := range cuts {
			if c.From <= d.Totals.PeakState && d.Totals.PeakState <= c.To {
				a := &d.Allocations[c.Allocation]
				n.Bytes += a.Size
				n.Allocations++
				perStack[a.Stack] += a.Size
				if perStack[a.Stack] > perStack[n.Stack] {
					n.Stack = a.Stack
				}
			}
		}
		if 100*n.Bytes < minPercent*f.Peak || n.Bytes == 0 {
			continue
		}
		n.Peak = in.peakWithout(cuts)
		if saved := d.Totals.PeakBytes - n.Peak; saved > 0 && 100*saved >= minPercent*d.Totals.PeakBytes {
			f.Needless = append(f.Needless, n)
			all = append(all, cuts...)
		}
	}
	slices.SortStableFunc(f.Needless, func(a, b Needless) int { return cmp.Compare(a.Peak, b.Peak) })
	if len(f.Needless) > 0 {
		f.Peak = in.peakWithout(all)
	}
	return f
}

// peakWithout returns the most active bytes of the history without the cuts. Cuts of one
// allocation may overlap.
func (in *Input) peakWithout(cuts []Cut) int64 {
	d := in.Device
	cuts = slices.Clone(cuts)
	slices.SortFunc(cuts, func(a, b Cut) int {
		return cmp.Or(cmp.Compare(a.Allocation, b.Allocation), cmp.Compare(a.From, b.From))
	})
	change := make([]int64, d.States()+1)
	done := -1 // the last state that is cut of the allocation
	for i, c := range cuts {
		if i == 0 || cuts[i-1].Allocation != c.Allocation {
			done = -1
		}
		from, to := max(c.From, done+1), min(c.To, d.States()-1)
		if from > to {
			continue
		}
		done = to
		size := d.Allocations[c.Allocation].Size
		change[from] += size
		change[to+1] -= size
	}
	var gone, peak int64
	for k, active := range d.ActiveBytes() {
		gone += change[k]
		peak = max(peak, active-gone)
	}
	return peak
}

// endOf returns the last state in which an allocation is live.
func (in *Input) endOf(a *replay.Allocation) int {
	if a.End == replay.None {
		return in.Device.States() - 1
	}
	return int(a.End)
}

// lastOutputs returns cuts of outputs that could end before the next forward pass begins.
func (in *Input) lastOutputs() []Cut {
	var cuts []Cut
	for _, o := range in.Families.LastOutputs {
		cuts = append(cuts, Cut{o.Allocation, int(o.Next), in.endOf(&in.Device.Allocations[o.Allocation])})
	}
	return cuts
}

// gradients returns cuts of gradients, which could end when the optimizer has read them.
// The next backward pass makes them anew. Gradients accumulated by several passes are
// read after the last one.
func (in *Input) gradients() []Cut {
	var cuts []Cut
	d := in.Device
	toOptimizer := in.next(stacks.InOptimizer)
	toForward, toBackward := in.next(stacks.InForward), in.next(stacks.InBackward)
	run := 0
	for i := d.PreExisting; i < len(d.Allocations); i++ {
		a := &d.Allocations[i]
		for run < len(in.Phases) && in.Phases[run].Start <= a.Start {
			run++
		}
		if in.Families.Family(i) != families.Gradient {
			continue
		}
		// The runs of optimizer, forward and backward that follow its birth.
		optimizer := toOptimizer[run]
		forward, backward := toForward[optimizer], toBackward[optimizer]
		end := in.endOf(a)
		if forward == len(in.Phases) || forward > backward || int(in.Phases[forward].Start) >= end {
			continue
		}
		if backward < len(in.Phases) {
			end = min(end, int(in.Phases[backward].Start))
		}
		cuts = append(cuts, Cut{i, int(in.Phases[optimizer].Last) + 1, end})
	}
	return cuts
}

// next returns, for each run of phases and for their number, the first run of a phase
// from there on, or their number.
func (in *Input) next(phase stacks.Activity) []int {
	n := len(in.Phases)
	next := make([]int, n+1)
	next[n] = n
	for i := n - 1; i >= 0; i-- {
		if next[i] = next[i+1]; in.Phases[i].Phase == phase {
			next[i] = i
		}
	}
	return next
}

// foreach returns cuts of temporaries of which an optimizer that works on one parameter
// at a time has one of each kind: the largest of each call site stays.
func (in *Input) foreach() []Cut {
	d := in.Device
	peak := slices.IndexFunc(in.Phases, func(r timeline.PhaseRun) bool {
		return int(r.Start) <= d.Totals.PeakState && d.Totals.PeakState <= int(r.Last)+1
	})
	if peak < 0 || in.Phases[peak].Phase != stacks.InOptimizer {
		return nil
	}
	type place struct {
		run   int
		stack snapshot.StackID
	}
	largest := map[place]int{}
	var cuts []Cut
	run := -1
	for i := d.PreExisting; i < len(d.Allocations); i++ {
		a := &d.Allocations[i]
		for run+1 < len(in.Phases) && in.Phases[run+1].Start <= a.Start {
			run++
		}
		if in.Families.Family(i) != families.Temporary || !in.Stacks.Facts[a.Stack].Has(stacks.FactForeach) {
			continue
		}
		p, stays := place{run, a.Stack}, i
		if before, known := largest[p]; known {
			if stays = before; d.Allocations[i].Size > d.Allocations[before].Size {
				stays = i
			}
			gone := i + before - stays
			cuts = append(cuts, Cut{gone, int(d.Allocations[gone].Start) + 1, in.endOf(&d.Allocations[gone])})
		}
		largest[p] = stays
	}
	return cuts
}

// longPending is how many events a block has to wait for another stream, within one step,
// to count as late.
const longPending = 50

// pending returns cuts of blocks that could end when the program freed them, if the other
// stream were done.
func (in *Input) pending() []Cut {
	var cuts []Cut
	for i := range in.Device.Allocations {
		a := &in.Device.Allocations[i]
		if a.FreeRequested == replay.None {
			continue
		}
		end := in.endOf(a)
		late := end-int(a.FreeRequested) > longPending ||
			in.Steps.Of(a.FreeRequested) < in.Steps.Of(replay.EventIndex(end))
		if late {
			cuts = append(cuts, Cut{i, int(a.FreeRequested) + 1, end})
		}
	}
	return cuts
}

// FirstStep is the first step of an optimizer, in which it builds its state after the
// pass: in later steps the state is there during the pass.
type FirstStep struct {
	Bytes    int64 // of the state; 0 where later steps are recorded, or the state is older
	PassPeak int64 // active bytes at the peak of the pass before the optimizer's step
}

// NextPeak returns a lower bound of the peak of a pass with the state.
func (f FirstStep) NextPeak() int64 { return f.PassPeak + f.Bytes }

// firstStep finds the state that is born in the only step of a recording.
func (in *Input) firstStep() FirstStep {
	first, toBackward := in.next(stacks.InOptimizer)[0], in.next(stacks.InBackward)
	if first == len(in.Phases) || toBackward[0] > first || toBackward[first] < len(in.Phases) {
		return FirstStep{}
	}
	d, run := in.Device, in.Phases[first]
	var f FirstStep
	for i := range d.Allocations {
		a := &d.Allocations[i]
		if in.Families.Family(i) == families.Optimizer && i < d.PreExisting {
			return FirstStep{} // it has state already
		}
		if i >= d.PreExisting && a.Start >= run.Start && in.Families.Rules[i].BuildsOptimizer() &&
			timeline.FreedAt(a) == timeline.Never {
			f.Bytes += a.Size
		}
	}
	f.PassPeak = slices.Max(d.ActiveBytes()[:run.Start+1])
	if 100*f.Bytes < minPercent*f.PassPeak {
		return FirstStep{}
	}
	return f
}
