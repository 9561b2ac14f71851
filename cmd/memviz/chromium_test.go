package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium starts a headless browser, or skips where there is none. Where
// MEMVIZ_NEED_BROWSER is set, as on CI, there has to be one.
func chromium(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("MEMVIZ_NEED_BROWSER") != "" {
			t.Fatal("no Chromium on this machine, and MEMVIZ_NEED_BROWSER is set")
		}
		t.Skip("no Chromium on this machine")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return browser
}

// page is a report open in a tab, with everything that went wrong in it.
type page struct {
	t       *testing.T
	ctx     context.Context
	url     string // without a hash
	opened  int    // again, in the same tab
	mu      sync.Mutex
	trouble []string
}

// pageDeadline ends a page that hangs, on machines that are slow too.
const pageDeadline = 15 * time.Minute

// open shows a report in a tab of its own; hash is the part of its URL behind "#".
func open(t *testing.T, browser context.Context, path, hash string, width, height int64) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, pageDeadline)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, url: "file://" + filepath.ToSlash(path)}
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(p.url+"#"+hash))
	p.await("memviz.ready")
	return p
}

// reopen loads the report anew in its tab, with another hash: quicker than a
// tab of its own, and nothing of the page outlives it.
func (p *page) reopen(hash string) {
	p.t.Helper()
	p.opened++ // the same address would not load it again
	p.do(chromedp.Navigate(fmt.Sprintf("%s?%d#%s", p.url, p.opened, hash)))
	p.await("memviz.ready")
}

// until waits for something to be so, long enough for slow machines.
func (p *page) until(js string, args ...any) {
	p.t.Helper()
	js = fmt.Sprintf(js, args...)
	for range 400 {
		if eval[bool](p, "!!(%s)", js) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.t.Fatalf("it is not so after ten seconds: %s", js)
}

// watch notes what a report must not do.
func (p *page) watch(event any) {
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		asked := event.Request.URL
		if path, _, _ := strings.Cut(asked, "?"); path != p.url && !strings.HasPrefix(asked, "data:") &&
			!strings.HasPrefix(asked, "blob:") {
			p.note("a request left the page: %s", asked)
		}
	case *runtime.EventExceptionThrown:
		p.note("an exception: %+v", event.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		p.note("console.%s was called", event.Type)
	case *log.EventEntryAdded: // violations of the Content-Security-Policy come here
		p.note("the browser says: %s", event.Entry.Text)
	}
}

func (p *page) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = append(p.trouble, fmt.Sprintf(format, args...))
}

// requireNoTrouble fails the test for every request, error and violation so far.
func (p *page) requireNoTrouble() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, trouble := range p.trouble {
		p.t.Error(trouble)
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// eval runs JavaScript in the page, waits if it gives a promise, and decodes
// the result.
func eval[T any](p *page, js string, args ...any) T {
	p.t.Helper()
	js = fmt.Sprintf(js, args...)
	result, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
	return result
}

// await runs JavaScript for its effect.
func (p *page) await(js string, args ...any) {
	p.t.Helper()
	eval[bool](p, "Promise.resolve("+js+").then(() => true)", args...)
}

// writeReport makes the report of snapshots, as the command does.
func writeReport(t *testing.T, snapshots ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	var stdout, stderr bytes.Buffer
	if run(append([]string{"trace", "-o", path}, snapshots...), nil, &stdout, &stderr) != exitDone {
		t.Fatal(stderr.String())
	}
	return path
}
