package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"unicode/utf8"
)

// columnSet are the columns of a payload as they were written. They are not
// unpacked further, so they take no more memory than the payload.
type columnSet struct {
	raw []byte
	// wide: numbers have up to 64 bits, because no page reads them.
	wide  bool
	table table // nil for the payload of a snapshot
	at    []int // column i is raw[at[i]:at[i+1]], its count included
	n     []int // values of column i
}

// splitColumns finds the columns of a payload. It refuses what is left over, and what
// JavaScript cannot hold.
func splitColumns(raw []byte, t table) (*columnSet, error) {
	return (&columnSet{raw: raw, table: t}).split(len(t))
}

func (c *columnSet) split(columns int) (*columnSet, error) {
	raw := c.raw
	c.at = []int{0}
	for i := range columns {
		at, n, err := c.skip(c.at[i], c.table != nil && c.table[i].coding == text)
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i, err)
		}
		c.at, c.n = append(c.at, at), append(c.n, n)
	}
	if rest := len(raw) - c.at[columns]; rest > 0 {
		return nil, fmt.Errorf("%d bytes after the last column", rest)
	}
	return c, nil
}

// skip is where the column that begins at a byte ends, and how many values it has.
func (c *columnSet) skip(at int, strings bool) (end, n int, err error) {
	count, at, err := c.varint(at)
	if err != nil {
		return 0, 0, err
	}
	if count > uint64(len(c.raw)-at) {
		return 0, 0, fmt.Errorf("%d values in %d bytes", count, len(c.raw)-at)
	}
	lengths := uint64(0)
	for range count {
		var v uint64
		if v, at, err = c.varint(at); err != nil {
			return 0, 0, err
		}
		lengths = min(lengths+v, 1<<53)
	}
	if strings {
		if lengths > uint64(len(c.raw)-at) {
			return 0, 0, errors.New("it ends inside a string")
		}
		at += int(lengths)
	}
	return at, int(count), nil
}

func (c *columnSet) varint(at int) (v uint64, next int, err error) {
	v, n := binary.Uvarint(c.raw[at:])
	if n <= 0 {
		return 0, 0, errors.New("it ends inside a number")
	}
	if v >= 1<<53 && !c.wide {
		return 0, 0, fmt.Errorf("%d is no exact number in JavaScript", v)
	}
	return v, at + n, nil
}

// cursor reads a column value by value. Who reads has to know how many there are.
type cursor struct{ rest []byte }

func (c *columnSet) cursor(name string) *cursor { return c.cursorAt(c.table.index(name)) }

func (c *columnSet) cursorAt(column int) *cursor {
	u := &cursor{c.raw[c.at[column]:]}
	u.next() // the count
	return u
}

// count is how many values a column has.
func (c *columnSet) count(name string) int { return c.n[c.table.index(name)] }

func (u *cursor) next() uint64 {
	v, n := binary.Uvarint(u.rest)
	u.rest = u.rest[n:]
	return v
}

// all yields the values of a column as they stand there.
func (c *columnSet) all(name string) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		u := c.cursor(name)
		for i := range c.count(name) {
			if !yield(i, u.next()) {
				return
			}
		}
	}
}

// sums yields the running sum of a column of differences.
func (c *columnSet) sums(name string) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		sum := uint64(0)
		for i, v := range c.all(name) {
			if sum += v; !yield(i, sum) {
				return
			}
		}
	}
}

// signedSums likewise, of zigzag-coded differences.
func (c *columnSet) signedSums(name string) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		sum := int64(0)
		for i, v := range c.all(name) {
			if sum += unzigzag(v); !yield(i, sum) {
				return
			}
		}
	}
}

// unzigzag undoes zigzag.
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// texts are the strings of the first column.
func (c *columnSet) texts() ([]string, error) {
	texts := make([]string, c.n[0])
	at := c.at[1]
	for _, v := range c.all(c.table[0].name) {
		at -= int(v)
	}
	for i, v := range c.all(c.table[0].name) {
		text := string(c.raw[at : at+int(v)])
		if at += int(v); !utf8.ValidString(text) {
			return nil, fmt.Errorf("string %d is not UTF-8", i)
		}
		texts[i] = text
	}
	return texts, nil
}

// write writes the columns from one up to another as they were; to the last for "".
func (c *columnSet) write(to *columnWriter, from, end string) {
	c.copyRaw(to, c.raw[c.at[c.table.index(from)]:c.at[c.table.index(end)]])
}

// writeAll writes all columns as they were.
func (c *columnSet) writeAll(to *columnWriter) { c.copyRaw(to, c.raw) }

func (c *columnSet) copyRaw(to *columnWriter, raw []byte) {
	for len(raw) > 0 {
		n := min(len(raw), columnBatch-len(to.pending))
		to.pending = append(to.pending, raw[:n]...)
		to.drain(columnBatch)
		raw = raw[n:]
	}
}

// tape reads columns one after another, until something is wrong.
type tape struct {
	columns *columnSet
	next    int   // column
	room    int64 // bytes that may still be taken
	err     error
}

func (t *tape) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// take takes memory for n rows, and reports whether there is any.
func (t *tape) take(n int, bytesPerRow int64) bool {
	if bytesPerRow > 0 && int64(n) > t.room/bytesPerRow {
		t.fail("%w", ErrMemory)
	}
	t.room -= int64(n) * bytesPerRow
	return t.err == nil
}

// table is so many columns, which have a row each for every item of a list. What
// is made of a row may take so many bytes.
func (t *tape) table(name string, columns int, bytesPerRow int64) ([]tapeColumn, int) {
	list := make([]tapeColumn, columns)
	n := t.columns.n[t.next]
	for i := range list {
		if t.columns.n[t.next+i] != n {
			t.fail("%d and %d values for each %s", n, t.columns.n[t.next+i], name)
		}
		list[i] = tapeColumn{cursor: *t.columns.cursorAt(t.next + i), tape: t, name: name}
	}
	t.next += columns
	if !t.take(n, bytesPerRow) {
		return list, 0
	}
	return list, n
}

// tapeColumn reads a column. Its methods must not be called more often than it
// has rows.
type tapeColumn struct {
	cursor
	tape *tape
	name string
	sum  int64
}

// index reads a value below a limit.
func (c *tapeColumn) index(limit int) int {
	v := c.cursor.next()
	if v >= uint64(limit) {
		c.tape.fail("%d for a %s, and there are %d", v, c.name, limit)
		return 0
	}
	return int(v)
}

func (c *tapeColumn) is() bool { return c.index(2) == 1 }

func (c *tapeColumn) signed() int64 { return unzigzag(c.cursor.next()) }

// signedSum reads a value that is given by its difference to the one before.
func (c *tapeColumn) signedSum() int64 {
	c.sum += c.signed()
	return c.sum
}

// ascending likewise, of an index that never falls.
func (c *tapeColumn) ascending(limit int) int {
	v := c.cursor.next()
	if v >= uint64(limit) || c.sum+int64(v) >= int64(limit) {
		c.tape.fail("%s %d after %d, and there are %d", c.name, v, c.sum, limit)
		return 0
	}
	c.sum += int64(v)
	return int(c.sum)
}
