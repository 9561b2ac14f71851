package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// randomStates is how many states of the page are opened again by their hash.
const randomStates = 20

// pick is one of some choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// moves are what a person does to a page, by keys and mouse, each with what is
// random about it.
var moves = []func(p *page, r *rand.Rand){
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent(pick(r, "+", "++", "+++++"))) },
	func(p *page, r *rand.Rand) {
		g := plot(p)
		p.do(chromedp.MouseEvent("mouseWheel", g.Left+g.Width*r.Float64(), g.Top+g.Height/2,
			wheel(pick(r, -300.0, -900))))
	},
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent("x")) },
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent(pick(r, "y", "yy"))) },
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent(strings.Repeat("c", 1+r.IntN(6)))) },
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent(pick(r, "e", "l", "v", ".", "..", "o"))) },
	func(p *page, r *rand.Rand) {
		p.typed("/" + pick(r, "model.py", `/train\.py:\d+/`, "size>1MiB", `"a, b" +&=#%`) + "\r\u001b")
	},
	func(p *page, r *rand.Rand) {
		g := plot(p)
		y := g.Top + g.Height/2
		p.drag(g.Left+g.Width*0.5*r.Float64(), y, g.Left+g.Width*(0.55+0.4*r.Float64()), y, chromedp.ModifierShift)
	},
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent(pick(r, "ra", "r"))) },
	func(p *page, r *rand.Rand) {
		g := plot(p)
		p.do(chromedp.MouseClickXY(g.Left+g.Width*r.Float64(), g.Top+g.Height-10))
	},
	func(p *page, r *rand.Rand) { p.click(fmt.Sprintf("#table .tabs > :nth-child(%d)", 1+r.IntN(4))) },
	func(p *page, r *rand.Rand) { p.click(fmt.Sprintf("#table .columns > :nth-child(%d)", 1+r.IntN(3))) },
	func(p *page, r *rand.Rand) { p.click("#table .row"); p.do(chromedp.KeyEvent("i")) },
	func(p *page, r *rand.Rand) { p.do(chromedp.KeyEvent("h")) },
	func(p *page, r *rand.Rand) { p.await("memviz.select({file: 0, device: 0})") },
}

// looks is what a page shows once it shows the same for a while: what a pointer
// has lit fades when it has been gone for some time.
func looks(p *page) string {
	p.do(chromedp.MouseEvent("mouseMoved", 4, 4))
	for look := ""; ; {
		before := look
		if look = looksNow(p); look == before {
			return look
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// looksNow is everything that a page shows of its state: the plot, the picture,
// what is lit, pinned and written.
func looksNow(p *page) string {
	g := plot(p)
	picture := eval[string](p, `(() => {
		const {width, height, data} = memviz.pixels();
		let sum = 0;
		for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) %% 1000000007;
		return width + " x " + height + ": " + sum;
	})()`)
	words := eval[[]string](p, `['device', 'answers', 'toolbar', 'find', 'moment', 'table', 'pinned', 'where', 'scale'].map(id => {
		const e = document.getElementById(id);
		const fields = [...e.querySelectorAll('input, select')].map(f => f.value);
		const pressed = [...e.querySelectorAll('[aria-pressed=true], [aria-selected=true]')].map(b => b.textContent);
		const unlit = e.querySelectorAll('.unlit').length;
		return [id, e.hidden ? '' : e.innerText, ...fields, ...pressed, unlit].join(' | ');
	})`)
	return fmt.Sprintf("%s %.0f to %.0f, %.0f to %.0f bytes\n%s\n%s", p.hash("x"), g.From, g.To, g.BytesFrom, g.BytesTo,
		picture, strings.Join(words, "\n"))
}

// TestPageHash does random things to a page, and opens its address anew: the
// address stays what it is, and the page shows the same.
func TestPageHash(t *testing.T) {
	p := open(t, chromium(t), writeReport(t, example("training-loop"), example("out-of-memory")), "theme=light",
		1440, 900)
	seen := map[string]int{}
	for i := range randomStates {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		p.reopen("theme=light")
		if i%2 == 1 { // of the shorter recording
			moves[len(moves)-1](p, r)
		}
		plot(p)
		for range 3 + r.IntN(4) {
			moves[r.IntN(len(moves)-1)](p, r)
			plot(p)
		}
		// The address has whole states, and whole microseconds.
		if g := plot(p); g.Axis == "time" {
			p.await("dispatchEvent(new HashChangeEvent('hashchange'))")
		} else if p.hash("x") != "" {
			p.await("memviz.view({from: %.0f, to: %.0f})", g.From, g.To)
		}
		want := looks(p)
		hash := eval[string](p, "location.hash")

		p.reopen(strings.TrimPrefix(hash, "#"))
		if got := looks(p); got != want {
			t.Errorf("%s opens another page:\n%s", hash, firstDifference(got, want))
		}
		p.do(chromedp.KeyEvent("vv")) // has the address written anew
		if plot(p); eval[string](p, "location.hash") != hash {
			t.Errorf("%s becomes %s", hash, eval[string](p, "location.hash"))
		}
		values, err := url.ParseQuery(strings.TrimPrefix(hash, "#"))
		if err != nil {
			t.Errorf("%s: %v", hash, err)
		}
		for key := range values {
			seen[key]++
		}
	}
	p.requireNoTrouble()
	for _, key := range []string{"d", "x", "y", "at", "r", "al", "sel", "c", "h", "iso", "lanes", "tab", "sort",
		"q", "f"} {
		if seen[key] == 0 {
			t.Errorf("no random state has %s", key)
		}
	}
}

// firstDifference is the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%q\nwant\n%q", a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// TestPageHostileHash opens addresses that nobody wrote for a page: it shows
// itself, runs nothing of them, and goes on working.
func TestPageHostileHash(t *testing.T) {
	p := open(t, chromium(t), writeReport(t, example("training-loop")), "", 1440, 900)
	script := `<img src=x onerror="document.title='owned'">`
	huge := strings.Repeat("9", 400)
	var everywhere, numbers []string
	for _, key := range []string{"d", "x", "y", "at", "r", "al", "sel", "c", "h", "iso", "lanes", "tab", "sort", "q",
		"f", "theme"} {
		everywhere = append(everywhere, key+"="+url.QueryEscape(script))
		numbers = append(numbers, key+"="+huge)
	}
	hashes := []string{
		strings.Join(everywhere, "&"),
		strings.Join(numbers, "&"),
		"%%%&=&&==&x=%E0%A4%A&q=%",
		"d=-1.5e308&at=-1&sel=-1&r=9-1&x=e:9-1&y=9-1",
		"d=__proto__&c=constructor&tab=toString&sort=__proto__&iso=hasOwnProperty,__proto__",
		"x=e:" + huge + "-" + huge + "&y=" + huge + "-" + huge + "&r=" + huge + "-" + huge,
		"x=t:0-0&y=0-0&r=0-0&al=1&at=range",
		"q=" + url.QueryEscape(`/((a+)+)+$|(.*.*)*b{999999999}/`),
		"q=" + url.QueryEscape("/"+strings.Repeat("(", 5000)+strings.Repeat("a?", 5000)),
		"f=" + strings.Repeat("size>1+", 3000),
		"iso=" + url.QueryEscape("stack:"+strings.Repeat("x", 50_000)),
		"javascript:document.title='owned'",
		"c=javascript:alert(1)&d=%00&q=%00%FF%FE&iso=%F0%9F%98%80",
	}
	for _, hash := range hashes {
		p.reopen(hash)
		short := hash[:min(len(hash), 60)]
		g := plot(p)
		if g.Width < 300 || len(g.Columns) < 300 || !(g.To > g.From) || !(g.BytesTo > g.BytesFrom) ||
			slices.Max(g.Columns) < 0 {
			t.Errorf("%s: the plot shows %.0f to %.0f, %.0f to %.0f bytes", short, g.From, g.To, g.BytesFrom, g.BytesTo)
		}
		if eval[bool](p, "document.title === 'owned' || document.querySelector('img, iframe, object, embed') !== "+
			"null || document.getElementById('viewer').hidden") {
			t.Errorf("%s: the page is not the report", short)
		}
		p.do(chromedp.KeyEvent("\u001b\u001b\u001b\u001b\u001b0"), chromedp.KeyEvent("p"))
		plot(p)
		p.shows("at the peak")
		if g := plot(p); g.From != 0 {
			t.Errorf("%s: 0 shows %.0f to %.0f", short, g.From, g.To)
		}
		p.requireNoTrouble()
	}
}
