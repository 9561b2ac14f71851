package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

const module = "github.com/memviz-go/memviz"

// workshop is a temporary folder with the programs that are measured and all
// that they read and write.
type workshop struct {
	dir, memviz, gen string
	progress         io.Writer
}

// openWorkshop builds the programs from the module of the working directory.
func openWorkshop(ctx context.Context, progress io.Writer) (*workshop, error) {
	dir, err := os.MkdirTemp("", "memviz-bench-")
	if err != nil {
		return nil, err
	}
	w := &workshop{dir: dir, memviz: filepath.Join(dir, "memviz"), gen: filepath.Join(dir, "memviz-gen"),
		progress: progress}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", dir, module+"/cmd/memviz",
		module+"/cmd/memviz-gen")
	if out, err := build.CombinedOutput(); err != nil {
		w.close()
		return nil, fmt.Errorf("cannot build memviz here: %w\n%s", err, out)
	}
	return w, nil
}

func (w *workshop) close() { os.RemoveAll(w.dir) }

func (w *workshop) say(format string, args ...any) {
	fmt.Fprintf(w.progress, "memviz-bench: "+format+"\n", args...)
}

// generate makes a snapshot of a shape and says how large it became.
func (w *workshop) generate(ctx context.Context, name, shape string, events, live int) (path string, size int64,
	err error) {
	path = filepath.Join(w.dir, name+".pickle")
	_, err = measure(ctx, w.gen, "-o", path, "--events", strconv.Itoa(events), "--live", strconv.Itoa(live), shape)
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	w.say("made %s events, %s, in %s", units.Count(events), units.Bytes(info.Size()), w.dir)
	return path, info.Size(), nil
}

// warm reads a file once, so that it is in the system's cache.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}
