package pagetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var browserFlag = flag.String("browser", "", "the browser to use, such as google-chrome")

var headed = flag.Bool("headed", false,
	"show the browser, run one test at a time, and leave each page open until its window is closed")

// runDir holds the reports and the browser's profile while the tests run.
var runDir string

// errNoBrowser says that this machine has neither Chromium nor Chrome.
var errNoBrowser = errors.New("there is no Chromium on this machine")

// hangLimit ends tests of a page or a browser that hangs. No test comes near it,
// however slow the machine is.
const hangLimit = 10 * time.Minute

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(runTests(m))
}

// runTests runs the tests and ends the browser, if they have started it.
func runTests(m *testing.M) int {
	var err error
	if runDir, err = os.MkdirTemp("", "memviz-pagetest-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(runDir)
	// Every test that runs has a tab or two. They wait for frames and timers most
	// of the time, so one more than there are cores keeps all cores busy.
	tests := strconv.Itoa(runtime.GOMAXPROCS(0) + 1)
	if *headed {
		tests = "1"
	}
	isSet := false
	flag.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == "test.parallel" })
	if !isSet {
		if err := flag.Set("test.parallel", tests); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	defer func() { stopBrowser() }()
	return m.Run()
}

// stopBrowser ends the browser and waits for it.
var stopBrowser = func() {}

// browser is the context of the one browser of all tests.
var browser = sync.OnceValues(func() (context.Context, error) {
	path, err := findBrowser()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(runDir, "profile")),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
		chromedp.WSURLReadTimeout(hangLimit),
		// A page is open for a second or two, in which its code takes longer to optimize than to run.
		chromedp.Flag("js-flags", "--no-opt"),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	if *headed {
		options = append(options, chromedp.VisibleWindow)
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	stopBrowser = func() {
		end()
		endAllocator()
	}
	return ctx, chromedp.Do(ctx)
})

// findBrowser is the path of the browser. The headless shell does the same work in
// a third of the time, but has no windows to show.
func findBrowser() (string, error) {
	names := []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser",
		"google-chrome"}
	if *headed {
		names = names[2:]
	}
	if *browserFlag != "" {
		names = []string{*browserFlag}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoBrowser
}

// page is a report that is open in a tab, with everything that went wrong in it.
type page struct {
	t       *testing.T
	ctx     context.Context
	url     string // without a hash
	opened  int    // how many times reopen was called
	mu      sync.Mutex
	trouble []string
}

// newTab opens an empty tab that is closed when the test ends. Without a browser
// the test is skipped, or fails where there has to be one.
func newTab(t *testing.T) context.Context {
	t.Helper()
	parent, err := browser()
	switch {
	case errors.Is(err, errNoBrowser) && os.Getenv("MEMVIZ_NEED_BROWSER") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if *headed {
		t.Cleanup(func() { chromedp.WaitClosed(ctx) })
		return ctx
	}
	limited, cancel := context.WithTimeout(ctx, hangLimit)
	t.Cleanup(cancel)
	return limited
}

// open shows a report in a tab of 1440 by 900 pixels; openSized in one of another
// size. hash is the part of its address behind "#". When the test ends, it fails
// if the page asked for anything from elsewhere, threw an exception, wrote to the
// console or violated its Content-Security-Policy.
func open(t *testing.T, report, hash string) *page {
	t.Helper()
	return openSized(t, report, hash, 1440, 900)
}

func openSized(t *testing.T, report, hash string, width, height int64) *page {
	t.Helper()
	p := &page{t: t, ctx: newTab(t), url: "file://" + filepath.ToSlash(report)}
	if err := chromedp.Listen(p.ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.requireNoTrouble)
	p.do(chromedp.EmulateViewport(width, height))
	p.load(p.url + "#" + hash)
	return p
}

// reopen loads the report again in its tab, with another hash. Nothing of the
// page outlives that but what it stores in the browser.
func (p *page) reopen(hash string) {
	p.t.Helper()
	p.opened++ // the same address would not be loaded again
	p.load(fmt.Sprintf("%s?%d#%s", p.url, p.opened, hash))
}

// load goes to an address and waits for the first picture.
func (p *page) load(address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address))
	p.until("window.memviz")
	p.await("memviz.ready")
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
	case *cdpruntime.EventExceptionThrown:
		p.note("an exception: %+v", event.ExceptionDetails)
	case *cdpruntime.EventConsoleAPICalled:
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

// eval runs JavaScript in the page, waits if it gives a promise, and decodes the
// result.
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

// looks is how often the page looks for a condition before it gives up.
const looks = 1200

// holds waits for a condition and reports whether it came to hold. The page looks
// itself, [looks] times, each time after a pause of its timers and after a frame: a
// busy machine slows the page and this count down alike.
func (p *page) holds(condition string, args ...any) bool {
	p.t.Helper()
	return eval[bool](p, `(async () => {
		for (let i = 0; i < %d; i++) {
			if (%s) return true;
			await new Promise((r) => setTimeout(() => requestAnimationFrame(r), 10));
		}
		return false;
	})()`, looks, fmt.Sprintf(condition, args...))
}

// until waits for a condition to hold, or fails.
func (p *page) until(condition string, args ...any) {
	p.t.Helper()
	if !p.holds(condition, args...) {
		p.t.Fatalf("this does not come to hold: "+condition, args...)
	}
}

// shows waits until the page's text has a word, or fails.
func (p *page) shows(word string) {
	p.t.Helper()
	if !p.holds(`document.body.innerText.replaceAll('\u00a0', ' ').includes(%q)`, plainSpaces(word)) {
		p.t.Errorf("the page does not show %q", word)
	}
}

// requireWords fails for words that a text of the page lacks; where is what has the text.
func requireWords(t *testing.T, where, text string, want ...string) {
	t.Helper()
	for _, words := range want {
		if !strings.Contains(plainSpaces(text), plainSpaces(words)) {
			t.Errorf("%s does not say %q:\n%s", where, words, text)
		}
	}
}

// wordsOf is what an element of the page says.
func (p *page) wordsOf(selector string) string {
	p.t.Helper()
	return plainSpaces(eval[string](p, "document.querySelector(%q).innerText", selector))
}

// plainSpaces has ordinary spaces in place of those that do not break.
func plainSpaces(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// geometry is what memviz.geometry gives.
type geometry struct {
	Left, Top, Width, Height float64
	Axis                     string  // events or time
	From, To                 float64 // states, on the axis of events
	BytesFrom                float64 `json:"bytes_from"`
	BytesTo                  float64 `json:"bytes_to"`
	Ratio                    float64
	Columns                  []int
}

// plot is the geometry once the page has settled.
func plot(p *page) geometry {
	p.t.Helper()
	return eval[geometry](p, `memviz.settled().then(() => {
		const g = memviz.geometry();
		return {...g, columns: Array.from(g.columns)};
	})`)
}

// rest waits until the page has done what follows a pause of the keyboard or the
// pointer. None of its timers is set to more than 400 ms, so they all end before
// one of 500 ms, however slow the machine is.
func (p *page) rest() {
	p.t.Helper()
	p.await("new Promise((r) => setTimeout(r, 500)).then(() => memviz.settled())")
}

// goTo has the page show what a hash says, of the device that is open.
func (p *page) goTo(hash string, args ...any) {
	p.t.Helper()
	p.await(`location.hash.slice(1) === %[1]q || new Promise((r) => {
		addEventListener('hashchange', r, {once: true});
		location.hash = %[1]q;
	})`, fmt.Sprintf(hash, args...))
	plot(p)
}

// hash is a value of the address.
func (p *page) hash(key string) string {
	p.t.Helper()
	return eval[string](p, "new URLSearchParams(location.hash.slice(1)).get(%q) ?? ''", key)
}
