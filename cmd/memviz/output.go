package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/memviz-go/memviz/pkg/export"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// checkOutput returns an error if path cannot be written, before anything is read. An output may
// replace an empty file and one that memviz wrote, and it may go to a device or a pipe, but it
// never replaces another file. Inputs are recognised by file, not by name.
func checkOutput(path string, inputs []fs.FileInfo) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("cannot write %s: %w", path, fmt.Errorf(format, args...))
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil {
		return refuse("%w", bare(err))
	} else if !info.IsDir() {
		return refuse("%s is not a folder", folder)
	}
	out, err := os.Stat(path)
	if err != nil {
		if _, err := os.Lstat(path); err == nil {
			return refuse("it is a link to a file that does not exist; choose another name with -o")
		}
		return nil
	}
	if out.IsDir() {
		return refuse("it is a directory; name a file in it")
	}
	for _, in := range inputs {
		if os.SameFile(in, out) {
			return refuse("it is an input; choose another name with -o")
		}
	}
	if !out.Mode().IsRegular() {
		return nil // reading from a pipe would wait for ever
	}
	kind, err := snapshot.FileKind(path)
	ours := err == nil && (kind == snapshot.KindReport || kind == snapshot.KindEmpty) || job.IsDigestFile(path) ||
		export.IsFile(path)
	if !ours {
		return refuse("there is a file that memviz did not write; choose another name with -o, or remove it")
	}
	return nil
}

// inputInfos returns the files at paths that exist, which may include standard input.
func inputInfos(t *terminal, paths ...string) []fs.FileInfo {
	var infos []fs.FileInfo
	for _, path := range paths {
		if info, ok := inputInfo(t, path); ok {
			infos = append(infos, info)
		}
	}
	return infos
}

func inputInfo(t *terminal, path string) (fs.FileInfo, bool) {
	if path == stdinName {
		return streamInfo(t.stdin)
	}
	info, err := os.Stat(path)
	return info, err == nil
}

// streamInfo returns the file that standard input or output is redirected to, if any.
func streamInfo(stream any) (fs.FileInfo, bool) {
	f, ok := stream.(*os.File)
	if !ok || f == nil {
		return nil, false
	}
	info, err := f.Stat()
	return info, err == nil && info.Mode().IsRegular()
}

// checkStdout refuses to read a file that standard output is written to.
func checkStdout(t *terminal, paths ...string) error {
	out, ok := streamInfo(t.stdout)
	if !ok {
		return nil
	}
	for _, path := range paths {
		if in, ok := inputInfo(t, path); ok && os.SameFile(in, out) {
			return fmt.Errorf("%s: standard output goes to this file; choose another one", shownPath(path))
		}
	}
	return nil
}

func shownPath(path string) string {
	if path == stdinName {
		return stdinShown
	}
	return path
}

// writeFile writes the file at path completely or not at all: under a temporary name beside path,
// which is renamed at the end. A device or a pipe is written directly.
func writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	defer func() { err = bare(err) }()
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
	unfinished.add(name)
	defer unfinished.remove(name)
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

// writeInto writes to a special file, such as /dev/null.
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

// countingWriter counts the bytes that pass through it.
type countingWriter struct {
	w    io.Writer
	n    int64
	seen func(n int64) // is called with the count; nil: nothing to do
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	if c.seen != nil {
		c.seen(c.n)
	}
	return n, err
}

// bare strips the system call and the path, which may be a temporary one, from an error.
func bare(err error) error {
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

// unfinished are the files being written. They are removed when the program is interrupted.
var unfinished fileSet

type fileSet struct {
	mu    sync.Mutex
	names map[string]bool
}

func (s *fileSet) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[name] = true
}

func (s *fileSet) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, name)
}

// exitInterrupted is the exit status that shells report for SIGINT.
const exitInterrupted = 130

// removeUnfinishedOnInterrupt exits at once on a signal, after removing unfinished files.
func removeUnfinishedOnInterrupt() {
	asked := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // as nohup has it
			signal.Notify(asked, s)
		}
	}
	go func() {
		<-asked
		unfinished.mu.Lock() // for ever: no file may be begun any more
		for name := range unfinished.names {
			os.Remove(name)
		}
		os.Exit(exitInterrupted)
	}()
}
