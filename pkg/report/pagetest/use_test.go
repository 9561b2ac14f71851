package pagetest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestUse does what a person does: point, pin, zoom, pan, go back.
func TestUse(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "")
	p.shows("adds up")
	p.shows("1.17 GiB")
	p.shows("Parameters")

	g := plot(p)
	x, y := g.Left+g.Width/2, g.Top+g.Height-5
	p.point(x, y)
	p.shows("Click to pin the full stack")
	p.clickAt(x, y)
	p.shows("Allocated by")
	p.shows("train.py:52")
	p.shows("Never freed")

	p.wheel(x, y, -400, 0)
	if zoomed := plot(p); zoomed.From <= g.From || zoomed.To >= g.To {
		t.Errorf("the wheel shows %.0f to %.0f, before it were %.0f to %.0f", zoomed.From, zoomed.To, g.From, g.To)
	}
	if whole := p.press("0"); whole.From != g.From || whole.To != g.To {
		t.Errorf("0 shows %.0f to %.0f, the whole is %.0f to %.0f", whole.From, whole.To, g.From, g.To)
	}
	p.await("memviz.view({from: 100, to: 160})")
	if close := plot(p); close.From != 100 || close.To != 160 {
		t.Errorf("a view from 100 to 160 shows %.0f to %.0f", close.From, close.To)
	}
	p.press("?")
	p.shows("Keys")
}

// TestSeveral: one report holds several snapshots, with a selector.
func TestSeveral(t *testing.T) {
	t.Parallel()
	p := open(t, makeReport(t, example(t, "training-loop"), example(t, "out-of-memory")), "")
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
}

// TestWithoutScripts reads what is left when JavaScript is off.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	ctx := newTab(t)
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+exampleReport(t, "training-loop"))); err != nil {
		t.Fatal(err)
	}
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("body")))
	if err != nil {
		t.Fatal(err)
	}
	requireWords(t, "without JavaScript the page", text, "snapshot.pickle.gz", "1.17 GiB", "1,182", "adds up")
}

// TestSmaller opens a report that had to leave something out: the page says so,
// and every state is what it is in the whole report.
func TestSmaller(t *testing.T) {
	t.Parallel()
	const allocations = 20_000
	document := report.Encode("memviz",
		[]answer.Input{answer.NewInput("run.pickle", testsnap.Incompressible(allocations))}, nil)
	whole := open(t, writeReport(t, document), "")
	size, err := document.Size()
	if err != nil {
		t.Fatal(err)
	}
	// Without addresses, of some eight bytes each, it is still too large.
	if err := document.Fit(size - 10*allocations); err != nil {
		t.Fatal(err)
	}
	smaller := open(t, writeReport(t, document), "")
	warnings := plainSpaces(eval[string](smaller, "document.querySelector('#warnings').textContent"))
	if want := ": addresses, times"; !strings.Contains(warnings, "Left out to keep this file within ") ||
		!strings.Contains(warnings, want) {
		t.Errorf("the page warns %q, want %q", warnings, want)
	}
	type state struct {
		Totals stateTotals
		Live   []liveEntry
	}
	const ask = `(() => {
		const all = [];
		for (let k = 0; k < %d; k += 577) all.push({totals: memviz.state(k), live: memviz.live(k)});
		return all;
	})()`
	want, got := eval[[]state](whole, ask, 3*allocations), eval[[]state](smaller, ask, 3*allocations)
	for i := range want {
		for j := range got[i].Live {
			if got[i].Live[j].Addr != "" {
				t.Fatalf("state %d has the address %q, which was left out", 577*i, got[i].Live[j].Addr)
			}
		}
		for j := range want[i].Live {
			want[i].Live[j].Addr = ""
		}
		if !reflect.DeepEqual(want[i], got[i]) {
			t.Fatalf("state %d holds %+v, want %+v", 577*i, got[i], want[i])
		}
	}
	smaller.await("memviz.view({from: 1000, to: 2000})")
}

// TestTouch uses fingers: one pans, two zoom, a long press pins, and moved on
// from there it brushes a range.
func TestTouch(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "x=e:1000-2000")
	if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	// The timer of a long press ends when the test says so, so that no other touch
	// becomes one on a slow machine.
	p.await(`(() => {
		const {setTimeout: set, clearTimeout: clear} = window, held = new Map();
		window.setTimeout = (f, ms, ...rest) => ms === 500 ? (held.set(-1, f), -1) : set(f, ms, ...rest);
		window.clearTimeout = (id) => held.delete(id) || clear(id);
		window.pressLong = () => {
			held.get(-1)();
			held.clear();
		};
	})()`)
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
	p.await("pressLong()")
	p.until("location.hash.includes('sel=')")
	p.touch("touchEnd")
	plot(p)
	if p.hash("at") == "" || p.hash("r") != "" {
		t.Errorf("a long press leads to at=%q r=%q", p.hash("at"), p.hash("r"))
	}

	p.press("\u001b")
	p.touch("touchStart", at(0.25))
	p.await("pressLong()")
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
}
