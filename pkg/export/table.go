package export

import (
	"fmt"
	"iter"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
)

// kind is the kind of values in a column.
type kind uint8

const (
	integer kind = iota
	truth        // 0 or 1
	text
	site       // n is an index into recording.sites
	stack      // n is a snapshot.StackID, never 0
	allocation // n is an index into replay.Device.Allocations
)

// value is one cell of a table. The zero value is an empty cell.
type value struct {
	known bool
	n     int64  // of every kind but text
	text  string // of a text
}

func number[T ~int | ~int32 | ~int64](n T) value { return value{known: true, n: int64(n)} }

func textOf(s string) value { return value{known: s != "", text: s} }

func truthOf(is bool) value {
	if is {
		return number(1)
	}
	return number(0)
}

// optional is a number that may not be known.
func optional[T ~int | ~int64](n *T) value {
	if n == nil {
		return value{}
	}
	return number(*n)
}

// Table is a table that formats of rows can write: CSV, JSON Lines, SQLite.
type Table struct {
	Name    string
	TakesAt bool // its rows describe a moment

	columns []column
	rows    func(r *recording) iter.Seq[[]value] // the slice is reused
}

// leadingColumns is how many columns identify the files of a table, file and device included. They
// never change and new columns follow them, so that memviz recognises the files of its older and
// newer versions.
const leadingColumns = 4

// header returns the names of the columns. All tables begin with the file and the device
// of a row.
func (t *Table) header() []string {
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

// cell is a column of a table with rows R.
type cell[R any] struct {
	column
	value func(*recording, *R) value
}

func col[R any](name string, k kind, value func(*recording, *R) value) cell[R] {
	return cell[R]{column{name, k}, value}
}

// newTable makes a table with rows R.
func newTable[R any](name string, takesAt bool, rows func(*recording) iter.Seq[R], cells ...cell[R]) *Table {
	t := &Table{Name: name, TakesAt: takesAt}
	for _, c := range cells {
		t.columns = append(t.columns, c.column)
	}
	t.rows = func(r *recording) iter.Seq[[]value] {
		return func(yield func([]value) bool) {
			values := make([]value, len(cells))
			for row := range rows(r) {
				for i := range cells {
					values[i] = cells[i].value(r, &row)
				}
				if !yield(values) {
					return
				}
			}
		}
	}
	return t
}

// recording is one device of one file with the data for its rows.
type recording struct {
	*analysis.Recording
	in *answer.Input
	o  *Options

	addresses, times bool // whether to write them
	at               int  // state of Options.At, or timeline.NoState

	siteList []siteSums
	siteOf   []int32  // by stack: index into siteList; -1 if nothing has the stack
	frames   []string // by frame: file:line:function, "" if not known yet
}

// recordings returns all devices of all inputs. It is an error if one does not have the requested
// moment.
func recordings(in []answer.Input, o *Options) ([]*recording, error) {
	var list []*recording
	for i := range in {
		frames := make([]string, len(in[i].Snapshot.Frames))
		for _, r := range in[i].Recordings {
			at := timeline.NoState
			if o.At != nil {
				var err error
				if at, err = o.At.State(r); err != nil {
					return nil, fmt.Errorf("%s, %s: %w", in[i].FileName(), r.Snapshot.DeviceLabel(r.Device.ID), err)
				}
			}
			list = append(list, &recording{Recording: r, in: &in[i], o: o, frames: frames,
				addresses: o.addresses(r), times: o.times(r), at: at})
		}
	}
	return list, nil
}

// state returns the requested state, or another one by default.
func (r *recording) state(otherwise int) int {
	if r.at != timeline.NoState {
		return r.at
	}
	return otherwise
}
