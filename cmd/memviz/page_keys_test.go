package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// keyed is a page on which a line of the list of keys is tried, beside what it shows.
type keyed struct {
	*page
	searchable
	steps []steps.Step
}

// keyTry opens the page with a hash, does what a line says, and looks at what came of it.
type keyTry struct {
	hash string
	try  func(k keyed)
}

// keyList is what "?" shows: what is pressed, and what it does.
func keyList(p *page) [][2]string {
	p.t.Helper()
	p.do(chromedp.KeyEvent("?"))
	list := eval[[][2]string](p,
		"[...document.querySelectorAll('#keys[open] .keys p')].map(e => [e.children[0].textContent.trim(), "+
			"e.children[1].textContent])")
	p.do(chromedp.KeyEvent("\u001b"))
	return list
}

// TestPageKeys presses every key, and makes every gesture, that the list of
// keys has: a line that is not tried here fails.
func TestPageKeys(t *testing.T) {
	path := example("out-of-memory")
	x := openSearchable(t, path)
	r := recorded(t, path)
	steps := r.Steps().Steps
	p := open(t, chromium(t), writeReport(t, path), "", 1440, 900)
	list := keyList(p)
	if len(list) < 30 {
		t.Fatalf("the list of keys is %q", list)
	}
	tries := map[string]keyTry{}
	for _, part := range []map[string]keyTry{keysThatMove, keysThatGo, keysThatFind, keysThatSelect, keysThatShow,
		keysThatTakeAway} {
		for key, try := range part {
			tries[key] = try
		}
	}
	for _, line := range list {
		try, ok := tries[line[0]]
		delete(tries, line[0])
		t.Run(strings.ReplaceAll(line[0], "/", "slash"), func(t *testing.T) {
			if !ok {
				t.Fatalf("%s (%s) is in the list of keys and not tried", line[0], line[1])
			}
			p.t = t
			p.reopen(try.hash)
			try.try(keyed{p, x, steps})
			p.requireNoTrouble()
		})
	}
	for key := range tries {
		t.Errorf("%s is tried and not in the list of keys", key)
	}
}

// press presses keys, one after the other, and gives the plot that comes of it.
func (k keyed) press(keys string, held ...chromedp.Modifier) geometry {
	k.t.Helper()
	k.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(held...)))
	return plot(k.page)
}

// shown requires the stretch that the plot shows, to the hundredth of a state.
func (k keyed) shown(g geometry, from, to float64) {
	k.t.Helper()
	if !near(g.From, from, 0.01) || !near(g.To, to, 0.01) {
		k.t.Errorf("shown is %.2f to %.2f, want %.2f to %.2f", g.From, g.To, from, to)
	}
}

func near(a, b, far float64) bool { return max(a-b, b-a) <= far }

// address requires values of the hash, written as key=value; key= is one that is not there.
func (k keyed) address(want ...string) {
	k.t.Helper()
	for _, pair := range want {
		key, value, _ := strings.Cut(pair, "=")
		if got := k.hash(key); got != value {
			k.t.Errorf("in the address %s is %q, want %q", key, got, value)
		}
	}
}

// under is the allocation under a place of the plot and the state drawn there,
// by stacking all that is live.
func (k keyed) under(g geometry, x, y float64) (id, state int) {
	k.t.Helper()
	state = g.Columns[int((x-g.Left)/g.Width*float64(len(g.Columns)))]
	at := g.BytesFrom + (1-(y-g.Top)/g.Height)*(g.BytesTo-g.BytesFrom)
	for i := range k.d.Allocations {
		if a := &k.d.Allocations[i]; a.LiveIn(state) {
			if at -= float64(a.Size); at < 0 {
				return i, state
			}
		}
	}
	k.t.Fatalf("nothing lies under (%.0f, %.0f)", x, y)
	return 0, 0
}

// life is the first and the last state of an allocation.
func (k keyed) life(id int) (first, last int) {
	first, last = 0, k.d.Events.Len()
	if a := &k.d.Allocations[id]; a.Start != replay.None {
		first = int(a.Start) + 1
	}
	if a := &k.d.Allocations[id]; a.End != replay.None {
		last = int(a.End)
	}
	return first, last
}

// oom is the state before the request that failed.
func (k keyed) oom() int { return slices.Index(k.d.Events.Action, snapshot.OOM) }

// focused is the label of the field that has the keyboard, or "".
func (k keyed) focused() string {
	return eval[string](k.page,
		"document.activeElement instanceof HTMLInputElement ? document.activeElement.getAttribute('aria-label') ?? "+
			"'field' : ''")
}

// catchCopies has what is copied caught on its way to the clipboard.
func (p *page) catchCopies() {
	p.await("(window.copied = [], navigator.clipboard.writeText = text => (copied.push(text), Promise.resolve()))")
}

// copied is the last text that was, and how many there were.
func (p *page) copied() (last string, n int) {
	all := eval[[]string](p, "copied")
	if len(all) == 0 {
		return "", 0
	}
	return all[len(all)-1], len(all)
}
