package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/export"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// source is a file to read.
type source struct {
	path  string
	found bool // in a directory, so nobody said that it is a snapshot
}

// sources are the files that the arguments of a command stand for, and the ones that were skipped.
type sources struct {
	first   string // argument, with patterns expanded
	files   []source
	skipped []string // path and what it is
	reports []source // in a directory, which count if it holds no snapshots
	digests []source // likewise

	takesDigests bool // the command does
	fence        *fence
}

// findSources lists the files that arguments stand for: a pattern such as rank*.pickle, which
// a shell may have left alone, for the files with such names; a directory for the snapshots in
// it and below, in natural order, or if there are none, for the reports. Where digests are
// taken, those come before reports.
func findSources(t *terminal, args []string, takesDigests bool) (*sources, error) {
	s := &sources{takesDigests: takesDigests, fence: t.fence}
	args, err := expandPatterns(s.fence, args)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, misuse("no snapshot was named")
	}
	if i := slices.Index(args, stdinName); i >= 0 && slices.Contains(args[i+1:], stdinName) {
		return nil, misuse("standard input can be read once, and - is named twice")
	}
	s.first = args[0]
	for _, arg := range args {
		if info, err := os.Stat(arg); arg != stdinName && err != nil {
			return nil, fmt.Errorf("%s: %w", arg, bare(err))
		} else if arg == stdinName || !info.IsDir() {
			s.files = append(s.files, source{path: arg})
		} else if err := s.addDirectory(arg); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// expandPatterns replaces each argument with wildcards by the matching files in natural order,
// unless a file has exactly that name. All files must be inside the fence.
func expandPatterns(fence *fence, args []string) ([]string, error) {
	var expanded []string
	for _, arg := range args {
		path, err := fence.resolve(arg)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err == nil || !strings.ContainsAny(arg, "*?[") {
			expanded = append(expanded, path)
			continue
		}
		matches, err := filepath.Glob(path)
		if err != nil || len(matches) == 0 {
			return nil, fmt.Errorf("no file matches the pattern %s", arg)
		}
		for i := range matches { // with slashes, so that answers are the same on every system
			if matches[i], err = fence.resolve(filepath.ToSlash(matches[i])); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(matches, units.Natural)
		expanded = append(expanded, matches...)
	}
	return expanded, nil
}

// addDirectory adds the snapshots in a directory, or what it has in place of them.
func (s *sources) addDirectory(dir string) error {
	in := sources{fence: s.fence}
	if err := in.walk(dir); err != nil {
		return err
	}
	// Digests and reports were usually made from the snapshots beside them.
	if len(in.files) == 0 && s.takesDigests {
		in.files, in.digests = in.digests, nil
	}
	if len(in.files) == 0 {
		in.files, in.reports = in.reports, nil
	}
	for _, file := range in.digests {
		in.skip(file.path, "digests")
	}
	for _, file := range in.reports {
		in.skip(file.path, snapshot.KindReport.String())
	}
	if len(in.files) == 0 {
		return in.errNone(dir)
	}
	slices.SortFunc(in.skipped, units.Natural)
	slices.SortFunc(in.files, func(a, b source) int { return units.Natural(a.path, b.path) })
	s.files = append(s.files, in.files...)
	s.skipped = append(s.skipped, in.skipped...)
	return nil
}

// walk sorts the files in a directory and below by kind, except hidden ones.
func (s *sources) walk(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			return fmt.Errorf("%s: %w", pathErr.Path, pathErr.Err) // without the name of a system call
		} else if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(entry.Name(), ".") && path != dir; hidden && entry.IsDir() {
			return fs.SkipDir
		} else if hidden {
			return nil
		}
		path = filepath.ToSlash(path)
		if _, err := s.fence.resolve(path); err != nil && entry.Type()&fs.ModeSymlink != 0 {
			s.skip(path, "a link that leads elsewhere")
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		kind, err := snapshot.FileKind(path)
		if err == nil && kind == snapshot.KindReport {
			s.reports = append(s.reports, source{path, true})
		} else if err == nil && (!kind.Holds() || kind == snapshot.KindVizPage && besideItsSnapshot(path)) {
			s.skip(path, kind.String())
		} else if export.IsFile(path) {
			s.skip(path, "an export")
		} else if err == nil && job.IsDigestFile(path) {
			s.digests = append(s.digests, source{path, true})
		} else { // if there is an error, reading the file says what is wrong
			s.files = append(s.files, source{path, true})
		}
		return nil
	})
}

// besideItsSnapshot reports whether there is a pickle of the same name beside a page, as Composer
// writes both.
func besideItsSnapshot(path string) bool {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, extension := range []string{".pickle", ".pkl"} {
		if _, err := os.Stat(stem + extension); err == nil {
			return true
		}
	}
	return false
}

// skip notes a file that is not a snapshot.
func (s *sources) skip(path, what string) {
	what, _, _ = strings.Cut(what, ",") // the rest explains it
	s.skipped = append(s.skipped, fmt.Sprintf("%s (%s)", path, what))
}

// warnSkipped lists skipped files in one line.
func (s *sources) warnSkipped(t *terminal) {
	if n := len(s.skipped); n > 0 {
		t.warn("skipped %s: %s", units.Plural(n, "file that is not a snapshot", "files that are not snapshots"),
			listed(s.skipped))
	}
}

// errNone returns the error for a place without snapshots.
func (s *sources) errNone(where string) error {
	if len(s.skipped) == 0 {
		return fmt.Errorf("%s holds no snapshots: it holds no files at all", where)
	}
	return fmt.Errorf("%s holds no snapshots, but %s", where, listed(s.skipped))
}

// maxListed limits how many files are named in a line.
const maxListed = 3

func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}

func (s *sources) paths() []string {
	paths := make([]string, len(s.files))
	for i, file := range s.files {
		paths[i] = file.path
	}
	return paths
}

// displayNames returns the base names of files, with as many parent folders as needed to tell them
// apart. Whole paths stay out of reports, because reports are passed on.
func displayNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
		if path == stdinName {
			names[i] = stdinShown
		}
	}
	for range 16 {
		times := map[string]int{}
		for _, name := range names {
			times[name]++
		}
		again := false
		for i, name := range names {
			if longer := withParent(paths[i], name); times[name] > 1 && paths[i] != stdinName && longer != name {
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
