package pagetest

import (
	"slices"
	"strings"
	"testing"

	whatifanswer "github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// segmentsIn is what the page has of the address space in a state: bytes of the segments, the
// sizes of the blocks, and how much they hold.
type segmentsIn struct {
	Reserved, Blocks int64
	Sizes            []int64
}

func (p *page) segmentsIn(state int) segmentsIn {
	return eval[segmentsIn](p, `memviz.segments(%d).then((all) => {
		const blocks = all.flatMap((s) => s.blocks);
		const sum = (list) => list.reduce((n, x) => n + x.size, 0);
		return {reserved: sum(all), blocks: sum(blocks), sizes: blocks.map((b) => b.size).sort((a, b) => a - b)};
	})`, state)
}

// layoutIn is the same of a predicted layout.
func layoutIn(prediction *whatif.Served, state int) (s segmentsIn) {
	for _, r := range prediction.Layout.Reservations {
		if int(r.Reserved) < state && (r.Returned < 0 || state <= int(r.Returned)) {
			s.Reserved += r.Size
		}
	}
	for i, life := range prediction.Layout.Lifetimes {
		if prediction.Layout.Addr[i] != 0 && int(life.Start) < state && (life.End < 0 || state <= int(life.End)) {
			s.Sizes = append(s.Sizes, prediction.Layout.Block[i])
			s.Blocks += prediction.Layout.Block[i]
		}
	}
	slices.Sort(s.Sizes)
	return s
}

// TestMeasurePicture clicks a line: the page shows the training that is predicted with that
// change, until one goes back.
func TestMeasurePicture(t *testing.T) {
	t.Parallel()
	for _, story := range []string{"out-of-memory", "training-loop"} {
		_, best := whatifanswer.PredictAll(load(t, example(t, story)).Recordings[0])
		line := &best.Lines[0]
		prediction := measures.Trace(best.Run, best.Limit, line.Outcome)
		p := open(t, exampleReport(t, story), "theme=light")
		plot(p)
		facts := p.text("facts")
		p.press("u")
		recorded := eval[string](p, pictureSum)
		p.click(".card .measure")
		p.until("document.querySelector('#answers .predicted') !== null")
		if p.hash("m") != line.Key() || p.hash("v") != "map" || eval[string](p, pictureSum) == recorded {
			t.Errorf("%s: a click shows no predicted address space: %q", story, eval[string](p, "location.hash"))
		}
		strip := plainSpaces(p.text("answers"))
		requireWords(t, story+": the strip", strip, line.Text, line.Assumption, best.Note)
		if got := plainSpaces(p.text("facts")); !strings.Contains(got, units.Bytes(line.Outcome.Reserved)) {
			t.Errorf("%s: the facts are %q, want %s reserved", story, got, units.Bytes(line.Outcome.Reserved))
		}
		events := best.Recording().Device.Events.Len()
		for state := 0; state <= events; state += max(1, events/40) {
			if got, want := p.segmentsIn(state), layoutIn(prediction, state); got.Reserved != want.Reserved ||
				got.Blocks != want.Blocks || !slices.Equal(got.Sizes, want.Sizes) {
				t.Errorf("%s: in state %d are %d blocks with %d of %d bytes, want %d with %d of %d", story, state,
					len(got.Sizes), got.Blocks, got.Reserved, len(want.Sizes), want.Blocks, want.Reserved)
			}
		}
		predicted := eval[string](p, pictureSum)
		svg := string(p.export("Picture", "SVG", "snapshot-cuda-0-predicted-peak.svg"))
		if !strings.Contains(svg, "cuda:0, predicted") {
			t.Errorf("%s: the exported picture does not say that it is predicted", story)
		}
		p.reopen("theme=light&v=map&m=" + line.Key())
		if eval[string](p, pictureSum) != predicted {
			t.Errorf("%s: the address opens another picture", story)
		}
		if name := eval[string](p, "document.querySelector('#device').textContent"); name != "cuda:0, predicted" {
			t.Errorf("%s: the device is called %q", story, name)
		}
		p.press("\u001b")
		p.until("document.querySelector('#answers .predicted') === null")
		if eval[string](p, pictureSum) != recorded || p.hash("m") != "" || p.text("facts") != facts {
			t.Errorf("%s: Esc does not bring the recording back", story)
		}
	}
}

// TestMeasures: the cards of a failed request and of the peak have a line for each change of
// the training that the answers have, with what it assumes, and so has the summary.
func TestMeasures(t *testing.T) {
	t.Parallel()
	for story, card := range map[string]string{"out-of-memory": ".card.oom", "training-loop": ".card.peak"} {
		_, want := whatifanswer.PredictAll(load(t, example(t, story)).Recordings[0])
		p := open(t, exampleReport(t, story), "theme=light")
		plot(p)
		got := eval[[][]string](p, "[...document.querySelectorAll('"+card+" .measure')].map((x) => "+
			"[x.title, ...[...x.children].map((y) => y.innerText)])")
		if len(got) != len(want.Lines) || len(got) < 3 {
			t.Fatalf("%s: %d lines, want %d", story, len(got), len(want.Lines))
		}
		folded := plainSpaces(eval[string](p, "document.querySelector('"+card+" details').textContent"))
		summary := plainSpaces(eval[string](p, "document.querySelector('#summary').textContent"))
		for i := range want.Lines {
			line := &want.Lines[i]
			text, assumption := plainSpaces(line.Text), plainSpaces(line.Assumption)
			row := []string{line.Text + " " + line.Assumption, line.Name, units.Bytes(line.Outcome.Active)}
			if fit := line.Outcome.Fits.String(); fit != "" {
				row = append(row, fit)
			}
			if plainSpaces(strings.Join(got[i], "\n")) != plainSpaces(strings.Join(row, "\n")) {
				t.Errorf("%s: a row is %q, want %q", story, got[i], row)
			}
			if !strings.Contains(folded, assumption) || !strings.Contains(summary, text) {
				t.Errorf("%s: %q is not in %q, or not in the summary %q", story, line.Assumption, folded, summary)
			}
		}
		if !strings.Contains(folded, want.Note) {
			t.Errorf("%s: %q is not in %q", story, want.Note, folded)
		}
	}
	p := open(t, exampleReport(t, "reference-cycle"), "theme=light")
	plot(p)
	if eval[bool](p, "document.querySelector('.measure, .card.peak') !== null") {
		t.Error("there are lines where none is predicted")
	}
}
