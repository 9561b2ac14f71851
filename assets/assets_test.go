package assets

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "rewrite dist/")

// bundle returns the contents of dist/. Names stay as they are, so that the scripts can be
// read in a browser's developer tools.
func bundle(t *testing.T) map[string][]byte {
	t.Helper()
	build := func(entry string, options api.BuildOptions) []byte {
		options.EntryPoints = []string{entry}
		options.Bundle, options.Charset = true, api.CharsetUTF8
		options.MinifyWhitespace, options.MinifySyntax = true, true
		result := api.Build(options)
		for _, e := range result.Errors {
			t.Fatalf("%s: %s", entry, e.Text)
		}
		return result.OutputFiles[0].Contents
	}
	files := map[string][]byte{"dist/summary.css": build("viewer/summary.css", api.BuildOptions{})}
	for name, page := range pages {
		files["dist/"+name+".js"] = build(page.script,
			api.BuildOptions{Target: api.ES2022, Format: api.FormatIIFE, GlobalName: "memvizViewer"})
		files["dist/"+name+".css"] = build(page.styles, api.BuildOptions{}) // nested rules stay nested
	}
	return files
}

// pages are the kinds of pages by the name of their files in dist/, with the entry points
// of their modules and styles.
var pages = map[string]struct {
	script, styles string
	page           *Page
}{
	"viewer":  {"viewer/recording/main.js", "viewer/recording/recording.css", &Recording},
	"compare": {"viewer/compare/main.js", "viewer/compare/compare.css", &Compare},
	"job":     {"viewer/job/main.js", "viewer/job/job.css", &Job},
}

// TestDist compares dist/ with its sources, and writes it with -update.
func TestDist(t *testing.T) {
	for name, want := range bundle(t) {
		got, err := os.ReadFile(name)
		if err == nil && bytes.Equal(got, want) {
			continue
		}
		if !*update {
			t.Errorf("%s differs from its sources; run: go generate ./assets", name)
			continue
		}
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPack(t *testing.T) {
	for _, text := range []string{"", "a", Recording.Viewer} {
		if got := inflate(t, Pack(text)); string(got) != text {
			t.Errorf("%d bytes come back as %d others", len(text), len(got))
		}
	}
}

// inflate reads DEFLATE with the standard library, which shares no code with [Pack].
func inflate(t *testing.T, packed []byte) []byte {
	t.Helper()
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestScripts: scripts become inline scripts, where "</script" or "<!--" would end
// or change them, and run under a policy without eval. Text from a snapshot becomes
// text, never markup.
func TestScripts(t *testing.T) {
	scripts := map[string]string{"summary.css": SummaryStyles, "theme.js": Theme, "loader.js": Loader}
	ours := Loader
	for name, p := range pages {
		ours += p.page.Viewer
		scripts[name+".js"], scripts[name+".css"] = p.page.Viewer, p.page.Styles
		scripts["echarts of "+name] = string(inflate(t, p.page.ECharts))
	}
	for name, text := range scripts {
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
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
		"createContextualFragment", `setAttribute("style"`, "srcdoc"} {
		if strings.Contains(ours, bad) {
			t.Errorf("a viewer uses %s", bad)
		}
	}
}

func TestEChartsChecksum(t *testing.T) {
	f, err := os.Open("echarts/CHECKSUMS")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sums := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 {
			sums[fields[1]] = fields[0]
		}
	}
	bundles := map[string][]byte{"echarts.min.js": inflate(t, Recording.ECharts),
		"echarts.job.min.js": inflate(t, Job.ECharts)}
	for name, bundle := range bundles {
		sum := sha256.Sum256(bundle)
		if got, want := hex.EncodeToString(sum[:]), sums[name]; got != want {
			t.Errorf("sha256 of %s is %s, CHECKSUMS has %q; see echarts/README.md", name, got, want)
		}
	}
	var versions []string
	for name := range sums {
		if version, ok := strings.CutPrefix(name, "echarts@"); ok {
			versions = append(versions, version)
		}
	}
	for name, bundle := range bundles {
		if len(versions) != 1 || !bytes.Contains(bundle, []byte(`"`+versions[0]+`"`)) {
			t.Errorf("CHECKSUMS has the versions %q, and %s is of another", versions, name)
		}
	}
}

func TestEChartsLicences(t *testing.T) {
	for _, page := range []*Page{&Recording, &Job} {
		head := string(inflate(t, page.ECharts)[:4096])
		if !strings.Contains(head, "Apache ECharts") || !strings.Contains(head, "BSD 3-Clause") {
			t.Error("a bundle does not begin with its notices")
		}
	}
	for name, holder := range map[string]string{
		"LICENSE":         "Apache License",
		"NOTICE":          "The Apache Software Foundation",
		"LICENSE-d3":      "Mike Bostock",
		"LICENSE-zrender": "Baidu",
		"LICENSE-tslib":   "Microsoft",
	} {
		text, err := os.ReadFile(filepath.Join("echarts", name))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), holder) {
			t.Errorf("%s does not name %s", name, holder)
		}
	}
}

// TestViewer runs the viewer's own tests, which need node.
func TestViewer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, so the viewer's JavaScript tests cannot run")
	}
	tests, err := filepath.Glob("viewer/test/*.test.js")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests found (%v)", err)
	}
	for i := range tests {
		tests[i] = "test/" + filepath.Base(tests[i])
	}
	cmd := exec.Command(node, append([]string{"--test", "--test-reporter=tap"}, tests...)...)
	cmd.Dir = "viewer"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
	if n := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindSubmatch(out); n == nil || string(n[1]) == "0" {
		t.Errorf("no test ran:\n%s", out)
	}
}
