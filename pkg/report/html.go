package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/memviz-go/memviz/pkg/analysis"
)

// WriteHTML writes the report of snapshots as one HTML file that needs nothing
// else. program names the version of memviz. The same input gives the same bytes.
//
// The payloads are far larger than the rest, so they are not values of the
// template but stream out between its two halves.
func WriteHTML(w io.Writer, program string, in []Input) error {
	return pageKit.write(w, program, in)
}

// kit is what every page is made with.
type kit struct {
	templates *template.Template // "head" and "tail"
	styles    string
	theme     string
	echarts   string
	viewer    string
}

func (k *kit) write(w io.Writer, program string, in []Input) error {
	out := bufio.NewWriterSize(w, 1<<16)
	r := New(program, in)
	page := newPage(r, in)
	page.Policy = contentPolicy([]string{k.theme, k.echarts, k.viewer}, []string{k.styles})
	page.Styles, page.Theme = template.CSS(k.styles), template.JS(k.theme)
	page.ECharts, page.Viewer = template.JS(k.echarts), template.JS(k.viewer)

	if err := k.templates.ExecuteTemplate(out, "head", page); err != nil {
		return err
	}
	if err := writeData(out, r, in); err != nil {
		return err
	}
	if err := k.templates.ExecuteTemplate(out, "tail", page); err != nil {
		return err
	}
	return out.Flush()
}

// writeData writes everything that the viewer reads.
func writeData(w io.Writer, r *Report, in []Input) error {
	report, err := json.Marshal(r)
	if err != nil {
		return err
	}
	options, err := chartOptions()
	if err != nil {
		return err
	}
	if err := writeJSON(w, "memviz-report", report); err != nil {
		return err
	}
	if err := writeJSON(w, "memviz-chart", options); err != nil {
		return err
	}
	_, rulePlace := ruleTable(in)
	for i := range in {
		if err := writeFile(w, &r.Files[i], &in[i], rulePlace); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes a data element; encoding/json has escaped what could end it.
func writeJSON(w io.Writer, id string, text []byte) error {
	_, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"%s\">%s</script>\n", id, text)
	return err
}

// writeFile writes the payloads of one file: its devices, then the stacks and
// texts that they refer to.
func writeFile(w io.Writer, f *File, in *Input, rulePlace map[analysis.Rule]int) error {
	texts := newStringTable()
	for i := range f.Devices {
		p := devicePayload{
			pile:      newPile(in.Devices[i], in.Families[i]),
			view:      &f.Devices[i],
			rulePlace: rulePlace,
			snapshot:  in.Snapshot,
			texts:     texts,
		}
		if err := writePayload(w, f.Devices[i].Payload, p.write); err != nil {
			return err
		}
	}
	return writePayload(w, f.Stacks, func(c *columnWriter) { writeStacks(c, in.Snapshot, in.Stacks, texts) })
}
