package pagetest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// card is the text of the card in the side panel, or "".
func (p *page) card() string {
	p.t.Helper()
	return plainSpaces(eval[string](p, "document.querySelector('#moment .card')?.innerText ?? ''"))
}

// TestSpike points beside a spike that is two pixels wide: the crosshair snaps to its
// highest state, and a click there lists who made it.
func TestSpike(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "out-of-memory"))
	p := open(t, exampleReport(t, "out-of-memory"), "")
	g := plot(p)
	active := x.d.ActiveBytes()
	peak := x.d.Totals.PeakState
	column := slices.Index(g.Columns, peak)
	at := g.Left + (float64(column)+0.5)/g.Ratio
	if own := g.Columns[column+3]; column < 0 || active[own] > active[peak]*3/4 {
		t.Fatalf("the peak, in column %d, is no spike: %d bytes three columns on", column, active[own])
	}
	for _, off := range []float64{-3, -1, 0, 2, 3} {
		p.point(at+off, g.Top+20)
		p.until("document.querySelector('#where b').textContent === %q", units.Count(peak))
	}
	p.clickAt(at+3, g.Top+g.Height-60)
	if got := p.hash("at"); got != fmt.Sprint(peak) {
		t.Errorf("the cursor is at %q, the spike at %d", got, peak)
	}
	text := p.card()
	var before string
	if _, err := fmt.Sscanf(text[strings.Index(text, "above state "):], "above state %s", &before); err != nil {
		t.Fatalf("the card is %q", text)
	}
	var from int
	if _, err := fmt.Sscan(strings.ReplaceAll(before, ",", ""), &from); err != nil || from >= peak {
		t.Fatalf("the card compares state %q with the peak, %d", before, peak)
	}
	function, line, bytes := x.largestSite(func(a *replay.Allocation) bool { return a.LiveIn(peak) && !a.LiveIn(from) })
	requireWords(t, "the card", text, "Made this spike", units.Change(active[peak]-active[from]), function+" "+line,
		units.Bytes(bytes))
	p.reopen(strings.TrimPrefix(eval[string](p, "location.hash"), "#"))
	if got := p.card(); got != text {
		t.Errorf("the address opens the card %q, want %q", got, text)
	}
	p.press("e")
	if text := p.card(); text != "" {
		t.Errorf("at the end the card still is %q", text)
	}
}

// TestMomentA compares one step with the next in two clicks: what each call site holds more or less at their ends.
func TestMomentA(t *testing.T) {
	t.Parallel()
	x, p := openExample(t, "leaking-loss", "")
	steps := x.Recordings[0].Steps().Ranges()
	if len(steps) < 4 {
		t.Fatalf("%d steps", len(steps))
	}
	for range 3 {
		p.press(".")
	}
	p.click("#moment .segmented + .segmented > button") // A
	from := p.hash("a")
	if from == "" {
		t.Fatal("the address does not name moment A")
	}
	p.press(".")
	a, err := strconv.Atoi(from)
	if err != nil {
		t.Fatal(err)
	}
	var first, last int
	if _, err := fmt.Sscanf(p.hash("r"), "%d-%d", &first, &last); err != nil {
		t.Fatal(err)
	}
	active := x.d.ActiveBytes()
	card := p.wordsOf("#moment .against")
	requireWords(t, "the card", card, "Against moment A",
		fmt.Sprintf("state %s against %s", units.Count(last), units.Count(a)),
		units.Change(active[last]-active[a]))
	sums := map[string]int64{} // by the last words of a site: its file and line
	for i := range x.d.Allocations {
		al := &x.d.Allocations[i]
		site := x.Recordings[0].Stacks.Site(al.Stack)
		key := fmt.Sprintf("%s %s:%d", site.Function, filepath.Base(site.File), site.Line)
		if al.LiveIn(last) {
			sums[key] += al.Size
		}
		if al.LiveIn(a) {
			sums[key] -= al.Size
		}
	}
	rows := eval[[][2]string](p, `[...document.querySelectorAll('#moment .against .to')].map((b) =>
		[b.textContent, b.nextElementSibling.title])`)
	if len(rows) == 0 {
		t.Fatalf("the card is %q", card)
	}
	for _, row := range rows {
		digits := strings.NewReplacer(",", "", "\u00a0B", "", "\u2212", "-").Replace(row[1])
		bytes, err := strconv.ParseInt(digits, 10, 64)
		if want := sums[row[0]]; err != nil || bytes != want {
			t.Errorf("%s differs by %q, want %d", row[0], row[1], want)
		}
	}
	again := open(t, exampleReport(t, "leaking-loss"), "a="+from+"&at="+fmt.Sprint(last))
	plot(again)
	card = again.wordsOf("#moment .against")
	if !strings.Contains(card, units.Change(active[last]-active[a])) {
		t.Errorf("opened anew the card is %q", card)
	}
}

// TestOOMCard: the card is open when the page is, says how many requests failed, and
// leads from one to the other.
func TestOOMCard(t *testing.T) {
	t.Parallel()
	x, p := openExample(t, "out-of-memory", "")
	_, failures, _ := strip.Cards(x.Recordings[0], whatif.Predict(x.Recordings[0]))
	text := p.card()
	requireWords(t, "the card", text, "Out of memory, in state "+units.Count(failures[0].State), failures[0].Diagnosis,
		failures[0].Try)

	const mib = 1 << 20
	c := snapshot.NewComposer(snapshot.Format{})
	stack := c.Stack(snapshot.FrameText{File: "/home/ada/train.py", Line: 7, Name: "main"})
	c.Segment(snapshot.Segment{Device: 0, Address: 1 << 30, TotalSize: 64 * mib})
	var failed []int
	for i := range 12 {
		action := snapshot.Alloc
		if i%4 == 3 { // of another size each, so that none is an attempt at the one before
			action = snapshot.OOM
			failed = append(failed, c.Len(0))
			c.Event(0, snapshot.EventText{Action: action, Addr: mib, Size: int64(i+1) * 100 * mib, Stack: stack})
			continue
		}
		c.Event(0, snapshot.EventText{Action: action, Addr: uint64(1<<30 + i*4*mib), Size: 4 * mib, Stack: stack})
	}
	several := open(t, reportOf(t, "several.pickle", c.Snapshot()), "")
	plot(several)
	for i := len(failed) - 1; i >= 0; i-- {
		text := several.card()
		want := fmt.Sprintf("Out of memory, %d of %d, in state %d", i+1, len(failed), failed[i])
		if !strings.Contains(text, want) || !strings.Contains(text, units.Bytes(int64(4*i+4)*100*mib)) {
			t.Errorf("the card is %q, want %q", text, want)
		}
		if i > 0 {
			several.click(".card .segmented > :nth-child(1)")
			plot(several)
		}
	}
}

// TestGrowthCard: what the answer to "what keeps growing" says, the panel says too, with
// who keeps it and the whole sentence; and the same numbers stand in both.
func TestGrowthCard(t *testing.T) {
	t.Parallel()
	x, p := openExample(t, "leaking-loss", "")
	cards, _, _ := strip.Cards(x.Recordings[0], nil)
	p.click("#answers > :nth-child(2)")
	text := p.card()
	requireWords(t, "the card", text, cards[1].Value+" "+cards[1].Small, cards[1].Detail)
	if from, to := p.brushed(); from != cards[1].Evidence.From || to != cards[1].Evidence.To {
		t.Errorf("the range is %d to %d, the answer's %d to %d", from, to, cards[1].Evidence.From, cards[1].Evidence.To)
	}
	p.click(".card .to")
	if got := p.hash("sel"); got == "" {
		t.Error("its stack is not pinned")
	}
}

// TestStepMovesAll: the next step moves picture, range and panel.
func TestStepMovesAll(t *testing.T) {
	t.Parallel()
	x, p := openExample(t, "leaking-loss", "")
	steps := x.Recordings[0].Steps().Ranges()
	for i := range 2 {
		p.press(".")
		from, to := p.brushed()
		g := plot(p)
		if i > 0 && (from != steps[i-1].To && from != steps[i].From) {
			t.Errorf("step %d is the range from %d to %d, the steps are %v", i+1, from, to, steps)
		}
		if !near(g.From, float64(from), 1.5) || !near(g.To, float64(to), 1.5) {
			t.Errorf("shown is %.0f to %.0f, the range is %d to %d", g.From, g.To, from, to)
		}
		sumRange(x.d, from, to).panelSays(p)
		p.shows(fmt.Sprintf("step %d of ", i+1))
	}
}

// TestMinimapKeys: Tab reaches the minimap, and the keys of a slider move its window.
func TestMinimapKeys(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "x=e:1000-1500")
	plot(p)
	p.await("document.getElementById('cursor').focus()")
	for range 3 {
		if eval[string](p, "document.activeElement.id") != "minimap" {
			p.typed("\t")
		}
	}
	if id := eval[string](p, "document.activeElement.id"); id != "minimap" {
		t.Fatalf("Tab leads to %q", id)
	}
	p.do(chromedp.KeyEvent(kb.End))
	end := plot(p)
	if last := float64(load(t, example(t, "training-loop")).d.States()); !near(end.To, last, 2) {
		t.Errorf("End leads to %.0f to %.0f of %.0f", end.From, end.To, last)
	}
	if text := eval[string](p, "document.activeElement.getAttribute('aria-valuetext')"); !strings.Contains(text,
		units.Count(int(end.From))) {
		t.Errorf("the slider says %q", text)
	}
}

// TestVerdict: what the mark in the header means stands on the page after a click, not
// in a tooltip alone.
func TestVerdict(t *testing.T) {
	t.Parallel()
	p := openSized(t, exampleReport(t, "training-loop"), "", 1024, 700)
	plot(p)
	p.click("#verdict")
	shown := eval[struct {
		Text, Title string
		Cut         bool
	}](p, `(() => {
		const e = document.querySelector('.popover:popover-open');
		return {text: e?.innerText ?? '', title: document.getElementById('verdict').title,
			cut: !e || e.scrollWidth > e.clientWidth};
	})()`)
	if shown.Text != shown.Title || shown.Text == "" || shown.Cut {
		t.Errorf("shown is %q, cut: %v; it means %q", shown.Text, shown.Cut, shown.Title)
	}
}

// TestPeakCard: what the peak holds and need not stands beside it, to be read without a pointer.
func TestPeakCard(t *testing.T) {
	t.Parallel()
	cards, _, _ := strip.Cards(load(t, example(t, "record-stream")).Recordings[0], nil)
	if cards[0].Detail == "" {
		t.Fatal("nothing at the peak is avoidable")
	}
	p := open(t, exampleReport(t, "record-stream"), "")
	plot(p)
	card := func() string {
		return plainSpaces(eval[string](p, "document.querySelector('#moment .card.peak p')?.textContent ?? ''"))
	}
	if got := card(); got != plainSpaces(cards[0].Detail) {
		t.Errorf("the card says %q, want %q", got, cards[0].Detail)
	}
	if p.press("e"); card() != "" {
		t.Errorf("at the end the card says %q", card())
	}
}
