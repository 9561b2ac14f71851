package answer

import (
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// SegmentsSchema names the meaning of the keys of SegmentsDevice.
const SegmentsSchema = "memviz.segments/1"

// SegmentsDevice is the memory map of one device in one state. Its bytes are
// sums over its segments.
type SegmentsDevice struct {
	Subject
	State                 int       `json:"state"`
	ReservedBytes         int64     `json:"reserved_bytes"`
	ActiveBytes           int64     `json:"active_bytes"` // live blocks, pending ones included, as the allocator rounds them
	PendingBytes          int64     `json:"pending_bytes"`
	RequestedBytes        int64     `json:"requested_bytes"` // asked for, of active_bytes
	FreeBytes             int64     `json:"free_bytes"`
	LargestFreeBlockBytes int64     `json:"largest_free_block_bytes"`
	Segments              []Segment `json:"segments"` // by address
}

// Segment is a range held from the driver.
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
	LargestFreeBlockBytes int64   `json:"largest_free_block_bytes"`
	Blocks                []Block `json:"blocks"` // they tile the segment, by address
}

// Block is a piece of a segment.
type Block struct {
	Address        string `json:"address"`
	Bytes          int64  `json:"bytes"`
	RequestedBytes int64  `json:"requested_bytes"`
	State          string `json:"state"`          // active_allocated, active_pending_free or inactive
	Site           string `json:"site,omitempty"` // who allocated it
}

// Segments is the memory map at a moment.
func Segments(in []Input, at Moment) (*Sheet, error) {
	value := newDevices[SegmentsDevice](SegmentsSchema)
	s := &Sheet{value: value}
	err := s.eachRecording(in, func(in *Input, r *analysis.Recording) error {
		state, err := at.State(r)
		if err != nil {
			return err
		}
		l := r.Layouts().At(state)
		device := newSegmentsDevice(in, r, l)
		value.Devices = append(value.Devices, device)
		s.device(in, r.Device, units.Plural(len(l.Segments), "segment", "segments")+" with "+
			units.Bytes(l.ReservedBytes)+" "+at.said(r, state))
		if len(l.Segments) == 0 {
			s.say("The allocator holds nothing there.")
			return nil
		}
		s.put(segmentTotals(&device))
		s.segments(r, l, &device)
		return nil
	})
	return s, err
}

func newSegmentsDevice(in *Input, r *analysis.Recording, l *layout.Map) SegmentsDevice {
	d := SegmentsDevice{
		Subject: newSubject(in, r.Device), State: l.State,
		ReservedBytes: l.ReservedBytes, ActiveBytes: l.ActiveBytes, PendingBytes: l.PendingBytes,
		RequestedBytes: l.RequestedBytes, FreeBytes: l.FreeBytes(), Segments: make([]Segment, len(l.Segments)),
	}
	for i := range l.Segments {
		d.Segments[i] = newSegment(r, l, &l.Segments[i])
		d.LargestFreeBlockBytes = max(d.LargestFreeBlockBytes, d.Segments[i].LargestFreeBlockBytes)
	}
	return d
}

func newSegment(r *analysis.Recording, l *layout.Map, seg *layout.Segment) Segment {
	extents := l.ExtentsOf(seg)
	v := Segment{
		Address: units.Address(seg.Address), Bytes: seg.Size, SizeClass: sizeClass(seg), Expandable: seg.Expandable,
		Stream: units.Address(r.Snapshot.Streams[seg.Stream]), Pool: poolKey(r.Snapshot, seg.Pool),
		ActiveBytes: seg.ActiveBytes, PendingBytes: seg.PendingBytes, RequestedBytes: seg.RequestedBytes,
		FreeBytes: seg.FreeBytes(), Blocks: make([]Block, len(extents)),
	}
	for i := range extents {
		x := &extents[i]
		b := &v.Blocks[i]
		*b = Block{Address: units.Address(x.Address), Bytes: x.Size, State: x.State.String()}
		if x.Allocation == layout.NoAllocation {
			v.LargestFreeBlockBytes = max(v.LargestFreeBlockBytes, x.Size)
			continue
		}
		a := &r.Device.Allocations[x.Allocation]
		b.RequestedBytes, b.Site = a.Size, r.Stacks.Site(a.Stack).String()
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
