package whatif

import (
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Departure is the first point at which the model departs from the recording.
type Departure struct {
	Event    replay.EventIndex // None: before the first event, or after the last
	Cause    Cause
	Recorded Call // the zero Call if the recording, or the model, has no call there
	Model    Call
	Why      Reason
}

// Cause is the kind of a departure.
type Cause uint8

const (
	CauseNoRequest  Cause = iota // the recording has no served request, so nothing can be compared
	CauseStart                   // the state before the first event cannot be rebuilt
	CauseAddress                 // a request gets another address
	CauseRefused                 // a request fails that was served in the recording
	CauseServed                  // a request is served that failed in the recording
	CauseNoCall                  // the model calls the driver where no call was recorded
	CauseMissing                 // a driver call was recorded that the model does not make
	CauseOtherCall               // the model's driver call differs from the recorded one
	CauseUnknown                 // a free of a block that the model does not hold
	CauseImpossible              // a recorded range overlaps another one or lies outside the address space
	CauseEnd                     // the model's blocks at the end differ from the final segments
)

var causeKeys = [...]string{
	CauseNoRequest: "nothing", CauseStart: "start", CauseAddress: "address", CauseRefused: "refused",
	CauseServed: "served",
	CauseNoCall: "no_call", CauseMissing: "missing_call", CauseOtherCall: "other_call", CauseUnknown: "unknown_block",
	CauseImpossible: "impossible", CauseEnd: "end",
}

// Key names the cause in files: "no_call".
func (c Cause) Key() string { return causeKeys[c] }

// Call is a driver call, or a request with the address that it got.
type Call struct {
	Action snapshot.Action
	Addr   uint64
	Size   int64 // bytes
}

// Reason is the most likely reason for a departure.
type Reason uint8

const (
	ReasonUnknown  Reason = iota // nothing in the file explains it
	ReasonForeign                // addresses or sizes that PyTorch's native allocator does not hand out
	ReasonMissing                // events are missing: replay counts anomalies
	ReasonGarbage                // garbage collection depends on a memory fraction that files do not record
	ReasonPools                  // private pools, which the events do not name
	ReasonChanged                // the settings, recorded at the end, do not fit the recorded segments
	ReasonSettings               // the file does not hold the settings
	ReasonUnsplit                // in a private pool, whose blocks may be unsplittable, which no file records
)

var reasonKeys = [...]string{
	ReasonUnknown: "unknown", ReasonForeign: "other_allocator", ReasonMissing: "events_missing",
	ReasonGarbage: "garbage_collection",
	ReasonPools:   "private_pools", ReasonChanged: "settings_changed", ReasonSettings: "settings_unknown",
	ReasonUnsplit: "unsplit_pool",
}

// Key names the reason in files: "private_pools".
func (r Reason) Key() string { return reasonKeys[r] }

// why finds the most likely reason for a departure.
func (run *Run) why(d *Departure) Reason {
	device := run.r.Device
	release := d.Recorded.Action == snapshot.SegmentFree || d.Model.Action == snapshot.SegmentFree
	switch {
	case d.Cause == CauseNoRequest:
		return ReasonUnknown
	case run.foreign():
		return ReasonForeign
	case unexplained(device.Anomalies) || run.start.anomalies != (layout.Anomalies{}):
		return ReasonMissing
	case run.settings.GCThreshold > 0 && release:
		return ReasonGarbage
	case countPools(run.r.Snapshot) > 1 && device.Events.Pool == nil:
		return ReasonPools
	case run.contradicted():
		return ReasonChanged
	case !run.settings.Known:
		return ReasonSettings
	case d.Event != replay.None && device.Events.Pool != nil && device.Events.Pool[d.Event] != 0:
		return ReasonUnsplit
	}
	return ReasonUnknown
}

// unexplained reports whether replay counted anomalies that missing events would explain.
// Differences between sizes and events of an unknown action are not such anomalies.
func unexplained(a replay.Anomalies) bool {
	a[replay.UnequalEnd], a[replay.ChangedBlocks] = 0, 0
	a[replay.ActiveAboveReserved], a[replay.UnevenSegments], a[replay.UnknownActions] = 0, 0, 0
	return a.Total() > 0
}

// foreign reports whether any block has an address or a size that PyTorch's allocator
// never hands out.
func (run *Run) foreign() bool {
	d := run.r.Device
	if run.settings.RoundUpPower2Divisions[0] == 1 {
		return false // up to torch 2.3, one division meant no rounding at all
	}
	for i := range d.Allocations {
		if d.Allocations[i].Addr%blockUnit != 0 {
			return true
		}
	}
	for _, b := range run.r.Snapshot.LiveBlocks(d.ID) {
		if b.Size%blockUnit != 0 {
			return true
		}
	}
	return false
}

// blockUnit: addresses and sizes of blocks are multiples of it, in bytes.
const blockUnit = 512

// contradicted reports whether the recorded segments are impossible under the recorded
// expandable_segments.
func (run *Run) contradicted() bool {
	for _, action := range run.r.Device.Events.Action {
		if action == snapshot.SegmentAlloc && run.settings.Expandable || action == snapshot.SegmentMap &&
			!run.settings.Expandable {
			return true
		}
	}
	return false
}
