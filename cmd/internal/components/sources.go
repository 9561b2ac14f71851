package components

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/cmd/internal/build"
)

// listedPackage is the part of a package's go list -json output that is needed.
type listedPackage struct {
	Dir, ImportPath string
	Imports         []string
	Module          *struct {
		Path, Version, Sum, Dir string
	}
}

// addModules adds the modules whose packages are in a binary, by path. Licences are
// taken from the module's root and from the folders of its packages in the binary.
func addModules(ctx context.Context, source *build.Source, t build.Target, modules map[string]*Component) error {
	out, err := source.Go(ctx, t, "list", "-deps", "-json=Dir,ImportPath,Imports,Module", build.Command)
	if err != nil {
		return err
	}
	moduleOf := map[string]*Component{}
	var packages []*listedPackage
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		p := &listedPackage{}
		if err := decoder.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		packages = append(packages, p)
		if p.Module == nil { // of the standard library
			continue
		}
		c := modules[p.Module.Path]
		if c == nil {
			version := cmp.Or(p.Module.Version, "v"+source.Version)
			c = &Component{Name: p.Module.Path, Version: version, URL: "pkg:golang/" + p.Module.Path + "@" + version}
			if sum, ok := strings.CutPrefix(p.Module.Sum, "h1:"); ok {
				if c.Sum, err = hexOf(sum); err != nil {
					return err
				}
				c.SumAlgorithm = "SHA-256"
			}
			modules[p.Module.Path] = c
		}
		moduleOf[p.ImportPath] = c
		if err := c.addTexts(p.Module.Dir, p.Dir); err != nil {
			return err
		}
	}
	for _, p := range packages {
		from := moduleOf[p.ImportPath]
		for _, imported := range p.Imports {
			if to := moduleOf[imported]; from != nil && to != nil && to != from && !slices.Contains(from.Uses, to.URL) {
				from.Uses = append(from.Uses, to.URL)
				slices.Sort(from.Uses)
			}
		}
	}
	return nil
}

// standardLibrary is the component of Go's standard library.
func standardLibrary(ctx context.Context, source *build.Source, t build.Target) (*Component, error) {
	out, err := source.Go(ctx, t, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if version != runtime.Version() { // the licence is read from this GOROOT
		return nil, fmt.Errorf("go env says %s, and this is %s", version, runtime.Version())
	}
	c := &Component{Name: "std", Version: strings.TrimPrefix(version, "go")}
	c.URL = "pkg:golang/std@" + c.Version
	return c, c.addTexts(root, root)
}

// pageComponents are the parts of assets/echarts, which are in each report.
func pageComponents(source *build.Source) ([]*Component, error) {
	dir := filepath.Join(source.Dir, "assets", "echarts")
	checksums, err := os.ReadFile(filepath.Join(dir, "CHECKSUMS"))
	if err != nil {
		return nil, err
	}
	versions := map[string]*Component{}
	for line := range strings.Lines(string(checksums)) {
		sum, item, _ := strings.Cut(strings.TrimSpace(line), "  ")
		name, version, _ := strings.Cut(item, "@")
		if sum, ok := strings.CutPrefix(sum, "sha512-"); ok && name != "" {
			c := &Component{Name: name, Version: version, URL: "pkg:npm/" + item, SumAlgorithm: "SHA-512"}
			if c.Sum, err = hexOf(sum); err != nil {
				return nil, err
			}
			versions[name] = c
		}
	}
	// ECharts contains code of d3 without naming a version.
	versions["d3"] = &Component{Name: "d3", URL: "pkg:npm/d3"}
	var components []*Component
	for name, files := range map[string][]string{
		"echarts": {"LICENSE", "NOTICE"}, "zrender": {"LICENSE-zrender"}, "tslib": {"LICENSE-tslib"},
		"d3": {"LICENSE-d3"},
	} {
		c := versions[name]
		if c == nil {
			return nil, fmt.Errorf("assets/echarts/CHECKSUMS does not have %s", name)
		}
		for _, file := range files {
			if err := c.addText(dir, filepath.Join(dir, file)); err != nil {
				return nil, err
			}
		}
		if name == "echarts" {
			c.Uses = []string{versions["d3"].URL, versions["tslib"].URL, versions["zrender"].URL}
		}
		components = append(components, c)
	}
	return components, nil
}

func hexOf(encoded string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	return hex.EncodeToString(raw), err
}
