package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "take pictures of the notebooks into this folder")

// hangLimit ends a test of a page that hangs.
const hangLimit = 5 * time.Minute

// page is a notebook in a tab of its own browser, with everything that went wrong in it and in
// its frames.
type page struct {
	t        *testing.T
	ctx      context.Context
	mu       sync.Mutex
	trouble  []string
	contexts []runtime.ExecutionContextID // of scripts; each frame has one
}

// openPage opens a page in a tab of some width in pixels.
func openPage(t *testing.T, address string, width int64) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findBrowser(t)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(hangLimit),
		// In a process of its own, a frame would be a tab of its own here.
		chromedp.Flag("disable-features", "site-per-process,IsolateSandboxedIframes"))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(ctx, hangLimit)
	t.Cleanup(func() { cancel(); end(); endAllocator() })
	p := &page{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 1000), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	return p
}

func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("MEMVIZ_NEED_BROWSER") != "" {
		t.Fatal("no Chromium on this machine")
	}
	t.Skip("no Chromium on this machine")
	return ""
}

// debianScripts are RequireJS and MathJax, which pages of Debian's nbconvert load from packages
// that it does not depend on. A report needs neither.
const debianScripts = "file:///usr/share/javascript/"

// watch records the frames and the messages of the console.
func (p *page) watch(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventExecutionContextCreated:
		p.contexts = append(p.contexts, event.Context.ID)
	case *runtime.EventExceptionThrown:
		p.trouble = append(p.trouble, fmt.Sprintf("an exception: %+v", event.ExceptionDetails))
	case *log.EventEntryAdded:
		if strings.HasPrefix(event.Entry.URL, debianScripts) {
			return
		}
		p.trouble = append(p.trouble, fmt.Sprintf("the browser says: %s %s", event.Entry.Text, event.Entry.URL))
	}
}

func (p *page) forgetTrouble() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = nil
}

func (p *page) requireNoTrouble() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, trouble := range p.trouble {
		p.t.Error(trouble)
	}
}

// evaluate runs JavaScript in the page.
func (p *page) evaluate(js string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](js+"; true")); err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
}

// until waits for a condition to hold in the page. The page itself checks after each frame,
// so a busy machine slows both alike.
func (p *page) until(condition string) {
	p.t.Helper()
	holds, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`(async () => {
		for (let i = 0; i < 3000; i++) {
			await new Promise((r) => setTimeout(() => requestAnimationFrame(r), 10));
			if (`+condition+`) return true;
		}
		return false;
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || !holds {
		p.t.Fatalf("timed out waiting for %s: %v", condition, err)
	}
}

// shown describes a report as seen in its frame.
type shown struct {
	Ready     string // the page beside the picture is complete
	Events    int
	Width     int // of the picture
	Colours   int // in the picture
	Sandboxed bool
	Said      string // when asked to save a picture
}

// checkReport waits for the report in a frame of the page, and compares what it shows with the
// example.
func (p *page) checkReport() {
	p.t.Helper()
	p.until("document.querySelector('iframe[srcdoc]')")
	p.evaluate("document.querySelector('iframe[srcdoc]').scrollIntoView({block: 'center'})")
	id := p.frame()
	frame := chromedp.EvaluateOption(func(e *runtime.EvaluateParams) { e.ContextID = id })
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[shown](`(async () => {
		await memviz.ready;
		await memviz.settled();
		const {width, data} = memviz.pixels();
		document.getElementById('export').click();
		[...document.querySelectorAll('button')].find((b) => b.textContent === 'SVG').click();
		const said = document.getElementById('said').textContent;
		document.getElementById('export').click();
		const refused = (f) => { try { f(); return false; } catch { return true; } };
		return {
			ready: document.documentElement.dataset.ready,
			events: memviz.devices()[0].events,
			width,
			colours: new Set(new Uint32Array(data.buffer)).size,
			said,
			sandboxed: refused(() => localStorage) && refused(() => parent.document),
		};
	})()`, chromedp.EvalAwaitPromise, frame))
	if err != nil {
		p.t.Fatal(err)
	}
	if got.Ready != "true" || got.Events != 3172 || got.Width < 200 || got.Colours < 5 || !got.Sandboxed ||
		!strings.HasPrefix(got.Said, "This frame may not save files") {
		p.t.Errorf("the report in the notebook shows %+v", got)
	}
	p.clickFrame()
	if focused, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("document.hasFocus()", frame)); err != nil ||
		!focused {
		p.t.Errorf("the report does not get the keys after a click, %v", err)
	}
}

// clickFrame clicks in the middle of the frame, where the picture is.
func (p *page) clickFrame() {
	p.t.Helper()
	at, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]float64](`(() => {
		const {left, top, width, height} = document.querySelector('iframe[srcdoc]').getBoundingClientRect();
		return [left + width / 3, top + height / 2];
	})()`))
	if err != nil {
		p.t.Fatal(err)
	}
	press := func(m *input.DispatchMouseEventParams) {
		m.Button, m.Buttons, m.ClickCount = input.MouseButtonLeft, 1, 1
	}
	if err := chromedp.Do(p.ctx, chromedp.MouseEvent("mousePressed", at[0], at[1], press),
		chromedp.MouseEvent("mouseReleased", at[0], at[1], press)); err != nil {
		p.t.Fatal(err)
	}
}

// frame is where the scripts of the report run.
func (p *page) frame() runtime.ExecutionContextID {
	p.t.Helper()
	for range 3000 {
		p.mu.Lock()
		contexts := slices.Clone(p.contexts)
		p.mu.Unlock()
		for _, id := range contexts {
			in := func(e *runtime.EvaluateParams) { e.ContextID = id }
			is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean(window.memviz)", in))
			if err == nil && is { // an error: the frame is gone
				return id
			}
		}
		p.until("true")
	}
	p.t.Fatal("no frame has a report")
	return 0
}

// screenshot takes a picture, if pictures are wanted.
func (p *page) screenshot(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(*screenshots, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o666)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
