package main

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

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

// TestPageTouch uses fingers: one pans, two zoom, a long press pins, and moved on
// from there it brushes a range.
func TestPageTouch(t *testing.T) {
	p := open(t, chromium(t), writeReport(t, example("training-loop")), "x=e:1000-2000", 1440, 900)
	if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	g := plot(p)
	y := g.Top + g.Height - 12
	at := func(part float64) [2]float64 { return [2]float64{g.Left + g.Width*part, y} }

	p.touch("touchStart", at(0.5))
	p.touch("touchMove", at(0.45))
	p.touch("touchMove", at(0.3))
	p.touch("touchEnd")
	if panned := plot(p); !near(panned.From, 1200, 3) || !near(panned.To, 2200, 3) {
		t.Errorf("a finger pans to %.0f to %.0f", panned.From, panned.To)
	}

	p.touch("touchStart", at(0.4))
	p.touch("touchStart", at(0.4), at(0.6))
	p.touch("touchMove", at(0.3), at(0.6))
	p.touch("touchMove", at(0.3), at(0.7))
	p.touch("touchEnd")
	zoomed := plot(p)
	if width := zoomed.To - zoomed.From; !near(width, 500, 10) {
		t.Errorf("two fingers at twice the distance show %.0f states of 1000", width)
	}

	p.touch("touchStart", at(0.25))
	p.until("location.hash.includes('sel=')")
	p.touch("touchEnd")
	plot(p)
	if p.hash("at") == "" || p.hash("r") != "" {
		t.Errorf("a long press leads to at=%q r=%q", p.hash("at"), p.hash("r"))
	}

	p.do(chromedp.KeyEvent("\u001b"))
	p.touch("touchStart", at(0.25))
	p.until("location.hash.includes('sel=')")
	p.touch("touchMove", at(0.5))
	p.touch("touchMove", at(0.75))
	p.touch("touchEnd")
	same := plot(p)
	from, to := p.brushed()
	width := zoomed.To - zoomed.From
	if same.From != zoomed.From || !near(float64(from), zoomed.From+width/4, 3) ||
		!near(float64(to), zoomed.From+width*3/4, 3) {
		t.Errorf("from a quarter to three quarters of %.0f to %.0f a finger brushes %d to %d", same.From, same.To,
			from, to)
	}
	if p.hash("sel") != "" {
		t.Error("what began the range is still pinned")
	}
	p.requireNoTrouble()
}
