package report

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// omission is something that a report can do without, in the order in which it
// is given up. None changes how many bytes were in use in any state, or which
// family or call site had them.
//
// Rows never merge: every event changes the active memory, so a curve that is
// exact in every state needs the start and the end of each allocation.
type omission int

const (
	omitPredictedSpace omission = iota // where another setting would have put the tensors
	omitAddresses
	omitTimes       // finer than a step
	omitInnerFrames // below the user's own, and those of the interpreter between them
	omitFreeStacks  // of frees, and so who freed
	omissionCount

	omitEveryTime    = omissionCount // no steps: only when asked for
	omitEveryAddress = omissionCount + 1
)

// omissions are the steps that were taken.
type omissions [omissionCount]bool

// timeSteps is into how many steps coarse times divide a recording: more than
// a screen has pixels, also when zoomed in a little.
const timeSteps = 1 << 16

// has reports whether the payload holds anything that the step leaves out.
func (p *devicePayload) has(what omission) bool {
	switch what {
	case omitPredictedSpace:
		return p.view.hasPredictedSpace() || p.view.Measures.hasSpaces()
	case omitTimes:
		return coarseStep(p.view.SpanMicros) > 1
	case omitInnerFrames:
		return p.snapshot.Stacks.Len() > 1
	case omitFreeStacks:
		for i := range p.device.Allocations {
			if p.device.Allocations[i].FreeStack != 0 {
				return true
			}
		}
		return false
	}
	// Where tensors have places, their addresses take no room worth the name.
	return p.len() > 0 && p.view.Space == nil
}

// omit takes a step; stacks is the table of the file when that changes.
func (p *devicePayload) omit(what omission, stacks *stackTable) {
	if what < omissionCount {
		p.omitted[what] = true
	}
	if stacks != nil {
		p.stacks = stacks
	}
	omitFrom(p.view, what)
}

// has reports whether there is anything to leave out.
func (f *filePayload) has(what omission) bool {
	if what == omitPredictedSpace {
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
func (f *filePayload) predictedBytes() (bytes int) {
	for _, e := range append(slices.Clone(f.predictedElements), f.measureElements...) {
		bytes += e.packedBytes()
	}
	return bytes
}

// omitFrom says in the view what a step leaves out.
func omitFrom(view *Device, what omission) {
	switch what {
	case omitPredictedSpace:
		if view.Predicted != nil {
			view.Predicted.Space = nil
		}
		view.Measures.dropSpaces()
	case omitAddresses, omitEveryAddress:
		view.HasAddr, view.WideAddr, view.BaseAddr = false, false, units.Address(0)
	case omitTimes:
		view.TimeStepMicros = coarseStep(view.SpanMicros)
	case omitEveryTime:
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

func (o Omission) keys() []string {
	return answer.RedactedKeys(snapshot.Redaction{Addresses: o.Addresses, Times: o.Times})
}

// omit packs again what is another after something was left out. The steps
// before it have been taken.
func (f *filePayload) omit(what omission) {
	var stacks *stackTable
	number := chunkStacks
	switch what {
	case omitAddresses, omitEveryAddress:
		number = chunkAddresses
	case omitTimes, omitEveryTime:
		number = chunkTimes
	case omitInnerFrames:
		stacks = userStacks(f.in, true)
	case omitFreeStacks:
		stacks = userStacks(f.in, false)
	}
	f.encodeSaved()
	if what == omitPredictedSpace {
		for i, p := range f.devices {
			p.omit(what, nil)
			f.predictedElements[i] = element{}
		}
		f.measureElements = nil
		return
	}
	switch {
	case f.rest != nil, stacks != nil && f.snapshot != nil:
		f.dropSnapshot()
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
	if what == omitEveryTime {
		f.encodeLanes()
	}
}
