package segments

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

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

// segmentTotals has the sums over all segments.
func segmentTotals(d *Device) *sheet.Table {
	t := sheet.NewTable(sheet.Words(""), sheet.Figures(""), sheet.Figures(""), sheet.Words(""))
	row := func(what string, bytes int64, remark string) {
		t.Row(what, units.Bytes(bytes), units.Share(bytes, d.ReservedBytes), remark)
	}
	isPinned := d.Device == int(snapshot.Pinned)
	rounding := units.Bytes(d.RequestedBytes) + " requested, the rest is rounding"
	if isPinned {
		rounding = "in blocks; what was requested of them is not recorded"
	}
	row("active", d.ActiveBytes, rounding)
	if d.PendingBytes > 0 {
		row("pending", d.PendingBytes,
			"of these: freed, and "+phrase.PendingUser(snapshot.DeviceID(d.Device))+" may still use it")
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

// writeSegments adds a table of the segments. Streams and pools have columns if there
// is more than the default one, and replace the column of active bytes.
func writeSegments(s *sheet.Sheet, r *analysis.Recording, l *layout.Map, d *Device, rows int) {
	streams, pools, expandable := false, false, false
	for i := range l.Segments {
		seg := &l.Segments[i]
		streams, pools, expandable = streams || seg.Stream != 0, pools || seg.Pool != 0, expandable || seg.Expandable
	}
	columns := []sheet.Column{sheet.Words("address"), sheet.Figures("size"), sheet.Words("kind")}
	if streams {
		columns = append(columns, sheet.Figures("stream"))
	}
	if pools {
		columns = append(columns, sheet.Figures("pool"))
	}
	if !streams && !pools {
		columns = append(columns, sheet.Figures("active"))
	}
	t := sheet.NewTable(append(columns, sheet.Figures("stuck"), sheet.Figures("max hole"), sheet.Bars(""))...)
	t.Fill(len(d.Segments), rows, func(i int) {
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
		t.Row(append(cells, stuck, units.Bytes(v.LargestFreeBlockBytes), sheet.Bar(func(width int) string {
			return occupancy(seg, l.ExtentsOf(seg), width)
		}))...)
	})
	s.Put(t)
	if 100*d.NearlyIdle.StuckBytes >= d.ReservedBytes { // less is not worth a sentence
		s.SayIf(d.NearlyIdle.sentence())
	}
	if expandable {
		s.Note("+ marks expandable segments, which grow in place.")
	}
	if streams || pools {
		note := "Streams and pools are numbered in the order of the file; 0 is the default."
		if pools {
			note += " The other pools are private to CUDA graphs and MemPools, which may have several each."
		}
		s.Note("%s --format json has their handles.", note)
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
			b.WriteRune(sheet.Levels[min(int(active[c]*float64(len(sheet.Levels))), len(sheet.Levels)-1)])
		}
	}
	return b.String()
}
