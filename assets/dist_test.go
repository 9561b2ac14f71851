package assets

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/evanw/esbuild/pkg/cli"
)

// TestDist runs what "go generate" runs and compares with what is committed.
func TestDist(t *testing.T) {
	source, err := os.ReadFile("assets.go")
	if err != nil {
		t.Fatal(err)
	}
	built := 0
	for line := range strings.Lines(string(source)) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:generate go tool esbuild ")
		if !ok {
			continue
		}
		options, err := cli.ParseBuildOptions(strings.Fields(args))
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		options.Write = false
		result := api.Build(options)
		for _, e := range result.Errors {
			t.Errorf("%s: %s", options.EntryPoints, e.Text)
		}
		for _, out := range result.OutputFiles {
			committed, err := os.ReadFile(options.Outfile)
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(committed, out.Contents) {
				t.Errorf("%s is not what its sources give; run: go generate ./assets/", options.Outfile)
			}
			built++
		}
	}
	if built != 3 {
		t.Errorf("%d files were built, want 3", built)
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
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "createContextualFragment", `setAttribute("style"`, "srcdoc"} {
		if strings.Contains(Viewer, bad) {
			t.Errorf("the viewer uses %s", bad)
		}
	}
}
