package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

// The measured interactions.
const (
	interactive = "interactive"
	firstView   = "first view"
	view        = "view, 95 %"
	wheel       = "wheel, 95 %"
	drag        = "drag, 95 %"
	hover       = "hover to tooltip"
	space       = "address space"
	spaceWheel  = "its wheel, 95 %"
	spaceDrag   = "its drag, 95 %"
	spaceClose  = "its wheel, 10 %"
)

var interactions = []string{interactive, firstView, view, wheel, drag, hover, space, spaceWheel, spaceDrag, spaceClose}

// millis is the only figure of an interaction: milliseconds.
const millis = "ms"

const adversarial = "adversarial"

// pageBenchmark measures reports in headless Chromium.
type pageBenchmark struct {
	noHooks
	memviz  string
	browser context.Context
	stop    func() // ends the browser
}

// parse reads 20k or 1M allocations, or adversarial.
func (*pageBenchmark) parse(size string) (*input, error) {
	const eventsPerAllocation = 3 // the alloc, the request to free and its completion
	if size == adversarial {
		return &input{name: size, shape: size, events: 1_000_000 * eventsPerAllocation, live: 100_000}, nil
	}
	n, err := parseSize(size, map[string]int{"": 1, "k": 1000, "m": 1_000_000}, 20_000_000)
	return &input{name: size, shape: "training-shaped", events: n * eventsPerAllocation, live: 9_500}, err
}

func (b *pageBenchmark) start(ctx context.Context, p *programs) (err error) {
	b.memviz = p.memviz
	b.browser, b.stop, err = startBrowser(ctx)
	return err
}

func (b *pageBenchmark) close() { b.stop() }

// prepare replaces the snapshot with its report.
func (b *pageBenchmark) prepare(ctx context.Context, in *input) (err error) {
	snapshot := in.path
	in.path = filepath.Join(filepath.Dir(snapshot), in.name+".html")
	if _, err := runProgram(ctx, b.memviz, "trace", "-o", in.path, snapshot); err != nil {
		return err
	}
	if err := os.Remove(snapshot); err != nil {
		return err
	}
	if in.bytes, err = sizeOf(in.path); err != nil {
		return err
	}
	// The first visit is to a cold browser and does not count.
	return visit(b.browser, in.path, func(*tab) error { return nil })
}

func (b *pageBenchmark) measure(_ context.Context, in *input, r *results) error {
	return visit(b.browser, in.path, func(t *tab) error {
		return t.interact(func(interaction string, ms ...float64) { r.add(in, interaction, millis, ms...) })
	})
}

func (*pageBenchmark) report(r *results) ([]*table, []budget) {
	figure := func(header string, of func([]float64) float64) column {
		return column{header, func(in *input, interaction string) string {
			return number(of(r.samples[measure{in.name, interaction, millis}]), " ms")
		}}
	}
	t := r.table("The page in headless Chromium, 1440x900", interactions, func(in *input) string {
		return units.Bytes(in.bytes) + " of HTML"
	}, column{"samples", func(in *input, interaction string) string {
		return strconv.Itoa(len(r.samples[measure{in.name, interaction, millis}]))
	}}, figure("median", median), figure("p95", p95))
	t.notes = []string{
		"interactive: from the start of the navigation to memviz.ready, when the picture is painted.",
		"view: memviz.view until it is painted. wheel, drag: frames that moved, under a real mouse.",
		"address space: from the key U to its first exact picture, decoding included; below it, its frames.",
	}
	return []*table{t}, pageBudgets(r)
}

func pageBudgets(r *results) []budget {
	of := func(input, interaction string, figure func([]float64) float64) float64 {
		return figure(r.samples[measure{input, interaction, millis}])
	}
	// A frame that the user sees while zooming or panning, whichever is slower. The
	// exact picture, drawn once the view is still, is measured as a view.
	frame := func(input string, figure func([]float64) float64) float64 {
		return worst(of(input, wheel, figure), of(input, drag, figure))
	}
	spaceFrame := func(input string) float64 {
		return worst(of(input, spaceWheel, median), of(input, spaceDrag, median))
	}
	return []budget{
		{"1M: from file:// to interactive, median", of("1M", interactive, median) / 1000, 1, " s"},
		{"5M: from file:// to interactive, median", of("5M", interactive, median) / 1000, 2, " s"},
		{"1M: frame while zooming and panning, median", frame("1M", median), 25, " ms"},
		{"1M: frame while zooming and panning, p95", frame("1M", p95), 45, " ms"},
		{"5M: frame while zooming and panning, median", frame("5M", median), 25, " ms"},
		{"5M: frame while zooming and panning, p95", frame("5M", p95), 100, " ms"},
		{"adversarial: frame under the mouse, p95", frame(adversarial, p95), 100, " ms"},
		{"1M: hover to tooltip, p95", of("1M", hover, p95), 10, " ms"},
		{"1M: frame of the address space, median", spaceFrame("1M"), 33, " ms"},
		{"1M: the same with 10 % in view, median", of("1M", spaceClose, median), 17, " ms"},
		{"5M: frame of the address space, median", spaceFrame("5M"), 50, " ms"},
	}
}
