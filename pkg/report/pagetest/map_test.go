package pagetest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// fragmented is the report of a story in which sizes no longer fit.
func fragmented(t *testing.T) string {
	t.Helper()
	return makeReport(t, filepath.Join(testkit.Root(t), "examples", "fragmentation", "before.pickle.gz"))
}

// text is what an element of the page says.
func (p *page) text(id string) string {
	p.t.Helper()
	return plainSpaces(eval[string](p, "document.getElementById(%q).innerText", id))
}

// TestMap switches between the two pictures: what both have in common stays, and
// each keeps its own height.
func TestMap(t *testing.T) {
	t.Parallel()
	p := open(t, fragmented(t), "x=e:100-500&at=300&sel=7&q=forward")
	tensors := plot(p)
	p.press("u")
	space := plot(p)
	if !slices.Equal(space.Columns, tensors.Columns) || space.From != tensors.From || space.To != tensors.To {
		t.Error("the columns of the two pictures show other states")
	}
	for key, want := range map[string]string{"v": "map", "at": "300", "sel": "7", "q": "forward"} {
		if got := p.hash(key); got != want {
			t.Errorf("in the address %s is %q, want %q", key, got, want)
		}
	}
	g := space
	p.wheel(g.Left+g.Width/2, g.Top+g.Height/2, -400, chromedp.ModifierAlt)
	zoomed := plot(p)
	if zoomed.BytesTo-zoomed.BytesFrom > 0.6 || zoomed.From != g.From {
		t.Errorf("the wheel with Alt shows heights %.3f to %.3f", zoomed.BytesFrom, zoomed.BytesTo)
	}
	if want := fmt.Sprintf("%v-%v", zoomed.BytesFrom, zoomed.BytesTo); p.hash("y") != want {
		t.Errorf("in the address y is %q, want %q", p.hash("y"), want)
	}
	p.press("u")
	if again := plot(p); again.BytesFrom != tensors.BytesFrom || again.BytesTo != tensors.BytesTo || p.hash("y") != "" {
		t.Errorf("the pile comes back at %.0f to %.0f", again.BytesFrom, again.BytesTo)
	}
	p.press("u")
	if again := plot(p); again.BytesFrom != zoomed.BytesFrom || again.BytesTo != zoomed.BytesTo {
		t.Errorf("the address space comes back at %.3f to %.3f", again.BytesFrom, again.BytesTo)
	}
	label := eval[string](p, "document.getElementById('cursor').getAttribute('aria-label')")
	if !strings.Contains(label,
		"968\u00a0MiB reserved in 24 segments") || !strings.Contains(label, "returnable; largest hole") {
		t.Errorf("the picture says of itself %q", label)
	}
	p.press("y")
	if whole := plot(p); whole.BytesFrom != 0 || whole.BytesTo != 1 || p.hash("y") != "" {
		t.Errorf("Y shows heights %.3f to %.3f", whole.BytesFrom, whole.BytesTo)
	}
}

// TestMapPoints points and clicks at blocks and holes of a story in which sizes
// no longer fit.
func TestMapPoints(t *testing.T) {
	t.Parallel()
	p := open(t, fragmented(t), "v=map")
	g := plot(p)
	// At the end nothing lies in the large segments, but in the small ones on top.
	x := g.Left + g.Width - 3
	p.point(x, g.Top+g.Height*0.6)
	p.until("!document.getElementById('tooltip').hidden")
	for _, want := range []string{"free", "Returnable: nothing else lies in its segment", "0x",
		"Click for the segment"} {
		if tip := p.text("tooltip"); !strings.Contains(tip, want) {
			t.Errorf("over a hole the tooltip says %q, without %q", tip, want)
		}
	}
	p.clickAt(x, g.Top+g.Height*0.6)
	if p.hash("seg") == "" || p.hash("sel") != "" || p.hash("at") == "" {
		t.Errorf("a click on a hole leads to %s", eval[string](p, "location.hash"))
	}
	p.press("z")
	if zoomed := plot(p); zoomed.BytesTo-zoomed.BytesFrom > 0.2 {
		t.Errorf("Z shows heights %.3f to %.3f", zoomed.BytesFrom, zoomed.BytesTo)
	}
	p.press("\u001b")
	if p.hash("seg") != "" {
		t.Error("Esc leaves the segment pinned")
	}

	p.goTo("v=map&at=20&sel=1")
	p.press(kb.ArrowUp)
	above := p.hash("sel")
	p.press(kb.ArrowDown)
	if above == "" || above == "1" || p.hash("sel") != "1" {
		t.Errorf("the arrows lead from tensor 1 to %s and back to %s", above, p.hash("sel"))
	}
	p.goTo("v=map&at=20&sel=%s", above)
	p.press("z")
	zoomed := plot(p)
	at := eval[*liveEntry](p, "memviz.at(%f, %f)", zoomed.Left+zoomed.Width/2, zoomed.Top+zoomed.Height/2)
	if at == nil || fmt.Sprint(at.ID) != above {
		t.Errorf("Z brings %+v into the middle, want tensor %s", at, above)
	}

	// The name of a group shows that group alone, and all of them again.
	p.goTo("v=map")
	p.clickAt(g.Left-20, g.Top+20)
	if group := plot(p); group.BytesTo-group.BytesFrom > 0.1 || group.BytesTo < 0.9 {
		t.Errorf("a click on small shows heights %.3f to %.3f", group.BytesFrom, group.BytesTo)
	}
	p.clickAt(g.Left-58, g.Top+g.Height/2)
	if again := plot(p); again.BytesTo-again.BytesFrom != 1 {
		t.Errorf("a second click shows heights %.3f to %.3f", again.BytesFrom, again.BytesTo)
	}
	p.drag(g.Left+100, g.Top+100, g.Left+300, g.Top+300, chromedp.ModifierAlt)
	box := plot(p)
	if !near(box.BytesTo, 1-100/g.Height, 0.01) || !near(box.BytesFrom, 1-300/g.Height, 0.01) ||
		!near(box.From, g.From+100/g.Width*(g.To-g.From), 2) {
		t.Errorf("a box shows %.0f to %.0f, heights %.3f to %.3f", box.From, box.To, box.BytesFrom, box.BytesTo)
	}
}

// TestMapOfWhat looks at recordings that differ in what is known of their addresses.
func TestMapOfWhat(t *testing.T) {
	t.Parallel()
	t.Run("without events", func(t *testing.T) {
		p := open(t, situationReport(t, ""), "v=map")
		p.shows("segments of the final state")
		g := plot(p)
		found := eval[int](p, `Array.from({length: 400}, (_, i) => memviz.at(%f + %f * (i %% 20) / 20, %f + %f * i / 400))
			.filter(Boolean).length`, g.Left, g.Width, g.Top, g.Height)
		if found < 5 {
			t.Errorf("%d of 400 points of the bars have a tensor", found)
		}
	})
	t.Run("without segments", func(t *testing.T) {
		s, err := snapshot.Open(example(t, "training-loop"))
		if err != nil {
			t.Fatal(err)
		}
		s.Segments = nil
		p := open(t, reportOf(t, "trace.pickle", s), "v=map")
		if title := eval[string](p, "document.querySelector('#toolbar button[disabled]').title"); title !=
			"Not recorded: the file has no segments" {
			t.Errorf("the button says %q", title)
		}
		if p.press("u"); p.hash("v") == "map" && plot(p).BytesTo == 1 {
			t.Error("U shows an address space that is not known")
		}
	})
	t.Run("predicted", func(t *testing.T) {
		p := open(t, fragmented(t), "v=map")
		recorded := eval[string](p, pictureSum)
		p.clickIn("#toolbar", "", "Predicted: expandable_segments:True")
		if eval[string](p, pictureSum) == recorded || p.hash("w") != "1" {
			t.Error("the predicted address space is the recorded one")
		}
		p.shows("predicted at the peak")
		p.clickIn("#toolbar", "", "Recorded")
		if eval[string](p, pictureSum) != recorded || p.hash("w") != "" {
			t.Error("the recorded address space does not come back")
		}
	})
	t.Run("packed", func(t *testing.T) {
		p := open(t, exampleReport(t, "out-of-memory"), "v=map")
		p.shows("packed: a segment may take the place of one that was returned")
		packed := eval[string](p, pictureSum)
		p.clickIn("#toolbar", "", "By address")
		if eval[string](p, pictureSum) == packed || p.hash("pack") != "0" {
			t.Error("by address the picture is the packed one")
		}
		p.reopen("v=map&pack=1")
		if eval[string](p, pictureSum) != packed {
			t.Error("the address opens another picture")
		}
	})
}

// pictureSum is a number for the picture that is shown.
const pictureSum = `memviz.settled().then(() => {
	const {width, height, data} = memviz.pixels();
	let sum = 0;
	for (const v of data) sum = (sum * 31 + v) %% 1000000007;
	return width + " x " + height + ": " + sum;
})`

// TestMapPixels compares pixels of address spaces with what the page says lies
// there: a pixel has the colour of its tensor, a grey, or paper.
func TestMapPixels(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"fragmentation": fragmented(t),
		"expandable segments": exampleReport(t, "expandable-segments"), "graph": exampleReport(t, "cuda-graph")} {
		t.Run(name, func(t *testing.T) {
			p := open(t, path, "v=map&theme=light")
			plot(p)
			type look struct {
				Pixel [3]float64
				What  string // tensor, stuck, returnable, or "" for nothing reserved
			}
			looks := eval[[]look](p, `(() => {
				const g = memviz.geometry(), {width, height, data} = memviz.pixels();
				const out = [];
				for (let n = 0; n < 1500; n++) {
					const x = (n * 7919) %% width, y = 6 + (n * 104729) %% (height - 12);
					const at = (dy) => {
						const found = memviz.at(g.left + (x + 0.5) / g.ratio, g.top + (y + 0.5 + dy) / g.ratio);
						if (!found) return '';
						if (found.id !== undefined) return 'tensor';
						return found.returnable === 0 ? 'stuck' : found.returnable === found.hole ? 'returnable' : 'both';
					};
					// Only where nothing else is near.
					if ([-6, -3, 3, 6].some((dy) => at(dy) !== at(0)) || at(0) === 'both') continue;
					const i = 4 * (y * width + x);
					out.push({pixel: Array.from(data.slice(i, i + 3)), what: at(0)});
				}
				return out;
			})()`)
			// A hole may also have the seam between two segments in it.
			seam := [3]float64{148, 157, 167}
			want := map[string][3]float64{"": {255, 255, 255}, "stuck": {197, 204, 212}, "returnable": {232, 235, 238}}
			compared := map[string]int{}
			for _, l := range looks {
				compared[l.What]++
				color, isGrey := want[l.What]
				switch {
				case isGrey && l.Pixel != color && (l.Pixel != seam || l.What == ""):
					t.Errorf("where %q is the pixel is %v", l.What, l.Pixel)
				case !isGrey && (l.Pixel == seam || slices.Contains(slices.Collect(maps.Values(want)), l.Pixel)):
					t.Errorf("a tensor is drawn in %v", l.Pixel)
				}
			}
			if compared["tensor"] < 20 || compared[""] < 20 || compared["stuck"]+compared["returnable"] < 20 {
				t.Errorf("compared were %v", compared)
			}
		})
	}
}
