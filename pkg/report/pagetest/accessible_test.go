package pagetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// axeCore is the source of axe-core, which npm installs ("make lint-viewer"). Without
// it the test is skipped, or fails where there has to be a browser.
func axeCore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(testkit.Root(t), "assets", "viewer", "node_modules", "axe-core", "axe.min.js")
	source, err := os.ReadFile(path)
	if err != nil && os.Getenv("MEMVIZ_NEED_BROWSER") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violations are what axe-core finds by some rules, with where.
const violations = `axe.run(document, {resultTypes: ['violations'], runOnly: [%s]}).then((r) =>
	r.violations.map((v) => v.id + ' at ' + v.nodes.slice(0, 5).map((n) => n.target.join(' ') + ' (' +
	(n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? '') + ')').join('; ')))`

// The rules that are looked at, and those of them that depend on colours.
const (
	allRules    = `'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'`
	colourRules = `'color-contrast', 'link-in-text-block'`
)

// emulate has the browser say that the person prefers something, and nothing else.
func (p *page) emulate(feature, value string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}}}); err != nil {
		p.t.Fatal(err)
	}
}

// forceColors has the page shown in colours of the person's own choice.
func (p *page) forceColors() { p.emulate("forced-colors", "active") }

// requireAccessible fails for what axe-core, which has been loaded, finds in a look of the page.
func (p *page) requireAccessible(look, rules string) {
	p.t.Helper()
	p.rest()
	for _, violation := range eval[[]string](p, violations, rules) {
		p.t.Errorf("%s: %s", look, violation)
	}
}

// TestAccessible: axe-core finds nothing, in both themes and in colours of the person's
// own choice, in whatever the page shows.
func TestAccessible(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	oom := exampleReport(t, "out-of-memory")
	ranks := makeReport(t, filepath.Join(testkit.Root(t), "examples", "data-parallel", "rank0.pickle.gz"))
	hashes := map[string]string{
		"a pinned segment": "&v=map&at=7600&seg=5",
		"every event":      "&tab=events&at=8100&q=optimizer",
		"the allocator":    "&v=map&tab=allocator&at=7600",
		"against moment A": "&a=3000&at=4000",
		"with a measure":   "&m=checkpoint&v=map",
		"a rank":           "rank=5",
	}
	for name, page := range map[string]struct {
		report string
		keys   string
		width  int64
	}{
		"with an OOM":         {oom, "", 1440},
		"with a pinned stack": {oom, "\u001b3s", 1440},
		"what keeps growing":  {exampleReport(t, "leaking-loss"), "2", 1440},
		"many families":       {ranks, "h", 1440},
		"the list of keys":    {oom, "?", 1440},
		"how to read it":      {oom, "w", 1440},
		"a search":            {oom, "/model.py\r", 1440},
		"on a phone":          {oom, "", 390},
		"without a history":   {situationReport(t, ""), "", 1024},
		"a pinned segment":    {oom, "", 1440},
		"every event":         {oom, "", 1440},
		"the allocator":       {oom, "", 1024},
		"against moment A":    {oom, "", 1024},
		"with a measure":      {oom, "", 1024},
		"what changed":        {storyPage(t, "checkpointing"), "2", 1440},
		"compared on a phone": {storyPage(t, "checkpointing"), "2", 390},
		"ranks":               {jobReport(t, 1024), "", 1440},
		"a rank":              {jobReport(t, 8), "", 1440},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openSized(t, page.report, hashes[name], page.width, 900)
			plot(p)
			p.typed(page.keys)
			eval[any](p, "%s\nnull", source)
			p.requireAccessible("light", allRules)
			p.emulate("prefers-color-scheme", "dark")
			p.until("document.documentElement.dataset.theme === 'dark'")
			p.requireAccessible("dark", colourRules)
			p.forceColors()
			p.until("document.documentElement.dataset.theme === 'light'")
			p.requireAccessible("forced colours", colourRules)
		})
	}
}
