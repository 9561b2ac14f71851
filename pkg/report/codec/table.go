package codec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// table is the columns of a payload in their order. It drives its writer and its check, and
// is the documentation of both.
type table []column

// column is one column of a payload.
type column struct {
	name   string
	coding coding
	// rows says how many values there are: as many as another column of the table has, or a
	// count of [columnSet.check]. "" is any number.
	rows string
	// limit is a count above every value, and above every sum of an ascending column: "stacks",
	// "events + 1" or "3". "" is any value that JavaScript holds exactly.
	limit string
	doc   string
}

// coding is how the values of a column are written, all as unsigned LEB128 varints.
type coding uint8

const (
	plain       coding = iota // as they are
	ascending                 // each as the difference to the one before, the first to 0
	signed                    // zigzag-coded
	signedDelta               // zigzag-coded differences
	text                      // a column of lengths in bytes, then the texts as UTF-8; always the first
)

// index is the position of a column; the end of the table for "".
func (t table) index(name string) int {
	if name == "" {
		return len(t)
	}
	i := slices.IndexFunc(t, func(c column) bool { return c.name == name })
	if i < 0 {
		panic("there is no column " + name)
	}
	return i
}

// from writes columns of a table, beginning with one.
func (t table) from(c *columnWriter, first string) *tableWriter {
	return &tableWriter{columnWriter: c, rest: t[t.index(first):]}
}

// tableWriter writes the columns of a table.
type tableWriter struct {
	*columnWriter
	rest table
}

// put writes the next column, of n values.
func (w *tableWriter) put(name string, n int, value func(i int) int64) {
	c := w.rest[0]
	if c.name != name {
		panic("column " + name + " is written in place of " + c.name)
	}
	w.rest = w.rest[1:]
	switch c.coding {
	case plain:
		w.column(n, func(i int) uint64 { return uint64(value(i)) })
	case ascending:
		w.ascending(n, func(i int) uint64 { return uint64(value(i)) })
	case signed:
		w.signed(n, value)
	case signedDelta:
		w.signedDelta(n, value)
	}
}

// texts writes the next column, of texts.
func (w *tableWriter) texts(list []string) {
	w.rest = w.rest[1:]
	w.strings(list)
}

// empty writes columns without values.
func (w *tableWriter) empty(names ...string) {
	for _, name := range names {
		w.put(name, 0, nil)
	}
}

// check holds the columns against their table: how many values each has, and how high they
// are. counts are those that the table names.
func (c *columnSet) check(counts map[string]int) error {
	for i, column := range c.table {
		if want := c.resolve(column.rows, counts); column.rows != "" && c.n[i] != want {
			return fmt.Errorf("%d values of %s, want %d", c.n[i], column.name, want)
		}
	}
	for i, column := range c.table {
		if column.limit == "" {
			continue
		}
		limit := uint64(c.resolve(column.limit, counts))
		values := c.all
		if column.coding == ascending {
			values = c.sums
		}
		for row, v := range values(c.table[i].name) {
			if v >= limit {
				return fmt.Errorf("%s of row %d is %d, and there are %d", column.name, row, v, limit)
			}
		}
	}
	return nil
}

// resolve evaluates a sum such as "events + 1".
func (c *columnSet) resolve(sum string, counts map[string]int) (n int) {
	if sum == "" {
		return 0
	}
	for _, name := range strings.Split(sum, " + ") {
		if number, err := strconv.Atoi(name); err == nil {
			n += number
		} else if count, is := counts[name]; is {
			n += count
		} else {
			n += c.n[c.table.index(name)]
		}
	}
	return n
}
