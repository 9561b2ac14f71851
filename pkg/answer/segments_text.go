package answer

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// segmentTotals say what the segments hold together.
func segmentTotals(d *SegmentsDevice) *sheetTable {
	t := newTable(column{"", words}, column{"", figures}, column{"", figures}, column{"", words})
	row := func(what string, bytes int64, remark string) {
		t.row(what, units.Bytes(bytes), units.Share(bytes, d.ReservedBytes), remark)
	}
	row("active", d.ActiveBytes, units.Bytes(d.RequestedBytes)+" requested, the rest is rounding")
	if d.PendingBytes > 0 {
		row("pending", d.PendingBytes, "of these: freed, and another stream may still use it")
	}
	row("free", d.FreeBytes, "the largest free block has "+units.Bytes(d.LargestFreeBlockBytes))
	return t
}

// mostSegments bounds the segments that people are shown.
const mostSegments = 2000

// segments adds a row for each segment. Streams and pools have a column if there
// is more than the default one; then free is left out, which is the rest.
func (s *Sheet) segments(r *analysis.Recording, l *layout.Map, d *SegmentsDevice) {
	streams, pools, expandable := false, false, false
	for i := range l.Segments {
		seg := &l.Segments[i]
		streams, pools, expandable = streams || seg.Stream != 0, pools || seg.Pool != 0, expandable || seg.Expandable
	}
	columns := []column{{"address", words}, {"size", figures}, {"kind", words}}
	bar := 14
	if streams {
		columns = append(columns, column{"stream", figures})
	}
	if pools {
		columns = append(columns, column{"pool", figures})
	}
	columns = append(columns, column{"active", figures})
	if !streams && !pools {
		columns = append(columns, column{"free", figures})
	} else if streams && pools {
		bar = 10
	}
	t := newTable(append(columns, column{"max free", figures}, column{"", words})...)
	for i := range min(len(d.Segments), mostSegments) {
		v, seg := &d.Segments[i], &l.Segments[i]
		kind := v.SizeClass
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
		cells = append(cells, units.Bytes(v.ActiveBytes))
		if !streams && !pools {
			cells = append(cells, units.Bytes(v.FreeBytes))
		}
		t.row(append(cells, units.Bytes(v.LargestFreeBlockBytes), occupancy(seg, l.ExtentsOf(seg), bar))...)
	}
	if more := len(d.Segments) - len(t.rows); more > 0 {
		t.more = "and " + units.Plural(more, "more segment", "more segments") + "; --format json has all"
	}
	s.put(t)
	if expandable {
		s.note("+ marks expandable segments, which grow in place.")
	}
	if streams || pools {
		s.note("Streams and pools are numbered in the order of the file; 0 is the default. --format json has " +
			"their handles.")
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
			b.WriteRune(bars[min(int(active[c]*float64(len(bars))), len(bars)-1)])
		}
	}
	return b.String()
}
