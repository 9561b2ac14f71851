package pagetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report"
	view "github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// laneY is the middle of a lane, counted from the top, in client pixels.
func laneY(p *page, row int) float64 {
	top := eval[float64](p, "document.getElementById('timeline').getBoundingClientRect().top")
	return top + 6 + 19*float64(row) + 8
}

// over is the client x of the middle of some states.
func over(g geometry, from, to int) float64 {
	return g.Left + ((float64(from)+float64(to))/2-g.From)/(g.To-g.From)*g.Width
}

// TestLanes: a range of a lane says what it is when pointed at, and becomes the
// selected range when clicked.
func TestLanes(t *testing.T) {
	t.Parallel()
	r := load(t, example(t, "training-loop"))
	p := open(t, exampleReport(t, "training-loop"), "")
	g := plot(p)
	point := func(row, from, to int, words ...string) {
		t.Helper()
		x, y := over(g, from, to), laneY(p, row)
		p.point(x, y)
		for _, word := range words {
			p.shows(word)
		}
		p.clickAt(x, y)
		if got, want := p.hash("r"), fmt.Sprintf("%d-%d", from, to); got != want {
			t.Errorf("lane %d: a click shows the range %q, want %q", row, got, want)
		}
	}
	active := r.active(t)
	ranges := r.Recordings[0].Annotations()
	for _, a := range ranges {
		in := active[a.From : a.To+1]
		point(a.Lane, a.From, a.To, r.Snapshot.String(a.Name), "peak "+units.Bytes(slices.Max(in)),
			units.Change(in[len(in)-1]-in[0])+" from start to end", units.Plural(a.To-a.From, "event", "events"))
	}
	runs := r.Recordings[0].Phases()
	names := map[stacks.Activity]string{stacks.InLoading: "load", stacks.InForward: "forward",
		stacks.InBackward: "backward", stacks.InOptimizer: "optimizer"}
	for _, run := range []timeline.PhaseRun{runs[1], runs[len(runs)-1]} {
		point(2, int(run.Start), int(run.End)+1, names[run.Phase], "inferred from stacks")
	}
	if len(ranges) < 6 {
		t.Errorf("only %d ranges were pointed at", len(ranges))
	}

	run := runs[2]
	p.doubleClickAt(over(g, int(run.Start), int(run.End)+1), laneY(p, 2))
	if g := plot(p); math.Abs(g.From-float64(run.Start)) > 0.1*(g.To-g.From) || g.From > float64(run.Start) ||
		g.To < float64(run.End+1) {
		t.Errorf("a double click on %v shows %.0f to %.0f", run, g.From, g.To)
	}
}

// TestLanesByKeyboard reaches the lanes with Tab, goes along their ranges with the
// arrows and selects with Enter, as a click does.
func TestLanesByKeyboard(t *testing.T) {
	t.Parallel()
	r, p := openExample(t, "training-loop", "")
	for range 40 {
		p.press(kb.Tab)
		if eval[bool](p, "document.activeElement.id === 'lanes'") {
			break
		}
	}
	lanes := map[int][]timeline.Annotation{}
	for _, a := range r.Recordings[0].Annotations() {
		lanes[a.Lane] = append(lanes[a.Lane], a)
	}
	at := func(a timeline.Annotation) {
		t.Helper()
		p.shows(r.Snapshot.String(a.Name))
		if said := eval[string](p, "document.getElementById('spoken').textContent"); !strings.HasPrefix(said,
			r.Snapshot.String(a.Name)+", events ") {
			t.Errorf("at %s is said %q", r.Snapshot.String(a.Name), said)
		}
		p.press(kb.Enter)
		if got, want := p.hash("r"), fmt.Sprintf("%d-%d", a.From, a.To); got != want {
			t.Errorf("Enter shows the range %q, want %q", got, want)
		}
	}
	at(lanes[0][0])
	p.press(kb.ArrowRight)
	at(lanes[0][1])
	p.press(kb.ArrowRight + kb.ArrowLeft + kb.ArrowDown) // to what is nested in it, or nearest
	nested := slices.MinFunc(lanes[1], func(a, b timeline.Annotation) int {
		away := func(x timeline.Annotation) int {
			middle := (lanes[0][1].From + lanes[0][1].To) / 2
			return max(x.From-middle, middle-x.To, 0)
		}
		return away(a) - away(b)
	})
	at(nested)
	p.press(kb.Enter) // once more zooms there
	if g := plot(p); g.From > float64(nested.From) || g.To < float64(nested.To) ||
		g.To-g.From > 1.2*float64(nested.To-nested.From)+12 {
		t.Errorf("another Enter shows %.0f to %.0f, the range is %d to %d", g.From, g.To, nested.From, nested.To)
	}
}

// TestLanesBrush: a drag over the lanes selects a range, also where one of a lane
// begins.
func TestLanesBrush(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "")
	g := plot(p)
	at := func(state int) float64 { return g.Left + (float64(state)+0.5-g.From)/(g.To-g.From)*g.Width }
	y := laneY(p, 0)
	p.do(chromedp.MouseEvent("mousePressed", at(900), y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", at(1200), y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", at(1700), y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", at(1700), y, chromedp.ButtonLeft))
	plot(p)
	var from, to int
	if _, err := fmt.Sscanf(p.hash("r"), "%d-%d", &from, &to); err != nil ||
		max(from-900, 900-from, to-1700, 1700-to) > 3 {
		t.Errorf("a drag from state 900 to 1700 brushes %q", p.hash("r"))
	}
}

// TestLanesFold folds the lanes with a key and unfolds them with a click on their
// name.
func TestLanesFold(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "")
	shown := plot(p)
	p.press("v")
	folded := plot(p)
	if folded.Top >= shown.Top || folded.Height <= shown.Height || p.hash("lanes") != "0" {
		t.Errorf("folding moves the plot from %.0f to %.0f, with lanes=%q", shown.Top, folded.Top, p.hash("lanes"))
	}
	p.clickAt(30, laneY(p, 0))
	if again := plot(p); again.Top != shown.Top || p.hash("lanes") != "" {
		t.Errorf("unfolding moves the plot to %.0f, not %.0f, with lanes=%q", again.Top, shown.Top, p.hash("lanes"))
	}
}

// TestWithoutLanes: without lanes the plot leaves no room for them.
func TestWithoutLanes(t *testing.T) {
	t.Parallel()
	c := snapshot.NewComposer(snapshot.Format{HasTime: true})
	for i := range 40 {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 512, TimeMicros: int64(i)})
	}
	p := open(t, reportOf(t, "plain.pickle", c.Snapshot()), "")
	g := plot(p)
	if top := eval[float64](p, "document.getElementById('timeline').getBoundingClientRect().top"); g.Top-top != 34 {
		t.Errorf("%.0f pixels stand empty above the plot", g.Top-top)
	}
	if text := eval[string](p, "document.getElementById('toolbar').innerText"); strings.Contains(text, "‹") {
		t.Errorf("there are no steps, but the toolbar is %q", text)
	}
	p.press(".")
	p.press(",")
	p.press("v")
	if same := plot(p); same.From != g.From || same.To != g.To || same.Top != g.Top {
		t.Errorf("keys moved the view from %+v to %+v", g, same)
	}
}

// TestSteps goes from step to step with keys and buttons, up to the last one and
// no further.
func TestSteps(t *testing.T) {
	t.Parallel()
	found := load(t, example(t, "leaking-loss")).Recordings[0].Steps()
	steps, ended := found.Steps, len(found.Boundaries)
	p := open(t, exampleReport(t, "leaking-loss"), "")
	at := func(how string, i int) {
		t.Helper()
		g := plot(p)
		from, to := float64(steps[i].From), float64(steps[i].To)
		if i == len(steps)-1 {
			to++ // the last state is the last step's
		}
		if g.From != from || g.To != to {
			t.Errorf("%s shows %v to %v, step %d is %v to %v", how, g.From, g.To, i, from, to)
		}
		if i < ended {
			p.shows(fmt.Sprintf("Step %d of %d", i+1, ended))
		} else {
			p.shows(fmt.Sprintf("After step %d", ended))
		}
	}
	if len(steps) < 5 {
		t.Fatalf("only %d steps", len(steps))
	}
	for i := range steps {
		p.press(".")
		at("the key .", i)
	}
	p.press(".")
	at("the key . in the last step", len(steps)-1)
	p.press(",")
	at("the key ,", len(steps)-2)
	p.await("document.querySelector('[aria-label=Steps] button:first-child').click()")
	at("the button", len(steps)-3)
	p.await("document.querySelector('[aria-label=Steps] button:last-child').click()")
	at("the button", len(steps)-2)
	p.press("0")
	p.press(",")
	at("the key , in the whole recording", len(steps)-1)
}

// TestCapacity: a line is drawn at the capacity, and the plot's description says
// where the number is from.
func TestCapacity(t *testing.T) {
	t.Parallel()
	oomRed := [3]int{0xb3, 0x20, 0x1a}
	for _, test := range []struct {
		name, story string
		given       view.GivenCapacity
		bytes       int64
		text        string
		drawn       bool
	}{
		{"from the OOM", "out-of-memory", view.GivenCapacity{}, 4 << 30, "capacity, from the OOM: 4.00 GiB", true},
		{"given", "training-loop", view.GivenCapacity{Bytes: 3 << 29}, 3 << 29, "capacity, as given: 1.50 GiB", true},
		{"a card far above", "training-loop", view.GivenCapacity{Bytes: 85_255_100_825, GPU: "H100-80GB"},
			85_255_100_825, "capacity of an H100-80GB: about 79.4 GiB", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			document := report.Encode("memviz", []answer.Input{load(t, example(t, test.story)).Input}, nil)
			if test.given.Bytes > 0 {
				document.Capacity(test.given)
			}
			p := open(t, writeReport(t, document), "theme=light")
			g := plot(p)
			label := plainSpaces(eval[string](p, "document.getElementById('cursor').getAttribute('aria-label')"))
			if !strings.HasSuffix(label, "; "+test.text) {
				t.Errorf("the plot is described by %q, want %q at its end", label, test.text)
			}
			if inside := float64(test.bytes) < g.BytesTo; inside != test.drawn {
				t.Fatalf("the axis ends at %.0f; the line is in it: %v", g.BytesTo, inside)
			}
			if !test.drawn {
				return
			}
			// Red pixels in the row of the line, where no label is: six of nine are drawn.
			y := g.Top + g.Height*(1-(float64(test.bytes)-g.BytesFrom)/(g.BytesTo-g.BytesFrom))
			red := eval[int](p, `(() => {
				const marks = document.getElementById('marks'), box = marks.getBoundingClientRect();
				const { data } = marks.getContext('2d').getImageData(%f - box.left, Math.floor(%f - box.top) - 1, 90, 3);
				let n = 0;
				for (let i = 0; i < data.length; i += 4) n += data[i + 3] > 200 && Math.abs(data[i] - %d) + Math.abs(data[i + 1] - %d) + Math.abs(data[i + 2] - %d) < 12;
				return n;
			})()`, g.Left+g.Width*0.45, y, oomRed[0], oomRed[1], oomRed[2])
			if red < 40 || red > 80 {
				t.Errorf("%d of 90 pixels are red where the line should be", red)
			}
		})
	}
}
