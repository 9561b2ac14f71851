// Package frame is what every page of memviz has around its data: the template, the
// Content-Security-Policy, styles and scripts, and the parts of chart options that pages
// share. It is the only user of templates/ and assets/.
package frame

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
	"strings"

	"github.com/memviz-go/memviz/assets"
	"github.com/memviz-go/memviz/templates"
)

// Frame is what all pages of one kind have in common.
//
// The policy names the hashes of SummaryStyles, Theme and Loader: each has to stand
// in a <style> or <script> of its own, with nothing around it, not even a line
// break. It also names those of what Loader inflates: Styles, ECharts and Viewer.
type Frame struct {
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

// WithReports is s for pages that open reports too. Such a report is under the policy of the
// page that opens it, besides its own.
func (s *Frame) WithReports(pages ...*assets.Page) *Frame {
	with := *s
	with.Policy = contentPolicy(pages...)
	return &with
}

// New is the frame of the pages that a template opens; chart makes the options of their chart.
func New(name string, chart func() ([]byte, error), page *assets.Page) *Frame {
	encoded := func(packed []byte) template.HTML { return template.HTML(base64.StdEncoding.EncodeToString(packed)) }
	return &Frame{
		template: name, chart: chart, Policy: contentPolicy(page),
		SummaryStyles: template.CSS(assets.SummaryStyles), Theme: template.JS(assets.Theme),
		Styles: encoded(assets.Pack(page.Styles)), ECharts: encoded(page.ECharts), Viewer: encoded(assets.Pack(page.Viewer)),
		Loader: template.JS(assets.Loader),
	}
}

// Has reports whether text is a script or style of the page.
func (s *Frame) Has(text string) bool {
	return slices.Contains([]string{string(s.SummaryStyles), string(s.Theme), string(s.Loader),
		string(s.Styles), string(s.ECharts), string(s.Viewer)}, text)
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

// Write writes a page of this kind: what its templates make of page, with the view as JSON
// in an element of an id, the options of the chart, and the payloads between them.
func (s *Frame) Write(w io.Writer, page any, id string, view any, payloads func(io.Writer) error) (int64, error) {
	counted := &Counter{W: w}
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
	return counted.N, err
}

func (s *Frame) writeViews(w io.Writer, id string, view any) error {
	text, err := json.Marshal(view)
	if err != nil {
		return err
	}
	options, err := s.chart()
	if err != nil {
		return err
	}
	if err := WriteJSON(w, id, text); err != nil {
		return err
	}
	return WriteJSON(w, "memviz-chart", options)
}

// WriteJSON writes a data element; encoding/json has escaped what could end it.
func WriteJSON(w io.Writer, id string, text []byte) error {
	_, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"%s\">%s</script>\n", id, text)
	return err
}

// Counter counts what passes through it.
type Counter struct {
	W io.Writer
	N int64
}

func (c *Counter) Write(b []byte) (int, error) {
	n, err := c.W.Write(b)
	c.N += int64(n)
	return n, err
}
