package job

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// embeddedReport is the report of a rank, which the page opens in a tab of its own. What
// all reports have in common, its styles and scripts, stands in the page once; in place
// of each stands a mark.
type embeddedReport struct {
	job, rank int
	size      int // of the text
	packed    []byte
}

// sharedMark stands for a text that all embedded reports share. No report holds a NUL
// otherwise: template and JSON write it in another way.
func sharedMark(name string) string { return "\x00" + name + "\x00" }

// Embed adds the report of a rank, unless the page would become larger than limit bytes
// (0: no limit); it reports whether it did.
func (d *Document) Embed(job, rank int, report io.WriterTo, limit int64) (bool, error) {
	var html bytes.Buffer
	if _, err := report.WriteTo(&html); err != nil {
		return false, err
	}
	s := recording.Frame()
	shared := map[string]string{"styles": string(s.Styles), "echarts": string(s.ECharts), "viewer": string(s.Viewer)}
	text := html.String()
	for name, part := range shared {
		text = strings.Replace(text, part, sharedMark(name), 1)
	}
	packed, err := deflated([]byte(text))
	if err != nil {
		return false, err
	}
	added := *d
	added.page.Frame, added.shared = jobWithReportsFrame(), shared
	if d.shared == nil {
		if added.bytes, err = added.Size(); err != nil {
			return false, err
		}
	}
	r := embeddedReport{job, rank, len(text), packed}
	size, err := r.writeTo(io.Discard)
	added.bytes += int64(size)
	if err != nil || limit > 0 && added.bytes > limit {
		return false, err
	}
	added.reports = append(added.reports, r)
	*d = added
	return true, nil
}

// Embedded is how many reports of ranks the page holds.
func (d *Document) Embedded() int { return len(d.reports) }

// ReportOrder are the ranks of a job in the order in which their reports are embedded while
// there is room: those with findings first, then by rank.
func ReportOrder(j *job.Job) []int {
	var list []int
	seen := make([]bool, len(j.Ranks))
	add := func(rank int) {
		if !seen[rank] && j.Ranks[rank].Error == "" {
			seen[rank] = true
			list = append(list, rank)
		}
	}
	for i := range j.Findings {
		add(j.Findings[i].Rank)
	}
	for rank := range j.Ranks {
		add(rank)
	}
	return list
}

// writeReports writes what the viewer makes the reports of: the shared texts in elements
// "shared-NAME", the reports in "report-JOB-RANK".
func (d *Document) writeReports(w io.Writer) error {
	for _, name := range []string{"styles", "echarts", "viewer"} {
		if d.shared == nil {
			break
		}
		if _, err := fmt.Fprintf(w, "<script type=\"text/plain\" id=\"shared-%s\">%s</script>\n", name,
			d.shared[name]); err != nil {
			return err
		}
	}
	for _, r := range d.reports {
		if _, err := r.writeTo(w); err != nil {
			return err
		}
	}
	return nil
}

func (r *embeddedReport) writeTo(w io.Writer) (int, error) {
	return fmt.Fprintf(w, "<script type=\"text/plain\" id=\"report-%d-%d\" data-bytes=\"%d\">%s</script>\n", r.job,
		r.rank,
		r.size, base64.StdEncoding.EncodeToString(r.packed))
}
