package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// probeScript watches a page from before its own scripts.
//
//go:embed probe.js
var probeScript string

// pageDeadline ends a page that hangs.
const pageDeadline = 5 * time.Minute

// startBrowser starts a headless Chromium; it ends with the context.
func startBrowser(ctx context.Context) (browser context.Context, stop func(), err error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if path == "" {
		return nil, nil, errors.New("there is no Chromium to measure the page in")
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

// tab is a report that is open.
type tab struct{ ctx context.Context }

// visit opens a report with the probe in it, waits for its first picture, does
// something with it, and closes it.
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
	if _, err := ask[bool](t, "memviz.ready.then(() => true)"); err != nil {
		return err
	}
	return do(t)
}

// ask runs JavaScript in the tab, waits if it gives a promise, and decodes the
// result.
func ask[T any](t *tab, format string, args ...any) (T, error) {
	js := fmt.Sprintf(format, args...)
	answer, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		return answer, fmt.Errorf("%s: %w", js, err)
	}
	return answer, nil
}

// mouse gives the tab an event of a real mouse and waits until the page has
// seen it.
func (t *tab) mouse(event chromedp.Action[chromedp.Void]) error { return chromedp.Do(t.ctx, event) }
