package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/container"
	"github.com/memviz-go/memviz/pkg/units"
)

// source is a file to read a snapshot from.
type source struct {
	path  string
	found bool // in a directory: nobody said that it is a snapshot
}

func pathsOf(list []source) []string {
	paths := make([]string, len(list))
	for i, s := range list {
		paths[i] = s.path
	}
	return paths
}

// search collects files, and what it came across that is no snapshot.
type search struct {
	sources []source
	skipped []string // path and what it is
}

// sourcesOf are the files that a command was given. A directory stands for the
// snapshots in it and below, in natural order.
func sourcesOf(c *cli.Context) (*search, error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		return nil, misused(c, "no snapshot was named")
	}
	if i := slices.Index(args, stdinName); i >= 0 && slices.Contains(args[i+1:], stdinName) {
		return nil, misused(c, "standard input can be read once, and - is named twice")
	}
	s := &search{}
	for _, arg := range args {
		if err := s.add(arg); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add takes a file as it is, and looks into a directory.
func (s *search) add(arg string) error {
	if info, err := os.Stat(arg); arg == stdinName || err != nil || !info.IsDir() {
		s.sources = append(s.sources, source{path: arg})
		return nil
	}
	in := search{}
	if err := in.look(arg); err != nil {
		return err
	}
	if len(in.sources) == 0 {
		return in.nothing(arg)
	}
	slices.SortFunc(in.sources, func(a, b source) int { return compare.Natural(a.path, b.path) })
	s.sources = append(s.sources, in.sources...)
	s.skipped = append(s.skipped, in.skipped...)
	return nil
}

// nothing says what was found in a directory without snapshots.
func (s *search) nothing(dir string) error {
	if len(s.skipped) == 0 {
		return fmt.Errorf("%s holds no snapshots: it holds no files at all", dir)
	}
	return fmt.Errorf("%s holds no snapshots, but %s", dir, listed(s.skipped))
}

// look goes through a directory and what is below it, but for what is hidden.
func (s *search) look(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return plainly(err)
		}
		if hidden := strings.HasPrefix(entry.Name(), ".") && path != dir; hidden && entry.IsDir() {
			return fs.SkipDir
		} else if hidden {
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		kind, err := sniff(path)
		switch {
		case err == nil && !kind.Holds():
			s.skip(path, kind.String())
		case kind == container.VizPage && besideItsSnapshot(path):
			s.skip(path, kind.String())
		default: // reading it says what is wrong
			s.sources = append(s.sources, source{path, true})
		}
		return nil
	})
}

// sniff is what a file is. Of a page with a snapshot in it that is a page.
func sniff(path string) (container.Kind, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	payload, err := container.Open(container.Source{Reader: f, At: f, Size: info.Size()}, container.Limits{})
	var not *container.NotSnapshotError
	switch {
	case errors.As(err, &not):
		return not.Kind, nil
	case err != nil:
		return 0, err
	case slices.Contains(payload.Layers, container.VizPage):
		return container.VizPage, nil
	}
	return payload.Kind, nil
}

// besideItsSnapshot reports whether a page stands beside a pickle of its name,
// as Composer writes both.
func besideItsSnapshot(path string) bool {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, extension := range []string{".pickle", ".pkl"} {
		if _, err := os.Stat(stem + extension); err == nil {
			return true
		}
	}
	return false
}

// skip notes a file that is no snapshot.
func (s *search) skip(path, what string) {
	what, _, _ = strings.Cut(what, ",") // the rest explains it
	s.skipped = append(s.skipped, fmt.Sprintf("%s (%s)", path, what))
}

// say tells in one line what was skipped.
func (s *search) say(stderr io.Writer) {
	if len(s.skipped) > 0 {
		complain(stderr, fmt.Sprintf("skipped %s: %s",
			units.Plural(len(s.skipped), "file that is no snapshot", "files that are no snapshots"), listed(s.skipped)))
	}
}

// maxListed bounds how many files are named in a line.
const maxListed = 3

func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}

// plainly says what went wrong with which path, without the name of a call.
func plainly(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fmt.Errorf("%s: %w", pathErr.Path, pathErr.Err)
	}
	return err
}
