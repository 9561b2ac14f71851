// Package oom answers why requests failed, and what to change.
package oom

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
)

func (d *Device) addMeasures(r *analysis.Recording, best *whatif.BestMeasures) {
	if best == nil {
		return
	}
	for i := range best.Lines {
		line := &best.Lines[i]
		o := whatif.NewMeasureOutcome(r, best.Measured, line.Outcome)
		if line.Together {
			d.Together = &o
		} else {
			d.Measures = append(d.Measures, o)
		}
	}
}

// Device are the requests of a device that failed.
type Device struct {
	answer.Subject
	CapacityBytes      int64 `json:"capacity_bytes"`       // as given; 0: not given
	CapacityLeastBytes int64 `json:"capacity_least_bytes"` // what the recording proves that the device has
	// the smallest usual card with as much; a guess, which supports no verdict
	CardGuessBytes int64     `json:"card_guess_bytes"`
	OOMs           []Failure `json:"ooms"` // in order; several attempts of one request are one
	// requests that were served only after the cache was given back, in order
	Retries []Retry `json:"retries"`

	// changes of the training that lower the peak most, at most three; none without a proof of the
	// model
	Measures []whatif.MeasureOutcome `json:"best_measures"`
	// the cheapest of their combinations under which no request fails; null if there is none
	Together *whatif.MeasureOutcome `json:"measures_together" jsonschema:"nullable"`
}

// Failure is one request that failed, and the allocator when it did.
type Failure struct {
	State                 int   `json:"state"`
	Attempts              int   `json:"attempts"`
	RequestedBytes        int64 `json:"requested_bytes"`
	NeededBytes           int64 `json:"needed_bytes"` // of a new segment for it
	DeviceFreeBytes       int64 `json:"device_free_bytes"`
	ActiveBytes           int64 `json:"active_bytes"`         // in live blocks, rounded
	LiveRequestedBytes    int64 `json:"live_requested_bytes"` // what was asked for, of active_bytes
	ReservedBytes         int64 `json:"reserved_bytes"`
	PendingBytes          int64 `json:"pending_bytes"`            // given up, and waiting for another stream
	FreeBytes             int64 `json:"free_bytes"`               // cached where the request may be served
	LargestFreeBlockBytes int64 `json:"largest_free_block_bytes"` // of those
	FreeOtherBytes        int64 `json:"free_other_bytes"`         // cached on other streams or in other pools
	// used outside PyTorch's allocator, as far as the capacity is known
	OutsideBytes int64 `json:"outside_bytes"`
	// pressure, fragmented, other, outside or limit
	Verdict  string `json:"verdict"`
	Evidence string `json:"evidence"` // a sentence
	// RefusedBy is the option in the file that most likely refused the request, where the verdict is limit.
	RefusedBy           string     `json:"refused_by,omitempty"`
	Site                string     `json:"site"` // file:line:function that asked
	Stack               []string   `json:"stack"`
	EarlierRequests     int        `json:"earlier_requests"`      // with the same stack, which were served
	LargestEarlierBytes int64      `json:"largest_earlier_bytes"` // the largest of those, rounded
	Holders             []top.Row  `json:"holders"`               // who held what, the most bytes first
	Pools               []PoolFree `json:"pools"`
	Advice              []Advice   `json:"advice"`
	// the file was written after the error unwound: its end is no picture of the failure
	Unwound bool `json:"unwound"`
	WentOn  bool `json:"went_on"` // the program survived it
}

// PoolFree is the cached memory of one stream and size class of a pool.
type PoolFree struct {
	Stream           uint64 `json:"stream"` // handle; 0: the default stream
	Pool             string `json:"pool"`   // "default", or the two ids of a private pool
	SizeClass        string `json:"size_class"`
	Serves           bool   `json:"serves"` // the failed request
	Segments         int    `json:"segments"`
	ReservedBytes    int64  `json:"reserved_bytes"`
	ActiveBytes      int64  `json:"active_bytes"`
	FreeBytes        int64  `json:"free_bytes"`
	LargestFreeBytes int64  `json:"largest_free_bytes"`
}

// Options are the options of OOM.
type Options struct {
	Capacity int64 // of the device in bytes; 0: not known
	Rows     int   // shown of each table in text; JSON has all
}

// Answer answers why requests failed.
func Answer(in []answer.Input, o Options) (*sheet.Sheet, error) {
	const why = "Whether a request for it failed is not known: torch records none that fails."
	return answer.PerGPU("oom", why, in, func(s *sheet.Sheet, in *answer.Input, r *analysis.Recording) (Device, error) {
		f, ooms := NewContext(in, r, o.Capacity), r.OOMs(o.Capacity)
		device := Device{
			Subject: answer.NewSubject(in, r.Device), CapacityBytes: f.capacity.Given,
			CapacityLeastBytes: f.capacity.AtLeast, CardGuessBytes: f.capacity.CardBytes,
			OOMs: make([]Failure, len(ooms)), Retries: Retries(r), Measures: []whatif.MeasureOutcome{},
		}
		var predicted *whatif.Prediction
		var best *whatif.BestMeasures
		if len(ooms) > 0 {
			predicted, best = whatif.PredictAll(r)
		}
		for i := range ooms {
			device.OOMs[i] = f.outOfMemory(&ooms[i], predicted)
		}
		device.addMeasures(r, best)
		write(s, f, ooms, device.OOMs, best, o.Rows)
		return device, nil
	})
}

// Context is what sentences about the failed requests of a device need.
type Context struct {
	in       *answer.Input
	r        *analysis.Recording
	capacity oom.Capacity
}

func NewContext(in *answer.Input, r *analysis.Recording, capacity int64) *Context {
	return &Context{in, r, oom.CapacityOf(r.Device, capacity)}
}

func (f *Context) outOfMemory(o *oom.Failure, p *whatif.Prediction) Failure {
	view := Failure{
		State: o.State(), Attempts: o.Attempts, RequestedBytes: o.Requested, NeededBytes: o.Needed,
		DeviceFreeBytes: o.DeviceFree, ActiveBytes: o.Active, LiveRequestedBytes: o.InUse,
		ReservedBytes: o.Reserved, PendingBytes: o.Pending, FreeBytes: o.FreeSame,
		LargestFreeBlockBytes: o.LargestSame, FreeOtherBytes: o.FreeOther, OutsideBytes: o.Outside(),
		Verdict: o.Verdict.Key(), RefusedBy: refusedBy(o), Evidence: f.Sentence(o).String(),
		Site: f.r.Stacks.Site(o.Stack).String(),
		Stack: phrase.StackLines(f.r.Snapshot,
			o.Stack), EarlierRequests: o.Before, LargestEarlierBytes: o.LargestBefore,
		Holders: top.Rows(f.r, f.holders(o)),
		Pools:   make([]PoolFree, len(o.Pools)), Advice: f.Advice(o, p),
		Unwound: o.After.Unwound, WentOn: o.After.WentOn,
	}
	for i := range o.Pools {
		p := &o.Pools[i]
		view.Pools[i] = PoolFree{
			Stream: f.r.Snapshot.Streams[p.Stream], Pool: poolName(f.r.Snapshot, p.Pool),
			SizeClass: sizeClassName(p.SizeClass), Serves: p.Serves, Segments: p.Segments,
			ReservedBytes: p.Reserved, ActiveBytes: p.Active, FreeBytes: p.Free, LargestFreeBytes: p.Largest,
		}
	}
	return view
}

// holders says what held memory at the failure.
func (f *Context) holders(o *oom.Failure) *holders.Holding {
	return f.r.Holders(o.State(), holders.Grouping{By: holders.BySite})
}
