package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// writeFile makes the file at path out of what write writes, all of it or none:
// it goes to a temporary name beside path and is renamed when it is complete.
// It never replaces one of the inputs, nor a device or a pipe: those are
// written to.
func writeFile(path string, inputs []string, write func(io.Writer) error) (size int64, err error) {
	if err := refuseInput(path, inputs); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write %s: %w", path, plain(err))
		}
	}()
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	mode := fs.FileMode(0o666) // less the umask
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		return writeInto(target, write)
	} else if err == nil {
		mode = info.Mode().Perm()
	}
	return replaceFile(target, mode, write)
}

func replaceFile(target string, mode fs.FileMode, write func(io.Writer) error) (size int64, err error) {
	name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".memviz-%016x.tmp", rand.Uint64()))
	began(name)
	defer finished(name)
	tmp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(name)
		}
	}()
	if err := write(tmp); err != nil {
		return 0, err
	}
	if size, err = tmp.Seek(0, io.SeekCurrent); err != nil {
		return 0, err
	}
	if err := tmp.Close(); err != nil {
		return 0, err
	}
	return size, os.Rename(name, target)
}

// writeInto writes to something that is no regular file, such as /dev/null.
func writeInto(target string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	counted := &countingWriter{w: f}
	if err := write(counted); err != nil {
		f.Close()
		return 0, err
	}
	return counted.n, f.Close()
}

// plain takes the temporary name out of an error, which means nothing to anyone.
func plain(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w; make room, or write to another place with -o", err)
	}
	return err
}

// refuseFolder says before anything is read that path cannot be written.
func refuseFolder(path string) error {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, plain(err))
	} else if !info.IsDir() {
		return fmt.Errorf("cannot write %s: %s is no folder", path, folder)
	}
	return nil
}

func refuseInput(path string, inputs []string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // there is nothing to replace
	}
	if out.IsDir() {
		return fmt.Errorf("cannot write %s: it is a directory; name a file in it", path)
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("cannot write %s: it is the snapshot itself; choose another name with -o", path)
		}
	}
	return nil
}
