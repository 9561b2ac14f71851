package codec

import "github.com/memviz-go/memviz/pkg/report/recording"

// The columns of a payload of lanes, in the order of the package comment.
const (
	laneStrings = iota
	laneRangeFrom
	laneRangeLength
	laneRangeFromMicros
	laneRangeLengthMicros
	laneRangeDepth
	laneRangeName
	laneRangeCut
	lanePhaseFrom
	lanePhaseLength
	lanePhaseKind
	laneStepBoundary
	laneColumns
)

// readLanes takes apart what stands above a device's chart, and gives the names
// in it.
func (d *savedDevice) readLanes(raw []byte) (names []string, err error) {
	if d.lanes, err = splitColumns(raw, laneColumns, true); err != nil {
		return nil, err
	}
	if names, err = d.lanes.texts(); err != nil {
		return nil, err
	}
	ranges, phases, timed := d.lanes.n[laneRangeFrom], d.lanes.n[lanePhaseFrom], 0
	if d.view.HasTime {
		timed = ranges
	}
	for _, c := range []struct {
		column int
		name   string
		n      int
		limit  int
	}{
		{laneRangeLength, "range.length", ranges, d.view.Events + 2},
		{laneRangeFromMicros, "range.from_us", timed, recording.MaxExact + 1},
		{laneRangeLengthMicros, "range.length_us", timed, recording.MaxExact + 1},
		{laneRangeDepth, "range.depth", ranges, recording.MaxRangeDepth},
		{laneRangeName, "range.name", ranges, len(names)}, {laneRangeCut, "range.cut", ranges, 3},
		{lanePhaseLength, "phase.length", phases, d.view.Events + 2}, {lanePhaseKind, "phase.kind", phases, 4},
	} {
		if err := d.lanes.have(c.column, c.name, c.n); err != nil {
			return nil, err
		}
		if c.column == laneRangeFromMicros {
			continue // differences
		}
		if err := d.lanes.below(c.column, c.name, c.limit); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func (d *savedDevice) packLanes() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		if d.view.HasTime {
			d.lanes.write(c, 0, laneColumns)
			return
		}
		d.lanes.write(c, 0, laneRangeFromMicros)
		c.column(0, nil)
		c.column(0, nil)
		d.lanes.write(c, laneRangeDepth, laneColumns)
	})
}
