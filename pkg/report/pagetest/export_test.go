package pagetest

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	browserproto "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// export opens the menu, clicks a button on one of its lines and gives the file
// that is saved under the name.
func (p *page) export(line, button, name string) []byte {
	p.t.Helper()
	dir, events := p.t.TempDir(), true
	saved := make(chan *browserproto.EventDownloadProgress, 1)
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*browserproto.EventDownloadProgress); ok && e.State != "inProgress" {
			select {
			case saved <- e:
			default:
			}
		}
	}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, browserproto.SetDownloadBehavior, browserproto.SetDownloadBehaviorParams{
		Behavior:         browserproto.SetDownloadBehaviorBehaviorAllow,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		DownloadPath:     dir,
		EventsEnabled:    &events,
	}); err != nil {
		p.t.Fatal(err)
	}
	p.press("d")
	p.clickIn(".export", line, button)
	select {
	case <-saved:
	case <-p.ctx.Done():
		p.t.Fatalf("%s %s saves nothing", line, button)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		there, _ := filepath.Glob(filepath.Join(dir, "*"))
		p.t.Fatalf("%s %s saves %q: %v", line, button, there, err)
	}
	p.press("\u001b")
	return data
}

// TestExportsData saves the table and the tensors at the peak, and compares them
// with the replay and the screen.
func TestExportsData(t *testing.T) {
	t.Parallel()
	path := example(t, "training-loop")
	p := open(t, makeReport(t, path), "")
	p.shows("1.17 GiB")
	r := load(t, path)
	d, live := r.d, r.live(r.d.Totals.PeakState)

	table := readCSV(t, p.export("Table", "CSV", "snapshot-cuda-0-peak-table.csv"))
	var sum, tensors int64
	for _, row := range table {
		sum += number(t, row["bytes"])
		tensors += number(t, row["tensors"])
		if want := plainSpaces(units.Bytes(number(t, row["bytes"]))); row["size"] != want {
			t.Errorf("%s has size %q, want %q", row["call site"], row["size"], want)
		}
	}
	if sum != d.Totals.PeakBytes || tensors != int64(len(live)) {
		t.Errorf("the table holds %d bytes in %d tensors, the replay %d in %d", sum, tensors, d.Totals.PeakBytes,
			len(live))
	}
	screen := p.wordsOf("#table .rows")
	for _, row := range table[:min(5, len(table))] {
		for _, column := range []string{"call site", "size", "share", "tensors"} {
			if !strings.Contains(screen, row[column]) {
				t.Errorf("the screen does not show %s %q:\n%s", column, row[column], screen)
			}
		}
	}

	var saved struct {
		Schema  string
		State   int
		Total   int64 `json:"total_bytes"`
		Tensors []struct {
			Bytes     int64
			Family    string
			Allocated *int `json:"allocated_at_event"`
			Freed     *int `json:"freed_at_event"`
			Address   string
		}
	}
	if err := json.Unmarshal(p.export("Tensors", "JSON", "snapshot-cuda-0-peak-tensors.json"),
		&saved); err != nil {
		t.Fatal(err)
	}
	if saved.Schema != "memviz.export/1" || saved.State != d.Totals.PeakState || saved.Total != d.Totals.PeakBytes {
		t.Errorf("the file begins with %s, state %d, %d bytes", saved.Schema, saved.State, saved.Total)
	}
	var got, want []string
	for _, a := range saved.Tensors {
		got = append(got, tensorText(a.Address, a.Bytes, a.Allocated, a.Freed))
	}
	for _, a := range live {
		want = append(want, tensorText(units.Address(a.Addr), a.Size, eventOf(a.Start), eventOf(a.End)))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d tensors were saved, the replay has %d; the first differ: %q, %q", len(got), len(want), got[:1],
			want[:1])
	}

	// What is isolated is what is saved.
	at := eval[[]float64](p, `(() => {
		const box = [...document.querySelectorAll('.legend .group')].find(e => e.textContent.startsWith('Parameters')).getBoundingClientRect();
		return [box.left + 30, box.top + 10]})()`)
	p.clickAt(at[0], at[1])
	some := readCSV(t, p.export("Tensors", "CSV", "snapshot-cuda-0-peak-tensors.csv"))
	parameters := 0
	for _, a := range saved.Tensors {
		if a.Family == "Parameters" {
			parameters++
		}
	}
	if len(some) != parameters || parameters == 0 || parameters == len(live) {
		t.Errorf("with parameters isolated %d tensors were saved, of %d parameters among %d", len(some), parameters,
			len(live))
	}
	for _, row := range some {
		if row["family"] != "Parameters" {
			t.Errorf("among the parameters: %v", row)
		}
	}
}

// eventOf is an event as JSON has it: null for none.
func eventOf(e replay.EventIndex) *int {
	if e == replay.None {
		return nil
	}
	i := int(e)
	return &i
}

// tensorText is a tensor in one line, to be compared.
func tensorText(addr string, size int64, start, end *int) string {
	word := func(e *int) string {
		if e == nil {
			return "-"
		}
		return strconv.Itoa(*e)
	}
	return fmt.Sprintf("%s %d %s %s", addr, size, word(start), word(end))
}

// readCSV gives the rows of a table, by the names of its columns.
func readCSV(t *testing.T, data []byte) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%v in\n%s", err, data)
	}
	var rows []map[string]string
	for _, cells := range lines[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestExportsPictures saves the view as pixels and as vectors.
func TestExportsPictures(t *testing.T) {
	t.Parallel()
	p := open(t, exampleReport(t, "training-loop"), "theme=light")
	g := plot(p)

	picture, err := png.Decode(bytes.NewReader(p.export("Picture", "PNG", "snapshot-cuda-0-peak.png")))
	if err != nil {
		t.Fatal(err)
	}
	// In the file the plot stands below a head, and as far from the left as on the
	// screen. One of its lowest rows is compared.
	top := eval[float64](p, "document.querySelector('#timeline').getBoundingClientRect().top")
	const head = 58
	pixels := eval[struct {
		Width, Height int
		Row           []int
	}](p, `(() => {const {width, height, data} = memviz.pixels();
		return {width, height, row: Array.from(data.slice((height - 3) * width * 4, (height - 2) * width * 4))}})()`)
	for x := 5; x < pixels.Width; x += 97 {
		r, green, b, _ := picture.At(int(g.Left)+x, int(g.Top-top)+head+pixels.Height-3).RGBA()
		got := [3]int{int(r >> 8), int(green >> 8), int(b >> 8)}
		if want := [3]int(pixels.Row[x*4 : x*4+3]); got != want {
			t.Errorf("column %d of the picture is %v, on the screen %v", x, got, want)
		}
	}

	text := svgText(t, p.export("Picture", "SVG", "snapshot-cuda-0-peak.svg"))
	panel := plainSpaces(eval[string](p,
		"document.querySelector('#moment .total b').textContent + '\\n' + [...document.querySelectorAll('.legend "+
			".group')].filter(e => !e.parentElement.matches('.none')).map(e => [...e.children].slice(1).map(c => "+
			"c.textContent).join('\\n')).join('\\n')"))
	for line := range strings.SplitSeq(panel, "\n") {
		if !strings.Contains(text, line) {
			t.Errorf("the vectors do not say %q", line)
		}
	}
	requireWords(t, "the picture as vectors", text, "snapshot.pickle.gz, cuda:0", "peak 1.17 GiB", "1,182 tensors",
		"at the peak, before event")
}

// svgText are the texts of an SVG file that is well-formed and holds nothing
// that runs or is fetched.
func svgText(t *testing.T, data []byte) string {
	t.Helper()
	var text strings.Builder
	images := 0
	for decoder := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
			text.WriteByte('\n')
		case xml.StartElement:
			if !slices.Contains([]string{"svg", "g", "clipPath", "path", "rect", "text", "image"}, token.Name.Local) {
				t.Errorf("an element %s", token.Name.Local)
			}
			for _, a := range token.Attr {
				if a.Name.Local == "href" && strings.HasPrefix(a.Value, "data:image/png;base64,") {
					images++
				} else if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Errorf("an attribute %s=%.40q", a.Name.Local, a.Value)
				}
			}
		}
	}
	if images != 2 {
		t.Errorf("%d pictures, want the plot and the minimap", images)
	}
	return plainSpaces(text.String())
}

// TestCopies copies the summary for a ticket and the link.
func TestCopies(t *testing.T) {
	t.Parallel()
	path := example(t, "out-of-memory")
	p := open(t, makeReport(t, path), "at=end&c=site")
	r := load(t, path)
	d, live := r.d, r.live(r.d.Events.Len())
	plot(p)
	p.catchCopies()

	p.press("m")
	p.press("d")
	p.clickIn(".export", "Link", "Copy")
	p.press("\u001b")
	copied := p.copied()
	if len(copied) != 2 {
		t.Fatalf("%d texts were copied: %q", len(copied), copied)
	}
	requireWords(t, "the ticket", copied[0], "`snapshot.pickle.gz`, cuda:0",
		fmt.Sprintf("**%s (%s B)** at the end", units.Bytes(d.Totals.FinalBytes), units.Count(d.Totals.FinalBytes)),
		fmt.Sprintf("in %s tensors", units.Count(len(live))),
		"| by site | size | exact | share | tensors |",
		"| call site | size | exact | share | tensors |")
	if want := eval[string](p, "location.href"); copied[1] != want {
		t.Errorf("the link is %q, want %q", copied[1], want)
	}
}
