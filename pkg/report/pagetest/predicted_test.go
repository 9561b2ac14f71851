package pagetest

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	whatifanswer "github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// okGreen is the colour of the predicted line in the light theme.
const okGreen = "#2b6a3f"

// settingsTable are the cells of the table of other settings, with exact bytes
// where they have them.
func (p *page) settingsTable() [][]string {
	p.t.Helper()
	rows := eval[[][]string](p,
		"[...document.querySelectorAll('.settings tr')].map(r => [...r.cells].map((c, i) => i > 0 && c.title || "+
			"c.textContent))")
	for _, row := range rows {
		for i := range row {
			row[i] = plainSpaces(row[i])
		}
	}
	return rows
}

// wantSettings is the table as a prediction gives it.
func wantSettings(x *whatifanswer.Prediction, fails bool) [][]string {
	row := func(name string, o *whatif.Outcome) []string {
		cells := []string{name, exactly(o.ReservedPeak), exactly(o.Fragmentation), units.Count(o.Calls.All())}
		if fails && len(o.Failures) > 0 {
			return append(cells, "state "+units.Count(int(o.Failures[0].Event)))
		} else if fails {
			return append(cells, "nothing fails")
		}
		return cells
	}
	rows := [][]string{{"setting, predicted", "reserved", "fragmented", "driver calls", "fails in"}}
	if !fails {
		rows[0] = rows[0][:4]
	}
	for i := range x.Outcomes {
		rows = append(rows, row(x.Outcomes[i].Setting.Conf, &x.Outcomes[i]))
	}
	return append(rows, row("as recorded", &x.Reference),
		[]string{"lower bound: a perfect allocator", exactly(x.LowerBound())})
}

// greens are the client pixels that have the colour of the predicted line.
func (p *page) greens() [][]int {
	p.t.Helper()
	return eval[[][]int](p, `(() => {
		const canvas = document.getElementById('marks'), box = canvas.getBoundingClientRect(), found = [];
		const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
		copy.drawImage(canvas, 0, 0);
		const {data, width} = copy.getImageData(0, 0, canvas.width, canvas.height);
		const ratio = canvas.width / box.width;
		for (let i = 0; i < data.length; i += 4)
			if (data[i + 3] > 120 && Math.abs(data[i] - 43) + Math.abs(data[i + 1] - 106) + Math.abs(data[i + 2] - 63) < 12)
				found.push([Math.round(box.left + (i / 4 %% width) / ratio), Math.round(box.top + Math.floor(i / 4 / width) / ratio)]);
		return found;
	})()`)
}

// TestPredicted compares what the page says of other settings, at a request that
// failed, with the model: the table and the dashed line.
func TestPredicted(t *testing.T) {
	t.Parallel()
	path := example(t, "out-of-memory")
	want := whatifanswer.Predict(load(t, path).Recordings[0])
	p := open(t, makeReport(t, path), "theme=light")
	g := plot(p)

	// Where the line is level for some pixels, and away from the recorded one, it is green.
	greens := p.greens()
	curve := want.Trace(want.Best).Curve
	looked := 0
	for i := range curve[:len(curve)-1] {
		left := g.Left + g.Width*(float64(curve[i].State)-g.From)/(g.To-g.From)
		right := g.Left + g.Width*(float64(curve[i+1].State)-g.From)/(g.To-g.From)
		if right-left < 20 {
			continue
		}
		looked++
		y := g.Top + g.Height*(1-(float64(curve[i].Bytes)-g.BytesFrom)/(g.BytesTo-g.BytesFrom))
		on := 0
		for _, at := range greens {
			if float64(at[0]) > left && float64(at[0]) < right && math.Abs(float64(at[1])-y) < 2 {
				on++
			}
		}
		if part := float64(on) / (right - left); part < 0.2 { // it is dashed, and flags stand over it
			t.Errorf("from state %d on, at %d bytes, %.0f %% of the line are there", curve[i].State, curve[i].Bytes,
				100*part)
		}
	}
	if looked < 8 {
		t.Errorf("only %d level parts are long enough", looked)
	}

	p.click("#answers > :nth-child(4)")
	p.click(".oom .settings > button")
	if got, want := p.settingsTable(), wantSettings(want, true); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the table is\n%q\nwant\n%q", got, want)
	}
	if best := eval[string](p, "document.querySelector('.best').cells[0].textContent"); best != want.Best.Setting.Conf {
		t.Errorf("%q is marked as the best", best)
	}
	said := p.wordsOf(".settings .popover")
	requireWords(t, "what is beside the table", said, want.Sentence, want.Export)
	p.catchCopies()
	p.clickIn(".settings p.actions", "export", "Copy")
	if copied := p.copied(); len(copied) != 1 || copied[0] != want.Export {
		t.Errorf("copied is %q", copied)
	}
	p.press("\u001b")
	if eval[bool](p, "document.querySelector('.settings .popover').matches(':popover-open')") || p.hash("at") == "" {
		t.Error("Esc does not close the table alone")
	}

	svg := string(p.export("Picture", "SVG", "snapshot-cuda-0-state-8117.svg"))
	if !strings.Contains(svg, `stroke="`+okGreen+`" stroke-width="1.25" stroke-dasharray="4 3"`) ||
		!strings.Contains(svg, "predicted, expandable_segments<") {
		t.Error("the picture lacks the predicted line, or its name")
	}

	// Where only the selected range is shown there is no such line.
	p.typed("ra")
	if n := len(p.greens()); n > 0 {
		t.Errorf("%d pixels of the line are left", n)
	}
}

// TestPredictedIdle: without a failed request the table stands beside the unused
// memory, and has no column of failures.
func TestPredictedIdle(t *testing.T) {
	t.Parallel()
	path := filepath.Join(filepath.Dir(example(t, "fragmentation")), "before.pickle.gz")
	p := openSized(t, makeReport(t, path), "theme=light", 1024, 700)
	plot(p)
	p.click("#answers > :nth-child(4)")
	p.click(".total .settings > button")
	if got, want := p.settingsTable(), wantSettings(whatifanswer.Predict(load(t, path).Recordings[0]),
		false); !slices.EqualFunc(got,
		want, slices.Equal) {
		t.Errorf("the table is\n%q\nwant\n%q", got, want)
	}
}

// TestPredictedNothing: where all is well nothing is predicted.
func TestPredictedNothing(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "theme=light")
	plot(p)
	if eval[bool](p, "document.querySelector('.settings') !== null") || len(p.greens()) > 0 {
		t.Error("something is predicted")
	}
}

// TestPredictedRun: the page of a run that was never made says so in its title and header,
// and in what it exports. So does a page that compares a recording with it.
func TestPredictedRun(t *testing.T) {
	t.Parallel()
	var in []predict.SizedInput
	for _, x := range []int64{128, 256} {
		recorded := load(t, filepath.Join(filepath.Dir(example(t, "what-fits")), fmt.Sprintf("%d.pickle.gz", x)))
		in = append(in, predict.SizedInput{X: x, Input: &recorded.Input})
	}
	_, run, err := predict.AnswerAndRun(in, predict.Options{At: []int64{512}})
	if err != nil || run.Input == nil {
		t.Fatal(err, run.LeftOut)
	}
	p := open(t, writeReport(t, report.Encode("memviz", []answer.Input{*run.Input}, nil)), "theme=light")
	plot(p)
	title, header := eval[string](p, "document.title"), eval[string](p, "document.getElementById('header').innerText")
	warning := eval[string](p, "document.getElementById('warnings').innerText")
	if !strings.HasPrefix(title, "predicted at 512") || !strings.Contains(header, "predicted at 512") ||
		!strings.Contains(header, "⚠ predicted") || strings.Contains(header, "span") ||
		!strings.Contains(warning, "This run was never made") {
		t.Errorf("title %q, header %q, warning %q", title, header, warning)
	}
	const name = "predicted-at-512-from-128.pickle.gz-and-256-cuda-0-peak"
	for _, export := range []struct{ line, button, end, want string }{
		{"Picture", "PNG", ".png", ""}, {"Picture", "SVG", ".svg", "predicted at 512"},
		{"Table", "CSV", "-table.csv", ""},
		{"Table", "JSON", "-table.json", `"predicted": {`},
	} {
		if text := string(p.export(export.line, export.button, name+export.end)); !strings.Contains(text, export.want) {
			t.Errorf("%s does not say %q", export.end, export.want)
		}
	}

	before, after := *in[1].Input, *run.Input
	before.Name, after.Name = predict.RecordedAt(256), predict.PredictedAt(512)
	document, err := report.EncodeCompare("memviz", before, after, nil)
	if err != nil {
		t.Fatal(err)
	}
	p = open(t, writeReport(t, document), "theme=light")
	header = p.text("header")
	requireWords(t, "the header", header, "recorded at 256", "predicted at 512", "⚠ predicted")
}
