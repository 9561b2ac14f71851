package assets

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "rewrite dist/")

// budget bounds, in bytes, the scripts and styles of a report without the chart
// library.
const budget = 150 << 10

// TestDist makes dist/ again and compares it with what is committed.
func TestDist(t *testing.T) {
	for _, options := range bundles(t) {
		result := api.Build(options)
		for _, e := range result.Errors {
			t.Errorf("%s: %s", options.EntryPoints, e.Text)
		}
		for _, out := range result.OutputFiles {
			if *update {
				if err := os.WriteFile(options.Outfile, out.Contents, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			committed, err := os.ReadFile(options.Outfile)
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(committed, out.Contents) {
				t.Errorf("%s is not what its sources give; run: go generate ./assets/", options.Outfile)
			}
		}
	}
}

// TestBudget: a page that people send each other stays small.
func TestBudget(t *testing.T) {
	sum := len(Viewer) + len(Theme) + len(Styles)
	t.Logf("scripts %d, styles %d, together %d of %d bytes", len(Viewer)+len(Theme), len(Styles), sum, budget)
	if sum > budget {
		t.Errorf("scripts and styles have %d bytes, %d more than the budget", sum, sum-budget)
	}
}

// TestInline: scripts and styles stand inline in a page, where "</script" or
// "<!--" would end or change them, and run under a policy without eval.
func TestInline(t *testing.T) {
	texts := map[string]string{"viewer.js": Viewer, "theme.js": Theme, "echarts.min.js": ECharts, "viewer.css": Styles}
	for name, text := range texts {
		if len(text) == 0 {
			t.Errorf("%s is empty", name)
		}
		lower := strings.ToLower(text)
		for _, bad := range []string{"</script", "<script", "</style", "<!--", "eval(", "new function", "@import"} {
			if strings.Contains(lower, bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
}

// TestSinks: what a snapshot says becomes text, never markup.
func TestSinks(t *testing.T) {
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
		"createContextualFragment", `setAttribute("style"`, "srcdoc"} {
		if strings.Contains(Viewer, bad) {
			t.Errorf("the viewer uses %s", bad)
		}
	}
}
