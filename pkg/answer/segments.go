package answer

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// SegmentsDevice is the memory map of one device in one state. Its bytes are
// sums over its segments.
type SegmentsDevice struct {
	Subject
	State                 int       `json:"state"`
	ReservedBytes         int64     `json:"reserved_bytes"`
	ActiveBytes           int64     `json:"active_bytes"` // live blocks, pending ones included, as the allocator rounds them
	PendingBytes          int64     `json:"pending_bytes"`
	RequestedBytes        int64     `json:"requested_bytes"` // asked for, of active_bytes
	FreeBytes             int64     `json:"free_bytes"`      // in holes: stuck_bytes and returnable_bytes
	StuckBytes            int64     `json:"stuck_bytes"`
	ReturnableBytes       int64     `json:"returnable_bytes"` // what emptying the cache would give back; of private pools, once nothing uses them
	LargestFreeBlockBytes int64     `json:"largest_free_block_bytes"`
	Segments              []Segment `json:"segments"` // by address
	// sums over the segments that live blocks hold at most a tenth of.
	NearlyIdle NearlyIdle `json:"nearly_idle"`
}

// NearlyIdle is what few blocks keep from being returned.
type NearlyIdle struct {
	Segments    int   `json:"segments"`
	Allocations int   `json:"allocations"` // live in them
	ActiveBytes int64 `json:"active_bytes"`
	StuckBytes  int64 `json:"stuck_bytes"`
}

// Segment is a range of memory that the allocator has from the driver.
type Segment struct {
	Address               string  `json:"address"`
	Bytes                 int64   `json:"bytes"`
	SizeClass             string  `json:"size_class"` // small or large
	Expandable            bool    `json:"expandable"`
	Stream                string  `json:"stream"` // its handle
	Pool                  string  `json:"pool"`   // its ids, 0,0 for the default pool
	ActiveBytes           int64   `json:"active_bytes"`
	PendingBytes          int64   `json:"pending_bytes"`
	RequestedBytes        int64   `json:"requested_bytes"`
	FreeBytes             int64   `json:"free_bytes"`
	StuckBytes            int64   `json:"stuck_bytes"`
	ReturnableBytes       int64   `json:"returnable_bytes"`
	LargestFreeBlockBytes int64   `json:"largest_free_block_bytes"`
	Blocks                []Block `json:"blocks"` // they tile the segment, by address
}

// Block is a piece of a segment.
type Block struct {
	Address        string `json:"address"`
	Bytes          int64  `json:"bytes"`
	RequestedBytes int64  `json:"requested_bytes"`
	State          string `json:"state"`            // active_allocated, active_pending_free or inactive
	Site           string `json:"site,omitempty"`   // who allocated it
	Family         string `json:"family,omitempty"` // what it is for: "gradient"
}

// sentence says what few tensors keep, or nothing.
func (n *NearlyIdle) sentence() string {
	if n.StuckBytes == 0 {
		return ""
	}
	verb, without := "keep", "them"
	if n.Allocations == 1 {
		verb, without = "keeps", "it"
	}
	return units.Plural(n.Allocations, "tensor", "tensors") + " with " + units.Bytes(n.ActiveBytes) + " " + verb + " " +
		units.Bytes(n.StuckBytes) + ": without " + without + " " + units.Bytes(n.ActiveBytes+n.StuckBytes) +
		" could be returned."
}

// Segments answers with the memory map at a moment; text shows so many rows.
func Segments(in []Input, at Moment, rows int) (*Sheet, error) {
	return perDevice("segments", in, func(s *Sheet, in *Input, r *analysis.Recording) (SegmentsDevice, error) {
		state, err := at.State(r)
		if err != nil {
			return SegmentsDevice{}, err
		}
		l := r.Layouts().At(state)
		device := newSegmentsDevice(in, r, l)
		if r.Device.Reconciliation.EndNotWritten {
			s.device(in, r.Device, "cannot be shown")
			s.say("%s Segments are found by going back from there.", endNotWritten)
			return device, nil
		}
		least := ""
		if in.Snapshot.Cut(r.Device.ID) {
			least = "at least "
		}
		s.device(in, r.Device, least+units.Plural(len(l.Segments), "segment", "segments")+" with "+
			units.Bytes(l.ReservedBytes)+" "+at.describe(r, state))
		if len(l.Segments) == 0 {
			s.say("The allocator holds nothing there.")
			return device, nil
		}
		s.put(segmentTotals(&device))
		s.segments(r, l, &device, rows)
		return device, nil
	})
}

func newSegmentsDevice(in *Input, r *analysis.Recording, l *layout.Map) SegmentsDevice {
	d := SegmentsDevice{
		Subject: newSubject(in, r.Device), State: l.State,
		ReservedBytes: l.ReservedBytes, ActiveBytes: l.ActiveBytes, PendingBytes: l.PendingBytes,
		RequestedBytes: l.RequestedBytes, FreeBytes: l.FreeBytes(), Segments: SegmentRows(r, l),
	}
	for i := range d.Segments {
		d.LargestFreeBlockBytes = max(d.LargestFreeBlockBytes, d.Segments[i].LargestFreeBlockBytes)
		d.StuckBytes += d.Segments[i].StuckBytes
		d.ReturnableBytes += d.Segments[i].ReturnableBytes
	}
	n := l.NearlyIdle()
	d.NearlyIdle = NearlyIdle{n.Segments, n.Blocks, n.Active, n.Stuck}
	return d
}

// SegmentRows are the segments of a memory map, by address.
func SegmentRows(r *analysis.Recording, l *layout.Map) []Segment {
	list := make([]Segment, len(l.Segments))
	for i := range list {
		list[i] = newSegment(r, l, &l.Segments[i])
	}
	return list
}

func newSegment(r *analysis.Recording, l *layout.Map, seg *layout.Segment) Segment {
	extents, holes := l.ExtentsOf(seg), l.HolesOf(seg)
	v := Segment{
		Address: units.Address(seg.Address), Bytes: seg.Size, SizeClass: sizeClass(seg), Expandable: seg.Expandable,
		Stream: units.Address(r.Snapshot.Streams[seg.Stream]), Pool: poolKey(r.Snapshot, seg.Pool),
		ActiveBytes: seg.ActiveBytes, PendingBytes: seg.PendingBytes, RequestedBytes: seg.RequestedBytes,
		FreeBytes: seg.FreeBytes(), StuckBytes: holes.Stuck, ReturnableBytes: holes.Returnable,
		LargestFreeBlockBytes: holes.Largest, Blocks: make([]Block, len(extents)),
	}
	for i := range extents {
		x := &extents[i]
		b := &v.Blocks[i]
		*b = Block{Address: units.Address(x.Address), Bytes: x.Size, State: x.State.String()}
		if x.Allocation == layout.NoAllocation {
			continue
		}
		a := &r.Device.Allocations[x.Allocation]
		b.RequestedBytes, b.Site = a.Size, r.Stacks.Site(a.Stack).String()
		b.Family = r.Families().Family(int(x.Allocation)).Key()
	}
	return v
}

func sizeClass(seg *layout.Segment) string {
	if seg.SizeClass == snapshot.SizeClassSmall {
		return "small"
	}
	return "large"
}

func poolKey(s *snapshot.Snapshot, id snapshot.PoolID) string {
	p := s.Pools[id]
	return strconv.FormatUint(p.A, 10) + "," + strconv.FormatUint(p.B, 10)
}

// segmentTotals has the sums over all segments.
func segmentTotals(d *SegmentsDevice) *sheetTable {
	t := newTable(words(""), figures(""), figures(""), words(""))
	row := func(what string, bytes int64, remark string) {
		t.row(what, units.Bytes(bytes), units.Share(bytes, d.ReservedBytes), remark)
	}
	isPinned := d.Device == int(snapshot.Pinned)
	rounding := units.Bytes(d.RequestedBytes) + " requested, the rest is rounding"
	if isPinned {
		rounding = "in blocks; what was requested of them is not recorded"
	}
	row("active", d.ActiveBytes, rounding)
	if d.PendingBytes > 0 {
		row("pending", d.PendingBytes, "of these: freed, and "+pendingUser(snapshot.DeviceID(d.Device))+" may still use it")
	}
	row("free", d.FreeBytes, "the largest hole has "+units.Bytes(d.LargestFreeBlockBytes))
	row("stuck", d.StuckBytes, "of these, beside live blocks")
	returned := "of these, empty_cache() would return it" // files of MLX show no segments
	private := int64(0)
	for i := range d.Segments {
		if d.Segments[i].Pool != "0,0" {
			private += d.Segments[i].ReturnableBytes
		}
	}
	if isPinned {
		returned = "of these, in segments without a live block"
	} else if private > 0 {
		returned += "; " + units.Bytes(private) + " of it once no CUDA graph or MemPool uses its pool"
	}
	row("returnable", d.ReturnableBytes, returned)
	return t
}

// segments adds a table of the segments. Streams and pools have columns if there
// is more than the default one, and replace the column of active bytes.
func (s *Sheet) segments(r *analysis.Recording, l *layout.Map, d *SegmentsDevice, rows int) {
	streams, pools, expandable := false, false, false
	for i := range l.Segments {
		seg := &l.Segments[i]
		streams, pools, expandable = streams || seg.Stream != 0, pools || seg.Pool != 0, expandable || seg.Expandable
	}
	columns := []column{words("address"), figures("size"), words("kind")}
	if streams {
		columns = append(columns, figures("stream"))
	}
	if pools {
		columns = append(columns, figures("pool"))
	}
	if !streams && !pools {
		columns = append(columns, figures("active"))
	}
	t := newTable(append(columns, figures("stuck"), figures("max hole"), bars(""))...)
	t.fill(len(d.Segments), rows, func(i int) {
		v, seg := &d.Segments[i], &l.Segments[i]
		kind := v.SizeClass
		if d.Device == int(snapshot.Pinned) {
			kind = "pinned" // files call all of it small
		}
		if v.Expandable {
			kind += "+"
		}
		cells := []any{v.Address, units.Bytes(v.Bytes), kind}
		if streams {
			cells = append(cells, seg.Stream)
		}
		if pools {
			cells = append(cells, seg.Pool)
		}
		if !streams && !pools {
			cells = append(cells, units.Bytes(v.ActiveBytes))
		}
		stuck := units.Bytes(v.StuckBytes)
		if v.StuckBytes == 0 && v.ReturnableBytes > 0 {
			stuck = "-" // all of it can be returned
		}
		t.row(append(cells, stuck, units.Bytes(v.LargestFreeBlockBytes), barCell(func(width int) string {
			return occupancy(seg, l.ExtentsOf(seg), width)
		}))...)
	})
	s.put(t)
	if 100*d.NearlyIdle.StuckBytes >= d.ReservedBytes { // less is not worth a sentence
		s.sayIf(d.NearlyIdle.sentence())
	}
	if expandable {
		s.note("+ marks expandable segments, which grow in place.")
	}
	if streams || pools {
		note := "Streams and pools are numbered in the order of the file; 0 is the default."
		if pools {
			note += " The other pools are private to CUDA graphs and MemPools, which may have several each."
		}
		s.note("%s --format json has their handles.", note)
	}
}

// occupancy is a segment as a bar from its first byte to its last: · is free,
// ░ pending, and a block as high as its cell is full.
func occupancy(seg *layout.Segment, extents []layout.Extent, width int) string {
	active, pending := make([]float64, width), make([]float64, width)
	cell := float64(seg.Size) / float64(width)
	for i := range extents {
		x := &extents[i]
		if x.State == snapshot.Inactive {
			continue
		}
		from := float64(x.Address-seg.Address) / cell
		to := from + float64(x.Size)/cell
		for c := int(from); c < width && float64(c) < to; c++ {
			share := min(to, float64(c+1)) - max(from, float64(c))
			active[c] += share
			if x.State == snapshot.ActivePendingFree {
				pending[c] += share
			}
		}
	}
	var b strings.Builder
	for c := range width {
		switch {
		case active[c] < 1.0/512:
			b.WriteRune('·')
		case pending[c] > active[c]/2:
			b.WriteRune('░')
		default:
			b.WriteRune(levels[min(int(active[c]*float64(len(levels))), len(levels)-1)])
		}
	}
	return b.String()
}
