package main

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// inputs reads the snapshots that a command was given, and prepares each as the
// command needs it.
func inputs(c *cli.Context, prepare func(name string, s *snapshot.Snapshot) report.Input) ([]report.Input, error) {
	paths := c.Args().Slice()
	if len(paths) == 0 {
		return nil, &usageError{what: "no snapshot was named", command: c.Command.Name}
	}
	names := displayNames(paths)
	in := make([]report.Input, 0, len(paths))
	for i, path := range paths {
		s, err := snapshot.Open(path)
		if err != nil {
			return nil, err
		}
		in = append(in, prepare(names[i], s))
	}
	return in, nil
}

// displayNames are the base names of files, with as many of their folders as
// it takes to tell them apart. Whole paths stay out of reports, because reports
// are passed on.
func displayNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	for range 16 {
		times := map[string]int{}
		for _, name := range names {
			times[name]++
		}
		again := false
		for i, name := range names {
			if longer := withParent(paths[i], name); times[name] > 1 && longer != name {
				names[i], again = longer, true
			}
		}
		if !again {
			break
		}
	}
	return names
}

// withParent puts one more folder of path in front of name, its end.
func withParent(path, name string) string {
	path, name = filepath.Clean(path), filepath.FromSlash(name)
	if len(path) <= len(name) {
		return name
	}
	parent := filepath.Base(path[:len(path)-len(name)])
	if parent == string(filepath.Separator) || parent == "." || parent == ".." {
		return name
	}
	return fmt.Sprintf("%s/%s", parent, filepath.ToSlash(name))
}
