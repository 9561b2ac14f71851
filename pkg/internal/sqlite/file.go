// Package sqlite writes SQLite databases: whole files of tables and views, front to
// back, once. It knows nothing of PyTorch, and cannot read, change or index. All of SQLite
// as a library would add a third to the size of memviz.
//
// A file is pages of one size. Page 1 begins with a header of 100 bytes and is the table
// of all tables and views: their names, their SQL, and the page of each table's root. A
// table is a tree of pages, rows in its leaves by ascending rowid. The format is
// documented at https://sqlite.org/fileformat.html.
//
// Page 1 comes first and says where the roots are, which is known last. So each table is
// written twice: to nowhere, to learn its root, and into the file. Memory holds one page
// for each level of a tree and twelve bytes for each leaf.
package sqlite

import (
	"encoding/binary"
	"errors"
	"io"
)

// pageSize holds the SQL of some twenty tables on page 1, which is never split.
const pageSize = 8192

const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
	// lockByte lies on a page that SQLite uses only for locks.
	lockByte = 1 << 30
)

// Table is a table. Its first column must be declared INTEGER PRIMARY KEY; it is the
// position of the row, from 1.
type Table struct {
	Name string
	SQL  string // CREATE TABLE ...
	// Rows calls insert with the other columns of each row, in the same order whenever
	// it is called, and stops when insert returns false.
	Rows func(insert func(*Row) bool)
}

// View is a view.
type View struct{ Name, SQL string } // CREATE VIEW ...

// Database is the content of a file. Application and Version identify the program and
// version that wrote it.
type Database struct {
	Application, Version uint32
	Tables               []Table
	Views                []View
}

// Write writes the file. It is an error if the SQL does not fit a page, or if the rows
// change between passes.
func (db *Database) Write(w io.Writer) error {
	roots := make([]uint32, len(db.Tables))
	count := &pages{w: io.Discard, next: 2}
	for i := range db.Tables {
		roots[i] = count.table(&db.Tables[i])
	}
	first, err := db.firstPage(roots, count.next-1)
	if err != nil {
		return err
	}
	p := &pages{w: w, next: 1}
	p.write(first)
	for i := range db.Tables {
		p.table(&db.Tables[i])
	}
	if p.err == nil && p.next != count.next {
		return errors.New("the rows of a table changed while they were written")
	}
	return p.err
}

// ApplicationOf returns the application named by the beginning of a database file; 0 if
// it is not a database.
func ApplicationOf(head []byte) uint32 {
	if len(head) < headerSize || string(head[:len(magic)]) != magic {
		return 0
	}
	return binary.BigEndian.Uint32(head[68:])
}

// firstPage returns the header and the table of tables and views.
func (db *Database) firstPage(roots []uint32, size uint32) ([]byte, error) {
	leaf := newNode(leafPage, headerSize)
	var row Row
	rowid := uint64(0)
	add := func(kind, name string, root uint32, sql string) bool {
		row.reset()
		row.Text(kind)
		row.Text(name)
		row.Text(name)
		row.Integer(int64(root))
		row.Text(sql)
		rowid++
		var cell []byte
		record := row.record()
		cell = appendVarint(cell, uint64(len(record)))
		cell = appendVarint(cell, rowid)
		return len(record) <= maxLocal && leaf.add(append(cell, record...))
	}
	fits := true
	for i, t := range db.Tables {
		fits = fits && add("table", t.Name, roots[i], t.SQL)
	}
	for _, v := range db.Views {
		fits = fits && add("view", v.Name, 0, v.SQL)
	}
	if !fits {
		return nil, errors.New("the SQL of a database does not fit its first page")
	}
	page := leaf.finish()
	h := page[:headerSize]
	copy(h, magic)
	binary.BigEndian.PutUint16(h[16:], pageSize)
	h[18], h[19] = 1, 1                      // written and read with a rollback journal
	h[21], h[22], h[23] = 64, 32, 32         // fractions of a payload, which are fixed
	binary.BigEndian.PutUint32(h[24:], 1)    // changes
	binary.BigEndian.PutUint32(h[28:], size) // in pages
	binary.BigEndian.PutUint32(h[40:], 1)    // changes of the tables
	binary.BigEndian.PutUint32(h[44:], 4)    // format of the tables
	binary.BigEndian.PutUint32(h[56:], 1)    // texts are UTF-8
	binary.BigEndian.PutUint32(h[60:], db.Version)
	binary.BigEndian.PutUint32(h[68:], db.Application)
	binary.BigEndian.PutUint32(h[92:], 1)         // the changes for which size holds
	binary.BigEndian.PutUint32(h[96:], 3_007_000) // the version of SQLite whose features it needs
	return page, nil
}

// pages writes pages one after another.
type pages struct {
	w    io.Writer
	next uint32 // number of the page that is written next
	err  error  // the first
}

// write writes a page, and returns its number.
func (p *pages) write(page []byte) uint32 {
	p.skipLocked()
	p.put(page)
	p.next++
	return p.next - 1
}

// skipLocked skips the page that SQLite does not use.
func (p *pages) skipLocked() {
	if p.next == lockByte/pageSize+1 {
		p.put(make([]byte, pageSize))
		p.next++
	}
}

func (p *pages) put(page []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(page)
	}
}
