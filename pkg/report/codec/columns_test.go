package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// rawColumns is a payload: columns of numbers after the texts, if there are any.
func rawColumns(texts []string, columns ...[]uint64) []byte {
	var raw []byte
	number := func(v uint64) { raw = binary.AppendUvarint(raw, v) }
	if texts != nil {
		number(uint64(len(texts)))
		for _, text := range texts {
			number(uint64(len(text)))
		}
		raw = append(raw, strings.Join(texts, "")...)
	}
	for _, column := range columns {
		number(uint64(len(column)))
		for _, v := range column {
			number(v)
		}
	}
	return raw
}

// Columns of one number each, and one of texts before it.
var (
	numbers = table{{"x", plain, "", "", ""}, {"y", plain, "x", "", ""}}
	named   = table{{"names", text, "", "", ""}, {"up", ascending, "", "names + 2", ""}, {"both", signedDelta, "", "", ""}}
)

func TestSplitColumns(t *testing.T) {
	for _, test := range []struct {
		raw   []byte
		table table
		fails string
	}{
		{[]byte{2, 5, 6}, numbers[:1], ""},
		{[]byte{0, 1, 7}, numbers, ""},
		{[]byte{}, numbers[:1], "column 0: it ends inside a number"},
		{[]byte{1, 0x80}, numbers[:1], "column 0: it ends inside a number"},
		{[]byte{0, 3, 5, 6}, numbers, "column 1: 3 values in 2 bytes"},
		{[]byte{1, 5, 9}, numbers[:1], "1 bytes after the last column"},
		{[]byte{2, 1, 2, 'a', 'b', 'c'}, named[:1], ""},
		{[]byte{2, 1, 2, 'a', 'b'}, named[:1], "column 0: it ends inside a string"},
		{rawColumns(nil, []uint64{1<<53 - 1}), numbers[:1], ""},
		{rawColumns(nil, []uint64{1 << 53}), numbers[:1], "column 0: 9007199254740992 is no exact number in JavaScript"},
	} {
		c, err := splitColumns(test.raw, test.table)
		if err == nil != (test.fails == "") || err != nil && err.Error() != test.fails {
			t.Errorf("%v: %v, want %s", test.raw, err, test.fails)
		} else if err == nil && (len(c.n) != len(test.table) || c.at[len(test.table)] != len(test.raw)) {
			t.Errorf("%v: %+v", test.raw, c)
		}
	}
	wide := &columnSet{raw: rawColumns(nil, []uint64{math.MaxUint64}), wide: true}
	if _, err := wide.split(1); err != nil {
		t.Errorf("a number of 64 bits: %v", err)
	}
}

func TestColumnValues(t *testing.T) {
	c, err := splitColumns(rawColumns([]string{"a", "", "bc"}, []uint64{3, 1}, []uint64{2, 1, 4}), named)
	if err != nil {
		t.Fatal(err)
	}
	if texts, err := c.texts(); err != nil || !slices.Equal(texts, []string{"a", "", "bc"}) {
		t.Errorf("texts %q, %v", texts, err)
	}
	var sums []uint64
	for _, v := range c.sums("up") {
		sums = append(sums, v)
	}
	var signed []int64
	for _, v := range c.signedSums("both") { // 1, -1 and 2
		signed = append(signed, v)
	}
	if !slices.Equal(sums, []uint64{3, 4}) || !slices.Equal(signed, []int64{1, 0, 2}) {
		t.Errorf("sums %v and %v", sums, signed)
	}
	if err := c.check(nil); err != nil {
		t.Error(err)
	}
	bad, _ := splitColumns([]byte{2, 1, 1, 'a', 0xff}, named[:1])
	if _, err := bad.texts(); err == nil || err.Error() != "string 1 is not UTF-8" {
		t.Error(err)
	}
}

// TestCheck: rows are counted, and what ascends is held against its limit when summed up.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		raw   []byte
		table table
		fails string
	}{
		{rawColumns(nil, []uint64{1, 2}, []uint64{3}), numbers, "1 values of y, want 2"},
		{rawColumns([]string{"a"}, []uint64{1, 1}, nil), named, ""},
		{rawColumns([]string{"a"}, []uint64{1, 2}, nil), named, "up of row 1 is 3, and there are 3"},
	} {
		c, err := splitColumns(test.raw, test.table)
		if err == nil {
			err = c.check(nil)
		}
		if err == nil != (test.fails == "") || err != nil && err.Error() != test.fails {
			t.Errorf("%v: %v, want %s", test.raw, err, test.fails)
		}
	}
}

// TestTables: every column names columns of its table, or counts that its reader has; a
// writer and a reader of another table fail in the tests of whole reports.
func TestTables(t *testing.T) {
	for _, table := range []table{stackColumns, deviceColumns, laneColumns, pairColumns, measureColumns, addressColumns} {
		known := map[string]bool{}
		for i, c := range table {
			if known[c.name] || c.coding == text && i > 0 {
				t.Errorf("column %s stands twice, or holds texts and is not the first", c.name)
			}
			known[c.name] = true
		}
	}
}

// TestTape takes memory up to its limit, and indices below theirs.
func TestTape(t *testing.T) {
	for _, test := range []struct {
		n           int
		bytesPerRow int64
		room        int64 // after it; of 16; -1: there is none
	}{{2, 8, 0}, {3, 5, 1}, {4, 5, -1}, {17, 1, -1}, {1 << 40, 0, 16}} {
		tape := &tape{room: 16}
		if ok := tape.take(test.n, test.bytesPerRow); ok != (test.room >= 0) || ok && tape.room != test.room ||
			!ok && !errors.Is(tape.err, ErrMemory) {
			t.Errorf("%d rows of %d bytes: %v, %d left", test.n, test.bytesPerRow, tape.err, tape.room)
		}
	}
	read := func(values []uint64, read func(c *tapeColumn) int) (last int, err error) {
		columns, err := splitColumns(rawColumns(nil, values), numbers[:1])
		if err != nil {
			t.Fatal(err)
		}
		tape := &tape{columns: columns}
		list, n := tape.table("x", 1, 0)
		for range n {
			last = read(&list[0])
		}
		return last, tape.err
	}
	index := func(c *tapeColumn) int { return c.index(5) }
	ascending := func(c *tapeColumn) int { return c.ascending(5) }
	is := func(c *tapeColumn) int { return map[bool]int{true: 1}[c.is()] }
	for _, test := range []struct {
		values []uint64
		read   func(c *tapeColumn) int
		want   int
		fails  string
	}{
		{[]uint64{4}, index, 4, ""},
		{[]uint64{5}, index, 0, "5 for a x, and there are 5"},
		{[]uint64{2, 0, 2}, ascending, 4, ""},
		{[]uint64{2, 3}, ascending, 0, "x 3 after 2, and there are 5"},
		{[]uint64{5}, ascending, 0, "x 5 after 0, and there are 5"},
		{[]uint64{1}, is, 1, ""},
		{[]uint64{0}, is, 0, ""},
		{[]uint64{2}, is, 0, "2 for a x, and there are 2"},
	} {
		got, err := read(test.values, test.read)
		if got != test.want || err == nil != (test.fails == "") || err != nil && err.Error() != test.fails {
			t.Errorf("%v: %d, %v; want %d, %s", test.values, got, err, test.want, test.fails)
		}
	}
}

// TestStacks: every column of a payload of stacks, with its last value too high
// by one, is refused.
func TestStacks(t *testing.T) {
	// Two texts, one frame, one node, and two stacks, of which the first is empty.
	intact := func() [][]uint64 {
		return [][]uint64{{1}, {1}, {3}, {2}, {1}, {0}, {0, 1}, {0, 1}, {0, 1}, {4, 4}, {0, 1}, {0, 1}}
	}
	check := func(columns [][]uint64) error {
		_, err := readStacks(rawColumns([]string{"", "f"}, columns...))
		return err
	}
	if err := check(intact()); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		limit uint64
		want  string
	}{
		{2, "frame.name of row 0 is 2, and there are 2"}, {2, "frame.file of row 0 is 2, and there are 2"},
		{1 << 31, "frame.line of row 0 is 2147483648, and there are 2147483648"},
		{3, "frame.class of row 0 is 3, and there are 3"}, {2, "node 1 is said to be 2 after its parent"},
		{1, "node.frame of row 0 is 1, and there are 1"}, {2, "stack.node of row 1 is 2, and there are 2"},
		{2, "stack.site of row 1 is 2, and there are 2"}, {2, "stack.operator of row 1 is 2, and there are 2"},
		{5, "stack.shade of row 1 is 5, and there are 5"}, {2, "stack.backward of row 1 is 2, and there are 2"},
		{2, "stack.named of row 1 is 2, and there are 2"},
	} {
		columns := intact()
		last := len(columns[i]) - 1
		columns[i][last] = test.limit
		if err := check(columns); err == nil || err.Error() != test.want {
			t.Errorf("column %d: %v, want %s", i, err, test.want)
		}
		columns[i][last] = test.limit - 1
		if err := check(columns); err != nil {
			t.Errorf("column %d at its limit: %v", i, err)
		}
		if columns[i] = columns[i][:last]; i > 0 && check(columns) == nil { // column 0 counts the frames
			t.Errorf("column %d is short", i)
		}
	}
	columns := intact()
	if columns[4][0] = 0; check(columns) == nil {
		t.Error("a node is its own parent")
	}
	for _, texts := range [][]string{{}, {"f"}} {
		if _, err := readStacks(rawColumns(texts, intact()...)); err == nil {
			t.Errorf("%q are texts", texts)
		}
	}
}

// TestLanes likewise, of what stands above a chart of ten events.
func TestLanes(t *testing.T) {
	check := func(columns [][]uint64) error {
		d := &deviceReader{view: &recording.Device{Events: 10, HasTime: true}}
		_, err := d.readLanes(rawColumns([]string{"n"}, columns...))
		return err
	}
	intact := func() [][]uint64 { return [][]uint64{{0}, {1}, {1 << 52}, {1}, {0}, {0}, {0}, {0}, {1}, {0}, {3}} }
	if err := check(intact()); err != nil { // a difference of times may be large
		t.Fatal(err)
	}
	for name, limit := range map[string]uint64{
		"range.length": 12, "range.length_us": 1 << 51, "range.depth": 6, "range.name": 1, "range.cut": 3,
		"phase.length": 12, "phase.kind": 4,
	} {
		column := laneColumns.index(name)
		columns := intact()
		columns[column-1][0] = limit
		if err := check(columns); err == nil || !strings.Contains(err.Error(), "and there are") {
			t.Errorf("column %d: %v", column, err)
		}
		columns[column-1][0] = limit - 1
		if err := check(columns); err != nil {
			t.Errorf("column %d at its limit: %v", column, err)
		}
		if columns[column-1] = nil; check(columns) == nil {
			t.Errorf("column %d is empty", column)
		}
	}
}

// TestDeviceColumns: a device of ten events and three allocations, of which one
// was there before.
func TestDeviceColumns(t *testing.T) {
	one, three := func() []uint64 { return []uint64{0} }, func() []uint64 { return []uint64{0, 0, 0} }
	intact := func() [][]uint64 {
		columns := make([][]uint64, len(deviceColumns))
		at := deviceColumns.index
		for _, name := range []string{"life", "size", "stack", "stack.free", "stream", "family", "rule", "addr.high",
			"addr.low", "pool"} {
			columns[at(name)] = three()
		}
		for i := at("reserved.event"); i <= at("metadata.text"); i++ {
			columns[i] = one()
		}
		columns[at("pending.alloc")], columns[at("pending.wait")], columns[at("source")] = one(), one(), one()
		columns[at("start")] = []uint64{1, 2}
		return columns
	}
	stacks, err := readStacks(rawColumns([]string{"", "f"}, []uint64{1}, []uint64{1}, []uint64{3}, []uint64{2},
		[]uint64{1}, []uint64{0}, []uint64{0, 1}, []uint64{0, 1}, []uint64{0, 1}, []uint64{4, 4}, []uint64{0, 1},
		[]uint64{0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	check := func(columns [][]uint64) error {
		r := &recording.Report{Families: make([]recording.Family, 3), Rules: make([]recording.Rule, 4)}
		view := &recording.Device{Events: 10, Allocations: 3, PreExisting: 1, HasAddr: true, WideAddr: true,
			Pools: make([]string, 2)}
		_, err := readDevice(rawColumns(nil, columns...), r, &recording.File{Streams: make([]string, 2)}, view, stacks)
		return err
	}
	if err := check(intact()); err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]uint64{
		"start": 10, // the second of them is 1 later
		"life":  9,  // of the last one, which begins in state 3 and may end in state 11
		"stack": 2, "stack.free": 4, "stream": 2, "family": 3, "source": 3, "rule": 4,
		"pool": 2, "marker.kind": 2, "context.text": 2, "metadata.text": 2, "addr.high": 1 << 32,
		"addr.low": 1 << 32, "reserved.event": 10, "marker.event": 10, "pending.alloc": 3,
		"context.alloc": 3, "metadata.alloc": 3,
	} {
		columns, column := intact(), deviceColumns.index(name)
		last := len(columns[column]) - 1
		columns[column][last] = limit
		if err := check(columns); err == nil {
			t.Errorf("%s may be %d", name, limit)
		}
		columns[column][last] = limit - 1
		if err := check(columns); err != nil {
			t.Errorf("%s at its limit: %v", name, err)
		}
	}
	for column := range deviceColumns { // one value too many
		columns := intact()
		if columns[column] = append(columns[column], 0); check(columns) == nil {
			t.Errorf("column %d is too long", column)
		}
	}
}
