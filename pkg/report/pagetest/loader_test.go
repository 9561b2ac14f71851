package pagetest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// trainingReport is the report of a small recording.
func trainingReport(t *testing.T) string {
	t.Helper()
	var page bytes.Buffer
	in := []answer.Input{answer.NewInput("training.pickle", testsnap.Training())}
	if err := report.WriteHTML(&page, "memviz test", in); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// openText shows a page, which need not be in order, in a tab of its own, in which
// a script runs first.
func openText(t *testing.T, text, before string) *page {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, ctx: newTab(t), url: "file://" + filepath.ToSlash(path)}
	if _, err := chromedp.Call(p.ctx, cdppage.AddScriptToEvaluateOnNewDocument,
		cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: before}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(p.url))
	return p
}

// packScript is a script as a report carries it.
func packScript(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// TestKeepsItsSummary: where the viewer cannot or must not run, the summary
// stays, and a sentence says why.
func TestKeepsItsSummary(t *testing.T) {
	t.Parallel()
	text := trainingReport(t)
	with := func(id, content string) string {
		element := regexp.MustCompile(`(id="packed-` + id + `">)[^<]*`)
		if !element.MatchString(text) {
			t.Fatalf("there is no packed-%s", id)
		}
		return element.ReplaceAllString(text, "${1}"+content)
	}
	for _, test := range []struct{ name, text, before, want string }{
		{"without DecompressionStream", text, "delete window.DecompressionStream",
			"This browser lacks DecompressionStream for deflate-raw, which the interactive timeline needs."},
		{"without deflate-raw", text, "window.DecompressionStream = class { constructor() { throw new TypeError() } }",
			"This browser lacks DecompressionStream for deflate-raw, which the interactive timeline needs."},
		{"with another viewer", with("viewer", packScript(t, "document.title = 'changed'; window.memviz = {}")), "",
			"The interactive timeline could not start: the browser refused to run the script of memvizViewer."},
		{"with another chart library", with("echarts", packScript(t, "document.title = 'changed'; echarts = {}")), "",
			"The interactive timeline could not start: the browser refused to run the script of echarts."},
		{"with other styles", with("styles", packScript(t, "body { margin-top: 77px }")), "",
			"The interactive timeline could not start: the browser refused its styles."},
		{"with a damaged viewer", with("viewer", "AAAA"), "", "The interactive timeline could not start: "},
		{"with a cut viewer", with("viewer", "AAAAA"), "", "The interactive timeline could not start: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := openText(t, test.text, test.before)
			p.until("window.memviz")
			message := eval[string](p, "memviz.ready.then(() => 'ready', (error) => String(error))")
			notice := eval[string](p, "document.getElementById('notice').innerText")
			if !strings.HasPrefix(notice, test.want) {
				t.Errorf("memviz.ready gives %q, the notice is %q, want %q", message, notice, test.want)
			}
			if title := eval[string](p, "document.title"); title != "training.pickle · memviz" {
				t.Errorf("a script that is not the report's has run: the title is %q", title)
			}
			if margin := eval[string](p, "getComputedStyle(document.body).marginTop"); margin == "77px" {
				t.Error("styles that are not the report's apply")
			}
			visible := eval[bool](p, "getComputedStyle(document.getElementById('summary')).visibility === 'visible' "+
				"&& document.querySelector('svg.curve').getBoundingClientRect().height > 100 && "+
				"document.getElementById('viewer').hidden")
			if !visible || !strings.Contains(eval[string](p, "document.body.innerText"), "21.0\u00a0MiB") {
				t.Error("the summary cannot be read")
			}
		})
	}
}

// TestInAnIframe: a report works as the srcdoc of an iframe, whose address is
// not that of the page around it.
func TestInAnIframe(t *testing.T) {
	t.Parallel()
	outer := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><iframe width="1300" height="800" srcdoc="%s"></iframe>`,
		html.EscapeString(trainingReport(t)))
	p := openText(t, outer, "")
	p.until("frames[0]?.memviz")
	p.await(`frames[0].memviz.ready.then(() => frames[0].memviz.view({from: 2, to: 9}))
		.then(() => frames[0].memviz.settled())`)
	if title := eval[string](p, "frames[0].document.title"); title != "training.pickle · memviz" {
		t.Errorf("the title is %q", title)
	}
	p.until(`frames[0].location.href.startsWith('about:srcdoc#x=e:')`)
	if !eval[bool](p, "frames[0].document.documentElement.dataset.ready === 'true'") {
		t.Error("what stands beside the picture is missing")
	}
}

// TestInANarrowFrame: in a frame of a notebook's size the picture is in view without
// scrolling, and what keeps it from there is hidden.
func TestInANarrowFrame(t *testing.T) {
	t.Parallel()
	for width, compact := range map[int]bool{390: true, 660: true, 760: false, 1300: false} {
		outer := fmt.Sprintf(
			`<!doctype html><meta charset="utf-8"><iframe style="border:0" width="%d" height="640" srcdoc="%s">`+
				`</iframe>`, width, html.EscapeString(trainingReport(t)))
		p := openText(t, outer, "")
		p.until("frames[0]?.memviz")
		p.await("frames[0].memviz.ready.then(() => frames[0].memviz.settled())")
		if shown := eval[bool](p, "frames[0].document.getElementById('answers').checkVisibility()"); shown == compact {
			t.Errorf("in a frame of %d pixels, it is %v that the questions are shown", width, shown)
		}
		bottom := eval[float64](p, "(({top, height}) => top + height)(frames[0].memviz.geometry())")
		if compact && bottom > 640 {
			t.Errorf("in a frame of %d pixels the picture ends at %v", width, bottom)
		}
	}
}

// TestWheelInAFrame: the wheel scrolls the page around the report until that is clicked.
func TestWheelInAFrame(t *testing.T) {
	t.Parallel()
	p := openText(t, fmt.Sprintf(`<!doctype html><meta charset="utf-8"><body style="margin:0">`+
		`<iframe style="border:0" width="1300" height="700" srcdoc="%s"></iframe><div style="height:3000px">`,
		html.EscapeString(trainingReport(t))), "")
	p.until("frames[0]?.memviz")
	p.await("frames[0].memviz.ready.then(() => frames[0].memviz.settled())")
	plotted := func() geometry {
		return eval[geometry](p, `frames[0].memviz.settled().then(() => {
			const g = frames[0].memviz.geometry();
			return {...g, columns: Array.from(g.columns)};
		})`)
	}
	whole := plotted()
	x, y := whole.Left+whole.Width/3, whole.Top+whole.Height/2
	wheel := func(delta float64) {
		p.do(chromedp.MouseEvent("mouseWheel", x, y, func(m *input.DispatchMouseEventParams) {
			m.DeltaX, m.DeltaY = 0.1, delta // a zero would be left out
		}))
	}
	wheel(100)
	p.until("scrollY > 50")
	if now := plotted(); now.From != whole.From || now.To != whole.To {
		t.Errorf("the wheel has zoomed to %v-%v of %v-%v", now.From, now.To, whole.From, whole.To)
	}
	p.await("new Promise((r) => { scrollTo(0, 0); requestAnimationFrame(r); })")
	press := func(m *input.DispatchMouseEventParams) {
		m.Button, m.Buttons, m.ClickCount = input.MouseButtonLeft, 1, 1
	}
	p.do(chromedp.MouseEvent("mousePressed", x, y, press), chromedp.MouseEvent("mouseReleased", x, y, press))
	p.until("frames[0].document.hasFocus()") // so keys come there, too
	wheel(-400)
	p.until("(({from, to}) => to - from < %v)(frames[0].memviz.geometry())", (whole.To-whole.From)*0.9)
	if scrolled := eval[float64](p, "scrollY"); scrolled != 0 {
		t.Errorf("after a click the wheel has scrolled by %v pixels", scrolled)
	}
}
