package pagetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// asked is an answer of the strip as it is read, without a click.
func (p *page) asked(n int) string {
	return plainSpaces(eval[string](p, "document.querySelector('#answers > :nth-child(%d)').innerText", n))
}

// tableRow is a row of the table: its name, and its bytes as titles have them.
type tableRow struct{ Name, Bytes string }

// rows are those of the table, in its order.
func (p *page) rows() []tableRow {
	rows := eval[[]tableRow](p,
		"[...document.querySelectorAll('#table .row:not(.gone)')].map(e => ({name: e.children[1].textContent, bytes: "+
			"e.children[2].title}))")
	for i := range rows {
		rows[i].Bytes, _, _ = strings.Cut(plainSpaces(rows[i].Bytes), " in ")
	}
	return rows
}

// row requires the row of a call site and its bytes.
func (p *page) row(function, place string, bytes int64) {
	p.t.Helper()
	for _, r := range p.rows() {
		if strings.Contains(r.Name, function) && strings.Contains(r.Name, place) {
			if r.Bytes != exactly(bytes) {
				p.t.Errorf("%s %s has %s, want %s", function, place, r.Bytes, exactly(bytes))
			}
			return
		}
	}
	p.t.Errorf("no row is of %s %s, but %q", function, place, p.rows())
}

// What is in memory at the peak? It is read, without a step; P leads back to it.
func TestQuestionPeak(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "training-loop"))
	p := open(t, exampleReport(t, "training-loop"), "")
	peak := x.d.Totals.PeakState
	for range 2 {
		plot(p)
		if answer := p.asked(1); !strings.Contains(answer, units.Bytes(x.d.Totals.PeakBytes)) {
			t.Errorf("the answer is %q", answer)
		}
		legend := plainSpaces(eval[string](p, "document.querySelector('#moment .legend').innerText"))
		for f, bytes := range x.Recordings[0].Families().BytesIn(x.d, peak) {
			if label := families.Family(f).Label(); bytes > 0 &&
				!strings.Contains(legend, label+"\n"+plainSpaces(units.Bytes(bytes))) {
				t.Errorf("the legend does not give %s %s: %q", label, units.Bytes(bytes), legend)
			}
		}
		p.row(x.largestSite(func(a *replay.Allocation) bool { return a.LiveIn(peak) }))
		p.do(chromedp.KeyEvent("ep"))
	}
}

// What keeps growing? One click, and the call site that keeps most comes first.
func TestQuestionGrowing(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "leaking-loss"))
	p := open(t, exampleReport(t, "leaking-loss"), "")
	plot(p)
	answer := p.asked(2)
	p.click("#answers > :nth-child(2)")
	plot(p)
	from, to := p.brushed()
	function, place, bytes := x.largestSite(func(a *replay.Allocation) bool {
		return a.Start != replay.None && int(a.Start) >= from && int(a.Start) < to && a.LiveIn(to)
	})
	p.row(function, place, bytes)
	// The answer names who called them all, and what that keeps in each step.
	var name, at string
	if _, err := fmt.Sscanf(answer[strings.LastIndex(answer, "\n")+1:], "%s %s keeps", &name, &at); err != nil {
		t.Fatalf("the answer is %q", answer)
	}
	var called int64
	for i := range x.d.Allocations {
		if a := &x.d.Allocations[i]; a.Start != replay.None && int(a.Start) >= from && int(a.Start) < to &&
			a.LiveIn(to) && x.inStack(at+" "+name)(a) {
			called += a.Size
		}
	}
	steps := len(x.Recordings[0].Steps().Boundaries) - 1 // between the ends of the first and the last
	if each := units.Bytes(called / int64(steps)); !strings.Contains(answer, "keeps "+each) {
		t.Errorf("the answer is %q; %s %s keeps %s in each step", answer, name, at, each)
	}
	svg := plainSpaces(svgText(t, p.export("Picture", "SVG", "snapshot-cuda-0-range.svg")))
	net := x.d.ActiveBytes()[to] - x.d.ActiveBytes()[from]
	grown := fmt.Sprintf("%s over %d steps", units.Change(net), steps)
	if !strings.Contains(strings.ReplaceAll(answer, "over", " over"), grown) { // which stand on one line
		t.Errorf("the answer is %q, not %q", answer, grown)
	}
	for _, want := range []string{grown + ", " + units.Change(net/int64(steps)) + " each; everything else is hidden",
		units.Change(net) + " over " + units.Plural(to-from, "event", "events")} {
		if !strings.Contains(svg, want) {
			t.Errorf("over the plot does not stand %q:\n%s", want, svg)
		}
	}
	if first := p.rows()[0]; first.Bytes != exactly(bytes) {
		t.Errorf("first comes %q, not %s %s", first, function, place)
	}
}

// Who allocated it? One click on a tensor, and its stack stands beside it.
func TestQuestionWho(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "training-loop"))
	p := open(t, exampleReport(t, "training-loop"), "")
	k := keyed{p, x}
	g := plot(p)
	named := 0
	for i := range 12 {
		at, y := g.Left+g.Width*(float64(i)+0.5)/12, g.Top+g.Height-12-float64(i*3)
		id, _ := x.under(t, g, at, y)
		p.do(chromedp.MouseClickXY(at, y))
		plot(p)
		k.address(fmt.Sprint("sel=", id))
		a := &x.d.Allocations[id]
		function, place := x.userFrame(a)
		panel := plainSpaces(eval[string](p, "document.getElementById('pinned').innerText"))
		for _, want := range []string{exactly(a.Size), fmt.Sprintf("0x%x", a.Addr), function, place} {
			if !strings.Contains(panel, want) {
				t.Errorf("the panel of tensor %d does not say %q: %q", id, want, panel)
			}
		}
		if answer := p.asked(3); !strings.Contains(answer, "Who allocated this?") || !strings.Contains(answer, place) {
			t.Errorf("the answer is %q, want %s", answer, place)
		}
		if function != "" {
			named++
		}
	}
	if cut := eval[bool](p, "(e => e.scrollWidth > e.clientWidth || e.offsetHeight === "+
		"0)(document.querySelector('#pinned .whole'))"); cut {
		t.Error("why it has its family is cut")
	}
	if named < 6 {
		t.Errorf("only %d tensors have a frame of the program", named)
	}
}

// What happened at the OOM? It is read; one click, and every number stands there.
func TestQuestionOOM(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "out-of-memory"))
	oom := x.Recordings[0].OOMs(0)[0]
	p := open(t, exampleReport(t, "out-of-memory"), "")
	plot(p)
	size := x.d.Events.Size[oom.Event]
	if answer := p.asked(4); !strings.Contains(answer, plainSpaces(units.Bytes(size))) {
		t.Errorf("the answer %q does not say that %s were asked for", answer, units.Bytes(size))
	}
	p.click("#answers > :nth-child(4)")
	g := plot(p)
	if at := float64(oom.State()); g.From > at || g.To < at {
		t.Errorf("shown is %.0f to %.0f, the OOM is at %.0f", g.From, g.To, at)
	}
	var active int64
	for i := range x.d.Allocations {
		if a := &x.d.Allocations[i]; a.LiveIn(oom.State()) {
			active += a.Size
		}
	}
	card := plainSpaces(strings.Join(eval[[]string](p,
		"[...document.querySelectorAll('#moment .oom span')].map(e => e.title || e.textContent)"), "\n"))
	for _, want := range []string{
		"asked for\n" + exactly(size),
		"free on the device\n" + exactly(oom.DeviceFree),
		"free in the cache\n" + exactly(oom.FreeSame),
		"in use by tensors\n" + exactly(active),
	} {
		if !strings.Contains(card, want) {
			t.Errorf("the card does not say %q:\n%s", want, card)
		}
	}
	_, failures := answer.Cards(x.Recordings[0], answer.Predict(x.Recordings[0]))
	for _, want := range []string{failures[0].Diagnosis, "→ " + failures[0].Try} {
		p.shows(plainSpaces(want))
	}
}
