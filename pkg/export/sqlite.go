package export

import (
	"bufio"
	"iter"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/sqlite"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

var sqliteFormat = &Format{Name: "sqlite", Binary: true, write: writeSQLite}

// What a program finds in the header of the file: that memviz wrote it, and what the
// tables mean. Another meaning of a column is another number.
const (
	sqliteApplication = 0x6d766d7a // "mvmz"
	sqliteVersion     = 1
)

func writeSQLite(w *bufio.Writer, in []answer.Input, o *Options) error {
	list := recordings(in, o)
	d := &database{in: in, list: list}
	db := &sqlite.Database{Application: sqliteApplication, Version: sqliteVersion, Views: sqliteViews,
		Tables: []sqlite.Table{d.recordings(), d.frames(), d.stacks(), d.stackFrames()}}
	for _, table := range []*Table{sitesTable, allocationsTable, eventsTable, segmentsTable, curveTable} {
		for _, r := range list {
			if _, err := table.rows(r); err != nil {
				return r.errorOf(err)
			}
		}
		db.Tables = append(db.Tables, d.table(table))
	}
	return db.Write(w)
}

// sqliteViews answer what most questions begin with.
var sqliteViews = []sqlite.View{
	{Name: "live_at_peak", SQL: `CREATE VIEW live_at_peak AS SELECT a.* FROM allocations a
	JOIN recordings r ON r.id = a.recording
	WHERE (a.start IS NULL OR a.start < r.peak_state) AND (a."end" IS NULL OR a."end" >= r.peak_state)`},
	{Name: "live_at_end", SQL: `CREATE VIEW live_at_end AS SELECT * FROM allocations WHERE "end" IS NULL`},
	{Name: "stack_lines", SQL: `CREATE VIEW stack_lines AS SELECT s.stack, s.depth,
	f.file || ':' || f.line || ':' || f.function AS line FROM stack_frames s JOIN frames f ON f.id = s.frame`},
}

// database numbers the rows of all recordings: each table has those of the first one
// first.
type database struct {
	in   []answer.Input
	list []*recording
}

// sqlTypes are how columns are declared.
var sqlTypes = map[kind]string{
	integer: "INTEGER", truth: "INTEGER", text: "TEXT", site: "INTEGER REFERENCES sites(id)",
	stack: "INTEGER REFERENCES stacks(id)", allocation: "INTEGER REFERENCES allocations(id)",
}

// create declares a table whose first column is its key.
func create(name string, columns ...string) string {
	return "CREATE TABLE " + name + " (\n\tid INTEGER PRIMARY KEY,\n\t" + strings.Join(columns, ",\n\t") + "\n)"
}

// table has the rows of all recordings.
func (d *database) table(t *Table) sqlite.Table {
	declared := []string{"recording INTEGER NOT NULL REFERENCES recordings(id)"}
	for _, c := range t.columns {
		declared = append(declared, strconv.Quote(c.name)+" "+sqlTypes[c.kind])
	}
	return sqlite.Table{Name: t.Name, SQL: create(t.Name, declared...), Rows: func(insert func(*sqlite.Row) bool) {
		var row sqlite.Row
		first := firstIDs{}
		for i, r := range d.list {
			rows, err := t.rows(r)
			if err != nil {
				return // asked before
			}
			first.stack = d.firstStack(r.in)
			for values := range rows {
				row.Start()
				row.Integer(int64(i + 1))
				for j := range values {
					first.put(&row, t.columns[j].kind, &values[j])
				}
				if !insert(&row) {
					return
				}
			}
			first.site += int64(len(r.sites()))
			first.allocation += int64(len(r.Device.Allocations))
		}
	}}
}

// firstIDs are what to add to the indices of a recording for the ids of their rows.
type firstIDs struct{ site, allocation, stack int64 }

func (f *firstIDs) put(row *sqlite.Row, k kind, v *value) {
	switch {
	case !v.known:
		row.Null()
	case k == text:
		row.Text(units.Printable(v.text))
	case k == site:
		row.Integer(f.site + v.n + 1)
	case k == allocation:
		row.Integer(f.allocation + v.n + 1)
	case k == stack:
		row.Integer(f.stack + v.n) // the first one that is not empty is 1
	default:
		row.Integer(v.n)
	}
}

// firstStack is how many stacks the files before one have.
func (d *database) firstStack(of *answer.Input) (n int64) {
	for i := range d.in {
		if &d.in[i] == of {
			break
		}
		n += int64(max(d.in[i].Snapshot.Stacks.Len()-1, 0))
	}
	return n
}

// recordings has the totals of memviz stats, under the same names.
func (d *database) recordings() sqlite.Table {
	names := []string{"file TEXT", "device INTEGER", "label TEXT", "torch TEXT", "redacted TEXT", "adds_up INTEGER",
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

// redacted is what is not as recorded, or not written: paths, names, addresses, times.
func (r *recording) redacted() []string {
	redaction := r.Snapshot.Redaction
	redaction.Addresses = redaction.Addresses || r.o.Omit.Addresses
	redaction.Times = redaction.Times || r.o.Omit.Times
	return answer.RedactedKeys(redaction)
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
