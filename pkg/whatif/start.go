package whatif

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
)

// start is the allocator before the first event, as far as the final segments
// and the events undone from there say.
type start struct {
	segments     []allocator.Segment     // in address order
	reservations []allocator.Reservation // of the expandable ones
	live         []int32                 // allocations in them, by address
	liveBytes    int64                   // that those ask for
	cached       int64                   // bytes in no live block
	anomalies    layout.Anomalies
}

func startOf(r *analysis.Recording, settings *layout.Settings) start {
	m := r.Layouts().At(0)
	s := start{cached: m.FreeBytes(), liveBytes: m.RequestedBytes, anomalies: m.Anomalies}
	for i := range m.Segments {
		seg := &m.Segments[i]
		made := allocator.Segment{
			Address: seg.Address, TotalSize: seg.Size, Stream: allocator.Stream(r.Snapshot.Streams[seg.Stream]),
			Pool: r.Snapshot.Pools[seg.Pool], SizeClass: seg.SizeClass, Expandable: seg.Expandable,
		}
		for _, x := range m.ExtentsOf(seg) {
			b := allocator.Block{Address: x.Address, Size: x.Size, State: x.State}
			if x.Allocation != layout.NoAllocation {
				b.RequestedSize = r.Device.Allocations[x.Allocation].Size
				s.live = append(s.live, x.Allocation)
			}
			made.Blocks = append(made.Blocks, b)
		}
		s.segments = append(s.segments, made)
	}
	s.reservations = reservationsOf(r, &settings.Settings, s.segments)
	return s
}

// broken reports whether the pieces do not fit together.
func (s *start) broken() bool {
	if n := len(s.segments); n > 0 && s.segments[n-1].Address >= maxAddress {
		return true
	}
	return s.anomalies != (layout.Anomalies{})
}

// maxAddress is above all addresses that a process can have.
const maxAddress = 1 << 57
