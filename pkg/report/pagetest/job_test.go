package pagetest

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report"
	jobpage "github.com/memviz-go/memviz/pkg/report/job"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// jobReport is the path of the page of a job that never ran.
func jobReport(t *testing.T, n int) string {
	t.Helper()
	stages := 4
	if n < 64 {
		stages = 1
	}
	document, err := jobpage.Encode("memviz", job.Jobs(recorded.Job(n, stages)))
	if err != nil {
		t.Fatal(err)
	}
	return writeReport(t, document)
}

// coloured counts, for the row of a rank, how many columns of pixels have at least five
// pixels of colour, in client pixels.
const coloured = `(() => {
	const g = memviz.geometry(), row = g.rows.find((r) => r.rank === %d);
	const chart = document.querySelector('#chart canvas'), plot = document.getElementById('ranks').getBoundingClientRect();
	const ratio = chart.width / plot.width;
	const ctx = new OffscreenCanvas(chart.width, chart.height).getContext('2d', {willReadFrequently: true});
	ctx.drawImage(chart, 0, 0);
	const top = Math.floor((row.from - plot.top) * ratio), height = Math.ceil((row.to - row.from) * ratio);
	const width = Math.floor(g.width * ratio);
	const {data} = ctx.getImageData(Math.round((g.left - plot.left) * ratio), top, width, height);
	let columns = 0;
	for (let x = 0; x < width; x++) {
		let pixels = 0;
		for (let y = 0; y < height; y++) {
			const i = 4 * (y * width + x);
			if (data[i] - data[i + 2] > 40) pixels++;
		}
		if (pixels >= 5 * ratio) columns++;
	}
	return columns / ratio;
})()`

// TestJobPage: a rank that holds more can be seen among any number, keys and address lead
// to it, and nothing goes wrong on the way.
func TestJobPage(t *testing.T) {
	t.Parallel()
	for _, n := range []int{64, 1024, 4081} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			p := open(t, jobReport(t, n), "theme=light")
			for _, order := range []string{"", "&order=peak"} {
				p.goTo("theme=light%s", order)
				if got := eval[float64](p, coloured, 37); got < 100 {
					t.Errorf("%d ranks%s: the rank that differs is coloured in %g columns", n, order, got)
				}
			}
			if n != 1024 {
				return
			}
			p.goTo("theme=light")
			p.press("nnn")
			p.until(`memviz.choice().selected === memviz.findings()[2].rank`)
			p.until(`new URLSearchParams(location.hash.slice(1)).get('rank') === '37'`)
			p.shows("dispatch")
			p.press("++x")
			p.until(`new URLSearchParams(location.hash.slice(1)).has('rows')`)
			before := eval[string](p, `JSON.stringify(memviz.choice())`)
			p.reopen(eval[string](p, "location.hash.slice(1)"))
			if after := eval[string](p, `JSON.stringify(memviz.choice())`); after != before {
				t.Errorf("the address brings back %s, not %s", after, before)
			}
			p.press("0")
			p.typed("/900-902\u001b\u001b\u001b") // leaves the box, the rank and the search
			p.until(`memviz.choice().query === ''`)
			t.Logf("redrawn in %.0f ms", eval[float64](p,
				`Math.min(...[0, 1, 2, 3].map((i) => memviz.view({from: 0, to: 1024 - i}).ms))`))
		})
	}
}

// TestJobPageReports: the report of a rank opens in the browser as a page of its own,
// under the policy of the page that holds it.
func TestJobPageReports(t *testing.T) {
	t.Parallel()
	var digests []job.Digest
	var documents []*report.Document
	for i := range 2 {
		path := filepath.Join(testkit.Root(t), "examples", "data-parallel", "rank"+strconv.Itoa(i)+".pickle.gz")
		in := load(t, path).Input
		d := job.DigestOf(in.Recordings[0])
		d.Name, d.File = job.Name{Rank: i, Label: strconv.Itoa(i), From: "word"},
			job.File{Name: filepath.Base(path), Path: filepath.Base(path)}
		digests = append(digests, d)
		documents = append(documents, report.Encode("memviz", []answer.Input{in}, nil))
	}
	page, err := jobpage.Encode("memviz", job.Jobs(digests))
	if err != nil {
		t.Fatal(err)
	}
	for i, document := range documents {
		if fits, err := page.Embed(0, i, document, 0); err != nil || !fits {
			t.Fatal(fits, err)
		}
	}
	p := open(t, writeReport(t, page), "rank=1")
	// The page opens a tab, which nobody else may look into; here it goes there itself.
	p.await(`new Promise((r) => {
		window.open = (url) => { setTimeout(() => { location.href = url; }); r(); return window; };
		document.querySelector('.open').click();
	})`)
	for range looks {
		title, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](
			"document.documentElement.dataset.ready ? document.title : ''"))
		if err == nil && strings.HasPrefix(title, "rank1") { // else it is on its way there
			p.await("memviz.ready")
			return
		}
		p.do(chromedp.Sleep(10 * time.Millisecond))
	}
	t.Error("the report of rank 1 does not open")
}
