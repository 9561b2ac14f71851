package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/units"
)

// Unused is reserved memory that is not asked for, in one state.
type Unused struct {
	State              int     `json:"state"`
	CachedBytes        int64   `json:"cached_bytes"`        // in no live block
	ReturnableBytes    int64   `json:"returnable_bytes"`    // of those, what emptying the cache would give back
	FragmentationBytes int64   `json:"fragmentation_bytes"` // of those, neither returnable nor of use for a typical large request
	FragmentationShare float64 `json:"fragmentation_share"` // of reserved, from 0 to 1
	FragmentationGrade string  `json:"fragmentation_grade"` // low, some or fragmented
	TypicalBytes       int64   `json:"typical_bytes"`       // a large request of this recording: smaller free pieces count as fragmentation
	LargestFreeBytes   int64   `json:"largest_free_bytes"`  // the largest free piece
	PendingBytes       int64   `json:"pending_bytes"`       // given up, and waiting for another stream
	RoundingBytes      int64   `json:"rounding_bytes"`      // what live blocks are larger than their requests
}

func newUnused(f *layout.Fragmentation) Unused {
	return Unused{
		State: f.State, CachedBytes: f.Cached, ReturnableBytes: f.Returnable, FragmentationBytes: f.Bytes,
		FragmentationShare: f.Share(),
		FragmentationGrade: f.Grade().Key(), TypicalBytes: f.Typical, LargestFreeBytes: f.Largest,
		PendingBytes: f.Pending, RoundingBytes: f.Rounding,
	}
}

func unusedTable(stats *DeviceStats) *sheetTable {
	peak, end := &stats.AtReservedPeak, &stats.AtEnd
	t := newTable(column{"reserved but not requested", words}, column{"at peak", figures}, column{"at end", figures},
		column{"", words})
	row := func(what string, peak, end int64, remark string) {
		if peak > 0 || end > 0 {
			t.row(what, units.Bytes(peak), units.Bytes(end), remark)
		}
	}
	row("cached", peak.CachedBytes, end.CachedBytes, units.Bytes(end.ReturnableBytes)+" returnable at end")
	row("fragmentation", peak.FragmentationBytes, end.FragmentationBytes, peak.FragmentationGrade+" at peak, "+
		end.FragmentationGrade+" at end")
	row("pending", peak.PendingBytes, end.PendingBytes, "waiting for another stream")
	row("rounding", peak.RoundingBytes, end.RoundingBytes, "blocks larger than asked for")
	return t
}
