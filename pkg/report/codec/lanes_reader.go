package codec

import "github.com/memviz-go/memviz/pkg/report/recording"

// readLanes reads the ranges and phases above a device's chart, and returns their names.
func (d *deviceReader) readLanes(raw []byte) (names []string, err error) {
	if d.lanes, err = splitColumns(raw, laneColumns); err != nil {
		return nil, err
	}
	if names, err = d.lanes.texts(); err != nil {
		return nil, err
	}
	timed := 0
	if d.view.HasTime {
		timed = d.lanes.count("range.from")
	}
	return names, d.lanes.check(map[string]int{
		"timed": timed, "states": d.view.Events + 1, "microseconds": recording.MaxExact + 1,
		"depths": recording.MaxRangeDepth,
	})
}

func (d *deviceReader) packLanes() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		if d.view.HasTime {
			d.lanes.writeAll(c)
			return
		}
		d.lanes.write(c, "strings", "range.from_us")
		laneColumns.from(c, "range.from_us").empty("range.from_us", "range.length_us")
		d.lanes.write(c, "range.depth", "")
	})
}
