package report

import (
	"io"
	"sync"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/compare"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// Document is a report as one HTML file that needs nothing else, ready to be
// written. The same input gives the same bytes.
//
// The payloads are far larger than the rest, so they are not values of the
// template but stream out between its two halves.
type Document struct {
	in      []answer.Input // none when the report was read from a file
	report  *recording.Report
	page    *Page
	files   []*codec.File
	omitted codec.Parts
	markup  *markup // of a report that was read; else nil
	bytes   int64   // likewise: of its file

	comparison *compare.Comparison // of a compare page; else nil

	warnings [][][]trust.Warning // by file and device: without what was left out
	fitted   []trust.Warning     // what Fit left out, once it did
}

// Encode makes the report of snapshots. program names the version of memviz.
// progress, which may be nil, hears now and then how many of all events are
// done.
func Encode(program string, in []answer.Input, progress func(done, events int64)) *Document {
	return encode(program, in, progress, true)
}

// encode is Encode; measured: the page shows what changes of the training would save.
func encode(program string, in []answer.Input, progress func(done, events int64), measured bool) *Document {
	// What only one core can do comes next, so this costs no time.
	found := codec.StartSearch(in)
	curves := make([][]*recording.Curve, len(in))
	d := &Document{in: in, report: recording.New(program, in, measured)}
	for i := range in {
		for j, device := range in[i].Devices {
			curves[i] = append(curves[i], recording.RecordedCurve(device, d.report.Files[i].Devices[j].Label))
		}
	}
	d.setPage(curves)

	_, rulePlace := recording.RuleTable(in)
	for i := range in {
		d.files = append(d.files, codec.NewFile(i, &d.report.Files[i], &in[i], rulePlace))
	}
	m := &meter{progress: progress}
	for _, f := range d.files {
		events, values := f.Extent()
		m.events, m.values = m.events+events, m.values+values
	}
	for _, f := range d.files {
		f.Encode(m.tick, found)
	}
	for i := range in { // what came without still goes without
		d.omit(i, codec.Omission{Addresses: in[i].Snapshot.Redaction.Addresses, Times: in[i].Snapshot.Redaction.Times})
	}
	m.finish()
	return d
}

// WriteHTML writes the report of snapshots with everything in it.
func WriteHTML(w io.Writer, program string, in []answer.Input) error {
	_, err := Encode(program, in, nil).WriteTo(w)
	return err
}

// setPage makes what the templates get.
func (d *Document) setPage(curves [][]*recording.Curve) {
	d.page = newPage(d.report, curves)
	for i := range d.report.Files {
		var list [][]trust.Warning
		for j := range d.report.Files[i].Devices {
			list = append(list, d.report.Files[i].Devices[j].Warnings)
		}
		d.warnings = append(d.warnings, list)
	}
}

// Report is what the page gets as JSON. It must not be changed.
func (d *Document) Report() *recording.Report { return d.report }

// WriteTo writes the file.
func (d *Document) WriteTo(w io.Writer) (int64, error) {
	return d.page.Write(w, d.page, "memviz-report", d.report, d.writePayloads)
}

// Size is how many bytes the file will have.
func (d *Document) Size() (int64, error) { return d.WriteTo(io.Discard) }

func (d *Document) writePayloads(w io.Writer) error {
	for _, f := range d.files {
		if err := f.Write(w); err != nil {
			return err
		}
	}
	if d.comparison != nil {
		return d.comparison.Write(w)
	}
	return nil
}

// meter reports how far encoding has come. Columns tick as they are written, several at a time.
type meter struct {
	progress       func(done, events int64)
	events, values int64

	mu   sync.Mutex
	done int64 // of the values
}

func (m *meter) tick(values int) {
	if m.progress == nil || m.values == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done = min(m.done+int64(values), m.values)
	m.progress(int64(float64(m.events)*float64(m.done)/float64(m.values)), m.events)
}

func (m *meter) finish() {
	if m.progress != nil {
		m.progress(m.events, m.events)
	}
}
