// Package pkg_test holds the shape of the whole repository: which package may
// import which, and what stands at the top.
package pkg_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/memviz-go/memviz/"

// arrows are the imports between our packages that the design allows. A
// package may also import what the packages it imports may.
var arrows = map[string][]string{
	"pkg/units":              {},
	"pkg/internal/ranges":    {},
	"pkg/internal/space":     {},
	"pkg/internal/pickle":    {},
	"pkg/internal/container": {"pkg/internal/pickle", "pkg/units"},
	"pkg/snapshot":           {"pkg/internal/container"},
	"pkg/replay":             {"pkg/snapshot", "pkg/internal/ranges"},
	"pkg/allocator":          {"pkg/snapshot"},
	"pkg/whatif":             {"pkg/analysis"},
	"pkg/whatif/predict":     {"pkg/whatif"},
	"pkg/whatif/measures":    {"pkg/whatif"},
	"pkg/internal/sqlite":    {},

	"pkg/analysis/stacks":   {"pkg/snapshot"},
	"pkg/analysis/timeline": {"pkg/replay", "pkg/analysis/stacks"},
	"pkg/analysis/families": {"pkg/analysis/timeline"},
	"pkg/analysis/steps":    {"pkg/analysis/timeline"},
	"pkg/analysis/modules":  {"pkg/analysis/timeline"},
	"pkg/analysis/peaks":    {"pkg/analysis/families", "pkg/analysis/steps"},
	"pkg/analysis/leaks":    {"pkg/analysis/families", "pkg/analysis/steps"},
	"pkg/analysis/layout":   {"pkg/replay", "pkg/allocator", "pkg/internal/ranges"},
	"pkg/analysis/oom":      {"pkg/analysis/layout"},
	"pkg/analysis/holders":  {"pkg/analysis/families", "pkg/analysis/modules", "pkg/analysis/layout"},
	"pkg/analysis/compare":  {"pkg/analysis/families", "pkg/analysis/steps"},
	"pkg/analysis": {"pkg/analysis/leaks", "pkg/analysis/peaks", "pkg/analysis/oom", "pkg/analysis/holders",
		"pkg/analysis/compare"},

	"pkg/testsnap":            {"pkg/replay", "pkg/allocator", "pkg/units"},
	"pkg/testsnap/recorded":   {"pkg/job", "pkg/testsnap", "pkg/testsnap/testkit"},
	"pkg/testsnap/testkit":    {},
	"pkg/testsnap/typescript": {"pkg/testsnap/testkit"},
	"pkg/testsnap/answertest": {"pkg/answer", "pkg/testsnap/testkit"},

	"pkg/answer/sheet":    {"pkg/units"},
	"pkg/answer/phrase":   {"pkg/answer/sheet", "pkg/snapshot"},
	"pkg/answer/trust":    {"pkg/answer/phrase", "pkg/analysis"},
	"pkg/answer":          {"pkg/answer/trust"},
	"pkg/answer/top":      {"pkg/answer"},
	"pkg/answer/segments": {"pkg/answer"},
	"pkg/answer/events":   {"pkg/answer"},
	"pkg/answer/diff":     {"pkg/answer"},
	"pkg/answer/whatif":   {"pkg/answer/top", "pkg/whatif/measures"},
	"pkg/answer/predict":  {"pkg/answer", "pkg/whatif/predict"},
	"pkg/answer/oom":      {"pkg/answer/top", "pkg/answer/whatif"},
	"pkg/answer/leaks":    {"pkg/answer/oom"},
	"pkg/answer/stats":    {"pkg/answer/oom"},
	"pkg/answer/strip":    {"pkg/answer/leaks", "pkg/answer/stats"},
	"pkg/answer/ranks":    {"pkg/answer", "pkg/job"},
	"pkg/answer/inspect":  {"pkg/answer", "pkg/redact"},

	"pkg/redact":              {"pkg/analysis"},
	"pkg/job":                 {"pkg/redact", "pkg/units"},
	"templates":               {},
	"examples":                {},
	"assets":                  {},
	"pkg/report/frame":        {"templates", "assets"},
	"pkg/report/recording":    {"pkg/answer/strip", "pkg/report/frame"},
	"pkg/report/codec":        {"pkg/report/recording", "pkg/internal/space"},
	"pkg/report/compare":      {"pkg/answer/diff", "pkg/report/codec"},
	"pkg/report/job":          {"pkg/answer/ranks", "pkg/report/recording"},
	"pkg/report":              {"pkg/answer/inspect", "pkg/report/compare"},
	"pkg/export":              {"pkg/answer/events", "pkg/answer/segments", "pkg/internal/sqlite"},
	"pkg/report/pagetest":     {},
	"pkg/memviz":              {"pkg/report"},
	"cmd/memviz":              {"pkg/memviz", "pkg/export", "pkg/answer/top", "pkg/answer/predict", "pkg/report/job"},
	"cmd/memviz-gen":          {"pkg/report", "pkg/job", "pkg/testsnap", "examples"},
	"cmd/memviz-bench":        {"pkg/units"},
	"cmd/internal/build":      {},
	"cmd/internal/components": {"cmd/internal/build"},
	"cmd/memviz-release":      {"cmd/internal/components"},
	"cmd/memviz-gallery":      {"pkg/report"},
	"cmd/memviz-wheel":        {"cmd/internal/components"},
}

// owners are the packages that alone may import a library.
var owners = map[string][]string{
	"github.com/nlpodyssey/gopickle":  {"pkg/internal/pickle", "cmd/memviz-bench"},
	"github.com/klauspost/compress":   {"pkg/internal/container", "pkg/report/codec", "assets"},
	"github.com/cheggaaa/pb/v3":       {"cmd/memviz"},
	"github.com/jedib0t/go-pretty/v6": {"pkg/answer/sheet", "pkg/answer/events", "cmd/memviz-bench"},
	"golang.org/x/term":               {"cmd/memviz"},
	"github.com/xrash/smetrics":       {"pkg/answer"},
	"github.com/google/pprof":         {"pkg/export"},
	"github.com/chromedp/chromedp":    {"cmd/memviz-bench"},
	"github.com/go-echarts/go-echarts/v2": {"pkg/report/frame", "pkg/report/recording", "pkg/report/compare",
		"pkg/report/job"},
	"golang.org/x/net":                  {"pkg/report"},
	"github.com/google/licensecheck":    {"cmd/internal/components"},
	"github.com/CycloneDX/cyclonedx-go": {"cmd/memviz-release"},
	"github.com/urfave/cli/v2":          {"cmd/memviz", "cmd/memviz-gen", "cmd/memviz-bench"},
	module + "templates":                {"pkg/report/frame"},
	module + "assets": {"pkg/report/frame", "pkg/report/recording", "pkg/report/compare",
		"pkg/report/job", "cmd/memviz-gallery"},
	module + "examples": {"cmd/memviz-gen"},

	"github.com/modelcontextprotocol/go-sdk": {"cmd/memviz"},
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for file, imports := range importsOf(t) {
		pkg := path.Dir(file)
		allowed, known := arrows[pkg]
		if !known {
			if pkg != "pkg" {
				t.Errorf("%s: the package %s is not in the table of arrows", file, pkg)
			}
			continue
		}
		seen[pkg] = true
		if strings.HasSuffix(file, "_test.go") {
			continue // tests may look at everything
		}
		for _, imported := range imports {
			if ours, ok := strings.CutPrefix(imported, module); ok && !reaches(allowed, ours) {
				t.Errorf("%s imports %s against the arrows", file, ours)
			}
			for library, packages := range owners {
				if (imported == library || strings.HasPrefix(imported, library+"/")) &&
					!slices.Contains(packages, pkg) {
					t.Errorf("%s imports %s, which belongs to %v", file, library, packages)
				}
			}
		}
	}
	for pkg := range arrows {
		if !seen[pkg] {
			t.Errorf("the table of arrows names %s, which has no Go files", pkg)
		}
	}
}

// derivations are the functions that only analysis.Recording may call, so that each
// result is derived once.
var derivations = map[string][]string{
	"stacks":   {"Read", "ActivitiesOf"},
	"timeline": {"FindAnnotations", "FindPhases"},
	"families": {"Find"},
	"modules":  {"Find"},
	"steps":    {"Find"},
	"leaks":    {"Find", "FindCycles"},
	"layout":   {"New", "SettingsOf", "FindPools"},
	"oom":      {"Find"},
}

func TestDerivations(t *testing.T) {
	found := 0
	for file, imports := range importsOf(t) {
		if strings.HasSuffix(file, "_test.go") || !slices.ContainsFunc(imports, func(path string) bool {
			return strings.HasPrefix(path, module+"pkg/analysis/")
		}) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := call.X.(*ast.Ident); ok && slices.Contains(derivations[pkg.Name], call.Sel.Name) {
				found++
				if file != "pkg/analysis/analysis.go" {
					t.Errorf("%s calls %s.%s, which is for analysis.Recording alone", file, pkg.Name, call.Sel.Name)
				}
			}
			return true
		})
	}
	if found == 0 {
		t.Error("nothing is derived")
	}
}

func reaches(from []string, to string) bool {
	for _, pkg := range from {
		if pkg == to || reaches(arrows[pkg], to) {
			return true
		}
	}
	return false
}

// importsOf are the imports of every Go file, by its slashed path.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != ".." || entry.Name() == "node_modules" ||
			entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files[rel] = []string{}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			files[rel] = append(files[rel], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go files were found")
	}
	return files
}

func TestTopLevel(t *testing.T) {
	allowed := []string{"cmd", "pkg", "templates", "assets", "examples", "bin", "go.mod", "go.sum", "Makefile",
		"LICENSE",
		"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") && !slices.Contains(allowed, entry.Name()) {
			t.Errorf("%s does not belong at the top", entry.Name())
		}
	}
}
