package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ErrNotReport: the file is something else.
var ErrNotReport = errors.New("not a report of memviz")

// reportSchema is the part of Schema in front of its number.
const reportSchema = "memviz.report/"

// headBytes is how much of a file tells whether it is a report.
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

// damaged is an error of a report that is not what a report should be.
func damaged(element string, err error) error {
	return fmt.Errorf("damaged report: %s: %w; copy the file again, or write the report again from the snapshot",
		element, err)
}

func readDocument(page []byte) (*Document, error) {
	m, err := takeApart(page)
	if err != nil {
		return nil, damaged("the page", err)
	}
	d := &Document{markup: m}
	if d.report, err = readModel(m.json["memviz-report"]); err != nil {
		return nil, err
	}
	payloads := &inflater{left: maxRaw}
	var curves [][]*curveSource
	for i := range d.report.Files {
		f, ofFile, err := readFile(d.report, i, m, payloads)
		if err != nil {
			return nil, err
		}
		d.files, curves = append(d.files, f), append(curves, ofFile)
	}
	d.setPage(curves)
	return d, nil
}

// readModel reads the report as JSON.
func readModel(text []byte) (*Report, error) {
	const element = "memviz-report"
	if text == nil {
		return nil, damaged(element, errors.New("it is missing, the file may have been cut"))
	}
	var is struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, damaged(element, err)
	}
	number, err := strconv.Atoi(strings.TrimPrefix(is.Schema, reportSchema))
	switch {
	case !strings.HasPrefix(is.Schema, reportSchema) || err != nil:
		return nil, damaged(element, fmt.Errorf("its schema is %.40q", is.Schema))
	case number > schemaNumber():
		return nil, fmt.Errorf("the report is of a newer memviz: it has the schema %.40s, and %s knows %s; use "+
			"a newer one", is.Schema, "this program", schema)
	case number < 1 || is.Schema != reportSchema+strconv.Itoa(number):
		return nil, damaged(element, fmt.Errorf("no memviz wrote the schema %.40q", is.Schema))
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, damaged(element, err)
	}
	r.Schema = schema // older ones have less, and are written as this one
	if err := checkModel(r); err != nil {
		return nil, damaged(element, err)
	}
	return r, nil
}

func schemaNumber() int {
	number, _ := strconv.Atoi(strings.TrimPrefix(schema, reportSchema))
	return number
}

// readFile reads the payloads of one file.
func readFile(r *Report, number int, m *markup, payloads *inflater) (*filePayload, []*curveSource, error) {
	view := &r.Files[number]
	unpack := func(id string, read func(raw []byte) error) error {
		p, ok := m.payloads[id]
		if !ok {
			return damaged(id, errors.New("it is missing, the file may have been cut"))
		}
		raw, err := payloads.inflate(p)
		if err == nil {
			err = read(raw)
		}
		if err != nil {
			return damaged(id, err)
		}
		return nil
	}
	f := &filePayload{view: view, unpacked: true}
	err := unpack(view.Stacks, func(raw []byte) (err error) { f.saved, err = readStacks(raw); return err })
	var curves []*curveSource
	for j := range view.Devices {
		var d *savedDevice
		if err == nil {
			err = unpack(view.Devices[j].Payload, func(raw []byte) (err error) {
				d, err = readDevice(raw, r, view, &view.Devices[j], f.saved)
				return err
			})
		}
		if err == nil {
			err = unpack(view.Devices[j].Lanes.Payload, func(raw []byte) (err error) {
				names, err := d.readLanes(raw)
				f.laneNames = append(f.laneNames, names...)
				return err
			})
		}
		if err == nil && view.Devices[j].Space != nil {
			if err = unpack(view.Devices[j].Space.Payload, d.readSpace); err == nil {
				err = unpack(view.Devices[j].Space.Addresses, d.readSpaceAddresses)
			}
		}
		if err == nil && view.Devices[j].hasPredictedSpace() {
			err = unpack(view.Devices[j].Predicted.Space.Payload, d.readPredictedSpace)
		}
		if err == nil && view.Devices[j].Measures.hasSpaces() {
			d.measured = map[string]*savedSpace{}
			for _, line := range view.Devices[j].Measures.Lines {
				if s := line.Space; s != nil && err == nil && d.measured[s.Payload] == nil {
					err = unpack(s.Payload, func(raw []byte) (err error) {
						d.measured[s.Payload], err = d.readMeasure(raw, s.Unit)
						return err
					})
				}
			}
		}
		if err != nil {
			return nil, nil, err
		}
		f.devices = append(f.devices, d)
		curves = append(curves, d.curve())
	}
	if err != nil {
		return nil, nil, err
	}
	if view.Snapshot != "" {
		err = unpack(view.Snapshot, func(raw []byte) (err error) {
			f.rest, err = (&savedColumns{raw: raw, wide: true}).split(snapshotColumns(len(f.devices), view.Categories),
				false)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	f.setElements()
	return f, curves, nil
}
