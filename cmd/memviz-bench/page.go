package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/units"
)

// What is measured of a page.
const (
	interactive = "interactive"
	firstView   = "first view"
	view        = "view, 95 %"
	wheel       = "wheel, 95 %"
	drag        = "drag, 95 %"
	hover       = "hover to tooltip"
)

var measures = []string{interactive, firstView, view, wheel, drag, hover}

// samples are times in milliseconds, by what was measured.
type samples map[string][]float64

func (s samples) add(measure string, times ...float64) { s[measure] = append(s[measure], times...) }

// shownPage is a report and how long everything took in it.
type shownPage struct {
	scene
	html    int64 // bytes
	samples samples
}

// benchPages measures the page and prints what came out.
func benchPages(c *cli.Context, asked []string) error {
	ctx := c.Context
	scenes, err := parseAll(asked, []string{"20k", "200k", "1M", "5M", adversarial}, parseScene)
	if err != nil {
		return err
	}
	w, err := openWorkshop(ctx, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer w.close()
	browser, stop, err := startBrowser(ctx)
	if err != nil {
		return err
	}
	defer stop()
	var pages []*shownPage
	for _, s := range scenes {
		p, err := showPage(ctx, w, browser, s, c.Int("runs"))
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		pages = append(pages, p)
	}
	measured := pageTable(pages)
	measured.title = fmt.Sprintf("The page in headless Chromium, 1440x900, %s; %s",
		units.Plural(c.Int("runs"), "run", "runs"), machine())
	return writeTables(c.App.Writer, c.Bool("markdown"), measured, budgetTable(pageBudgets(pages)))
}

// showPage makes a report, whose snapshot is removed at once, and uses it in a
// new tab for each run.
func showPage(ctx context.Context, w *workshop, browser context.Context, s scene, runs int) (*shownPage, error) {
	snapshot, _, err := w.generate(ctx, s.name, s.shape, s.allocations*eventsPerAllocation, s.live)
	if err != nil {
		return nil, err
	}
	report := filepath.Join(w.dir, s.name+".html")
	_, err = measure(ctx, w.memviz, "trace", "-o", report, snapshot)
	os.Remove(snapshot)
	if err != nil {
		return nil, err
	}
	defer os.Remove(report)
	info, err := os.Stat(report)
	if err != nil {
		return nil, err
	}
	p := &shownPage{scene: s, html: info.Size(), samples: samples{}}
	if err := visit(browser, report, func(*tab) error { return nil }); err != nil {
		return nil, err // the first visit is to a cold browser and does not count
	}
	for run := range runs {
		w.say("run %d of %d: %s", run+1, runs, s.name)
		if err := visit(browser, report, func(t *tab) error { return t.use(p.samples) }); err != nil {
			return nil, err
		}
	}
	return p, nil
}
