package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fence confines what commands read and write to a folder, for callers that may not see all files
// of this machine. A nil fence allows every path.
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
		return nil, fmt.Errorf("%s is not a folder", folder)
	}
	return &fence{root}, nil
}

// resolve follows all links in a path, which is relative to the root unless it is absolute. Paths
// outside the root are an error, and so are pipes and other special files. The path need not
// exist.
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

// followLinks replaces the links in a path. A part at the end that does not exist stays as it is.
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
