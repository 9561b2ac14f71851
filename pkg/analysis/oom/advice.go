package oom

import (
	"github.com/memviz-go/memviz/pkg/analysis/layout"
)

// AdviceKind is something to change about a failed request or fragmentation. Not
// all kinds are settings of the allocator.
type AdviceKind uint8

const (
	// AdviseExpandable is expandable_segments:True, which moves free whole pages to
	// where they are needed, but neither smaller pieces nor live memory.
	AdviseExpandable AdviceKind = iota
	// AdviseMaxSplit is max_split_size_mb of Advice.Bytes, which keeps large blocks
	// whole for large requests, and can raise the peak where large sizes vary.
	AdviseMaxSplit
	// AdviseLessRounding is a smaller roundup_power2_divisions, or none: rounding
	// costs Advice.Bytes.
	AdviseLessRounding
	// AdviseFraction is to look for a limit such as set_per_process_memory_fraction,
	// which refused what the device had.
	AdviseFraction
	// AdviseStream is to allocate on one stream: the memory was free on another, or
	// in another pool.
	AdviseStream
	// AdviseOutside is to look at the Advice.Bytes used outside of PyTorch's
	// allocator.
	AdviseOutside
	// AdviseLess is to have less memory live at a time, by Advice.Bytes at least: no
	// setting of the allocator would have avoided the failure.
	AdviseLess
	// AdviseThresholdIdle says that garbage_collection_threshold is set, but does
	// nothing before set_per_process_memory_fraction is called.
	AdviseThresholdIdle
	// AdviseThreshold is garbage_collection_threshold together with a memory
	// fraction: up to Advice.Bytes of idle segments would go back to the driver
	// before new memory is requested.
	AdviseThreshold
)

var adviceKeys = [...]string{
	AdviseExpandable: "expandable_segments", AdviseMaxSplit: "max_split_size", AdviseLessRounding: "less_rounding",
	AdviseFraction: "memory_fraction", AdviseStream: "stream", AdviseOutside: "outside", AdviseLess: "less_live",
	AdviseThresholdIdle: "threshold_idle", AdviseThreshold: "garbage_collection_threshold",
}

// Key names the kind in files: "expandable_segments".
func (k AdviceKind) Key() string { return adviceKeys[k] }

// Advice is one thing to change, the most promising first in a list.
type Advice struct {
	Kind  AdviceKind
	Bytes int64 // see the kinds; 0 where they have none
	// Fits says that it would have been enough, by the numbers of this failure.
	// Otherwise it is only known to be of the right kind.
	Fits bool
}

// Advise says what to change about a failed request.
func (o *Failure) Advise(settings *layout.Settings) []Advice {
	var list []Advice
	add := func(kind AdviceKind, bytes int64, fits bool) { list = append(list, Advice{kind, bytes, fits}) }
	switch o.Verdict {
	case Limit:
		add(AdviseFraction, 0, o.DeviceFree >= o.Needed)
		return list
	case Outside:
		add(AdviseOutside, o.Outside(), o.Outside()+o.DeviceFree >= o.Needed)
	case Other:
		add(AdviseStream, o.FreeOther, o.WouldFit.OtherPool >= 0)
	}
	if waste := o.Fragmentation.Rounding; settings.Rounds() && waste >= o.WouldFit.Missing &&
		worthwhile(waste, o.Active) {
		add(AdviseLessRounding, waste, o.WouldFit.Missing > 0)
	}
	if o.WouldFit.Never {
		add(AdviseLess, o.Active+o.Requested-o.Visible(), false)
		return list
	}
	if o.WouldFit.WithExpandable {
		add(AdviseExpandable, 0, true)
	}
	if (o.Verdict == Fragmented || o.InPieces()) && settings.MaxSplitSize <= 0 && o.WouldFit.MaxSplit > 0 {
		add(AdviseMaxSplit, o.WouldFit.MaxSplit, false)
	}
	return list
}

// AdviseOn says what to change about fragmentation and idle memory in a state in
// which nothing failed.
func AdviseOn(f *layout.Fragmentation, settings *layout.Settings) []Advice {
	var list []Advice
	if (f.Matters() || f.MostlyIdle()) && !settings.Expandable {
		list = append(list, Advice{Kind: AdviseExpandable})
	}
	if settings.Rounds() && worthwhile(f.Rounding, f.Reserved) {
		list = append(list, Advice{Kind: AdviseLessRounding, Bytes: f.Rounding})
	}
	switch {
	case settings.GCThreshold > 0:
		list = append(list, Advice{Kind: AdviseThresholdIdle})
	case !settings.Expandable && f.Measurable() && worthwhile(f.Returnable, f.Reserved):
		list = append(list, Advice{Kind: AdviseThreshold, Bytes: f.Returnable})
	}
	return list
}

// worthwhile reports whether some bytes are at least 5 % of others.
func worthwhile(bytes, of int64) bool { return bytes > 0 && bytes >= of/20 }
