package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"time"

	cdp "github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// probeScript watches a page; it starts before the page's own scripts.
//
//go:embed probe.js
var probeScript string

// pageDeadline ends a page that hangs.
const pageDeadline = 5 * time.Minute

// startBrowser starts a headless Chromium; it ends with the context.
func startBrowser(ctx context.Context) (browser context.Context, stop func(), err error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"} {
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if path == "" {
		return nil, nil, errors.New("no Chromium found to measure the page in")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, freeAllocator := chromedp.NewExecAllocator(ctx, options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	stop = func() { closeBrowser(); freeAllocator() }
	if err := chromedp.Do(browser); err != nil {
		stop()
		return nil, nil, fmt.Errorf("cannot start Chromium: %w", err)
	}
	return browser, stop, nil
}

// tab is an open report.
type tab struct{ ctx context.Context }

// visit opens a report with the probe in it, waits for its first picture, calls
// do, and closes it.
func visit(browser context.Context, report string, do func(*tab) error) error {
	ctx, closeTab := chromedp.NewContext(browser)
	defer closeTab()
	ctx, cancel := context.WithTimeout(ctx, pageDeadline)
	defer cancel()
	probe := page.AddScriptToEvaluateOnNewDocumentParams{Source: probeScript}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, probe); err != nil {
		return err
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1440, 900),
		chromedp.Navigate("file://"+filepath.ToSlash(report))); err != nil {
		return err
	}
	t := &tab{ctx}
	if _, err := evaluate[bool](t, "memviz.ready.then(() => true)"); err != nil {
		return err
	}
	return do(t)
}

// evaluate runs JavaScript in the tab, awaits the result if it is a promise, and
// decodes it.
func evaluate[T any](t *tab, format string, args ...any) (T, error) {
	js := fmt.Sprintf(format, args...)
	result, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		return result, fmt.Errorf("%s: %w", js, err)
	}
	return result, nil
}

// mouse sends a trusted mouse event and waits until the page has handled it.
func (t *tab) mouse(event cdp.DispatchMouseEventType, x, y float64, options ...chromedp.MouseOption) error {
	return chromedp.Do(t.ctx, chromedp.MouseEvent(event, x, y, options...))
}

// How often each interaction is repeated in a run.
const (
	viewsPerRun  = 30
	inputsPerRun = 60
	hoversPerRun = 60
)

// interact uses a report as people do, and passes on how long each repetition took
// in milliseconds.
func (t *tab) interact(add func(interaction string, ms ...float64)) error {
	ready, err := evaluate[float64](t, "memvizProbe.readyAt()")
	if err != nil {
		return err
	}
	add(interactive, ready)
	for _, step := range []struct {
		interaction string
		times       func() ([]float64, error)
	}{
		{firstView, func() ([]float64, error) { return evaluate[[]float64](t, "memvizProbe.views(1)") }},
		{space, t.addressSpace}, // before a tooltip asks for an address, which would decode it
		{view, func() ([]float64, error) { return evaluate[[]float64](t, "memvizProbe.views(%d)", viewsPerRun) }},
		{wheel, func() ([]float64, error) { return t.frames(most, t.zoom) }},
		{drag, func() ([]float64, error) { return t.frames(most, t.pan) }},
		{hover, t.hovers},
		{spaceWheel, func() ([]float64, error) { return t.spaceFrames(most, t.zoom) }},
		{spaceDrag, func() ([]float64, error) { return t.spaceFrames(most, t.pan) }},
		{spaceClose, func() ([]float64, error) { return t.spaceFrames(tenth, t.zoom) }},
	} {
		times, err := step.times()
		if err != nil {
			return err
		}
		add(step.interaction, times...)
	}
	return nil
}

// Parts of the recording that frames are measured at.
const (
	most  = 0.95
	tenth = 0.1
)

// frames returns how long each frame took in which the plot moved. It shows a part of
// the recording, and calls do with the middle of the plot to move it.
func (t *tab) frames(part float64, do func(x, y float64) error) ([]float64, error) {
	middle, err := evaluate[struct{ X, Y float64 }](t, "memvizProbe.middle(%g)", part)
	if err != nil {
		return nil, err
	}
	if _, err := evaluate[bool](t, "memvizProbe.watchFrames()"); err != nil {
		return nil, err
	}
	if err := do(middle.X, middle.Y); err != nil {
		return nil, err
	}
	return evaluate[[]float64](t, "memvizProbe.frames()")
}

// addressSpace returns the time until the address space is first shown, decoding
// included.
func (t *tab) addressSpace() ([]float64, error) {
	ms, err := evaluate[float64](t, "memvizProbe.show(true)")
	if err == nil {
		_, err = evaluate[float64](t, "memvizProbe.show(false)")
	}
	return []float64{ms}, err
}

// spaceFrames is frames for the address space.
func (t *tab) spaceFrames(part float64, do func(x, y float64) error) ([]float64, error) {
	if _, err := evaluate[float64](t, "memvizProbe.show(true)"); err != nil {
		return nil, err
	}
	return t.frames(part, do)
}

// zoom turns the wheel back and forth.
func (t *tab) zoom(x, y float64) error {
	for i := range inputsPerRun {
		delta := 12.0
		if i/3%2 == 0 {
			delta = -delta
		}
		turn := func(p *cdp.DispatchMouseEventParams) { p.DeltaX, p.DeltaY = 0.01, delta } // zeros are left out
		if err := t.mouse(chromedp.MouseWheel, x, y, turn); err != nil {
			return err
		}
	}
	return nil
}

// pan drags from side to side.
func (t *tab) pan(x, y float64) error {
	const reach = 20 // pixels to each side, less than is out of view
	if err := t.mouse(chromedp.MousePressed, x, y, chromedp.ButtonLeft); err != nil {
		return err
	}
	for i := range inputsPerRun {
		aside := reach * math.Sin(float64(i+1)/4)
		if err := t.mouse(chromedp.MouseMoved, x+aside, y, chromedp.ButtonLeft); err != nil {
			return err
		}
	}
	return t.mouse(chromedp.MouseReleased, x, y, chromedp.ButtonLeft)
}

// hovers returns how long each tooltip took while the mouse moved from tensor to tensor.
func (t *tab) hovers() ([]float64, error) {
	if _, err := evaluate[struct{}](t, "memvizProbe.middle()"); err != nil {
		return nil, err
	}
	targets, err := evaluate[[]struct{ X, Y float64 }](t, "memvizProbe.targets(%d)", hoversPerRun)
	if err != nil {
		return nil, err
	}
	if _, err := evaluate[bool](t, "memvizProbe.watchHover()"); err != nil {
		return nil, err
	}
	for _, at := range targets {
		if err := t.mouse(chromedp.MouseMoved, at.X, at.Y); err != nil {
			return nil, err
		}
	}
	return evaluate[[]float64](t, "memvizProbe.hovers()")
}
