// Package segments answers with the memory map at a moment.
package segments

import (
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Device is the memory map of one device in one state. Its bytes are
// sums over its segments.
type Device struct {
	answer.Subject
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

// Answer answers with the memory map at a moment; text shows so many rows.
func Answer(in []answer.Input, at answer.Moment, rows int) (*sheet.Sheet, error) {
	return answer.PerDevice("segments", in, func(s *sheet.Sheet, in *answer.Input, r *analysis.Recording) (Device,
		error) {
		state, err := at.State(r)
		if err != nil {
			return Device{}, err
		}
		l := r.Layouts().At(state)
		device := newDevice(in, r, l)
		if r.Device.Reconciliation.EndNotWritten {
			answer.Section(s, in, r.Device, "cannot be shown")
			s.Say("%s Segments are found by going back from there.", trust.EndNotWritten)
			return device, nil
		}
		least := ""
		if in.Snapshot.Cut(r.Device.ID) {
			least = "at least "
		}
		answer.Section(s, in, r.Device, least+units.Plural(len(l.Segments), "segment", "segments")+" with "+
			units.Bytes(l.ReservedBytes)+" "+at.Describe(r, state))
		if len(l.Segments) == 0 {
			s.Say("The allocator holds nothing there.")
			return device, nil
		}
		s.Put(segmentTotals(&device))
		writeSegments(s, r, l, &device, rows)
		return device, nil
	})
}

func newDevice(in *answer.Input, r *analysis.Recording, l *layout.Map) Device {
	d := Device{
		Subject: answer.NewSubject(in, r.Device), State: l.State,
		ReservedBytes: l.ReservedBytes, ActiveBytes: l.ActiveBytes, PendingBytes: l.PendingBytes,
		RequestedBytes: l.RequestedBytes, FreeBytes: l.FreeBytes(), Segments: Rows(r, l),
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

// Rows are the segments of a memory map, by address.
func Rows(r *analysis.Recording, l *layout.Map) []Segment {
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
