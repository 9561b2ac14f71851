package assets

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// bundles says how each file of dist/ is made.
func bundles(t *testing.T) []api.BuildOptions {
	file := func(from, to string) api.BuildOptions {
		return api.BuildOptions{
			EntryPoints: []string{"viewer/" + from}, Outfile: "dist/" + to, Target: api.ES2022,
			Charset:          api.CharsetUTF8,
			MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		}
	}
	viewer := file("main.js", "viewer.js")
	viewer.Bundle, viewer.Format = true, api.FormatIIFE
	viewer.Inject = []string{"viewer/short.js"}
	viewer.MangleProps = "^(" + strings.Join(mangled(t), "|") + ")$"
	styles := file("viewer.css", "viewer.css")
	styles.Target = api.DefaultTarget // nested rules stay nested
	return []api.BuildOptions{viewer, file("theme.js", "theme.js"), styles}
}

// mangled are the names of properties that the bundle shortens.
func mangled(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("viewer/mangled.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// TestMangled: only names that nobody outside of the viewer's modules knows may
// be shortened. pkg/report tests that no report has one of them as a key, and
// cmd/memviz that no browser does.
func TestMangled(t *testing.T) {
	known := map[string]bool{}
	for _, name := range mangled(t) {
		if known[name] || !regexp.MustCompile(`^[a-z][A-Za-z]+$`).MatchString(name) {
			t.Errorf("%q is listed twice, or is no name", name)
		}
		known[name] = true
		// A name in quotes may be a key.
		if strings.Contains(Viewer, strconv.Quote(name)) || strings.Contains(Viewer, "`"+name+"`") {
			t.Errorf("%q is a text of the viewer", name)
		}
		if regexp.MustCompile(`[{,]` + name + `:`).MatchString(Viewer) {
			t.Errorf("%q is still a key in dist/viewer.js", name)
		}
	}
}
