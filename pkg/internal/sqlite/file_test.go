package sqlite_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/sqlite"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// cellOf is a value of a row in tests: nil, an int64 or a string.
type cellOf any

// tableOf is a table "t" with one column besides its id.
func tableOf(name string, n int, value func(i int) cellOf) sqlite.Table {
	return sqlite.Table{
		Name: name, SQL: fmt.Sprintf("CREATE TABLE %s (id INTEGER PRIMARY KEY, v)", name),
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			for i := range n {
				row.Start()
				switch v := value(i).(type) {
				case nil:
					row.Null()
				case int64:
					row.Integer(v)
				case string:
					row.Text(v)
				}
				if !insert(&row) {
					return
				}
			}
		},
	}
}

// ask writes a database and asks sqlite3 about it.
func ask(t *testing.T, db *sqlite.Database, sql string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.sqlite")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return testkit.SQLite(t, path, sql)
}

// TestRows: SQLite finds the same values, at every size of a number and of a text, and
// in trees of one, two and three levels.
func TestRows(t *testing.T) {
	numbers := []int64{0, 1, 2, -1, math.MaxInt64, math.MinInt64}
	for bit := range 63 {
		n := int64(1) << bit
		numbers = append(numbers, n-1, n, n+1, -n-1, -n, -n+1)
	}
	var lengths []int
	for _, around := range []int{0, 57, 120, 8065, 8157, 8188, 2 * 8188, 3*8188 + 1000} {
		for n := max(around-12, 0); n < around+12; n++ {
			lengths = append(lengths, n)
		}
	}
	text := func(i int) string { return strings.Repeat("é<x>'", lengths[i])[:lengths[i]/6*6] }
	db := &sqlite.Database{Tables: []sqlite.Table{
		tableOf("none", 0, nil),
		tableOf("nulls", 1, func(int) cellOf { return nil }),
		tableOf("numbers", len(numbers), func(i int) cellOf { return numbers[i] }),
		tableOf("texts", len(lengths), func(i int) cellOf { return text(i) }),
		tableOf("many", 50_000, func(i int) cellOf { return strings.Repeat("row", 4) }),
		tableOf("tall", 2000, func(i int) cellOf { return strings.Repeat("x", 8000) }),
	}, Views: []sqlite.View{{Name: "twice", SQL: "CREATE VIEW twice AS SELECT 2*v AS v FROM numbers"}},
		Application: 7, Version: 3}

	var want strings.Builder
	for _, n := range numbers {
		fmt.Fprintln(&want, n)
	}
	if got := ask(t, db, "SELECT v FROM numbers ORDER BY id"); got+"\n" != want.String() {
		t.Errorf("numbers are\n%s\nwant\n%s", got, want.String())
	}
	want.Reset()
	for i := range lengths {
		fmt.Fprintln(&want, text(i))
	}
	if got := ask(t, db, "SELECT v FROM texts ORDER BY id"); got+"\n" != want.String() {
		t.Error("texts are others")
	}
	for sql, want := range map[string]string{
		"SELECT count(*) FROM none":                                         "0",
		"SELECT id, v IS NULL FROM nulls":                                   "1|1",
		"SELECT count(*), min(id), max(id), min(v) FROM many":               "50000|1|50000|rowrowrowrow",
		"SELECT count(*), sum(length(v)) FROM tall WHERE id > 1000":         "1000|8000000",
		"SELECT id FROM many WHERE id IN (1, 49999, 50000, 50001)":          "1\n49999\n50000",
		"SELECT DISTINCT v FROM twice WHERE v = 6":                          "6",
		"PRAGMA application_id; PRAGMA user_version; PRAGMA freelist_count": "7\n3\n0",
	} {
		if got := ask(t, db, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestFanout: levels of every number of children around the limit of a page are sound.
func TestFanout(t *testing.T) {
	var tables []sqlite.Table
	// A row of 8000 bytes fills a leaf, and 546 leaves an interior page.
	for _, leaves := range []int{1, 2, 3, 545, 546, 547, 548, 1092, 1093} {
		tables = append(tables, tableOf(fmt.Sprintf("t%d", leaves), leaves, func(i int) cellOf {
			return strings.Repeat("x", 8000)
		}))
	}
	for _, table := range tables {
		db := &sqlite.Database{Tables: []sqlite.Table{table}}
		if got := ask(t, db, "SELECT count(*) FROM "+table.Name); "t"+got != table.Name {
			t.Errorf("%s has %s rows", table.Name, got)
		}
	}
}

// TestLockedPage: the page with byte 2^30, which SQLite uses for locks, is empty, and no
// leaf or chain refers to it.
func TestLockedPage(t *testing.T) {
	db := &sqlite.Database{Tables: []sqlite.Table{tableOf("t", 40_000, func(int) cellOf { return longText })}}
	var seen pageReader
	if err := db.Write(&seen); err != nil {
		t.Fatal(err)
	}
	if !seen.locked || seen.empty != 1 || seen.bytes < 1<<30 {
		t.Errorf("%+v: want one empty page, the one at 2^30", seen)
	}
}

// longText has a chain of three pages.
var longText = strings.Repeat("y", 30_000)

// pageReader counts pages of zeros.
type pageReader struct {
	bytes, empty int64
	locked       bool // the page at 2^30 is one
}

func (r *pageReader) Write(page []byte) (int, error) {
	if len(page) != 8192 {
		return 0, fmt.Errorf("a write of %d bytes", len(page))
	}
	if [8192]byte(page) == ([8192]byte{}) {
		r.empty++
		r.locked = r.locked || r.bytes == 1<<30
	}
	r.bytes += int64(len(page))
	return len(page), nil
}

// TestSameBytes: writing a database twice gives the same bytes.
func TestSameBytes(t *testing.T) {
	db := &sqlite.Database{Tables: []sqlite.Table{tableOf("t", 5000, func(i int) cellOf { return int64(i) })}}
	var one, two bytes.Buffer
	if err := db.Write(&one); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(&two); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) || one.Len() == 0 {
		t.Error("two writes differ")
	}
}

func TestErrors(t *testing.T) {
	long := tableOf("t", 1, func(int) cellOf { return nil })
	long.SQL += strings.Repeat(" ", 10_000)
	if err := (&sqlite.Database{Tables: []sqlite.Table{long}}).Write(io.Discard); err == nil {
		t.Error("SQL of more than a page is taken")
	}
	rows := 0
	growing := sqlite.Table{Name: "t", SQL: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
		Rows: func(insert func(*sqlite.Row) bool) {
			var row sqlite.Row
			rows += 5000
			for range rows {
				row.Start()
				row.Text("some text")
				insert(&row)
			}
		}}
	if err := (&sqlite.Database{Tables: []sqlite.Table{growing}}).Write(io.Discard); err == nil {
		t.Error("rows that change are taken")
	}
	full := &fullDisk{room: 100_000}
	db := &sqlite.Database{Tables: []sqlite.Table{tableOf("t", 1_000_000, func(i int) cellOf { return "text" })}}
	if err := db.Write(full); err != errFull {
		t.Errorf("a full disk: %v", err)
	}
	if full.after > 1 {
		t.Errorf("%d writes to a full disk", full.after)
	}
}

var errFull = fmt.Errorf("the disk is full")

type fullDisk struct{ room, after int }

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		f.after++
		return 0, errFull
	}
	return len(b), nil
}
