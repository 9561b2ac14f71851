package pagetest

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Each of these gestures returns once the page has settled, but for point and touch,
// which may be the beginning of another one.

// press presses keys, one after the other, and gives the plot that comes of it.
func (p *page) press(keys string, held ...chromedp.Modifier) geometry {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(held...)))
	return plot(p)
}

// typed types a text key by key, as a keyboard does: a key that the page takes
// for itself writes nothing.
func (p *page) typed(text string) {
	p.t.Helper()
	for _, r := range text {
		events := kb.Encode(r)
		down, up := *events[0], *events[len(events)-1]
		if len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		for _, event := range []input.DispatchKeyEventParams{down, up} {
			if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, event); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	plot(p)
}

// clickAt clicks a point.
func (p *page) clickAt(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(x, y))
	plot(p)
}

// doubleClickAt clicks a point twice.
func (p *page) doubleClickAt(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(x, y), chromedp.MouseClickXY(x, y, chromedp.ClickCount(2)))
	plot(p)
}

// click clicks an element, in its middle or near its left end.
func (p *page) click(selector string) {
	p.t.Helper()
	at := eval[struct{ X, Y float64 }](p, `(b => ({x: b.left + Math.min(b.width / 2, 40), y: b.top + b.height / 2}))(
		document.querySelector(%q).getBoundingClientRect())`, selector)
	p.clickAt(at.X, at.Y)
}

// clickIn clicks the button with a text in the element of a class that begins
// with a word.
func (p *page) clickIn(class, begins, text string) {
	p.t.Helper()
	at := eval[[]float64](p, `(() => {
		const line = [...document.querySelectorAll(%q)].find(e => e.textContent.startsWith(%q));
		const button = line && [...line.querySelectorAll('button')].find(b => b.textContent.trim() === %q);
		const box = button?.getBoundingClientRect();
		return box ? [box.left + box.width / 2, box.top + box.height / 2] : [];
	})()`, class, begins, text)
	if len(at) != 2 {
		p.t.Fatalf("no %s begins with %q and has a button %q", class, begins, text)
	}
	p.clickAt(at[0], at[1])
}

// drag presses the mouse at one point and lets it go at another, with a modifier
// held or none.
func (p *page) drag(x0, y0, x1, y1 float64, held chromedp.Modifier) {
	p.t.Helper()
	with := func(m *input.DispatchMouseEventParams) { m.Modifiers = int64(held) }
	press := func(m *input.DispatchMouseEventParams) {
		m.Button, m.Buttons, m.ClickCount = input.MouseButtonLeft, 1, 1
		with(m)
	}
	p.do(
		chromedp.MouseEvent("mouseMoved", x0, y0, with), chromedp.MouseEvent("mousePressed", x0, y0, press),
		chromedp.MouseEvent("mouseMoved", (x0+x1)/2, y1, press), chromedp.MouseEvent("mouseMoved", x1, y1, press),
		chromedp.MouseEvent("mouseReleased", x1, y1, press),
	)
	plot(p)
}

// point moves the mouse to a point.
func (p *page) point(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseEvent("mouseMoved", x, y))
}

// wheel turns the wheel by some pixels, with a modifier held or none.
func (p *page) wheel(x, y, delta float64, held chromedp.Modifier) {
	p.t.Helper()
	p.do(chromedp.MouseEvent("mouseWheel", x, y, func(m *input.DispatchMouseEventParams) {
		m.DeltaX, m.DeltaY = 0.1, delta // a zero would be left out
		m.Modifiers = int64(held)
	}))
	plot(p)
}

// touch is one moment of fingers on the screen, at x, y each; none lifts them.
func (p *page) touch(kind string, at ...[2]float64) {
	p.t.Helper()
	points := []*input.TouchPoint{}
	for i, xy := range at {
		id := float64(i + 1)
		points = append(points, &input.TouchPoint{X: xy[0], Y: xy[1], ID: &id})
	}
	params := input.DispatchTouchEventParams{Type: input.DispatchTouchEventType(kind), TouchPoints: points}
	if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, params); err != nil {
		p.t.Fatal(err)
	}
}

// catchCopies catches what is copied on its way to the clipboard, of which a
// headless browser has none.
func (p *page) catchCopies() {
	p.t.Helper()
	p.await("(window.copied = [], navigator.clipboard.writeText = text => (copied.push(text), Promise.resolve()))")
}

// copied are the texts that were copied.
func (p *page) copied() []string {
	p.t.Helper()
	return eval[[]string](p, "copied")
}
