package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
)

// Options configure the device and the initial state with which a stream is served.
type Options struct {
	// Limit is the memory available to PyTorch in bytes; 0 means no limit.
	Limit int64
	// DeviceMemory is the device's memory in bytes, which determines how many addresses
	// expandable segments reserve; 0: more than the stream needs.
	DeviceMemory int64
	// Anew allocates the pre-existing allocations again, in address order, with nothing
	// cached. Otherwise the run starts from the recorded segments. An edited stream is
	// always served anew.
	Anew      bool
	Placement Placement

	Times     int  // how many times the ops are served in a row; 0 means 1
	KeepCache bool // calls of empty_cache are left out
	Strict    bool // stop at the first request that fails

	// Traced fills Served.Curve and Served.Layout.
	Traced bool
	// Driver provides the memory; nil: a simulated device of Limit bytes.
	Driver allocator.Driver
	// Record, if it is not nil, is called with every event of the allocator and the
	// index of its op, -1 for the initial state.
	Record func(op int, e allocator.Event)
}

// Served is the result of serving a stream.
type Served struct {
	Settings allocator.Settings
	Options  Options

	ReservedPeak int64 // bytes
	PeakEvent    replay.EventIndex

	// Fragmentation is the most bytes that lay in free blocks too small for a typical
	// large request and could not be returned to the driver. It is measured before
	// driver calls and at the end.
	Fragmentation int64

	Calls   Calls // of the driver, without those for pre-existing allocations
	Retries int   // requests that released all cached memory and asked the driver again

	// Failures are the first maxFailures requests that fail; FailedOf counts all of
	// them. Avoided counts requests that failed in the recording and are served here.
	Failures []FailedRequest
	FailedOf int
	Avoided  int
	// TooMuch: the pre-existing allocations alone do not fit. TooMuchBytes is the first
	// of their requests that fails, after rounding.
	TooMuch      bool
	TooMuchBytes int64

	Curve  []CurvePoint // with Options.Traced, by state
	Layout *Layout      // also with Options.Traced

	Segments []allocator.Segment // at the end, with Options.Record
}

// Fails reports whether any request fails or the pre-existing allocations do not fit.
func (p *Served) Fails() bool { return p.FailedOf > 0 || p.TooMuch }

// Fit is whether a run fits a limit, given the error of its prediction.
type Fit uint8

const (
	FitNotKnown Fit = iota
	DoesNotFit      // a request fails, even at the lower bound of the prediction
	MayFit          // requests may fail within the error of the prediction
	Fits            // no request fails, even at the upper bound of the prediction
)

// String returns "fits", "may fit", "does not fit", or "" if unknown.
func (f Fit) String() string {
	return [...]string{FitNotKnown: "", DoesNotFit: "does not fit", MayFit: "may fit", Fits: "fits"}[f]
}

// FailedRequest is a request that fails.
type FailedRequest struct {
	Event    replay.EventIndex // its alloc or oom event
	Bytes    int64             // after rounding
	Recorded bool              // it failed in the recording as well
}

// CurvePoint is the reserved memory from a state until the next entry of the curve.
type CurvePoint struct {
	State int
	Bytes int64
}
