package analysis

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Origin describes a snapshot that does not come from a file of PyTorch, but from a report or
// a prediction. The zero value is a snapshot as it was recorded.
type Origin struct {
	Predicted *Predicted // nil: the run was recorded
	// AddressesLost: the snapshot comes from a report that left addresses out. Each
	// allocation that was freed in the recording has a unique made-up address. Segments,
	// blocks and the numbers of replay are as recorded.
	AddressesLost bool
	// Misplaced is what replay counted, by device, before addresses were lost.
	Misplaced map[snapshot.DeviceID]Misplaced
	// Decisions are the families that a user's own rules decided; nil without any.
	Decisions *families.Decisions
}

// Predicted describes the simulated run that a snapshot comes from. Its events are those that
// PyTorch's allocator is predicted to record.
type Predicted struct {
	X int64 `json:"x"` // the size that it is predicted at, such as a batch or the length of sequences
	// Base is the size of the recording that order, lifetimes, stacks and times are taken from.
	Base int64 `json:"base"`
	// NextStep: that recording is of a first step. It is followed by the step after it, in
	// which the gradients of the first live until the backward pass.
	NextStep bool `json:"next_step"`
}

// Misplaced counts allocations that cannot lie where the file has them.
type Misplaced struct {
	OutsideSegments   int // in no memory that the allocator held
	OverlappingRanges int // reaching into another one that was live
}

// Correct gives a replayed device the counts from before its addresses were lost.
func (o *Origin) Correct(d *replay.Device) {
	if o.AddressesLost {
		d.Anomalies[replay.OutsideSegments] = o.Misplaced[d.ID].OutsideSegments
		d.Anomalies[replay.OverlappingRanges] = o.Misplaced[d.ID].OverlappingRanges
	}
}
