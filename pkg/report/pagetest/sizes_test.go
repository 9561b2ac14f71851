package pagetest

import (
	"bytes"
	"fmt"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// cutControls are the controls of the page that lie, wholly or partly, where they
// cannot be seen: outside of the window's width or of what they stand in.
const cutControls = `[...document.querySelectorAll('#viewer :is(button, select, input, a)')].filter((e) => {
	const box = e.getBoundingClientRect();
	if (!e.checkVisibility() || box.width === 0 || e.closest('.rows, .stack, #icicle, #guide, dialog')) return false;
	for (let up = e.parentElement; up && up.id !== 'viewer'; up = up.parentElement) {
		const around = up.getBoundingClientRect();
		if (getComputedStyle(up).overflowX !== 'visible' && (box.right > around.right + 1 || box.left < around.left - 1))
			return true;
	}
	return box.right > document.documentElement.clientWidth + 1 || box.left < -1;
}).map((e) => e.textContent || e.id)`

// resize gives the page's window another size.
func (p *page) resize(width, height int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	p.rest()
}

// TestSizes shows pages in windows from a phone's to a large screen's. In each the plot has
// room, no control is cut, a warning takes a few lines at most, and nothing is wider than the
// window. Narrow ones scroll, with the panel below the plot.
func TestSizes(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]struct{ report, hash string }{
		"with an OOM":     {exampleReport(t, "out-of-memory"), ""},
		"with no history": {situationReport(t, ""), ""},
		"predicted":       {exampleReport(t, "training-loop"), "m=checkpoint"},
		"two recordings":  {storyPage(t, "checkpointing"), ""},
		"many ranks":      {jobReport(t, 1024), ""},
		"few ranks":       {jobReport(t, 8), "rank=5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, page.report, page.hash)
			for _, size := range [][2]int64{{390, 844}, {720, 450}, {760, 900}, {844, 700}, {1024, 700}, {1440, 900},
				{2560, 1440}} {
				p.resize(size[0], size[1])
				p.requireRoom(size[0])
				if name == "with an OOM" {
					p.requireScale()
				}
			}
		})
	}
}

// requireRoom fails where something of the page is cut or has too little room.
func (p *page) requireRoom(width int64) {
	p.t.Helper()
	isNarrow := width < 800
	if g := plot(p); g.Width < min(250, float64(width)/2.5) || g.Height < 80 {
		p.t.Errorf("%d wide: the plot is %.0f by %.0f pixels", width, g.Width, g.Height)
	}
	if cut := eval[[]string](p, cutControls); len(cut) > 0 {
		p.t.Errorf("%d wide: these controls are cut: %q", width, cut)
	}
	if wider := eval[int](p, "document.documentElement.scrollWidth - innerWidth"); wider > 0 {
		p.t.Errorf("the page is %d pixels wider than a window of %d; these reach beyond it: %q", wider, width,
			eval[[]string](p, `[...document.querySelectorAll('#viewer *')].filter((e) =>
				e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map((e) => e.tagName + '.' + e.className)`))
	}
	for _, high := range eval[[]float64](p, "[...document.querySelectorAll('.warning')].map(e => e.offsetHeight)") {
		if most := 45.0; !isNarrow && high > most || high > 170 {
			p.t.Errorf("%d wide: a warning is %.0f pixels high", width, high)
		}
	}
	below := eval[bool](p, "document.getElementById('side').getBoundingClientRect().top >= "+
		"document.getElementById('marks').parentElement.getBoundingClientRect().bottom")
	if scrolls := eval[bool](p, "document.documentElement.scrollHeight > innerHeight"); below != isNarrow ||
		scrolls != isNarrow {
		p.t.Errorf("%d wide: the panel is below the plot: %v, the page scrolls: %v", width, below, scrolls)
	}
	columns := eval[int](p, "new Set([...document.querySelectorAll('.answer')].map(e => e.offsetLeft)).size")
	if want := map[bool]int{true: 2, false: 4}[isNarrow]; columns > 0 && columns != want {
		p.t.Errorf("%d wide: the answers have %d columns, want %d", width, columns, want)
	}
}

// requireScale fails unless the status line says how many events a column has.
func (p *page) requireScale() {
	p.t.Helper()
	g := plot(p)
	each := (g.To - g.From) / float64(len(g.Columns))
	var said float64
	if _, err := fmt.Sscanf(p.text("scale"), "1 column = %g events", &said); err != nil || !near(said, each, each/4) {
		p.t.Errorf("the page says %q, a column has %.1f events", p.text("scale"), each)
	}
}

// TestPaper prints a report from a window that is wider than paper: all of the timeline
// stands on one page, as a picture that is drawn for it. Afterwards the page is as before.
func TestPaper(t *testing.T) {
	t.Parallel()
	p := openSized(t, exampleReport(t, "out-of-memory"), "theme=dark", 2560, 1440)
	before := plot(p)
	yes := true
	result, err := chromedp.Call(p.ctx, cdppage.PrintToPDF,
		cdppage.PrintToPDFParams{PrintBackground: &yes, PreferCSSPageSize: &yes})
	if err != nil {
		t.Fatal(err)
	}
	pdf := result.Data
	if pages := bytes.Count(pdf, []byte("/Type /Page\n")); pages != 1 {
		t.Errorf("the PDF has %d pages", pages)
	}
	if !bytes.Contains(pdf, []byte("/Width 1520")) || !bytes.Contains(pdf, []byte("/Height 1000")) {
		t.Error("the PDF does not hold the picture of the timeline")
	}
	if after := plot(p); after.Width != before.Width || after.Height != before.Height ||
		eval[string](p, "document.documentElement.dataset.theme") != "dark" {
		t.Errorf("after printing the plot is %v by %v, before %v by %v", after.Width, after.Height, before.Width,
			before.Height)
	}
	// The peak and the out-of-memory event, far right, are in the picture.
	red := eval[[]float64](p, `(async () => {
		dispatchEvent(new Event('beforeprint'));
		const picture = document.getElementById('paper');
		await picture.decode();
		const {width, height} = picture;
		const canvas = new OffscreenCanvas(width, height), g = canvas.getContext('2d');
		g.drawImage(picture, 0, 0, width, height);
		dispatchEvent(new Event('afterprint'));
		const {data} = g.getImageData(0, 0, width, height);
		const found = [];
		for (let i = 0; i < data.length; i += 4)
			if (data[i] === 0xb3 && data[i + 1] === 0x20 && data[i + 2] === 0x1a) found.push((i / 4) %% width / width);
		return [Math.min(...found), Math.max(...found), found.length];
	})()`)
	if red[2] < 100 || red[1] < 0.9 || red[1] > 1 {
		t.Errorf("red stands from %.2f to %.2f of the picture's width, %.0f pixels of it", red[0], red[1], red[2])
	}
}
