package pagetest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// panelSays compares every number of the side panel with what the replay gives.
func (r rangeSums) panelSays(p *page) {
	p.t.Helper()
	for _, want := range []string{
		"In the range", "allocated inside and still live", units.Bytes(r.kept),
		fmt.Sprintf("%s of %s; allocated %s, freed %s", units.Count(r.keptTensors),
			units.Plural(r.tensors, "tensor", "tensors"), units.Bytes(r.allocated), units.Bytes(r.freed)),
		fmt.Sprintf("live at its end %s, %s from its start", units.Bytes(r.live), units.Change(r.change)),
	} {
		p.shows(want)
	}
	titles := eval[string](p, "[...document.querySelectorAll('#moment .total [title]')].map(e => e.title).join('\\n')")
	requireWords(p.t, "the title of the panel", titles, exactly(r.kept)+"\n",
		fmt.Sprintf("allocated %s in %s, freed %s in %s", exactly(r.allocated),
			units.Plural(r.tensors, "tensor", "tensors"), exactly(r.freed),
			units.Plural(r.freedTensor, "tensor", "tensors")),
		fmt.Sprintf("events %s to %s;", units.Count(r.from), units.Count(r.to-1)))
}

// brushed is the selected range of states, as the address has it.
func (p *page) brushed() (from, to int) {
	p.t.Helper()
	if _, err := fmt.Sscanf(p.hash("r"), "%d-%d", &from, &to); err != nil {
		p.t.Fatalf("the address has the range %q", p.hash("r"))
	}
	return from, to
}

// TestGrowing asks what keeps growing: one click shows only what stays.
func TestGrowing(t *testing.T) {
	t.Parallel()
	d := load(t, example(t, "leaking-loss")).d
	p := open(t, exampleReport(t, "leaking-loss"), "")
	whole := plot(p)
	p.click("#answers > :nth-child(2)")
	g := plot(p)
	from, to := p.brushed()
	want := sumRange(d, from, to)
	want.panelSays(p)
	if answer := eval[string](p,
		"document.querySelector('#answers > :nth-child(2) "+
			".value').textContent"); !strings.HasPrefix(strings.ReplaceAll(answer, "\u00a0", " "),
		units.Change(want.change)) {
		t.Errorf("the answer is %q, the range changes by %s", answer, units.Change(want.change))
	}
	if p.hash("al") != "1" || g.From != whole.From || g.To != whole.To {
		t.Errorf("alone is %q, shown is %v to %v", p.hash("al"), g.From, g.To)
	}
	if top := float64(want.kept) / g.BytesTo; g.BytesFrom != 0 || top < 0.9 || top > 1 {
		t.Errorf("%d bytes stand alone on an axis from %.0f to %.0f", want.kept, g.BytesFrom, g.BytesTo)
	}
	compareAlone(p, d, want, g)
	p.point(g.Left+g.Width*0.9, g.Top+g.Height-9)
	p.shows("Click to pin the full stack")

	// Esc shows everything in its place, then lets the range go.
	p.press("\u001b")
	if back := plot(p); p.hash("al") != "" || p.hash("r") == "" || back.BytesTo != whole.BytesTo {
		t.Errorf("after Esc alone is %q, the range %q, the axis ends at %.0f", p.hash("al"), p.hash("r"), back.BytesTo)
	}
	p.press("\u001b")
	if plot(p); p.hash("r") != "" || p.hash("at") != "" {
		t.Errorf("after another Esc the address is %s", eval[string](p, "location.hash"))
	}
}

// compareAlone compares what lies under 400 points of the plot with the allocations
// that a range keeps, which alone are shown.
func compareAlone(p *page, d *replay.Device, r rangeSums, g geometry) {
	t := p.t
	t.Helper()
	points := eval[[]struct {
		X, Y float64
		At   *struct {
			liveEntry
			State int
		}
	}](p, `Array.from({length: 400}, (_, i) => {
		const x = %f + %f * (i %% 20 + 0.5) / 20, y = %f + %f * (Math.floor(i / 20) + 0.5) / 20;
		return {x, y, at: memviz.at(x, y)};
	})`, g.Left, g.Width, g.Top, g.Height)
	hits := 0
	for _, point := range points {
		state := g.Columns[min(len(g.Columns)-1, int((point.X-g.Left)/g.Width*float64(len(g.Columns))))]
		height := g.BytesFrom + (1-(point.Y-g.Top)/g.Height)*(g.BytesTo-g.BytesFrom)
		id, offset := keptAt(d, r, state, height)
		got := point.At
		switch {
		case id < 0 && got == nil:
			continue
		case id < 0:
			t.Errorf("under (%.0f, %.0f) lies %+v, want nothing", point.X, point.Y, got)
			continue
		}
		a := &d.Allocations[id]
		if math.Min(height-float64(offset), float64(offset+a.Size)-height) < 1 {
			continue // too close to an edge to tell
		}
		hits++
		if got == nil || got.Start == nil || *got.Start != int(a.Start) || got.Size != a.Size ||
			got.Offset != offset || got.State != state {
			t.Errorf("under (%.0f, %.0f) lies %+v, want allocation %d at %d in state %d", point.X, point.Y, got, id,
				offset, state)
		}
	}
	if hits < 100 {
		t.Errorf("only %d of 400 points have a tensor", hits)
	}
}

// keptAt is the allocation at a height in the pile of what a range keeps, and
// where that begins in the pile; -1 if there is none.
func keptAt(d *replay.Device, r rangeSums, state int, height float64) (id int, offset int64) {
	for i := range d.Allocations {
		a := &d.Allocations[i]
		if a.Start == replay.None || int(a.Start) < r.from || int(a.Start) >= r.to || !a.LiveIn(r.to) ||
			!a.LiveIn(state) {
			continue
		}
		if height >= float64(offset) && height < float64(offset+a.Size) {
			return i, offset
		}
		offset += a.Size
	}
	return -1, offset
}

// TestBrush selects a range with the mouse, moves one of its edges, and goes back
// and forward.
func TestBrush(t *testing.T) {
	t.Parallel()
	d := load(t, example(t, "leaking-loss")).d
	report := exampleReport(t, "leaking-loss")
	p := open(t, report, "")
	g := plot(p)
	y := g.Top + g.Height/2
	x := func(part float64) float64 { return math.Round(g.Left + g.Width*part) }
	state := func(part float64) int { return int((x(part) - g.Left) / g.Width * (g.To - g.From)) }

	p.drag(x(0.6), y, x(0.3), y, chromedp.ModifierShift)
	from, to := p.brushed()
	if from != state(0.3) || to != state(0.6) {
		t.Errorf("brushed from state %d to %d, the range is %d to %d", state(0.3), state(0.6), from, to)
	}
	sumRange(d, from, to).panelSays(p)

	p.drag(x(0.6)+1, y, x(0.8), y, 0)
	if wasFrom, wider := p.brushed(); wasFrom != from || wider != state(0.8) {
		t.Errorf("the edge was dragged to state %d, the range is %d to %d", state(0.8), wasFrom, wider)
	}
	wider := sumRange(d, from, state(0.8))
	wider.panelSays(p)
	if same := plot(p); same.From != g.From || same.To != g.To {
		t.Errorf("brushing moved the view to %v to %v", same.From, same.To)
	}

	p.press("a")
	alone := plot(p)
	if top := float64(wider.kept) / alone.BytesTo; top < 0.9 || top > 1 {
		t.Errorf("%d bytes stand alone on an axis to %.0f", wider.kept, alone.BytesTo)
	}
	hash := eval[string](p, "location.hash")
	again := open(t, report, strings.TrimPrefix(hash, "#"))
	if got := plot(again); got.BytesTo != alone.BytesTo || got.From != alone.From || got.To != alone.To {
		t.Errorf("%s opens %v to %v up to %v bytes, not %v", hash, got.From, got.To, got.BytesTo, alone)
	}
	wider.panelSays(again)

	for _, step := range []struct {
		key, r, al string
	}{
		{"[", fmt.Sprintf("%d-%d", from, state(0.8)), ""}, {"[", fmt.Sprintf("%d-%d", from, to), ""}, {"[", "", ""},
		{"]", fmt.Sprintf("%d-%d", from, to), ""}, {"]", fmt.Sprintf("%d-%d", from, state(0.8)), ""},
		{"]", fmt.Sprintf("%d-%d", from, state(0.8)), "1"},
	} {
		p.press(step.key)
		if plot(p); p.hash("r") != step.r || p.hash("al") != step.al {
			t.Errorf("%s leads to r=%q al=%q, want %q %q", step.key, p.hash("r"), p.hash("al"), step.r, step.al)
		}
	}

	// The browser's own Back takes alone back, R takes the view.
	p.press("\u001b\u001b")
	p.await("memviz.view({from: 1000, to: 2000})")
	for _, key := range []string{"r", "a"} { // each a step of Back, once it has stayed
		steps := eval[int](p, "history.length")
		p.press(key)
		p.until("history.length > %d", steps)
	}
	p.await("new Promise(r => {addEventListener('hashchange', r, {once: true}); history.back()})")
	if plot(p); p.hash("r") != "1000-1999" || p.hash("al") != "" {
		t.Errorf("Back leads to %s", eval[string](p, "location.hash"))
	}
	sumRange(d, 1000, 1999).panelSays(p)
}

// TestBreakdown groups the table in every way, and isolates a row and a cell.
func TestBreakdown(t *testing.T) {
	t.Parallel()
	d := load(t, example(t, "training-loop")).d
	report := exampleReport(t, "training-loop")
	p := open(t, report, "")
	plot(p)
	tensors := 0
	for i := range d.Allocations {
		if d.Allocations[i].LiveIn(d.Totals.PeakState) {
			tensors++
		}
	}
	for tab := 1; tab <= 4; tab++ {
		p.click(fmt.Sprintf("#table .tabs > :nth-child(%d)", tab))
		sum := eval[int](p, "[...document.querySelectorAll('#table .row > :last-child')].reduce((n, e) => n + "+
			"Number(e.textContent.replaceAll(',', '')), 0)")
		if sum != tensors {
			t.Errorf("the rows of tab %d have %d tensors, live are %d", tab, sum, tensors)
		}
	}
	if p.hash("tab") != "family" {
		t.Errorf("the address is %s", eval[string](p, "location.hash"))
	}
	p.click("#table .tabs > :nth-child(1)")
	p.click("#table .columns > :last-child")
	order := eval[[]int](p, "[...document.querySelectorAll('#table .row > :last-child')].map(e => "+
		"Number(e.textContent.replaceAll(',', '')))")
	for i := range order[1:] {
		if order[i] < order[i+1] {
			t.Errorf("sorted by tensors the rows have %v", order)
			break
		}
	}
	if p.hash("sort") != "t" {
		t.Errorf("the address is %s", eval[string](p, "location.hash"))
	}

	// I isolates the row under the pointer, Esc shows all again.
	row := eval[struct {
		X, Y float64
		Name string
	}](p, "(e => (b => ({x: b.left + 60, y: b.top + 10, name: "+
		"e.title}))(e.getBoundingClientRect()))(document.querySelector('#table .row:nth-child(3)'))")
	p.point(row.X, row.Y)
	p.press("i")
	shown := "[...document.querySelectorAll('#table .row:not(.faded)')].map(e => e.title)"
	if titles := eval[[]string](p, shown); len(titles) != 1 || titles[0] != row.Name {
		t.Errorf("isolated is %q, not faded are %q", row.Name, titles)
	}
	if iso := p.hash("iso"); !strings.HasPrefix(iso, "site:") {
		t.Errorf("iso is %q", iso)
	}
	p.press("\u001b")
	if titles := eval[[]string](p, shown); len(titles) != len(order) {
		t.Errorf("after Esc all but %q are faded", titles)
	}

	// The icicle's first row holds all bytes; a click on its last cell isolates it.
	// It is drawn when the page has rested a little.
	p.until("document.querySelector('#icicle .cell')")
	if width := eval[float64](p,
		"[...document.querySelectorAll('#icicle .cell')].filter(e => e.style.top === '0px').reduce((w, e) => w + "+
			"e.getBoundingClientRect().width + 1, 0) / document.querySelector('#icicle "+
			".cells').clientWidth"); width < 0.95 || width > 1.01 {
		t.Errorf("the icicle's first row is %.2f of the panel wide", width)
	}
	p.click("#icicle .cell")
	if iso := p.hash("iso"); !strings.HasPrefix(iso, "stack:") {
		t.Errorf("iso is %q", iso)
	}
	p.shows("Stacks, outermost on top")
	again := open(t, report, "")
	for _, iso := range []string{p.hash("iso"), "function:cforward", "file:p/home/ada/gpt/model.py", "activation"} {
		hash := fmt.Sprintf("#at=range&r=700-2000&al=1&tab=function&sort=a.up&iso=%s",
			strings.ReplaceAll(iso, "/", "%2F"))
		again.reopen(hash[1:])
		again.press("t") // repaints, which writes the address anew
		if plot(again); eval[string](again, "location.hash") != hash {
			t.Errorf("%s becomes %s", hash, eval[string](again, "location.hash"))
		}
		sumRange(d, 700, 2000).panelSays(again)
		if shown, all := eval[int](again, "document.querySelectorAll('#table .row:not(.faded):not(.gone)').length"),
			eval[int](again, "document.querySelectorAll('#table .row:not(.gone)').length"); shown >= all {
			t.Errorf("%s shows %d of %d rows without fading them", hash, shown, all)
		}
	}

	// The pinned tensor takes the place of the icicle, and offers what to do with it.
	p.click("#table .row")
	p.shows("Allocated by")
	for _, word := range []string{"Isolate", "Copy", "First", "Last"} {
		p.shows(word)
	}
	if eval[bool](p, "document.getElementById('icicle').offsetHeight > 0") {
		t.Error("the icicle is shown beside the pinned tensor")
	}
}
