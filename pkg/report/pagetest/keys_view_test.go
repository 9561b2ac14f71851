package pagetest

import (
	"fmt"
	"math"
	"strconv"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keysThatMove are the keys under that heading of the list.
var keysThatMove = map[string]keyTry{
	"drag": {"x=e:2000-4000", func(k keyed) {
		g := plot(k.page)
		x, y := math.Round(g.Left+g.Width/2), g.Top+g.Height/2
		k.drag(x, y, x-100, y, 0)
		by := 100 / g.Width * 2000
		k.shown(plot(k.page), 2000+by, 4000+by)
	}},
	"wheel": {"x=e:2000-4000", func(k keyed) {
		g := plot(k.page)
		k.wheel(g.Left+g.Width/4, g.Top+g.Height/2, -400, 0)
		zoomed := plot(k.page)
		if width := zoomed.To - zoomed.From; width > 1500 ||
			!near(zoomed.From+width/4, 2500, 3) { // the pointer stands on a whole pixel
			k.t.Errorf("at state 2500 the wheel shows %.0f to %.0f", zoomed.From, zoomed.To)
		}
	}},
	"Shift wheel": {"x=e:2000-4000", func(k keyed) {
		g := plot(k.page)
		k.wheel(g.Left+g.Width/4, g.Top+g.Height/2, 120, chromedp.ModifierShift)
		by := 120 / g.Width * 2000
		k.shown(plot(k.page), 2000+by, 4000+by)
	}},
	"← →": {"x=e:2000-4000", func(k keyed) {
		k.shown(k.press(kb.ArrowRight), 2500, 4500)
		k.shown(k.press(kb.ArrowLeft+kb.ArrowLeft), 1500, 3500)
		k.shown(k.press(kb.ArrowRight, chromedp.ModifierShift), 3500, 5500)
		k.shown(k.press(kb.ArrowLeft, chromedp.ModifierShift), 1500, 3500)
	}},
	"+ −": {"x=e:2000-4000", func(k keyed) {
		k.shown(k.press("+"), 2500, 3500)
		k.shown(k.press("--"), 1000, 5000)
		k.shown(k.press("="), 2000, 4000)
	}},
	"0": {"x=e:2000-4000", func(k keyed) {
		if g := k.press("0"); g.From != 0 || g.To <= float64(k.d.Events.Len()) {
			k.t.Errorf("shown is %.0f to %.0f", g.From, g.To)
		}
		k.address("x=")
	}},
	"Y": {"x=e:7000-7400&y=0-4000000000", func(k keyed) {
		// The base is what lies below the lowest tensor that comes or goes in view.
		var base int64
		for i := range k.d.Allocations {
			first, last := k.interval(i)
			if last < 7000 {
				continue
			}
			if first > 7000 || last < 7399 {
				break
			}
			base += k.d.Allocations[i].Size
		}
		g := k.press("y")
		if above := float64(base) - g.BytesFrom; base == 0 || above <= 0 || above > (g.BytesTo-g.BytesFrom)/5 {
			k.t.Errorf("the axis begins at %.0f, unchanged are %d", g.BytesFrom, base)
		}
		k.address("y=fit")
		if g := k.press("y"); g.BytesFrom != 0 {
			k.t.Errorf("the axis begins at %.0f after another Y", g.BytesFrom)
		}
	}},
	"Alt wheel": {"x=e:2000-4000", func(k keyed) {
		g := plot(k.page)
		k.wheel(g.Left+g.Width/4, g.Top+g.Height/2, -400, chromedp.ModifierAlt)
		high := plot(k.page)
		k.shown(high, 2000, 4000)
		if was, is := g.BytesTo-g.BytesFrom, high.BytesTo-high.BytesFrom; is > was*0.7 ||
			!near(high.BytesFrom+is/2, g.BytesFrom+was/2, was/100) {
			k.t.Errorf("the wheel turns %.0f to %.0f bytes into %.0f to %.0f", g.BytesFrom, g.BytesTo, high.BytesFrom,
				high.BytesTo)
		}
	}},
	"Alt drag": {"x=e:2000-4000", func(k keyed) {
		g := plot(k.page)
		k.drag(g.Left+g.Width*0.2, g.Top+g.Height*0.9, g.Left+g.Width*0.6, g.Top+g.Height*0.4, chromedp.ModifierAlt)
		box := plot(k.page)
		height := g.BytesTo - g.BytesFrom
		if !near(box.From, 2400, 4) || !near(box.To, 3200, 4) ||
			!near(box.BytesFrom, g.BytesFrom+height*0.1, height/100) ||
			!near(box.BytesTo, g.BytesFrom+height*0.6, height/100) {
			k.t.Errorf("the box shows %.0f to %.0f, %.0f to %.0f bytes of %.0f", box.From, box.To, box.BytesFrom,
				box.BytesTo, height)
		}
	}},
	"[ ]": {"x=e:2000-4000", func(k keyed) {
		k.press("+")
		k.press("0")
		k.shown(k.press("["), 2500, 3500)
		k.shown(k.press("["), 2000, 4000)
		k.shown(k.press("]"), 2500, 3500)
	}},
}

// keysThatGo are the keys under "Go to".
var keysThatGo = map[string]keyTry{
	"P": {"at=end", func(k keyed) {
		k.press("p")
		k.address("at=")
		k.panelTotals(k.d.Totals.PeakBytes)
	}},
	"O": {"", func(k keyed) {
		g := k.press("o")
		k.address(fmt.Sprint("at=", k.oom()))
		if at := float64(k.oom()); at <= g.From || at >= g.To || g.To-g.From > 0.1*float64(k.d.Events.Len()) {
			k.t.Errorf("the OOM at %.0f is shown from %.0f to %.0f", at, g.From, g.To)
		}
	}},
	"E": {"", func(k keyed) {
		k.press("e")
		k.address("at=end")
		k.panelTotals(k.d.Totals.FinalBytes)
	}},
	", .": {"", func(k keyed) {
		steps := k.Recordings[0].Steps().Steps
		for _, step := range []struct {
			key string
			i   int
		}{{".", 0}, {".", 1}, {".", 2}, {",", 1}} {
			k.shown(k.press(step.key), float64(steps[step.i].From), float64(steps[step.i].To))
		}
	}},
	"Z": {"sel=1000&r=2000-3000", func(k keyed) {
		first, last := k.interval(1000)
		g := k.press("z")
		if least := max(12, float64(last-first)); g.From > float64(first) || g.To < float64(last) ||
			g.To-g.From > 1.3*least+5 {
			k.t.Errorf("tensor 1000, live in %d to %d, is shown from %.0f to %.0f", first, last, g.From, g.To)
		}
		k.press("\u001b")
		if g := k.press("z"); g.From > 2000 || g.To < 3000 || g.To-g.From > 1200 {
			k.t.Errorf("the range is shown from %.0f to %.0f", g.From, g.To)
		}
	}},
	"1 2 3 4": {"", func(k keyed) {
		const start = "at=100&x=e:100-400"
		for i := 1; i <= 4; i++ {
			leads := func(do func()) string {
				k.goTo("%s", start)
				do()
				plot(k.page)
				return eval[string](k.page, "location.hash")
			}
			key := leads(func() { k.press(strconv.Itoa(i)) })
			mouse := leads(func() { k.click(fmt.Sprintf("#answers > :nth-child(%d)", i)) })
			if key != mouse || key == "#"+start {
				k.t.Errorf("%d leads to %s, a click on the answer to %s", i, key, mouse)
			}
		}
	}},
}

// panelTotals requires the total of the panel.
func (k keyed) panelTotals(bytes int64) {
	k.t.Helper()
	if got := eval[string](k.page,
		"document.querySelector('#moment .total b').title"); plainSpaces(got) != exactly(bytes) {
		k.t.Errorf("the panel's total is %s, want %s", got, exactly(bytes))
	}
}
