package oom

import (
	"github.com/memviz-go/memviz/pkg/analysis/layout"
)

// Verdict is why a request failed.
type Verdict uint8

const (
	Pressure   Verdict = iota // nearly everything was in use, or too little was free in any shape
	Fragmented                // enough was free where the request may be served, but in pieces too small
	Other                     // enough was free, but on another stream or in another pool
	Outside                   // much of the device was used outside of PyTorch's allocator
	Limit                     // the device had room: a limit of the process, or a failed mapping, refused
)

var verdictKeys = [...]string{
	Pressure: "pressure", Fragmented: "fragmented", Other: "other", Outside: "outside", Limit: "limit",
}

// Key names the verdict in files: "pressure".
func (v Verdict) Key() string { return verdictKeys[v] }

const (
	// limitSlack is how much more than the new segment must be free on the device to rule
	// out memory as the reason, if no setting explains a refusal.
	limitSlack = 64 << 20
	// minOutside, and minOutsidePercent of the capacity, are more than a CUDA
	// context takes.
	minOutside        = 1 << 30
	minOutsidePercent = 10
	// inUsePercent of reserved memory in use is full. The pieces left even then nearly
	// always add up to one more request, so enough free memory in pieces does not prove
	// fragmentation.
	inUsePercent = 90
)

// decide finds the verdict; the first that applies wins.
func (o *Failure) decide() {
	within := o.FreeSame + o.DeviceFree
	// Free memory of the device is in one piece, so only the cache can be in pieces.
	onePiece := o.DeviceFree >= o.Needed
	inUse := 100*o.Active >= inUsePercent*o.Reserved
	switch {
	case o.room() || onePiece && !inUse:
		o.Verdict = Limit
	case o.Outside() >= max(o.Capacity/100*minOutsidePercent, minOutside) && (within < o.Requested || inUse):
		o.Verdict = Outside
	case within < o.Requested && o.Requested <= within+o.FreeOther:
		o.Verdict = Other
	case within >= o.Requested && !inUse:
		o.Verdict = Fragmented
	default:
		o.Verdict = Pressure
		o.LastPieces = within >= o.Requested && !onePiece
	}
}

// WouldFit is whether the request would have fitted under other circumstances, by
// arithmetic on the moment of the failure.
type WouldFit struct {
	// Missing is how many bytes more would have to be free; 0 if enough was free in
	// pieces. A call site that holds as much is worth examining.
	Missing int64
	// Never means that live blocks and the request are more than PyTorch could use, so
	// that no setting of the allocator could have avoided this failure.
	Never bool
	// WithExpandable means that with expandable segments the free whole pages, moved
	// to where the request needs them, would have been enough.
	WithExpandable bool
	// OtherPool is the index in Failure.Pools of a stream or pool that had a single
	// free piece large enough, or -1.
	OtherPool int
	// MaxSplit is a max_split_size, in bytes, that would have kept a segment from being
	// split, so that the request would have fitted; 0 if there is no such segment, or
	// segments are expandable and need no such setting.
	MaxSplit int64
}

func (o *Failure) wouldFit(l *layout.Map, settings *layout.Settings) WouldFit {
	w := WouldFit{
		Missing:   max(o.Requested-o.DeviceFree-o.FreeSame, 0),
		Never:     o.Active+o.Requested > o.Visible(),
		OtherPool: -1,
	}
	for i := range o.Pools {
		p := &o.Pools[i]
		if !p.Serves && p.SizeClass == o.sizeClass && p.Largest >= o.Requested && w.OtherPool < 0 {
			w.OtherPool = i
		}
	}
	if !settings.Expandable && !settings.ExpandableIgnored {
		w.WithExpandable = o.DeviceFree+o.wholePages(l, settings.PageSize(o.sizeClass)) >= o.Requested
		w.MaxSplit = o.maxSplit(l)
	}
	return w
}

// wholePages returns the bytes of free whole pages where the request may be served, for a
// page size in bytes.
func (o *Failure) wholePages(l *layout.Map, page int64) (bytes int64) {
	for i := range l.Segments {
		seg := &l.Segments[i]
		if !o.servedBy(seg) {
			continue
		}
		for _, x := range l.ExtentsOf(seg) {
			if x.Allocation == layout.NoAllocation {
				bytes += x.Size / page * page
			}
		}
	}
	return bytes
}

// maxSplit returns the smallest max_split_size that would have kept the live blocks out
// of a segment into which the request fits; 0 if there is none.
func (o *Failure) maxSplit(l *layout.Map) (limit int64) {
	for i := range l.Segments {
		seg := &l.Segments[i]
		if !o.servedBy(seg) || seg.Expandable || seg.Size < o.Requested || seg.ActiveBytes == 0 {
			continue
		}
		least := int64(minMaxSplit)
		for _, x := range l.ExtentsOf(seg) {
			if x.Allocation != layout.NoAllocation {
				least = max(least, (x.Size>>20+1)<<20)
			}
		}
		if least <= o.Requested && (limit == 0 || least < limit) {
			limit = least
		}
	}
	return limit
}

// minMaxSplit is the smallest max_split_size that every torch version accepts.
const minMaxSplit = 21 << 20

// servedBy reports whether the request may be served from a segment.
func (o *Failure) servedBy(seg *layout.Segment) bool {
	return seg.Stream == o.Stream && seg.Pool == o.pool && seg.SizeClass == o.sizeClass
}

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
	// which refused memory that the device had.
	AdviseFraction
	// AdviseStream is to allocate on one stream: the memory was free on another, or
	// in another pool.
	AdviseStream
	// AdviseOutside is to look at the Advice.Bytes used outside of PyTorch's
	// allocator.
	AdviseOutside
	// AdviseLess is to have at least Advice.Bytes less memory live at a time: no
	// setting of the allocator would have avoided the failure.
	AdviseLess
	// AdviseThresholdIdle means that garbage_collection_threshold is set, but does
	// nothing before set_per_process_memory_fraction is called.
	AdviseThresholdIdle
)

var adviceKeys = [...]string{
	AdviseExpandable: "expandable_segments", AdviseMaxSplit: "max_split_size", AdviseLessRounding: "less_rounding",
	AdviseFraction: "memory_fraction", AdviseStream: "stream", AdviseOutside: "outside", AdviseLess: "less_live",
	AdviseThresholdIdle: "threshold_idle",
}

// Key names the kind in files: "expandable_segments".
func (k AdviceKind) Key() string { return adviceKeys[k] }

// Advice is one thing to change, the most promising first in a list.
type Advice struct {
	Kind  AdviceKind
	Bytes int64 // see the kinds; 0 where they have none
	// Refusal lists the settings that may be the limit; set only for AdviseFraction.
	Refusal Refusal
	// Fits means that it would have been enough, by the numbers of this failure.
	// Otherwise it is only the right kind of change.
	Fits bool
}

// Advise returns what to change about a failed request.
func (o *Failure) Advise(settings *layout.Settings) []Advice {
	var list []Advice
	add := func(kind AdviceKind, bytes int64, fits bool) {
		list = append(list, Advice{Kind: kind, Bytes: bytes, Fits: fits})
	}
	switch o.Verdict {
	case Limit:
		return []Advice{{Kind: AdviseFraction, Fits: o.DeviceFree >= o.Needed, Refusal: o.Refusal}}
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

// AdviseOn returns what to change about fragmentation and idle memory in a state in which
// nothing failed.
func AdviseOn(f *layout.Fragmentation, settings *layout.Settings) []Advice {
	var list []Advice
	if (f.Matters() || f.MostlyIdle()) && !settings.Expandable && !settings.ExpandableIgnored {
		list = append(list, Advice{Kind: AdviseExpandable})
	}
	if settings.Rounds() && worthwhile(f.Rounding, f.Reserved) {
		list = append(list, Advice{Kind: AdviseLessRounding, Bytes: f.Rounding})
	}
	if settings.GCThreshold > 0 && settings.MemoryFraction == 0 {
		list = append(list, Advice{Kind: AdviseThresholdIdle})
	}
	return list
}

// worthwhile reports whether some bytes are at least 5 % of others.
func worthwhile(bytes, of int64) bool { return bytes > 0 && bytes >= of/20 }
