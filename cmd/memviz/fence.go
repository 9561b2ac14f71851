package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fence keeps what commands read and write below a folder, for callers who may not
// see all files of this machine. A nil fence lets every path through.
//
// A path is checked before its file is opened, so a fence does not hold against a
// program on this machine that moves links in between.
type fence struct{ root string } // absolute, without links

func newFence(folder string) (*fence, error) {
	root, err := filepath.Abs(folder)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, bare(err))
	}
	if info, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, bare(err))
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", folder)
	}
	return &fence{root}, nil
}

// resolve is where a path leads, with all links followed. A relative path begins at
// the root. What lies elsewhere is refused, and what is neither a file nor a folder,
// such as a pipe. There need not be anything at the path.
func (f *fence) resolve(path string) (string, error) {
	if f == nil {
		return path, nil
	}
	if path == stdinName {
		return "", errors.New("standard input cannot be read here; name a file")
	}
	whole := path
	if !filepath.IsAbs(path) {
		whole = filepath.Join(f.root, path)
	}
	real, err := followLinks(filepath.Clean(whole))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, bare(err))
	}
	if below, err := filepath.Rel(f.root, real); err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("%s leads out of the folder that may be used; name a path below it", path)
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is neither a file nor a folder", path)
	}
	return real, nil
}

// followLinks is a path without links. The end of it that does not exist stays as it is.
func followLinks(path string) (string, error) {
	for existing, rest := path, "."; ; {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		parent := filepath.Dir(existing)
		if !errors.Is(err, fs.ErrNotExist) || parent == existing {
			return "", err
		}
		existing, rest = parent, filepath.Join(filepath.Base(existing), rest)
	}
}
