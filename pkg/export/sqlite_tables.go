package export

import (
	"iter"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/sqlite"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// totals are the columns of a recording: numbers of memviz stats, under the same names.
var totals = []cell[replay.Totals]{
	col("file", text, func(r *recording, _ *replay.Totals) value { return textOf(r.in.FileName()) }),
	col("device", integer, func(r *recording, _ *replay.Totals) value { return number(r.Device.ID) }),
	col("label", text, func(r *recording, _ *replay.Totals) value {
		return textOf(r.Snapshot.DeviceLabel(r.Device.ID))
	}),
	col("torch", text, func(r *recording, _ *replay.Totals) value { return textOf(r.TorchVersion()) }),
	col("redacted", text, func(r *recording, _ *replay.Totals) value {
		return textOf(strings.Join(r.o.redacted(r.Snapshot.Redaction), ","))
	}),
	col("adds_up", truth, func(r *recording, _ *replay.Totals) value { return truthOf(r.Device.AddsUp()) }),
	col("cut", truth, func(r *recording, _ *replay.Totals) value { return truthOf(r.Snapshot.Cut(r.Device.ID)) }),
	col("first_event_unix_us", integer, func(r *recording, _ *replay.Totals) value {
		if !r.times {
			return value{}
		}
		return number(r.Device.Events.TimeMicros[0])
	}),
	col("events", integer, func(r *recording, _ *replay.Totals) value { return number(r.Device.Events.Len()) }),
	col("allocations", integer, func(r *recording, _ *replay.Totals) value {
		return number(len(r.Device.Allocations))
	}),
	col("baseline_bytes", integer, func(_ *recording, t *replay.Totals) value { return number(t.BaselineBytes) }),
	col("peak_bytes", integer, func(_ *recording, t *replay.Totals) value { return number(t.PeakBytes) }),
	col("peak_state", integer, func(_ *recording, t *replay.Totals) value { return number(t.PeakState) }),
	col("final_bytes", integer, func(_ *recording, t *replay.Totals) value { return number(t.FinalBytes) }),
	col("live_at_end", integer, func(_ *recording, t *replay.Totals) value { return number(t.LiveAtEnd) }),
	col("reserved_baseline_bytes", integer, func(_ *recording, t *replay.Totals) value {
		return number(t.ReservedBaselineBytes)
	}),
	col("reserved_peak_bytes", integer, func(_ *recording, t *replay.Totals) value {
		return number(t.ReservedPeakBytes)
	}),
	col("reserved_at_peak_bytes", integer, func(_ *recording, t *replay.Totals) value {
		return number(t.ReservedAtPeakBytes)
	}),
	col("reserved_final_bytes", integer, func(_ *recording, t *replay.Totals) value {
		return number(t.ReservedFinalBytes)
	}),
	col("segments", integer, func(r *recording, _ *replay.Totals) value {
		return number(r.Device.Reconciliation.Segments)
	}),
	col("oom_events", integer, func(_ *recording, t *replay.Totals) value { return number(t.OOMEvents) }),
}

func (d *database) recordings() sqlite.Table {
	columns := make([]column, len(totals))
	for i, c := range totals {
		columns[i] = c.column
	}
	return sqlite.Table{Name: "recordings", SQL: create("recordings", declare(columns)...),
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			for _, r := range d.list {
				row.Start()
				for _, c := range totals {
					v := c.value(r, &r.Device.Totals)
					new(firstIDs).put(&row, c.kind, &v)
				}
				if !insert(&row) {
					return
				}
			}
		}}
}

// snapshots yields the snapshots of all inputs.
func (d *database) snapshots() iter.Seq[*snapshot.Snapshot] {
	return func(yield func(*snapshot.Snapshot) bool) {
		for i := range d.in {
			if !yield(d.in[i].Snapshot) {
				return
			}
		}
	}
}

func (d *database) frames() sqlite.Table {
	return sqlite.Table{Name: "frames", SQL: create("frames", "file TEXT", "line INTEGER", "function TEXT"),
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			for s := range d.snapshots() {
				for i := range s.Frames {
					f := &s.Frames[i]
					row.Start()
					row.Text(units.Printable(s.String(f.File)))
					row.Integer(int64(f.Line))
					row.Text(units.Printable(s.String(f.Name)))
					if !insert(&row) {
						return
					}
				}
			}
		}}
}

// stacks has a row for each stack but the empty one.
func (d *database) stacks() sqlite.Table {
	return sqlite.Table{Name: "stacks", SQL: create("stacks", "frames INTEGER"),
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			for s := range d.snapshots() {
				for id := 1; id < s.Stacks.Len(); id++ {
					row.Start()
					row.Integer(int64(len(s.Stacks.Frames(snapshot.StackID(id)))))
					if !insert(&row) {
						return
					}
				}
			}
		}}
}

// stackFrames has the frames of each stack; depth 0 is the innermost one.
func (d *database) stackFrames() sqlite.Table {
	return sqlite.Table{Name: "stack_frames", SQL: create("stack_frames", "stack INTEGER REFERENCES stacks(id)",
		"depth INTEGER", "frame INTEGER REFERENCES frames(id)"),
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			stack, firstFrame := int64(0), int64(1)
			for s := range d.snapshots() {
				for id := 1; id < s.Stacks.Len(); id++ {
					stack++
					for depth, frame := range s.Stacks.Frames(snapshot.StackID(id)) {
						row.Start()
						row.Integer(stack)
						row.Integer(int64(depth))
						row.Integer(firstFrame + int64(frame))
						if !insert(&row) {
							return
						}
					}
				}
				firstFrame += int64(len(s.Frames))
			}
		}}
}
