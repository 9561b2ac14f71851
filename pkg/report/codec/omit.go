package codec

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Part is something that a report can do without, in the order in which it
// is given up. None changes how many bytes were in use in any state, or which
// family or call site had them.
//
// Rows never merge: every event changes the active memory, so a curve that is
// exact in every state needs the start and the end of each allocation.
type Part int

const (
	PredictedSpaces Part = iota // where another setting would have put the tensors
	Addresses
	FineTimes   // finer than a step
	InnerFrames // below the user's own, and frames of the interpreter between them
	FreeStacks  // of frees, and so who freed
	PartCount

	EveryTime    = PartCount // no steps: only when asked for
	EveryAddress = PartCount + 1
)

// Parts are the steps that were taken.
type Parts [PartCount]bool

// timeSteps is into how many steps coarse times divide a recording: more than
// a screen has pixels, also when zoomed in a little.
const timeSteps = 1 << 16

// has reports whether the payload holds anything that the step leaves out.
func (p *deviceWriter) has(what Part) bool {
	switch what {
	case PredictedSpaces:
		return p.view.HasPredictedSpace() || p.view.Measures.HasSpaces()
	case FineTimes:
		return coarseStep(p.view.SpanMicros) > 1
	case InnerFrames:
		return p.snapshot.Stacks.Len() > 1
	case FreeStacks:
		for i := range p.Device.Allocations {
			if p.Device.Allocations[i].FreeStack != 0 {
				return true
			}
		}
		return false
	}
	// Where tensors have places, their addresses take no room worth the name.
	return p.Len() > 0 && p.view.Space == nil
}

// omit takes a step; stacks is the table of the file when that changes.
func (p *deviceWriter) omit(what Part, stacks *stackTable) {
	if what < PartCount {
		p.omitted[what] = true
	}
	if stacks != nil {
		p.stacks = stacks
	}
	omitFrom(p.view, what)
}

// Has reports whether there is anything to leave out.
func (f *File) Has(what Part) bool {
	if what == PredictedSpaces {
		if f.encodeSaved(); f.predictedBytes() <= worthLeavingOut {
			return false
		}
	}
	return slices.ContainsFunc(f.devices, func(p devicePacker) bool { return p.has(what) })
}

// worthLeavingOut is how many bytes predictions take at least to be left out. To say so
// takes a few hundred.
const worthLeavingOut = 8 << 10

// predictedBytes is what the predictions of all devices take.
func (f *File) predictedBytes() (bytes int) {
	for _, e := range append(slices.Clone(f.predictedElements), f.measureElements...) {
		bytes += e.packedBytes()
	}
	return bytes
}

// omitFrom says in the view what a step leaves out.
func omitFrom(view *recording.Device, what Part) {
	switch what {
	case PredictedSpaces:
		if view.Predicted != nil {
			view.Predicted.Space = nil
		}
		view.Measures.DropSpaces()
	case Addresses, EveryAddress:
		view.HasAddr, view.WideAddr, view.BaseAddr = false, false, units.Address(0)
	case FineTimes:
		view.TimeStepMicros = coarseStep(view.SpanMicros)
	case EveryTime:
		view.HasTime, view.FirstTime, view.SpanMicros, view.TimeStepMicros = false, "", 0, 1
	}
}

// coarseStep is the least of 1, 2, 5, 10, 20, ... microseconds that divides a
// span into at most timeSteps.
func coarseStep(span int64) int64 {
	for decade := int64(1); ; decade *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if step := digit * decade; span/step <= timeSteps {
				return step
			}
		}
	}
}

// Omission is what a report goes without because somebody wants it so.
type Omission struct {
	Addresses bool // and the handles of streams, which are addresses too
	Times     bool // all of them; ranges and steps keep their places among the events
}

// Keys are the words for what is left out, as in the report's JSON.
func (o Omission) Keys() []string {
	return trust.RedactedKeys(snapshot.Redaction{Addresses: o.Addresses, Times: o.Times})
}

// Omit packs again what is another after something was left out. The steps
// before it have been taken.
func (f *File) Omit(what Part) {
	var stacks *stackTable
	number := chunkStacks
	switch what {
	case Addresses, EveryAddress:
		number = chunkAddresses
	case FineTimes, EveryTime:
		number = chunkTimes
	case InnerFrames:
		stacks = userStacks(f.in, true)
	case FreeStacks:
		stacks = userStacks(f.in, false)
	}
	f.encodeSaved()
	if what == PredictedSpaces {
		for i, p := range f.devices {
			p.omit(what, nil)
			f.predictedElements[i] = element{}
		}
		f.measureElements = nil
		return
	}
	switch {
	case f.rest != nil, stacks != nil && f.snapshot != nil:
		f.DropSnapshot()
	case f.snapshot != nil:
		f.snapshot.omit(what)
		f.encodeSnapshot()
	}
	for i, p := range f.devices {
		p.omit(what, stacks)
		f.deviceElements[i].chunks[number] = p.pack(number, nil)
		if number == chunkAddresses {
			f.encodeSpaceAddresses(i)
		}
	}
	if stacks != nil {
		f.encodeStacks(stacks)
	}
	if what == EveryTime {
		f.encodeLanes()
	}
}
