package pagetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/memviz-go/memviz/pkg/replay"
)

// keysThatFind are the keys under that heading of the list.
var keysThatFind = map[string]keyTry{
	"/": {"", func(k keyed) {
		plot(k.page)
		k.typed("/")
		if k.focused() != "Find" {
			k.t.Errorf("the keyboard is with %q", k.focused())
		}
		k.typed("train.py\r")
		k.address("q=train.py", fmt.Sprint("sel=", k.matches("train.py")[0]), "c=") // c, a, r of the query are no keys
		k.typed("\u001b")
		if k.focused() != "" {
			k.t.Errorf("after Esc the keyboard is with %q", k.focused())
		}
		k.address("q=train.py")
	}},
	"n N": {"q=train.py", func(k keyed) {
		matches := k.matches("train.py")
		for _, step := range []struct {
			key string
			i   int
		}{{"n", 0}, {"n", 1}, {"N", 0}, {"N", len(matches) - 1}} {
			k.typed(step.key)
			k.address(fmt.Sprint("sel=", matches[step.i]))
		}
	}},
	"L": {"", func(k keyed) {
		k.press("l")
		k.address("f=live")
		want, _ := k.find(func(a *replay.Allocation) bool { return a.LiveAtEnd() })
		if text := k.said(""); text != sentence(want, "", 0) {
			k.t.Errorf("the box says %q, want %q", text, sentence(want, "", 0))
		}
		k.press("l")
		k.address("f=")
	}},
	"G": {"", func(k keyed) {
		k.typed("g")
		if k.focused() == "" || k.focused() == "Find" {
			k.t.Errorf("the keyboard is with %q", k.focused())
		}
		k.typed("event 1,234\r")
		k.shows("before event 1,234")
		k.address("at=1234")
	}},
}

// matches are the allocations in whose stacks a text is, the largest first.
func (k keyed) matches(text string) []int {
	var ids []int
	for i := range k.d.Allocations {
		if k.inStack(text)(&k.d.Allocations[i]) {
			ids = append(ids, i)
		}
	}
	slices.SortStableFunc(ids,
		func(a, b int) int { return cmp.Compare(k.d.Allocations[b].Size, k.d.Allocations[a].Size) })
	return ids
}

// calm is an x of the plot, right of a fraction of it, whose state is the highest within
// four pixels, so that no spike takes the crosshair.
func (k keyed) calm(g geometry, right float64) float64 {
	k.t.Helper()
	active := k.d.ActiveBytes()
	for x := g.Left + g.Width*right; x < g.Left+g.Width-8; x++ {
		isHighest := true
		column := func(x float64) int64 { return active[g.Columns[int((x-g.Left)*g.Ratio)]] }
		for by := -5.0; by <= 5; by++ {
			isHighest = isHighest && column(x+by) <= column(x)
		}
		if isHighest {
			return x
		}
	}
	k.t.Fatal("the recording is nothing but spikes")
	return 0
}

// keysThatSelect are the keys under that heading of the list.
var keysThatSelect = map[string]keyTry{
	"click": {"", func(k keyed) {
		g := plot(k.page)
		x, y := k.calm(g, 0.5), g.Top+g.Height-20
		id, state := k.under(k.t, g, x, y)
		k.clickAt(x, y)
		k.address(fmt.Sprint("sel=", id), fmt.Sprint("at=", state))
	}},
	"double click": {"x=e:6925-7425", func(k keyed) {
		g := plot(k.page)
		x, y := g.Left+g.Width*0.82, g.Top+g.Height*0.5
		id, _ := k.under(k.t, g, x, y)
		first, last := k.interval(id)
		k.doubleClickAt(x, y)
		if g := plot(k.page); g.From > float64(first) || g.To < float64(last) ||
			g.To-g.From > 1.3*max(12, float64(last-first))+5 {
			k.t.Errorf("tensor %d, live in %d to %d, is shown from %.0f to %.0f", id, first, last, g.From, g.To)
		}
	}},
	"↑ ↓": {"at=3000", func(k keyed) {
		var live []int
		for i := range k.d.Allocations {
			if k.d.Allocations[i].LiveIn(3000) {
				live = append(live, i)
			}
		}
		for _, step := range []struct {
			key string
			i   int
		}{{kb.ArrowUp, 0}, {kb.ArrowUp, 1}, {kb.ArrowUp, 2}, {kb.ArrowDown, 1}} {
			k.press(step.key)
			k.address(fmt.Sprint("sel=", live[step.i]))
		}
		if spoken := eval[string](k.page, "document.getElementById('spoken').textContent"); spoken == "" {
			k.t.Error("nothing is said to who cannot see it")
		}
	}},
	"Shift drag": {"x=e:2000-4000", func(k keyed) {
		g := plot(k.page)
		y := g.Top + g.Height/2
		k.drag(g.Left+g.Width*0.25, y, g.Left+g.Width*0.75, y, chromedp.ModifierShift)
		same := plot(k.page)
		k.shown(same, 2000, 4000)
		if from, to := k.brushed(); !near(float64(from), 2500, 3) || !near(float64(to), 3500, 3) {
			k.t.Errorf("brushed are %d to %d, want 2500 to 3500", from, to)
		}
	}},
	"R": {"x=e:2000-4000", func(k keyed) {
		k.press("r")
		k.address("r=2000-3999")
		sumRange(k.d, 2000, 3999).panelSays(k.page)
	}},
	"B": {"at=3000", func(k keyed) {
		k.press("b")
		k.address("a=3000")
		k.press("e")
		if card := k.card(); !strings.Contains(card, "against 3,000") {
			k.t.Errorf("the card is %q", card)
		}
		k.press("b")
		k.address("a=")
	}},
	"A": {"r=2000-5000", func(k keyed) {
		in := plot(k.page)
		kept := float64(sumRange(k.d, 2000, 5000).kept)
		if g := k.press("a"); kept/g.BytesTo < 0.9 || kept > g.BytesTo {
			k.t.Errorf("%.0f bytes stand alone on an axis to %.0f", kept, g.BytesTo)
		}
		k.address("al=1")
		if g := k.press("a"); g.BytesTo != in.BytesTo {
			k.t.Errorf("in its place again the axis ends at %.0f, not %.0f", g.BytesTo, in.BytesTo)
		}
		k.address("al=")
	}},
	"I": {"", func(k keyed) {
		plot(k.page)
		at := eval[[2]float64](k.page,
			"(b => [b.left + 60, b.top + 10])(document.querySelector('#table "+
				".row:nth-child(2)').getBoundingClientRect())")
		k.point(at[0], at[1])
		k.press("i")
		if iso := k.hash("iso"); !strings.HasPrefix(iso, "site:") {
			k.t.Errorf("iso is %q", iso)
		}
		k.press("i")
		k.address("iso=")
	}},
	"Esc": {"r=1000-5000&al=1&at=range&sel=1000&iso=activation&q=train.py&x=e:500-6000", func(k keyed) {
		g := plot(k.page)
		order := []string{"al", "sel", "iso", "r", "q"}
		k.press("w")
		k.press("\u001b")
		if !eval[bool](k.page, "document.getElementById('guide').hidden") {
			k.t.Error("Esc leaves the guide open")
		}
		for i := range order {
			for j, key := range order {
				if there := k.hash(key) != ""; there != (j >= i) {
					k.t.Errorf("after Esc number %d %s is %q", i, key, k.hash(key))
				}
			}
			k.press("\u001b")
		}
		k.address("q=")
		k.shown(plot(k.page), g.From, g.To)
	}},
}

// keysThatShow are the keys under "Show" and "Help".
var keysThatShow = map[string]keyTry{
	"U": {"", func(k keyed) {
		k.press("u")
		k.address("v=map")
		k.press("u")
		k.address("v=")
	}},
	"C": {"", func(k keyed) {
		modes := eval[[]string](k.page,
			"[...document.querySelectorAll('#toolbar option:not([disabled])')].map(e => e.value)")
		var seen []string
		for range modes {
			k.press("c")
			seen = append(seen, k.hash("c"))
		}
		slices.Sort(seen)
		if seen = slices.Compact(seen); len(modes) < 5 || len(seen) != len(modes) {
			k.t.Errorf("of %q C shows %q", modes, seen)
		}
		k.address("c=")
	}},
	"X": {"x=e:2000-4000", func(k keyed) {
		g := k.press("x")
		t := k.d.Events.TimeMicros
		k.shown(g, float64(t[1999]-t[0]), float64(t[3999]-t[0]))
		if g := k.press("x"); !near(g.From, 2000, 1) ||
			!near(g.To, 4000, 1) { // events of one microsecond are one place in time
			k.t.Errorf("X and X show %.0f to %.0f", g.From, g.To)
		}
	}},
	"V": {"", func(k keyed) {
		g := plot(k.page)
		if folded := k.press("v"); folded.Top >= g.Top || folded.Height <= g.Height {
			k.t.Errorf("the plot stands at %.0f, with lanes at %.0f", folded.Top, g.Top)
		}
		k.address("lanes=0")
		if again := k.press("v"); again.Top != g.Top {
			k.t.Errorf("the plot stands at %.0f, before at %.0f", again.Top, g.Top)
		}
	}},
	"H": {"", func(k keyed) {
		swatches := "document.querySelectorAll('.legend .p0').length" // TestPatterns looks at the picture
		for _, want := range []bool{true, false} {
			k.press("h")
			if n := eval[int](k.page, swatches); (n > 0) != want {
				k.t.Errorf("%d swatches have a pattern", n)
			}
		}
	}},
	"S": {"sel=1000", func(k keyed) {
		frames := "[...document.querySelectorAll('#pinned .frame')].filter(e => e.offsetHeight > 0).length"
		plot(k.page)
		folded := eval[int](k.page, frames)
		k.press("s")
		if all, n := eval[int](k.page, frames),
			len(k.Snapshot.Stacks.Frames(k.d.Allocations[1000].Stack)); all <= folded ||
			all < n {
			k.t.Errorf("the stack has %d lines, folded %d; it has %d frames", all, folded, n)
		}
		k.press("s")
		if again := eval[int](k.page, frames); again != folded {
			k.t.Errorf("folded again the stack has %d lines, before %d", again, folded)
		}
	}},
	"T": {"", func(k keyed) {
		for _, want := range []string{"light", "dark", "light"} { // the last is the system's, which is light here
			k.press("t")
			if got := eval[string](k.page, "document.documentElement.dataset.theme"); got != want {
				k.t.Errorf("the theme is %s, want %s", got, want)
			}
		}
	}},
	"?": {"", func(k keyed) {
		for i, open := range []bool{true, false} {
			k.press([]string{"?", "\u001b"}[i])
			if eval[bool](k.page, "document.getElementById('keys').open") != open {
				k.t.Errorf("that the list of keys is open is not %v", open)
			}
		}
	}},
	"W": {"", func(k keyed) {
		for _, hidden := range []bool{false, true} {
			k.press("w")
			if eval[bool](k.page, "document.getElementById('guide').hidden") != hidden {
				k.t.Errorf("that the guide is hidden is not %v", hidden)
			}
		}
	}},
}

// lastCopied is the text that was copied last.
func (k keyed) lastCopied() string {
	k.t.Helper()
	copied := k.copied()
	if len(copied) == 0 {
		k.t.Fatal("nothing was copied")
	}
	return copied[len(copied)-1]
}

// keysThatTakeAway are the keys under that heading of the list.
var keysThatTakeAway = map[string]keyTry{
	"Ctrl C": {"sel=1000", func(k keyed) {
		k.catchCopies()
		k.press("c", chromedp.ModifierCtrl)
		text := k.lastCopied()
		for _, f := range k.Snapshot.Stacks.Frames(k.d.Allocations[1000].Stack) {
			frame := k.Snapshot.Frames[f]
			if !strings.Contains(text, k.Snapshot.String(frame.Name)) ||
				!strings.Contains(text, k.Snapshot.String(frame.File)) {
				k.t.Errorf("the frame %s is not in %q", k.Snapshot.String(frame.Name), text)
			}
		}
		k.address("c=") // and no other colour
	}},
	"M": {"", func(k keyed) {
		k.catchCopies()
		k.press("m")
		if text := k.lastCopied(); !strings.Contains(text, "| call site |") {
			k.t.Errorf("of the panel is copied %q", text)
		}
		k.press(kb.ArrowUp)
		k.press("m")
		if copied := k.copied(); len(copied) != 2 || !strings.Contains(copied[1], "```") ||
			!strings.Contains(copied[1], exactly(k.d.Allocations[0].Size)) {
			k.t.Errorf("of the panel and the pinned tensor are copied %q", copied)
		}
	}},
	"D": {"", func(k keyed) {
		k.press("d")
		if eval[int](k.page, "document.querySelectorAll(':popover-open .export').length") < 4 {
			k.t.Error("there is nothing to download")
		}
		k.press("\u001b")
		if eval[bool](k.page, "document.querySelector(':popover-open') !== null") {
			k.t.Error("Esc leaves the list of downloads open")
		}
	}},
	"K": {"at=1234", func(k keyed) {
		k.catchCopies()
		k.press("k")
		if text := k.lastCopied(); text != eval[string](k.page, "location.href") ||
			!strings.Contains(text, "#at=1234") {
			k.t.Errorf("copied is %q", text)
		}
	}},
}
