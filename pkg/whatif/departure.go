package whatif

import (
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Departure is where the model first does something else than was recorded.
type Departure struct {
	Event    replay.EventIndex // None: before the first event, or after the last
	Cause    Cause
	Recorded Call // the zero Call where the recording, or the model, has none
	Model    Call
	Why      Reason
}

// Cause is what differs.
type Cause uint8

const (
	CauseNoRequest  Cause = iota // the recording has no request that was served
	CauseStart                   // the state before the recording cannot be rebuilt
	CauseAddress                 // a request gets another address
	CauseRefused                 // a request fails that was served
	CauseServed                  // a request is served that failed
	CauseNoCall                  // the allocator calls the driver where nothing was recorded
	CauseMissing                 // a driver call was recorded that the allocator does not make
	CauseOtherCall               // both call the driver, for other things
	CauseUnknown                 // a free of what the allocator does not hold
	CauseImpossible              // a range was recorded where another one is, or where none can be
	CauseEnd                     // what is held in the end is not what the final segments say
)

var causeKeys = [...]string{
	CauseNoRequest: "nothing", CauseStart: "start", CauseAddress: "address", CauseRefused: "refused",
	CauseServed: "served",
	CauseNoCall: "no_call", CauseMissing: "missing_call", CauseOtherCall: "other_call", CauseUnknown: "unknown_block",
	CauseImpossible: "impossible", CauseEnd: "end",
}

// Key names the cause in files: "no_call".
func (c Cause) Key() string { return causeKeys[c] }

func (c Cause) String() string { return c.Key() }

// Call is a call of the driver, or the address that a request got.
type Call struct {
	Action snapshot.Action
	Addr   uint64
	Size   int64 // bytes
}

// Reason is the likeliest reason for a departure, by what the file shows.
type Reason uint8

const (
	ReasonUnknown  Reason = iota // nothing in the file explains it
	ReasonForeign                // addresses or sizes that PyTorch's native allocator does not hand out
	ReasonMissing                // events are missing: the rules of replay cannot explain all there are
	ReasonGarbage                // garbage is collected at a fraction that no file records
	ReasonPools                  // private pools, which events do not name
	ReasonChanged                // segments were made in another way than the settings say: those are of the end
	ReasonSettings               // the file does not say the settings
)

var reasonKeys = [...]string{
	ReasonUnknown: "unknown", ReasonForeign: "other_allocator", ReasonMissing: "events_missing",
	ReasonGarbage: "garbage_collection",
	ReasonPools:   "private_pools", ReasonChanged: "settings_changed", ReasonSettings: "settings_unknown",
}

// Key names the reason in files: "private_pools".
func (r Reason) Key() string { return reasonKeys[r] }

func (r Reason) String() string { return r.Key() }

// why is the likeliest reason for a departure.
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
	case len(run.r.Snapshot.Pools) > 1 && device.Events.Pool == nil:
		return ReasonPools
	case run.contradicted():
		return ReasonChanged
	case !run.settings.Known:
		return ReasonSettings
	}
	return ReasonUnknown
}

// unexplained reports whether there are events, or blocks at the end, that other
// events would have to explain. Sizes that disagree are not of that kind.
func unexplained(a replay.Anomalies) bool {
	a[replay.UnequalEnd], a[replay.ChangedBlocks] = 0, 0
	a[replay.ActiveAboveReserved], a[replay.UnevenSegments] = 0, 0
	return a.Total() > 0
}

// foreign reports whether blocks are where PyTorch's allocator puts none.
func (run *Run) foreign() bool {
	d := run.r.Device
	if run.settings.RoundUpPower2Divisions[0] == 1 {
		return false // once that meant no rounding at all
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

// blockUnit is what sizes and addresses of blocks are multiples of, in bytes.
const blockUnit = 512

// contradicted reports whether segments were made in another way than the
// settings say.
func (run *Run) contradicted() bool {
	for _, action := range run.r.Device.Events.Action {
		if action == snapshot.SegmentAlloc && run.settings.Expandable || action == snapshot.SegmentMap &&
			!run.settings.Expandable {
			return true
		}
	}
	return false
}
