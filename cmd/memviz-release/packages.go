package main

import (
	"embed"
	"io"
	"slices"
	"text/template"

	"github.com/memviz-go/memviz/cmd/internal/build"
)

// recipes are templates of package managers' files, executed with a recipe.
//
//go:embed recipes
var recipes embed.FS

type recipe struct {
	Version     string
	LinkerFlags string
	Page        string // of the project
	Downloads   string // where the files of this release will be
	Source      archive
	Systems     []*system
}

// system has the binaries for macOS or Linux, under Homebrew's names.
type system struct {
	Block    string
	Archives []archive
}

type archive struct {
	Block string // of a processor in a formula
	Name  string
	Sum   string // SHA-256
}

// writePackages writes the files that package managers build a package from.
func writePackages(source *build.Source, targets []build.Target, files *folder) error {
	parsed, err := template.New("").Delims("[[", "]]").ParseFS(recipes, "recipes/*")
	if err != nil {
		return err
	}
	page := "https://" + build.Module
	r := &recipe{
		Version: source.Version, LinkerFlags: source.LinkerFlags(), Page: page,
		Downloads: page + "/releases/download/v" + source.Version,
		Source:    archive{Name: sourceName(source), Sum: files.sums[sourceName(source)]},
	}
	for _, os := range []struct{ name, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		block := &system{Block: os.block}
		for _, cpu := range []struct{ name, block string }{{"arm64", "on_arm"}, {"amd64", "on_intel"}} {
			t := build.Target{OS: os.name, Arch: cpu.name}
			if name := archiveName(source, t); slices.Contains(targets, t) {
				block.Archives = append(block.Archives, archive{cpu.block, name, files.sums[name]})
			}
		}
		r.Systems = append(r.Systems, block)
	}
	for _, t := range parsed.Templates() {
		if err := files.write(t.Name(), func(w io.Writer) error { return t.Execute(w, r) }); err != nil {
			return err
		}
	}
	return nil
}
