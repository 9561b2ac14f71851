// Package job writes the page of a job of many ranks.
package job

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/units"
)

// Document is a job page as one HTML file that needs nothing else: the ranks of one
// or more jobs, each compared with the ranks that do the same work. The same jobs give
// the same bytes.
type Document struct {
	report   *pageModel
	page     pageData
	payloads [][]byte // of the jobs, two each: ranks as JSON, curves
	reports  []embeddedReport
	shared   map[string]string // of the embedded reports; nil without any
	bytes    int64             // of the file, once there are reports
}

// pageData is what the template gets.
type pageData struct {
	*frame.Frame
	Title   string
	Program string
	Jobs    []summary
}

// summary is what can be read of a job without JavaScript.
type summary struct {
	Label    string
	Facts    []ranks.JobFact
	Verdict  trust.Verdict
	Warnings []trust.Warning
	Answers  [4]ranks.JobAnswer
	Findings [][]string
	Left     int // how many findings are not listed
	Groups   [][]string
}

// mostInSummary is how many findings, and groups, the summary lists.
const mostInSummary = 100

// Encode makes the page of jobs. program names the version of memviz.
func Encode(program string, jobs []*job.Job) (*Document, error) {
	d := &Document{report: newPageModel(program, jobs)}
	d.page = pageData{Frame: jobFrame(), Title: "job · memviz", Program: program}
	for i, j := range jobs {
		v := d.report.Jobs[i]
		curves := v.addCurves(j)
		text, err := json.Marshal(&v.data)
		if err != nil {
			return nil, err
		}
		d.payloads = append(d.payloads, text, curves)
		d.page.Jobs = append(d.page.Jobs, newSummary(v))
	}
	if len(jobs) > 0 && d.report.Jobs[0].Label != "" {
		d.page.Title = d.report.Jobs[0].Label + " · memviz"
	}
	return d, nil
}

func newSummary(v *jobModel) summary {
	s := summary{Label: v.Label, Facts: v.Facts, Verdict: v.Verdict, Warnings: v.Warnings, Answers: v.Answers}
	s.Left = max(0, len(v.Findings)-mostInSummary)
	for _, f := range v.Findings[:len(v.Findings)-s.Left] {
		change := ""
		if f.Change != 0 {
			change = units.Change(f.Change)
		}
		if f.Kind == job.Leaks.Key() {
			change += " a step"
		}
		s.Findings = append(s.Findings, []string{"rank " + v.data.Ranks[f.Rank].Name, f.What, change, f.Detail})
	}
	for _, g := range v.data.Groups[:min(len(v.data.Groups), mostInSummary)] {
		s.Groups = append(s.Groups, []string{g.Name, units.Count(g.Ranks), units.Bytes(g.Median),
			"± " + units.Bytes(g.Limit)})
	}
	return s
}

// WriteTo writes the file.
func (d *Document) WriteTo(w io.Writer) (int64, error) {
	return d.page.Write(w, d.page, "memviz-job", d.report, d.writePayloads)
}

// Size is how many bytes the file will have.
func (d *Document) Size() (int64, error) { return d.WriteTo(io.Discard) }

func (d *Document) writePayloads(w io.Writer) error {
	for i, kind := range []string{"ranks", "curves"} {
		for job := range d.report.Jobs {
			if err := writePacked(w, fmt.Sprintf("%s-%d", kind, job), d.payloads[2*job+i]); err != nil {
				return err
			}
		}
	}
	return d.writeReports(w)
}

// writePacked writes bytes as base64 of raw DEFLATE into an element with an id.
func writePacked(w io.Writer, id string, data []byte) error {
	packed, err := deflated(data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "<script type=\"text/plain\" id=\"%s\" data-bytes=\"%d\">%s</script>\n", id, len(data),
		base64.StdEncoding.EncodeToString(packed))
	return err
}

func deflated(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	out, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		_, err = out.Write(data)
	}
	if err == nil {
		err = out.Close()
	}
	return packed.Bytes(), err
}
