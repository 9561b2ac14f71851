package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// example is the path of an example's snapshot.
func example(story string) string {
	return filepath.Join("..", "..", "examples", story, "snapshot.pickle.gz")
}

// plot is the geometry once the page has settled.
func plot(p *page) geometry {
	p.await("memviz.settled()")
	return eval[geometry](p, "(() => {const g = memviz.geometry(); return {...g, columns: Array.from(g.columns)}})()")
}

// shows waits until the page's text has a word, or fails.
func (p *page) shows(word string) {
	p.t.Helper()
	for range 400 {
		if strings.Contains(strings.ReplaceAll(eval[string](p, "document.body.innerText"), "\u00a0", " "), word) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.t.Errorf("the page does not show %q", word)
}

// TestPageUse does what a person does: point, pin, zoom, pan, go back.
func TestPageUse(t *testing.T) {
	browser := chromium(t)
	p := open(t, browser, writeReport(t, example("training-loop")), "", 1440, 900)
	p.shows("adds up")
	p.shows("1.18 GiB")
	p.shows("Parameters")

	g := plot(p)
	x, y := g.Left+g.Width/2, g.Top+g.Height-5
	p.do(chromedp.MouseEvent("mouseMoved", x, y))
	p.shows("Click to pin the full stack")
	p.do(chromedp.MouseClickXY(x, y))
	p.shows("Allocated by")
	p.shows("train.py:52")
	p.shows("Never freed")

	p.do(chromedp.MouseEvent("mouseWheel", x, y, wheel(-400)))
	if zoomed := plot(p); zoomed.From <= g.From || zoomed.To >= g.To {
		t.Errorf("the wheel shows %.0f to %.0f, before it were %.0f to %.0f", zoomed.From, zoomed.To, g.From, g.To)
	}
	p.do(chromedp.KeyEvent("0"))
	if whole := plot(p); whole.From != g.From || whole.To != g.To {
		t.Errorf("0 shows %.0f to %.0f, the whole is %.0f to %.0f", whole.From, whole.To, g.From, g.To)
	}
	p.await("memviz.view({from: 100, to: 160})")
	if close := plot(p); close.From != 100 || close.To != 160 {
		t.Errorf("a view from 100 to 160 shows %.0f to %.0f", close.From, close.To)
	}
	p.do(chromedp.KeyEvent("?"))
	p.shows("Keys")
	p.requireNoTrouble()
}

func wheel(delta float64) chromedp.MouseOption {
	return func(params *input.DispatchMouseEventParams) {
		params.DeltaX, params.DeltaY = 0.1,
			delta
	} // zeros are left out
}

// TestPageSeveral holds several snapshots in one report, with a selector.
func TestPageSeveral(t *testing.T) {
	p := open(t, chromium(t), writeReport(t, example("training-loop"), example("out-of-memory")), "", 1440, 900)
	devices := eval[[]struct{ File, Device, Events int }](p, "memviz.devices()")
	if len(devices) != 2 || devices[0].Events == devices[1].Events {
		t.Fatalf("devices %+v", devices)
	}
	p.await("memviz.select({file: 0, device: 0})")
	first := eval[stateTotals](p, "memviz.state(200)")
	p.await("memviz.select({file: 1, device: 0})")
	if second := eval[stateTotals](p, "memviz.state(200)"); first == second {
		t.Error("both snapshots have the same state 200")
	}
	p.requireNoTrouble()
}

// TestPageWithoutScripts reads what is left when JavaScript is off.
func TestPageWithoutScripts(t *testing.T) {
	browser := chromium(t)
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	text, err := withoutScripts(ctx, writeReport(t, example("training-loop")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"snapshot.pickle.gz", "1.18 GiB", "1,029", "adds up"} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("without JavaScript the page does not say %q:\n%s", want, text)
		}
	}
}

func withoutScripts(ctx context.Context, path string) (string, error) {
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		return "", err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+filepath.ToSlash(path))); err != nil {
		return "", err
	}
	return chromedp.Run(ctx, chromedp.Text(chromedp.CSS("body")))
}
