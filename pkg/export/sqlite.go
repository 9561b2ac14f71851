package export

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/sqlite"
	"github.com/memviz-go/memviz/pkg/units"
)

var sqliteFormat = &Format{Name: "sqlite", Binary: true, write: writeSQLite,
	isOurs: func(head []byte) bool { return sqlite.ApplicationOf(head) == sqliteApplication }}

// The header of the file identifies memviz and the version of the tables. Changing the meaning
// of a column needs a new version.
const (
	sqliteApplication = 0x6d766d7a // "mvmz"
	sqliteVersion     = 1
)

func writeSQLite(w *bufio.Writer, in []answer.Input, o *Options) error {
	list, err := recordings(in, o)
	if err != nil {
		return err
	}
	d := &database{in: in, list: list}
	db := &sqlite.Database{Application: sqliteApplication, Version: sqliteVersion, Views: sqliteViews,
		Tables: []sqlite.Table{d.recordings(), d.frames(), d.stacks(), d.stackFrames()}}
	for _, table := range []*Table{sitesTable, allocationsTable, eventsTable, segmentsTable, curveTable} {
		db.Tables = append(db.Tables, d.table(table))
	}
	return db.Write(w)
}

// sqliteViews are the starting points of most queries.
var sqliteViews = []sqlite.View{
	{Name: "live_at_peak", SQL: `CREATE VIEW live_at_peak AS SELECT a.* FROM allocations a
	JOIN recordings r ON r.id = a.recording
	WHERE (a.start IS NULL OR a.start < r.peak_state) AND (a."end" IS NULL OR a."end" >= r.peak_state)`},
	{Name: "live_at_end", SQL: `CREATE VIEW live_at_end AS SELECT * FROM allocations WHERE "end" IS NULL`},
	{Name: "stack_lines", SQL: `CREATE VIEW stack_lines AS SELECT s.stack, s.depth,
	f.file || ':' || f.line || ':' || f.function AS line FROM stack_frames s JOIN frames f ON f.id = s.frame`},
}

// database numbers the rows of all recordings, starting with the first one in each table.
type database struct {
	in   []answer.Input
	list []*recording
}

// sqlTypes are the declarations of columns.
var sqlTypes = map[kind]string{
	integer: "INTEGER", truth: "INTEGER", text: "TEXT", site: "INTEGER REFERENCES sites(id)",
	stack: "INTEGER REFERENCES stacks(id)", allocation: "INTEGER REFERENCES allocations(id)",
}

// create declares a table whose first column is its key.
func create(name string, columns ...string) string {
	return "CREATE TABLE " + name + " (\n\tid INTEGER PRIMARY KEY,\n\t" + strings.Join(columns, ",\n\t") + "\n)"
}

func declare(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = strconv.Quote(c.name) + " " + sqlTypes[c.kind]
	}
	return list
}

// table has the rows of all recordings.
func (d *database) table(t *Table) sqlite.Table {
	declared := append([]string{"recording INTEGER NOT NULL REFERENCES recordings(id)"}, declare(t.columns)...)
	return sqlite.Table{Name: t.Name, SQL: create(t.Name, declared...), Rows: func(insert func(*sqlite.Row) bool) {
		var row sqlite.Row
		first := firstIDs{}
		for i, r := range d.list {
			first.stack = d.firstStack(r.in)
			for values := range t.rows(r) {
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

// firstIDs are added to the indices of a recording to get the ids of its rows.
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
		row.Integer(f.stack + v.n) // the first non-empty one is 1
	default:
		row.Integer(v.n)
	}
}

// firstStack returns the number of stacks in the files before of.
func (d *database) firstStack(of *answer.Input) (n int64) {
	for i := range d.in {
		if &d.in[i] == of {
			break
		}
		n += int64(max(d.in[i].Snapshot.Stacks.Len()-1, 0))
	}
	return n
}
