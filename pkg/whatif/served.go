package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
)

// Options say on what device a stream is served, from what state, and how.
type Options struct {
	// Limit is the memory available to PyTorch in bytes; 0 means no limit.
	Limit int64
	// DeviceMemory is what the device has, in bytes, by which expandable segments reserve
	// addresses; 0: more than the stream needs.
	DeviceMemory int64
	// Anew allocates the pre-existing allocations again, in address order, with nothing
	// cached. Otherwise the run starts from the recorded segments. A stream that is not
	// as recorded is always served anew.
	Anew      bool
	Placement Placement

	Times     int  // how often the ops are served, one time after another; 0 is 1
	KeepCache bool // calls of empty_cache are left out
	Strict    bool // stop at the first request that fails

	// Traced fills Served.Curve and Served.Layout.
	Traced bool
	// Driver gives the memory; nil: a simulated device of Limit bytes.
	Driver allocator.Driver
	// Record, if it is not nil, is called with every event of the allocator and the
	// index of its op, -1 for what is there before.
	Record func(op int, e allocator.Event)
}

// Served is what serving a stream does.
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
	Layout *Layout      // likewise

	Segments []allocator.Segment // at the end, with Options.Record
}

// Fails reports whether any request fails or the pre-existing allocations do not fit.
func (p *Served) Fails() bool { return p.FailedOf > 0 || p.TooMuch }

// Fit says whether a run fits a limit, where its prediction may be off.
type Fit uint8

const (
	FitNotKnown Fit = iota
	DoesNotFit      // a request fails, even if as little is reserved as can be
	MayFit          // no request fails if less is reserved than predicted, or as much; none is sure not to
	Fits            // no request fails, even if as much is reserved as can be
)

// String is "fits", "may fit", "does not fit", or "" where it is not known.
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
