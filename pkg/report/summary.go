package report

import (
	"html/template"
	"strconv"

	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/compare"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
)

// Page is what the templates get. The template of its kind opens the document, up to
// and with the scripts and inside <body>; Go writes the report, the chart options
// and the payloads after it, as it makes them; the template "tail" closes the
// document.
type Page struct {
	*frame.Frame
	Title   string
	Program string

	Summaries []Summary         // of every device of every file
	Compared  []compare.Summary // of a compare page: of every pair of devices
}

// Summary is what can be read of a device without JavaScript.
type Summary struct {
	File     string
	Device   string // "cuda:0"
	Facts    []fact
	Verdict  trust.Verdict
	Warnings []trust.Warning
	Measures []string      // sentences
	Curve    template.HTML // an SVG image
}

// fact is a name and a value, as text.
type fact struct{ Name, Value string }

// newPage takes the curve of each device of each file, in their order.
func newPage(r *recording.Report, curves [][]*recording.Curve) *Page {
	p := &Page{Frame: recording.Frame(), Title: pageTitle(r), Program: r.Program}
	for i, f := range r.Files {
		for j, d := range f.Devices {
			p.Summaries = append(p.Summaries, Summary{
				File:     f.Name,
				Device:   d.Label,
				Facts:    factsOf(&f, &d),
				Verdict:  d.Verdict,
				Warnings: d.Warnings,
				Measures: d.Measures.Texts(),
				Curve:    recording.CurveSVG(curves[i][j]),
			})
		}
	}
	return p
}

func pageTitle(r *recording.Report) string {
	switch len(r.Files) {
	case 0:
		return "memviz"
	case 1:
		return r.Files[0].Name + " · memviz"
	}
	return r.Files[0].Name + " and " + strconv.Itoa(len(r.Files)-1) + " more · memviz"
}

// factsOf are the facts of the page's header.
func factsOf(f *recording.File, d *recording.Device) []fact {
	facts := []fact{
		{"peak", units.Bytes(d.PeakBytes)},
		{"reserved", units.Bytes(d.ReservedPeakBytes)},
		{"live at end", units.Bytes(d.FinalBytes)},
		{"tensors", units.Count(d.Allocations)},
		{"events", units.Count(d.Events)},
	}
	if d.HasTime && f.Predicted == nil { // its times belong to another run
		facts = append(facts, fact{"span", units.Duration(d.SpanMicros)})
	}
	if f.Torch != "" {
		facts = append(facts, fact{"torch", f.Torch})
	}
	for i := range facts {
		facts[i].Value = units.NoBreak(facts[i].Value)
	}
	return facts
}
