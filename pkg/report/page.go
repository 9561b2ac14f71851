package report

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/assets"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/templates"
)

// Page is what the templates get. The template of its kind opens the document, up to
// and with the scripts and inside <body>; Go writes the report, the chart options
// and the payloads after it, as it makes them; the template "tail" closes the
// document.
type Page struct {
	*shell
	Title   string
	Program string

	Summaries []Summary         // of every device of every file
	Compared  []comparedSummary // of a compare page: of every pair of devices
}

// shell is what all pages of one kind have in common.
//
// The policy names the hashes of SummaryStyles, Theme and Loader: each has to stand
// in a <style> or <script> of its own, with nothing around it, not even a line
// break. It also names those of what Loader inflates: Styles, ECharts and Viewer.
type shell struct {
	template string                 // in templates.Pages
	chart    func() ([]byte, error) // the options of its chart, as JSON
	Policy   string                 // value of the Content-Security-Policy

	SummaryStyles template.CSS
	Theme         template.JS   // runs before the first paint
	Styles        template.HTML // base64 of raw DEFLATE; so are ECharts and Viewer
	ECharts       template.HTML
	Viewer        template.HTML
	Loader        template.JS // needs the three before it
}

// The kinds of pages.
var (
	recordingShell = sync.OnceValue(func() *shell { return newShell("recording", chartOptions, &assets.Recording) })
	compareShell   = sync.OnceValue(func() *shell { return newShell("compare", compareChartOptions, &assets.Compare) })

	jobShell = sync.OnceValue(func() *shell { return newShell("job", jobChartOptions, &assets.Job) })
	// jobWithReportsShell is that of job pages that open reports of ranks. Such a report is under
	// the policy of the page that opens it, besides its own.
	jobWithReportsShell = sync.OnceValue(func() *shell {
		s := *jobShell()
		s.Policy = contentPolicy(&assets.Job, &assets.Recording)
		return &s
	})

	// shells are those of pages that hold a report, which memviz reads again.
	shells = []func() *shell{recordingShell, compareShell}
)

func newShell(name string, chart func() ([]byte, error), page *assets.Page) *shell {
	encoded := func(packed []byte) template.HTML { return template.HTML(base64.StdEncoding.EncodeToString(packed)) }
	return &shell{
		template: name, chart: chart, Policy: contentPolicy(page),
		SummaryStyles: template.CSS(assets.SummaryStyles), Theme: template.JS(assets.Theme),
		Styles: encoded(assets.Pack(page.Styles)), ECharts: encoded(page.ECharts), Viewer: encoded(assets.Pack(page.Viewer)),
		Loader: template.JS(assets.Loader),
	}
}

// has reports whether text is that of a script or style of the page.
func (s *shell) has(text string) bool {
	return slices.Contains([]string{string(s.SummaryStyles), string(s.Theme), string(s.Loader),
		string(s.Styles), string(s.ECharts), string(s.Viewer)}, text)
}

// Summary is what can be read of a device without JavaScript.
type Summary struct {
	File     string
	Device   string // "cuda:0"
	Facts    []fact
	Verdict  answer.Verdict
	Warnings []answer.Warning
	Measures []string      // sentences
	Curve    template.HTML // an SVG image
}

// fact is a name and a value, as text.
type fact struct{ Name, Value string }

// newPage takes the curve of each device of each file, in their order.
func newPage(r *Report, curves [][]*curveSource) *Page {
	p := &Page{shell: recordingShell(), Title: pageTitle(r), Program: r.Program}
	for i, f := range r.Files {
		for j, d := range f.Devices {
			p.Summaries = append(p.Summaries, Summary{
				File:     f.Name,
				Device:   d.Label,
				Facts:    factsOf(&f, &d),
				Verdict:  d.Verdict,
				Warnings: d.Warnings,
				Measures: d.Measures.texts(),
				Curve:    curveSVG(curves[i][j]),
			})
		}
	}
	return p
}

// contentPolicy is the Content-Security-Policy of a page, the first, with the scripts and
// styles of pages that it opens: it runs exactly its own
// scripts and styles and asks for nothing from anywhere. What the loader inflates
// becomes inline scripts and styles, so the hashes are of the inflated texts.
func contentPolicy(pages ...*assets.Page) string {
	scripts, styles := []string{assets.Theme, assets.Loader}, []string{assets.SummaryStyles}
	for _, page := range pages {
		scripts = append(scripts, inflated(page.ECharts), page.Viewer)
		styles = append(styles, page.Styles)
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + hashes(scripts...),
		"style-src " + hashes(styles...),
		"img-src data: blob:",
		"worker-src blob:",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
}

func hashes(texts ...string) string {
	sources := make([]string, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		sources[i] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join(sources, " ")
}

// inflated is an embedded script as the loader puts it into the page.
func inflated(packed []byte) string {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic("package assets embeds what is no DEFLATE: " + err.Error())
	}
	return string(text)
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
func factsOf(f *File, d *Device) []fact {
	facts := []fact{
		{"peak", units.Bytes(d.PeakBytes)},
		{"reserved", units.Bytes(d.ReservedPeakBytes)},
		{"live at end", units.Bytes(d.FinalBytes)},
		{"tensors", units.Count(d.Allocations)},
		{"events", units.Count(d.Events)},
	}
	if d.HasTime && f.Predicted == nil { // its times are those of another run
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

// write writes a page of this kind: what its templates make of page, with the view as JSON
// in an element of an id, the options of the chart, and the payloads between them.
func (s *shell) write(w io.Writer, page any, id string, view any, payloads func(io.Writer) error) (int64, error) {
	counted := &countingWriter{w: w}
	out := bufio.NewWriterSize(counted, 1<<16)
	err := templates.Pages.ExecuteTemplate(out, s.template, page)
	if err == nil {
		err = s.writeViews(out, id, view)
	}
	if err == nil {
		err = payloads(out)
	}
	if err == nil {
		err = templates.Pages.ExecuteTemplate(out, "tail", page)
	}
	if err == nil {
		err = out.Flush()
	}
	return counted.n, err
}

func (s *shell) writeViews(w io.Writer, id string, view any) error {
	text, err := json.Marshal(view)
	if err != nil {
		return err
	}
	options, err := s.chart()
	if err != nil {
		return err
	}
	if err := writeJSON(w, id, text); err != nil {
		return err
	}
	return writeJSON(w, "memviz-chart", options)
}

// writeJSON writes a data element; encoding/json has escaped what could end it.
func writeJSON(w io.Writer, id string, text []byte) error {
	_, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"%s\">%s</script>\n", id, text)
	return err
}

// countingWriter counts what passes through it.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
