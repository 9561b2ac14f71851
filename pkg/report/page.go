package report

import (
	"html/template"
	"strconv"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/units"
)

// Page is what the templates get. The template "head" opens the document, up to
// the readable summary and inside <body>; Go writes the report, the chart
// options and the payloads after it, as it makes them; the template "tail"
// holds the scripts that read them and closes the document.
//
// The policy names the hashes of Styles, Theme, ECharts and Viewer: each has to
// stand in a <style> or <script> of its own, with nothing around it, not even
// a line break.
type Page struct {
	Title   string
	Program string
	Policy  string // value of the Content-Security-Policy

	Styles  template.CSS
	Theme   template.JS // runs before the first paint
	ECharts template.JS
	Viewer  template.JS

	Summaries []Summary // of every device of every file
}

// Summary is what can be read of a device without JavaScript.
type Summary struct {
	File     string
	Device   string // "cuda:0"
	Facts    []Fact
	Verdict  answer.Verdict
	Warnings []answer.Warning
	Curve    template.HTML // an SVG image
}

// Fact is a name and a value, as text.
type Fact struct{ Name, Value string }

// newPage takes the curve of each device of each file, in their order.
func newPage(r *Report, curves [][]*curveSource) *Page {
	p := &Page{Title: pageTitle(r), Program: r.Program}
	for i, f := range r.Files {
		for j, d := range f.Devices {
			p.Summaries = append(p.Summaries, Summary{
				File:     f.Name,
				Device:   d.Label,
				Facts:    factsOf(&f, &d),
				Verdict:  d.Verdict,
				Warnings: d.Warnings,
				Curve:    curveSVG(curves[i][j]),
			})
		}
	}
	return p
}

func pageTitle(r *Report) string {
	switch len(r.Files) {
	case 0:
		return "memviz"
	case 1:
		return r.Files[0].Name + " · memviz"
	}
	return r.Files[0].Name + " and " + strconv.Itoa(len(r.Files)-1) + " more · memviz"
}

// factsOf are the facts of the page's header.
func factsOf(f *File, d *Device) []Fact {
	facts := []Fact{
		{"peak", units.Bytes(d.PeakBytes)},
		{"reserved", units.Bytes(d.ReservedPeakBytes)},
		{"live at end", units.Bytes(d.FinalBytes)},
		{"tensors", units.Count(d.Allocations)},
		{"events", units.Count(d.Events)},
	}
	if d.HasTime {
		facts = append(facts, Fact{"span", units.Duration(d.SpanMicros)})
	}
	facts = append(facts, Fact{"torch", f.Torch})
	for i := range facts {
		facts[i].Value = units.NoBreak(facts[i].Value)
	}
	return facts
}
