package oom

import (
	"github.com/memviz-go/memviz/pkg/analysis/layout"
)

// Verdict is why a request failed.
type Verdict uint8

const (
	// OOMPressure: nearly everything was in use, or too little was left in any shape.
	Pressure Verdict = iota
	// OOMFragmented: enough was free where the request may be served, in pieces too small.
	Fragmented
	// OOMOther: enough was free, but on another stream or in another pool.
	Other
	// OOMOutside: much of the device was used outside of PyTorch's allocator.
	Outside
	// OOMLimit: the device had room, so a limit of the process or a failed mapping refused.
	Limit
)

var verdictKeys = [...]string{
	Pressure: "pressure", Fragmented: "fragmented", Other: "other", Outside: "outside", Limit: "limit",
}

// Key names the verdict in files: "pressure".
func (v Verdict) Key() string { return verdictKeys[v] }

func (v Verdict) String() string { return v.Key() }

const (
	// limitSlack is how much more than a segment must be free on the device for
	// memory not to be what was missing.
	limitSlack = 64 << 20
	// minOutside and minOutsidePercent of the capacity are more than a CUDA
	// context takes.
	minOutside        = 1 << 30
	minOutsidePercent = 10
	// inUsePercent of what is reserved is in use when memory is just full. Even then
	// the remainders nearly always add up to one more request, so the usual test
	// for fragmentation, enough free but not in one piece, proves nothing.
	inUsePercent = 90
)

// decide finds the verdict; the first that applies wins.
func (o *Failure) decide() {
	within := o.FreeSame + o.DeviceFree
	// What is free on the device is in one piece, so only the cache can be in pieces.
	inUse := 100*o.Active >= inUsePercent*o.Reserved
	switch {
	case o.DeviceFree >= o.Needed+limitSlack:
		o.Verdict = Limit
	case o.Outside() >= max(o.Capacity/100*minOutsidePercent, minOutside) && (within < o.Requested || inUse):
		o.Verdict = Outside
	case within < o.Requested && o.Requested <= within+o.FreeOther:
		o.Verdict = Other
	case within >= o.Requested && !inUse:
		o.Verdict = Fragmented
	default:
		o.Verdict = Pressure
		o.LastPieces = within >= o.Requested
	}
}

// WouldFit is what can be said of the request under other circumstances, by
// arithmetic on the moment of the failure.
type WouldFit struct {
	// Missing is how many bytes would have to be free besides, in one piece with
	// the device's: a site that holds as much is worth a look. It is 0 if enough
	// was free in pieces.
	Missing int64
	// Never: live blocks and the request are more than PyTorch could see, so no
	// setting of the allocator could have avoided this failure.
	Never bool
	// WithExpandable: with expandable segments the whole pages that are free could
	// have moved to where the request needs them. ExpandableBytes is what they and
	// the device's free memory are.
	WithExpandable  bool
	ExpandableBytes int64
	// OnStream: a single free piece of another stream or pool was large enough.
	// OtherPool is its index in OOM.Pools, or -1.
	OnStream  bool
	OtherPool int
	// MaxSplit: with max_split_size at so many bytes, what chopped up a segment
	// large enough for the request would have had to go elsewhere. 0 if there is no
	// such segment, or expandable segments have no need of it.
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
		if !p.Serves && p.SizeClass == o.SizeClass && p.Largest >= o.Requested && w.OtherPool < 0 {
			w.OnStream, w.OtherPool = true, i
		}
	}
	if !settings.Expandable {
		w.ExpandableBytes = o.DeviceFree + o.wholePages(l)
		w.WithExpandable = w.ExpandableBytes >= o.Requested
		w.MaxSplit = o.maxSplit(l)
	}
	return w
}

// wholePages are the bytes of whole pages that lie free where the request may
// be served.
func (o *Failure) wholePages(l *layout.Map) (bytes int64) {
	page := layout.PageSize(o.SizeClass)
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

// maxSplit is the smallest max_split_size that keeps the live blocks of some
// segment, which the request would fit into, out of it; 0 if there is none.
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

// minMaxSplit is the least that every torch version takes for max_split_size.
const minMaxSplit = 21 << 20

// servedBy reports whether the request may be served from a segment.
func (o *Failure) servedBy(seg *layout.Segment) bool {
	return seg.Stream == o.Stream && seg.Pool == o.Pool && seg.SizeClass == o.SizeClass
}
