package sqlite

import (
	"encoding/binary"
	"math"
)

// Row is the columns of a row after the first, in order. One Row can be reused for any
// number of rows: it may be changed as soon as it is inserted.
type Row struct {
	types []byte // a varint each: the type and length of the value
	data  []byte
	whole []byte // see record
}

func (r *Row) reset() { r.types, r.data = r.types[:0], r.data[:0] }

// Start begins a row, whose first column is its position.
func (r *Row) Start() {
	r.reset()
	r.Null() // an INTEGER PRIMARY KEY is stored as NULL; the rowid has its value
}

// Types of values.
const (
	typeNull = 0
	typeZero = 8
	typeOne  = 9
	typeText = 13 // plus two for each byte
)

// Null adds a column without a value.
func (r *Row) Null() { r.types = append(r.types, typeNull) }

// integers are the types of numbers by their size in bytes.
var integers = [...]struct {
	kind, bytes byte
	most        int64
}{{1, 1, math.MaxInt8}, {2, 2, math.MaxInt16}, {3, 3, 1<<23 - 1}, {4, 4, math.MaxInt32}, {5, 6, 1<<47 - 1},
	{6, 8, math.MaxInt64}}

// Integer adds a number, in as few bytes as it takes.
func (r *Row) Integer(n int64) {
	switch n {
	case 0:
		r.types = append(r.types, typeZero)
		return
	case 1:
		r.types = append(r.types, typeOne)
		return
	}
	i := 0
	for n > integers[i].most || n < -integers[i].most-1 {
		i++
	}
	var full [8]byte
	binary.BigEndian.PutUint64(full[:], uint64(n))
	r.types = append(r.types, integers[i].kind)
	r.data = append(r.data, full[8-integers[i].bytes:]...)
}

// Text adds a text, which must be UTF-8.
func (r *Row) Text(s string) {
	r.types = appendVarint(r.types, typeText+2*uint64(len(s)))
	r.data = append(r.data, s...)
}

// record returns the row as it is stored: the length of the header including itself, the
// types, the values.
func (r *Row) record() []byte {
	header := uint64(len(r.types)) + 1
	if header > 127 {
		header++ // no table has so many columns that it takes three bytes
	}
	r.whole = appendVarint(r.whole[:0], header)
	r.whole = append(r.whole, r.types...)
	r.whole = append(r.whole, r.data...)
	return r.whole
}

// appendVarint appends a number in base 128, the most significant digit first: all bytes
// but the last have their top bit set. Numbers here take fewer than nine bytes, where the
// rule changes.
func appendVarint(b []byte, n uint64) []byte {
	var digits [9]byte
	at := len(digits) - 1
	digits[at] = byte(n & 127)
	for n >>= 7; n > 0; n >>= 7 {
		at--
		digits[at] = byte(n&127) | 128
	}
	return append(b, digits[at:]...)
}
