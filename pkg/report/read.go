package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ErrNotReport: the file is something else.
var ErrNotReport = errors.New("not a report of memviz")

// maxPage is how many bytes a report may have that is read again, see maxRaw.
const maxPage = 1 << 27

// headBytes is how much of a file is enough to recognize a report.
const headBytes = 4096

func isReport(head []byte) bool {
	return bytes.HasPrefix(head, []byte("<!doctype html>")) &&
		bytes.Contains(head, []byte(`<meta name="generator" content="memviz `))
}

// Open reads the file at path: a snapshot, in any encoding and under the options,
// or a report, whose snapshots [Document.Snapshot] gives. The other result is nil.
// Errors name the file.
func Open(path string, o snapshot.Options) (*snapshot.Snapshot, *Document, error) {
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		head := make([]byte, headBytes)
		n, _ := f.ReadAt(head, 0)
		info, err := f.Stat()
		isPipe := err == nil && !info.Mode().IsRegular() && !info.IsDir()
		if isPipe || isReport(head[:n]) {
			s, d, err := ReadPipe(f, o)
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			return s, d, err
		}
	}
	s, err := snapshot.OpenWith(path, o) // which also says why a file cannot be opened
	return s, nil, err
}

// ReadPipe is [Open] for what cannot be read twice.
func ReadPipe(r io.Reader, o snapshot.Options) (*snapshot.Snapshot, *Document, error) {
	in := bufio.NewReaderSize(r, headBytes)
	if head, _ := in.Peek(headBytes); isReport(head) {
		d, err := Read(in)
		return nil, d, err
	}
	s, err := snapshot.ReadPipe(in, o)
	return s, nil, err
}

// Read reads a report, of this version of memviz or an older one. The document
// it gives is written with the page of this program; a report of this very
// version gives the same bytes. Everything in r is checked, nothing is run, and
// no more memory is taken than the data need. The error is [ErrNotReport] if r is
// something else.
func Read(r io.Reader) (*Document, error) {
	in := bufio.NewReaderSize(r, headBytes)
	head, err := in.Peek(headBytes)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case !isReport(head):
		return nil, ErrNotReport
	}
	page, err := io.ReadAll(io.LimitReader(in, maxPage+1))
	switch {
	case err != nil:
		return nil, err
	case len(page) > maxPage:
		return nil, fmt.Errorf("the report has more than %d bytes", maxPage)
	}
	d, err := readDocument(page)
	if err != nil {
		return nil, err
	}
	d.bytes = int64(len(page))
	return d, nil
}

// Bytes is the size of the file that the report was read from.
func (d *Document) Bytes() int64 { return d.bytes }

// Rewritten says in a report that was read which memviz writes it anew, if it is
// another one.
func (d *Document) Rewritten(program string) {
	made, _, _ := strings.Cut(d.report.Program, ", page by ")
	if made != program {
		made += ", page by " + program
	}
	d.report.Program, d.page.Program = made, made
}

func readDocument(page []byte) (*Document, error) {
	m, err := takeApart(page)
	if err != nil {
		return nil, recording.Damaged("the page", err)
	}
	d := &Document{markup: m}
	if d.report, err = recording.Read(m.json["memviz-report"]); err != nil {
		return nil, err
	}
	var curves [][]*recording.Curve
	for i := range d.report.Files {
		f, ofFile, err := codec.ReadFile(d.report, i, m.payloads)
		if err != nil {
			return nil, err
		}
		d.files, curves = append(d.files, f), append(curves, ofFile)
	}
	d.setPage(curves)
	return d, nil
}
