package pagetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// answerText is the text of the n-th answer above the plot.
func (p *page) answerText(n int) string {
	return plainSpaces(eval[string](p, "document.querySelector('#answers > :nth-child(%d)').innerText", n))
}

// tableRow is a row of the table: its name, and its bytes as titles have them.
type tableRow struct{ Name, Bytes string }

// rows are the rows of the table, in its order.
func (p *page) rows() []tableRow {
	rows := eval[[]tableRow](p,
		"[...document.querySelectorAll('#table .row:not(.gone)')].map(e => ({name: e.children[1].textContent, bytes: "+
			"e.children[2].title}))")
	for i := range rows {
		rows[i].Bytes, _, _ = strings.Cut(plainSpaces(rows[i].Bytes), " in ")
	}
	return rows
}

// requireRow requires that the table has a row of a call site, with its bytes.
func (p *page) requireRow(function, line string, bytes int64) {
	p.t.Helper()
	for _, r := range p.rows() {
		if strings.Contains(r.Name, function) && strings.Contains(r.Name, line) {
			if r.Bytes != exactly(bytes) {
				p.t.Errorf("%s %s has %s, want %s", function, line, r.Bytes, exactly(bytes))
			}
			return
		}
	}
	p.t.Errorf("no row is of %s %s, but %q", function, line, p.rows())
}

// TestQuestionPeak: what is in memory at the peak? The page says so when it opens,
// and P leads back to it.
func TestQuestionPeak(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "training-loop"))
	p := open(t, exampleReport(t, "training-loop"), "")
	peak := x.d.Totals.PeakState
	for range 2 {
		plot(p)
		if answer := p.answerText(1); !strings.Contains(answer, units.Bytes(x.d.Totals.PeakBytes)) {
			t.Errorf("the answer is %q", answer)
		}
		legend := p.wordsOf("#moment .legend")
		for f, bytes := range x.Recordings[0].Families().BytesIn(x.d, peak) {
			if label := families.Family(f).Label(); bytes > 0 &&
				!strings.Contains(legend, label+"\n"+plainSpaces(units.Bytes(bytes))) {
				t.Errorf("the legend does not give %s %s: %q", label, units.Bytes(bytes), legend)
			}
		}
		p.requireRow(x.largestSite(func(a *replay.Allocation) bool { return a.LiveIn(peak) }))
		p.press("ep")
	}
}

// TestQuestionGrowing: what keeps growing? After one click the call site that keeps
// most comes first.
func TestQuestionGrowing(t *testing.T) {
	t.Parallel()
	x, p := openExample(t, "leaking-loss", "")
	answer := p.answerText(2)
	p.click("#answers > :nth-child(2)")
	from, to := p.brushed()
	function, line, bytes := x.largestSite(func(a *replay.Allocation) bool {
		return a.Start != replay.None && int(a.Start) >= from && int(a.Start) < to && a.LiveIn(to)
	})
	p.requireRow(function, line, bytes)
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
	if kept := sumRange(x.d, from, to).kept; kept-called > called/100 {
		t.Errorf("%s stand alone, and %s of them are what the answer names", units.Bytes(kept), units.Bytes(called))
	}
	steps := len(x.Recordings[0].Steps().Boundaries) - 2 // from the second to the last
	if each := units.Bytes(called / int64(steps)); !strings.Contains(answer, "keeps "+each) {
		t.Errorf("the answer is %q; %s %s keeps %s in each step", answer, name, at, each)
	}
	svg := plainSpaces(svgText(t, p.export("Picture", "SVG", "snapshot-cuda-0-range.svg")))
	net := x.d.ActiveBytes()[to] - x.d.ActiveBytes()[from]
	grown := units.Change(net) + " since step 2"
	if !strings.Contains(strings.ReplaceAll(answer, "since", " since"), grown) { // which stand on one line
		t.Errorf("the answer is %q, not %q", answer, grown)
	}
	over := fmt.Sprintf("%s over %d steps, %s each; everything else is hidden", units.Change(net), steps,
		units.Change(net/int64(steps)))
	requireWords(t, "what is over the plot", svg, over,
		units.Change(net)+" over "+units.Plural(to-from, "event", "events"))
	if first := p.rows()[0]; first.Bytes != exactly(bytes) {
		t.Errorf("first comes %q, not %s %s", first, function, line)
	}
}

// TestQuestionWho: who allocated it? After a click on a tensor its stack stands
// beside the plot.
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
		p.clickAt(at, y)
		k.address(fmt.Sprint("sel=", id))
		a := &x.d.Allocations[id]
		function, line := x.userFrame(a)
		panel := p.text("pinned")
		requireWords(t, fmt.Sprintf("the panel of tensor %d", id), panel, exactly(a.Size),
			fmt.Sprintf("0x%x", a.Addr), function, line)
		if answer := p.answerText(3); !strings.Contains(answer, "Who allocated this?") ||
			!strings.Contains(answer, line) {
			t.Errorf("the answer is %q, want %s", answer, line)
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

// TestQuestionOOM: what happened at the OOM? The page says how much was asked for,
// and after one click every number.
func TestQuestionOOM(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "out-of-memory"))
	oom := x.Recordings[0].OOMs(0)[0]
	p := open(t, exampleReport(t, "out-of-memory"), "")
	plot(p)
	size := x.d.Events.Size[oom.Event]
	if answer := p.answerText(4); !strings.Contains(answer, plainSpaces(units.Bytes(size))) {
		t.Errorf("the answer %q does not say that %s were asked for", answer, units.Bytes(size))
	}
	p.click("#answers > :nth-child(4)")
	g := plot(p)
	if at := float64(oom.State()); g.From > at || g.To < at {
		t.Errorf("shown is %.0f to %.0f, the OOM is at %.0f", g.From, g.To, at)
	}
	card := plainSpaces(strings.Join(eval[[]string](p,
		"[...document.querySelectorAll('#moment .oom span:not(.of)')].map(e => e.title || e.textContent)"), "\n"))
	requireWords(t, "the card", card, "asked for\n"+exactly(size),
		"free on device\n"+exactly(oom.DeviceFree),
		"largest hole\n"+exactly(oom.LargestSame),
		"holes\n"+exactly(oom.FreeSame))
	_, failures, _ := strip.Cards(x.Recordings[0], whatif.Predict(x.Recordings[0]))
	for _, want := range []string{failures[0].Diagnosis, "→ " + failures[0].Try} {
		p.shows(plainSpaces(want))
	}
}

// TestQuestionRetry: how near was it before? The button goes from retry to retry,
// and the card says what each took.
func TestQuestionRetry(t *testing.T) {
	t.Parallel()
	_, _, retries := strip.Cards(load(t, example(t, "out-of-memory")).Recordings[0], nil)
	p := open(t, exampleReport(t, "out-of-memory"), "")
	plot(p)
	p.press("e") // behind the last, where the first follows
	for i, next := range append(retries[:len(retries):len(retries)], retries[0]) {
		p.click("#toolbar button[title*='cache was given back']")
		plot(p)
		card := plainSpaces(eval[string](p, "document.querySelector('#moment .retry p')?.textContent ?? ''"))
		if card != plainSpaces(next.Text) {
			t.Errorf("after %d clicks the card says %q, not %q", i+1, card, next.Text)
		}
	}
}
