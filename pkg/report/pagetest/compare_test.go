package pagetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// story is the path of a snapshot of an example that has several.
func story(t *testing.T, name, file string) string {
	return filepath.Join(testkit.Root(t), "examples", name, file+".pickle.gz")
}

// comparedStories are examples that have a snapshot before and after.
var comparedStories = []string{"checkpointing", "fragmentation", "ten-steps"}

// comparePage is the path of the page that compares two snapshots.
func comparePage(t *testing.T, before, after string) string {
	t.Helper()
	a, b := load(t, before).Input, load(t, after).Input
	return reports.get(t, before+" → "+after, func() (string, error) {
		document, err := report.EncodeCompare("memviz", a, b, nil)
		if err != nil {
			return "", err
		}
		return write(document)
	})
}

func storyPage(t *testing.T, name string) string {
	t.Helper()
	return comparePage(t, story(t, name, "before"), story(t, name, "after"))
}

// diffJSON is what memviz diff --format json prints.
func diffJSON(t *testing.T, before, after *answer.Input, at, by string) diff.Device {
	t.Helper()
	moment, err := diff.ParseMoment(at)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := diff.ParseBy(by)
	if err != nil {
		t.Fatal(err)
	}
	said, err := diff.Answer(before, after, diff.Options{At: moment, By: kind})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := said.Write(&text, sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	var value struct{ Devices []diff.Device }
	if err := json.Unmarshal(text.Bytes(), &value); err != nil || len(value.Devices) == 0 {
		t.Fatalf("%v: %s", err, text.Bytes())
	}
	return value.Devices[0]
}

// shownRow is a row as memviz.rows gives it.
type shownRow struct {
	Name, What        string
	BeforeLine        int   `json:"before_line"`
	AfterLine         int   `json:"after_line"`
	BeforeBytes       int64 `json:"before_bytes"`
	AfterBytes        int64 `json:"after_bytes"`
	DeltaBytes        int64 `json:"delta_bytes"`
	BeforeAllocations int   `json:"before_allocations"`
	AfterAllocations  int   `json:"after_allocations"`
}

type shownDifference struct {
	BeforeBytes int64 `json:"before_bytes"`
	AfterBytes  int64 `json:"after_bytes"`
	Families    []diff.Family
	Rows        []shownRow
}

// comparedFiles are the snapshots of TestCompareNumbers: of stories, and of real
// recordings where they are at hand.
func comparedFiles(t *testing.T) map[string][2]string {
	files := map[string][2]string{}
	for _, name := range comparedStories {
		files[name] = [2]string{story(t, name, "before"), story(t, name, "after")}
	}
	if corpus := os.Getenv("MEMVIZ_CORPUS"); corpus != "" {
		of := func(name string) string { return filepath.Join(corpus, name+".pickle") }
		files["another program"] = [2]string{of("train_annotated_torch210"), of("train_medium_annotated_torch210")}
		files["other frames"] = [2]string{of("train_small_torch210"), of("inference_torch210")}
	}
	return files
}

// TestCompareNumbers: at every moment, the page says what memviz diff prints, whatever
// its rows are; and the words of the four answers.
func TestCompareNumbers(t *testing.T) {
	t.Parallel()
	for name, files := range comparedFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := load(t, files[0]), load(t, files[1])
			p := open(t, comparePage(t, files[0], files[1]), "")
			moments := diffJSON(t, &a.Input, &b.Input, "peak", "site").Moments
			if len(moments) < 2 {
				t.Fatalf("moments: %+v", moments)
			}
			for _, m := range moments {
				at := fmt.Sprintf("%d,%d", m.BeforeState, m.AfterState)
				for _, by := range diff.Bys() {
					compareRows(t, p, &a.Input, &b.Input, m, at, by)
				}
			}
			for i, want := range diffJSON(t, &a.Input, &b.Input, "peak", "site").Answers {
				shown := plainSpaces(eval[string](p, "document.querySelectorAll('.answer')[%d].innerText", i))
				for _, part := range append([]string{want.Question, want.Value}, strings.Split(want.Line, "; ")[0]) {
					if !strings.Contains(shown, part) {
						t.Errorf("answer %d is %q, and does not say %q", i+1, shown, part)
					}
				}
			}
		})
	}
}

func compareRows(t *testing.T, p *page, before, after *answer.Input, m diff.Point, at, by string) {
	t.Helper()
	want := diffJSON(t, before, after, at, by)
	got := eval[shownDifference](p, "memviz.rows({before: %d, after: %d, by: %q})", m.BeforeState, m.AfterState, by)
	where := fmt.Sprintf("at %s by %s", m.Key, by)
	if got.BeforeBytes != want.Before.ActiveBytes || got.AfterBytes != want.After.ActiveBytes {
		t.Errorf("%s: %d → %d bytes, want %d → %d", where, got.BeforeBytes, got.AfterBytes, want.Before.ActiveBytes,
			want.After.ActiveBytes)
	}
	families := func(list []diff.Family) string {
		var texts []string
		for _, f := range list {
			texts = append(texts, fmt.Sprint(f.Family, " ", f.BeforeBytes, " ", f.AfterBytes))
		}
		slices.Sort(texts)
		return strings.Join(texts, "\n")
	}
	if a, b := families(got.Families), families(want.Families); a != b {
		t.Errorf("%s: families\n%s\nwant\n%s", where, a, b)
	}
	var shown, printed []string
	unchanged := int64(0)
	for _, r := range got.Rows {
		if r.DeltaBytes == 0 {
			unchanged += r.AfterBytes
			continue
		}
		shown = append(shown, fmt.Sprintln(r.BeforeLine, r.AfterLine, r.BeforeBytes, r.AfterBytes, r.DeltaBytes,
			r.BeforeAllocations, r.AfterAllocations, plainSpaces(r.What)))
	}
	for _, r := range want.Rows {
		printed = append(printed, fmt.Sprintln(r.BeforeLine, r.AfterLine, r.BeforeBytes, r.AfterBytes, r.DeltaBytes,
			r.BeforeAllocations, r.AfterAllocations, plainSpaces(r.What)))
	}
	slices.Sort(shown)
	slices.Sort(printed)
	if a, b := strings.Join(shown, ""), strings.Join(printed, ""); a != b {
		t.Errorf("%s: rows\n%s\nwant\n%s", where, a, b)
	}
	if unchanged != want.UnchangedBytes {
		t.Errorf("%s: %d bytes unchanged, want %d", where, unchanged, want.UnchangedBytes)
	}
}

// litPixels looks at the middle of every tensor of four pixels or more in some columns of
// a side: whether it has a colour of the palette, and whether its group is the row's.
const litPixels = `(() => {
	const palette = JSON.parse(document.getElementById('memviz-report').textContent).palette.light;
	const known = new Set(palette.flatMap((hue) => hue.shades));
	const hex = (d, i) => '#' + [0, 1, 2].map((c) => d[i + c].toString(16).padStart(2, '0')).join('');
	const picked = new Set(memviz.picked());
	const wrong = [], seen = [0, 0];
	for (const side of [0, 1]) {
		const g = memviz.geometry(side), {width, height, data} = memviz.pixels(side);
		const perByte = height / g.bytes_to;
		for (let x = 5; x < width; x += 37) {
			if (g.columns[x] < 0) continue;
			for (const {id, size, offset, group} of memviz.live(side, g.columns[x])) {
				const [low, high] = [offset * perByte, (offset + size) * perByte];
				if (high - low < 4) continue;
				const y = height - 1 - Math.floor((low + high) / 2);
				const lit = known.has(hex(data, 4 * (y * width + x)));
				seen[Number(lit)]++;
				if (lit !== picked.has(group)) wrong.push([side, x, id, lit]);
			}
		}
	}
	return {wrong: wrong.slice(0, 5).map(String), lit: seen[1], faded: seen[0]};
})()`

// TestCompareLitTensors: the tensors of the row that is picked out keep their colours in
// both piles, exactly these; all others fade.
func TestCompareLitTensors(t *testing.T) {
	t.Parallel()
	p := open(t, storyPage(t, "checkpointing"), "theme=light")
	keys := eval[[]string](p, "memviz.settled().then(() => memviz.rows().rows.map(r => r.key))")
	lit := 0
	for _, key := range keys {
		p.reopen("theme=light&sel=" + eval[string](p, "encodeURIComponent('site:' + %q)", key))
		plot(p)
		found := eval[struct {
			Wrong      []string
			Lit, Faded int
		}](p, litPixels)
		for _, wrong := range found.Wrong {
			t.Errorf("%s: side, column, tensor, lit: %s", key, wrong)
		}
		if found.Faded == 0 {
			t.Errorf("%s: nothing is faded", key)
		}
		lit += found.Lit
	}
	if lit == 0 {
		t.Error("no tensor is lit")
	}
}

// TestCompareUse uses the page with keyboard and mouse, and finds what it shows again in
// its address.
func TestCompareUse(t *testing.T) {
	t.Parallel()
	p := open(t, storyPage(t, "checkpointing"), "")
	g := plot(p)
	expect := func(what, key, want string) {
		t.Helper()
		p.rest()
		if got := p.hash(key); got != want {
			t.Errorf("%s: the address has %s=%q, want %q", what, key, got, want)
		}
	}
	p.press("e")
	expect("E", "at", "end")
	p.press("[")
	if got := p.hash("at"); got == "end" || got == "" {
		t.Errorf("[ leads to %q", got)
	}
	p.press("p")
	expect("P", "at", "")
	p.press("v")
	expect("V", "v", "after")
	if high := plot(p).Height; high < g.Height*1.2 {
		t.Errorf("one pile alone is %.0f pixels high, one of two %.0f", high, g.Height)
	}
	p.press("v")
	p.press("a")
	expect("A", "by", "event")
	p.press("a")
	p.press("x")
	expect("X", "u", "time")
	p.press("x")
	p.click(".change .head")
	if got := p.hash("sel"); !strings.HasPrefix(got, "site:") {
		t.Errorf("a row is picked out as %q", got)
	}
	if !eval[bool](p, "document.querySelector('.change.on .frames .user') !== null") {
		t.Error("the row that is picked out does not open its stack")
	}
	p.press("\u001b")
	expect("Esc", "sel", "")
	p.click("button.family")
	if p.hash("fam") == "" {
		t.Error("a family is not picked out")
	}
	p.press("\u001b")

	g = plot(p)
	x := g.Left + g.Width*0.6
	column := int(0.6 * float64(len(g.Columns)))
	p.clickAt(x, g.Top+g.Height*0.8)
	p.rest()
	if at := p.hash("at"); !strings.HasSuffix(at, fmt.Sprintf(",%d", g.Columns[column])) {
		t.Errorf("a click at state %d leads to %q", g.Columns[column], at)
	}
	p.press("\u001b")

	lane := eval[float64](p, "memviz.geometry().lane_top") + 8
	for _, part := range []float64{0.12, 0.55, 0.8} {
		p.clickAt(g.Left+g.Width*part, lane)
		p.rest()
		at := p.hash("at")
		states := eval[[]int](p, "memviz.states()")
		if at == "" {
			t.Errorf("a click in the lane, at %g, leads nowhere", part)
		}
		p.reopen("at=" + at)
		plot(p)
		if again := eval[[]int](p, "memviz.states()"); !slices.Equal(states, again) {
			t.Errorf("at=%s compares %d, and then %d", at, states, again)
		}
	}
	p.press("p")
	p.drag(g.Left+g.Width*0.2, g.Top+20, g.Left+g.Width*0.4, g.Top+20, chromedp.ModifierShift)
	expect("a brush", "at", "range")
	p.wheel(x, g.Top+50, -400, 0)
	zoomed := plot(p)
	if zoomed.To-zoomed.From > 0.7 {
		t.Errorf("the wheel shows %g to %g", zoomed.From, zoomed.To)
	}
	p.rest()
	again := eval[string](p, "location.hash.slice(1)")
	states := eval[[]int](p, "memviz.states()")
	p.reopen(again)
	if g := plot(p); !near(g.From, zoomed.From, 1e-4) || !near(g.To, zoomed.To, 1e-4) {
		t.Errorf("the address %q shows %g to %g, want %g to %g", again, g.From, g.To, zoomed.From, zoomed.To)
	}
	if got := eval[[]int](p, "memviz.states()"); !slices.Equal(got, states) {
		t.Errorf("the address %q compares %d, want %d", again, got, states)
	}
}

// TestCompareKeys presses every key that the list of keys has, on recordings with and
// without a history. The page does not fail, and Esc and P take it back to its start.
func TestCompareKeys(t *testing.T) {
	t.Parallel()
	stateOnly := func() answer.Input {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Segment(snapshot.Segment{Address: 1 << 20, TotalSize: 1 << 20},
			snapshot.Block{Address: 1 << 20, Size: 1 << 20,
				RequestedSize: 1 << 20, State: snapshot.ActiveAllocated})
		return answer.NewInput("state.pickle", c.Snapshot())
	}
	document, err := report.EncodeCompare("memviz", stateOnly(), load(t, story(t, "checkpointing", "after")).Input, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{storyPage(t, "checkpointing"), writeReport(t, document)} {
		p := open(t, path, "")
		plot(p)
		list := keyList(p)
		if len(list) < 15 {
			t.Fatalf("the list of keys is %q", list)
		}
		for _, line := range list {
			for _, key := range strings.Fields(line[0]) {
				if len([]rune(key)) == 1 {
					p.press(strings.NewReplacer("←", kb.ArrowLeft, "→", kb.ArrowRight, "−",
						"-").Replace(strings.ToLower(key)))
				}
			}
			p.press("\u001b")
		}
		for range 4 {
			p.press("\u001b")
		}
		p.press("p")
		p.rest()
		if at := p.hash("at"); at != "" {
			t.Errorf("at the end the page compares at %q", at)
		}
	}
}

// TestCompareSwap: with before and after swapped every sign turns, and nothing else.
func TestCompareSwap(t *testing.T) {
	t.Parallel()
	p := open(t, storyPage(t, "checkpointing"), "")
	read := func() (rows []shownRow, states []int) {
		rows = eval[shownDifference](p, "memviz.settled().then(() => memviz.rows())").Rows
		slices.SortFunc(rows, func(a, b shownRow) int {
			return cmp.Or(cmp.Compare(a.BeforeBytes+a.AfterBytes, b.BeforeBytes+b.AfterBytes),
				cmp.Compare(a.Name, b.Name), cmp.Compare(a.BeforeLine+a.AfterLine, b.BeforeLine+b.AfterLine))
		})
		return rows, eval[[]int](p, "memviz.states()")
	}
	for _, at := range []string{"p", "e"} {
		p.press(at)
		rows, states := read()
		p.press("s")
		p.until("document.querySelector('#file').textContent.startsWith('beforeafter')")
		turned, otherStates := read()
		slices.Reverse(otherStates)
		if !slices.Equal(states, otherStates) {
			t.Errorf("states %d become %d", states, otherStates)
		}
		for i, r := range rows {
			s := turned[i]
			s.BeforeBytes, s.AfterBytes, s.DeltaBytes = s.AfterBytes, s.BeforeBytes, -s.DeltaBytes
			s.BeforeAllocations, s.AfterAllocations = s.AfterAllocations, s.BeforeAllocations
			s.BeforeLine, s.AfterLine, s.What = s.AfterLine, s.BeforeLine, r.What
			if r != s {
				t.Errorf("row %+v becomes %+v", r, turned[i])
			}
		}
		p.press("s")
		p.until("document.querySelector('#file').textContent.startsWith('beforebefore')")
	}
}

// TestCompareDevices: of files with several devices, the pair with the highest peak is
// shown first, and a list has the others.
func TestCompareDevices(t *testing.T) {
	t.Parallel()
	devices := func(sizes ...int64) answer.Input {
		c := snapshot.NewComposer(snapshot.Format{HasTime: true})
		for device, size := range sizes {
			for i := range int64(20) {
				c.Event(snapshot.DeviceID(device), snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i+1) << 30,
					Size: size << 20, TimeMicros: i})
			}
		}
		return answer.NewInput("devices.pickle", c.Snapshot())
	}
	document, err := report.EncodeCompare("memviz", devices(1, 2, 3), devices(1, 7), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, writeReport(t, document), "")
	plot(p)
	options := eval[[]string](p, "[...document.querySelectorAll('#device option')].map((o) => o.textContent)")
	if !slices.Equal(options, []string{"cuda:0", "cuda:1"}) {
		t.Errorf("the devices are %q", options)
	}
	after := func() int64 { return eval[shownDifference](p, "memviz.rows()").AfterBytes }
	if got := after(); got != 20*7<<20 {
		t.Errorf("at first the page compares %d bytes", got)
	}
	p.await(`(() => {
		const select = document.querySelector('#device select');
		select.value = '0';
		select.dispatchEvent(new Event('change'));
	})()`)
	p.until("new URLSearchParams(location.hash.slice(1)).get('d') === '0'")
	if got := after(); got != 20<<20 {
		t.Errorf("the first device compares %d bytes", got)
	}
	p.reopen("d=0")
	if got := after(); got != 20<<20 {
		t.Errorf("d=0 compares %d bytes", got)
	}
}

// TestCompareHostile: texts of both snapshots stay text.
func TestCompareHostile(t *testing.T) {
	t.Parallel()
	hostile := func(name string) answer.Input {
		c := snapshot.NewComposer(snapshot.Format{HasTime: true})
		for i, name := range hostileNames {
			stack := c.Stack(snapshot.FrameText{File: name + ".py", Line: 1, Name: name})
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i+1) << 20,
				Size:  int64(len(name)+i) << 16,
				Stack: stack, TimeMicros: int64(i)})
		}
		return answer.NewInput(name, c.Snapshot())
	}
	before, after := hostile(`<img src=x onerror=alert(1)>`), hostile(`__f__alert(2)__f__`)
	document, err := report.EncodeCompare("memviz", before, after, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, writeReport(t, document), "")
	plot(p)
	for _, keys := range []string{"e", "p", "1", "2", "3", "4", "w", "?"} {
		p.press(keys)
		p.press("\u001b")
	}
	if images := eval[int](p, "document.querySelectorAll('img, iframe, object, embed').length"); images != 0 {
		t.Errorf("%d elements came out of names", images)
	}
	if title := eval[string](p, "document.title"); !strings.Contains(title, "<img src=x") {
		t.Errorf("the title is %q", title)
	}
}

// TestCompareBytes: a page is no larger than the two reports, the frame of one less.
func TestCompareBytes(t *testing.T) {
	t.Parallel()
	for _, name := range comparedStories {
		size := func(path string) int64 {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		reports := size(makeReport(t, story(t, name, "before"))) + size(makeReport(t, story(t, name, "after")))
		if page := size(storyPage(t, name)); page > reports {
			t.Errorf("%s: the page has %d bytes, its two reports %d", name, page, reports)
		}
	}
}
