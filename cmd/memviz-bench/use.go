package main

import (
	"math"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// How often a page is used in each run.
const (
	viewsPerRun  = 30
	inputsPerRun = 60
	hoversPerRun = 60
)

// use does with an open report what people do, and adds how long it took in
// milliseconds.
func (t *tab) use(s samples) error {
	for _, measure := range []func(samples) error{t.loading, t.views, t.wheel, t.drag, t.hover} {
		if err := measure(s); err != nil {
			return err
		}
	}
	return nil
}

func (t *tab) loading(s samples) error {
	ready, err := ask[float64](t, "memvizProbe.readyAt()")
	s.add(interactive, ready)
	return err
}

func (t *tab) views(s samples) error {
	first, err := ask[[]float64](t, "memvizProbe.views(1)")
	if err != nil {
		return err
	}
	s.add(firstView, first...)
	times, err := ask[[]float64](t, "memvizProbe.views(%d)", viewsPerRun)
	s.add(view, times...)
	return err
}

// wheel zooms in and out again around the middle of the plot.
func (t *tab) wheel(s samples) error {
	times, err := t.framesOf(func(x, y float64) error {
		for i := range inputsPerRun {
			delta := 12.0
			if i/3%2 == 0 {
				delta = -delta
			}
			turn := func(p *input.DispatchMouseEventParams) { p.DeltaX, p.DeltaY = 0.01, delta } // zeros are left out
			if err := t.mouse(chromedp.MouseEvent(chromedp.MouseWheel, x, y, turn)); err != nil {
				return err
			}
		}
		return nil
	})
	s.add(wheel, times...)
	return err
}

// drag pans from side to side, with the button held.
func (t *tab) drag(s samples) error {
	const reach = 20 // pixels to each side, less than what is out of sight
	times, err := t.framesOf(func(x, y float64) error {
		if err := t.mouse(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft)); err != nil {
			return err
		}
		for i := range inputsPerRun {
			aside := reach * math.Sin(float64(i+1)/4)
			if err := t.mouse(chromedp.MouseEvent(chromedp.MouseMoved, x+aside, y, chromedp.ButtonLeft)); err != nil {
				return err
			}
		}
		return t.mouse(chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft))
	})
	s.add(drag, times...)
	return err
}

// framesOf is what the frames took that something with the mouse, given the
// middle of the plot, made the page draw.
func (t *tab) framesOf(something func(x, y float64) error) ([]float64, error) {
	if _, err := ask[bool](t, "memvizProbe.middle()"); err != nil {
		return nil, err
	}
	plot, err := ask[struct{ Left, Top, Width, Height float64 }](t,
		"(({left, top, width, height}) => ({left, top, width, height}))(memviz.geometry())")
	if err != nil {
		return nil, err
	}
	if _, err := ask[bool](t, "memvizProbe.watchFrames()"); err != nil {
		return nil, err
	}
	if err := something(plot.Left+plot.Width/2, plot.Top+plot.Height/2); err != nil {
		return nil, err
	}
	return ask[[]float64](t, "memvizProbe.frames()")
}

// hover points at tensors, one after the other.
func (t *tab) hover(s samples) error {
	if _, err := ask[bool](t, "memvizProbe.middle()"); err != nil {
		return err
	}
	targets, err := ask[[]struct{ X, Y float64 }](t, "memvizProbe.targets(%d)", hoversPerRun)
	if err != nil {
		return err
	}
	if _, err := ask[bool](t, "memvizProbe.watchHover()"); err != nil {
		return err
	}
	for _, at := range targets {
		if err := t.mouse(chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y)); err != nil {
			return err
		}
	}
	times, err := ask[[]float64](t, "memvizProbe.hovers()")
	s.add(hover, times...)
	return err
}
