package pagetest

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// pick is one of some choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// moves are what a person does to a page, by keys and mouse, each with what is
// random about it.
var moves = []func(p *page, r *rand.Rand){
	func(p *page, r *rand.Rand) { p.press(pick(r, "+", "++", "+++++")) },
	func(p *page, r *rand.Rand) {
		g := plot(p)
		p.wheel(g.Left+g.Width*r.Float64(), g.Top+g.Height/2, pick(r, -300.0, -900), 0)
	},
	func(p *page, r *rand.Rand) { p.press("x") },
	func(p *page, r *rand.Rand) { // clicks a spike
		ofPile(p)
		p.press("0")
		g := plot(p)
		highest := eval[int](p, `(() => {
			const totals = memviz.geometry().columns.map((k) => k < 0 ? 0 : memviz.state(k).active_bytes);
			return totals.indexOf(Math.max(...totals));
		})()`)
		p.clickAt(g.Left+(float64(highest)+pick(r, -2, -0.5, 0.5, 2))/g.Ratio, g.Top+g.Height/2)
	},
	func(p *page, r *rand.Rand) { p.press(pick(r, "y", "yy")) },
	func(p *page, r *rand.Rand) { p.press(strings.Repeat("c", 1+r.IntN(6))) },
	func(p *page, r *rand.Rand) { p.press(pick(r, "e", ".", "..", "o")) },
	func(p *page, r *rand.Rand) { p.press("l") },
	func(p *page, r *rand.Rand) { p.press("v") },
	func(p *page, r *rand.Rand) {
		p.typed("/" + pick(r, "model.py", `/train\.py:\d+/`, "size>1MiB", `"a, b" +&=#%`) + "\r\u001b")
	},
	func(p *page, r *rand.Rand) {
		g := plot(p)
		y := g.Top + g.Height/2
		p.drag(g.Left+g.Width*0.5*r.Float64(), y, g.Left+g.Width*(0.55+0.4*r.Float64()), y, chromedp.ModifierShift)
	},
	func(p *page, r *rand.Rand) { p.press("r") },
	func(p *page, r *rand.Rand) { p.press("r"); p.press("a") },
	func(p *page, r *rand.Rand) {
		g := plot(p)
		p.clickAt(g.Left+g.Width*r.Float64(), g.Top+g.Height-10)
	},
	func(p *page, r *rand.Rand) {
		ofPile(p)
		p.click(fmt.Sprintf("#table .tabs > :nth-child(%d)", 2+r.IntN(3)))
	},
	func(p *page, r *rand.Rand) { p.click("#table .columns > :" + pick(r, "nth-child(2)", "last-child")) },
	func(p *page, r *rand.Rand) { p.click("#table .row"); p.press("i") },
	func(p *page, r *rand.Rand) { p.press("h") },
	func(p *page, r *rand.Rand) {
		p.press("u")
		g := plot(p)
		p.wheel(g.Left+g.Width/2, g.Top+g.Height*r.Float64(), pick(r, -200.0, -500), chromedp.ModifierAlt)
		p.clickAt(g.Left+g.Width*r.Float64(), g.Top+g.Height*r.Float64())
	},
}

// ofPile leaves the address space, where other lists come first and nothing is a spike.
func ofPile(p *page) {
	if p.hash("v") == "map" {
		p.press("u")
	}
}

// appearance is everything that a page shows of its state once the pointer is out of
// the way and what it lit has faded: the plot, the picture, what is lit, pinned
// and written.
func appearance(p *page) string {
	p.point(4, 4)
	p.rest()
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
		const faded = [...e.querySelectorAll('.faded')].filter(f => f.offsetParent).length;
		return [id, e.hidden ? '' : e.innerText, ...fields, ...pressed, faded].join(' | ');
	})`)
	// A step that is shorter than the narrowest view is only known to be shown by
	// the page on which someone went to it.
	words[2] = regexp.MustCompile(`(Step) \d+ of \d+`).ReplaceAllString(words[2], "$1")
	return fmt.Sprintf("%s %.0f to %.0f, %.0f to %.0f bytes\n%s\n%s", p.hash("x"), g.From, g.To, g.BytesFrom, g.BytesTo,
		picture, strings.Join(words, "\n"))
}

// TestHash does random things to pages and opens their addresses anew: an address
// stays what it is, and the page that it opens shows the same.
func TestHash(t *testing.T) {
	t.Parallel()
	report := makeReport(t, example(t, "training-loop"), example(t, "out-of-memory"))
	var mu sync.Mutex
	seen := map[string]int{}
	t.Run("walks", func(t *testing.T) {
		for i := range tries(5) {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				for key := range walk(t, report, i) {
					mu.Lock()
					seen[key]++
					mu.Unlock()
				}
			})
		}
	})
	for _, key := range []string{"d", "x", "y", "at", "r", "al", "sel", "c", "h", "iso", "lanes", "tab", "sort",
		"q", "f", "v", "sp"} {
		if seen[key] == 0 && !t.Failed() {
			t.Errorf("no walk ends in an address with %s", key)
		}
	}
}

// walk does random things to a page and opens its address anew. It gives what is
// in the address.
func walk(t *testing.T, report string, seed int) url.Values {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(seed), 5))
	p := open(t, report, "theme=light")
	if seed%2 == 1 { // of the shorter recording
		p.await("memviz.select({file: 0, device: 0})")
	}
	plot(p)
	for range 3 {
		moves[r.IntN(len(moves))](p, r)
		plot(p)
	}
	for i := range 4 { // five walks make every move
		moves[(4*seed+i)%len(moves)](p, r)
		plot(p)
	}
	// The address has whole states, and whole microseconds.
	if g := plot(p); g.Axis == "time" {
		p.await("dispatchEvent(new HashChangeEvent('hashchange'))")
	} else if p.hash("x") != "" {
		p.await("memviz.view({from: %.0f, to: %.0f})", g.From, g.To)
	}
	want := appearance(p)
	hash := eval[string](p, "location.hash")

	p.reopen(strings.TrimPrefix(hash, "#"))
	if got := appearance(p); got != want {
		t.Errorf("%s opens another page:\n%s", hash, firstDifference(got, want))
	}
	p.press("vv") // has the address written anew
	if again := eval[string](p, "location.hash"); again != hash {
		t.Errorf("%s becomes %s", hash, again)
	}
	values, err := url.ParseQuery(strings.TrimPrefix(hash, "#"))
	if err != nil {
		t.Errorf("%s: %v", hash, err)
	}
	return values
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

// TestHostileHash opens addresses that nobody wrote for a page: it shows
// itself, runs nothing of them, and goes on working.
func TestHostileHash(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "")
	script := `<img src=x onerror="document.title='owned'">`
	huge := strings.Repeat("9", 400)
	var everywhere, numbers []string
	for _, key := range []string{"d", "x", "y", "at", "sp", "a", "r", "al", "sel", "seg", "c", "h", "iso", "lanes",
		"tab",
		"sort", "q", "f", "v", "pack", "w", "theme"} {
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
		p.press("\u001b\u001b\u001b\u001b\u001b0")
		p.press("p")
		p.shows("at the peak")
		if g := plot(p); g.From != 0 {
			t.Errorf("%s: 0 shows %.0f to %.0f", short, g.From, g.To)
		}
	}
}
