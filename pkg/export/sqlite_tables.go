package export

import (
	"iter"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/sqlite"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// recordings has the totals of memviz stats, under the same names.
func (d *database) recordings() sqlite.Table {
	names := []string{"file TEXT", "device INTEGER", "label TEXT", "torch TEXT", "redacted TEXT", "adds_up INTEGER", "cut INTEGER",
		"first_event_unix_us INTEGER", "events INTEGER", "allocations INTEGER", "baseline_bytes INTEGER",
		"peak_bytes INTEGER", "peak_state INTEGER", "final_bytes INTEGER", "live_at_end INTEGER",
		"reserved_baseline_bytes INTEGER", "reserved_peak_bytes INTEGER", "reserved_at_peak_bytes INTEGER",
		"reserved_final_bytes INTEGER", "segments INTEGER", "oom_events INTEGER"}
	return sqlite.Table{Name: "recordings", SQL: create("recordings", names...),
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			for _, r := range d.list {
				t := &r.Device.Totals
				row.Start()
				row.Text(r.in.FileName())
				row.Integer(int64(r.Device.ID))
				row.Text(r.Snapshot.DeviceLabel(r.Device.ID))
				row.Text(r.Snapshot.TorchVersion())
				row.Text(strings.Join(r.redacted(), ","))
				row.Integer(yes(r.Device.AddsUp()).n)
				row.Integer(yes(r.Snapshot.Cut(r.Device.ID)).n)
				if r.times {
					row.Integer(r.Device.Events.TimeMicros[0])
				} else {
					row.Null()
				}
				for _, n := range []int64{int64(r.Device.Events.Len()), int64(len(r.Device.Allocations)), t.BaselineBytes,
					t.PeakBytes, int64(t.PeakState), t.FinalBytes, int64(t.LiveAtEnd), t.ReservedBaselineBytes,
					t.ReservedPeakBytes, t.ReservedAtPeakBytes, t.ReservedFinalBytes,
					int64(r.Device.Reconciliation.Segments), int64(t.OOMEvents)} {
					row.Integer(n)
				}
				if !insert(&row) {
					return
				}
			}
		}}
}

// snapshots are those of all inputs.
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
