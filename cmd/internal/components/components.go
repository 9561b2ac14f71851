// Package components finds the third-party code in memviz and its licences: Go modules,
// Go's standard library, and the scripts in the page.
package components

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/cmd/internal/build"
)

// Component is third-party code in a memviz binary.
type Component struct {
	Name, Version string   // of a Go module, or of a package of npm
	URL           string   // a package URL, as in pkg:golang/golang.org/x/sys@v0.1.0
	Sum           string   // in hexadecimal; empty if unknown
	SumAlgorithm  string   // SHA-256 of a Go module, as in go.sum, or SHA-512
	Licences      []string // SPDX identifiers, sorted
	Uses          []string // URLs of the components that it imports, sorted

	texts []licenceText
}

// Find returns memviz itself, and the components of the binaries of all targets by URL.
func Find(ctx context.Context, source *build.Source, targets []build.Target) (memviz *Component,
	others []*Component, err error) {
	modules := map[string]*Component{}
	for _, t := range targets {
		if err := addModules(ctx, source, t, modules); err != nil {
			return nil, nil, err
		}
	}
	memviz = modules[build.Module]
	delete(modules, build.Module)
	std, err := standardLibrary(ctx, source, targets[0])
	if err != nil {
		return nil, nil, err
	}
	others, err = pageComponents(source)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range others {
		if c.Name == "echarts" {
			memviz.Uses = append(memviz.Uses, c.URL)
		}
	}
	memviz.Uses = append(memviz.Uses, std.URL)
	slices.Sort(memviz.Uses)
	others = append(slices.AppendSeq(others, maps.Values(modules)), std)
	slices.SortFunc(others, func(a, b *Component) int { return cmp.Compare(a.URL, b.URL) })
	for _, c := range append(others, memviz) {
		if err := c.identify(); err != nil {
			return nil, nil, err
		}
	}
	return memviz, others, nil
}

// Notices returns the licences of all components as one text.
func Notices(components []*Component) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "memviz holds code of %d others. These are their licences.\n", len(components))
	line := strings.Repeat("=", 80)
	for _, c := range components {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n", line, strings.TrimSpace(c.Name+" "+c.Version), line)
		for _, text := range c.texts {
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", text.name, text.text)
		}
	}
	return b.Bytes()
}
