package export

import (
	"fmt"
	"iter"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
)

// kind is what the values of a column are.
type kind uint8

const (
	integer    kind = iota
	truth           // 0 or 1
	text            //
	site            // n is an index into recording.sites
	stack           // n is a snapshot.StackID, never 0
	allocation      // n is an index into replay.Device.Allocations
)

// value is one cell of a table. The zero value says that there is none.
type value struct {
	known bool
	n     int64  // of every kind but text
	text  string // of a text
}

func number[T ~int | ~int32 | ~int64](n T) value { return value{known: true, n: int64(n)} }

func words(s string) value { return value{known: s != "", text: s} }

func yes(is bool) value {
	if is {
		return number(1)
	}
	return number(0)
}

// numberOr is a number that may not be known.
func numberOr[T ~int | ~int64](n *T) value {
	if n == nil {
		return value{}
	}
	return number(*n)
}

// Table is a table that formats of rows can write: CSV, JSON Lines, SQLite.
type Table struct {
	Name    string
	TakesAt bool // its rows are of a moment

	columns []column
	rows    func(r *recording) (iter.Seq[[]value], error) // the slice is reused
}

// Columns are the names of the columns, in their order. All tables begin with the same
// two: the file and the device of a row.
func (t *Table) Columns() []string {
	names := []string{"file", "device"}
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return names
}

// column is one column of a table.
type column struct {
	name string
	kind kind
}

// Tables are all tables, the default one first.
var Tables = []*Table{allocationsTable, eventsTable, segmentsTable, sitesTable, curveTable}

// cell is a column of a table whose rows are made of values R.
type cell[R any] struct {
	column
	value func(*recording, *R) value
}

func col[R any](name string, k kind, value func(*recording, *R) value) cell[R] {
	return cell[R]{column{name, k}, value}
}

// newTable makes a table of rows R and of what their cells are.
func newTable[R any](name string, takesAt bool, rows func(*recording) (iter.Seq[R], error), cells ...cell[R]) *Table {
	t := &Table{Name: name, TakesAt: takesAt}
	for _, c := range cells {
		t.columns = append(t.columns, c.column)
	}
	t.rows = func(r *recording) (iter.Seq[[]value], error) {
		list, err := rows(r)
		if err != nil {
			return nil, err
		}
		values := make([]value, len(cells))
		return func(yield func([]value) bool) {
			for row := range list {
				for i := range cells {
					values[i] = cells[i].value(r, &row)
				}
				if !yield(values) {
					return
				}
			}
		}, nil
	}
	return t
}

// recording is one device of one file with what its rows are made of.
type recording struct {
	*analysis.Recording
	in *answer.Input
	o  *Options

	addresses, times bool // are written

	siteList []siteSums
	siteOf   []int32  // by stack: index into siteList; -1 where nothing has the stack
	frames   []string // by frame: file:line:function, "" where not known yet
}

// recordings are all devices of all inputs.
func recordings(in []answer.Input, o *Options) []*recording {
	var list []*recording
	for i := range in {
		frames := make([]string, len(in[i].Snapshot.Frames))
		for _, r := range in[i].Recordings {
			list = append(list, &recording{Recording: r, in: &in[i], o: o, frames: frames,
				addresses: o.addresses(r), times: o.times(r)})
		}
	}
	return list
}

// errorOf says which recording an error is about.
func (r *recording) errorOf(err error) error {
	return fmt.Errorf("%s, %s: %w", r.in.FileName(), r.Snapshot.DeviceLabel(r.Device.ID), err)
}
