package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const module = "github.com/memviz-go/memviz"

// programs are memviz and memviz-gen, built into a temporary folder that also holds
// their inputs and outputs.
type programs struct{ dir, memviz, gen string }

// buildPrograms builds from the module of the working directory.
func buildPrograms(ctx context.Context) (*programs, error) {
	dir, err := os.MkdirTemp("", "memviz-bench-")
	if err != nil {
		return nil, err
	}
	p := &programs{dir, filepath.Join(dir, "memviz"), filepath.Join(dir, "memviz-gen")}
	if runtime.GOOS == "windows" {
		p.memviz, p.gen = p.memviz+".exe", p.gen+".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", dir, module+"/cmd/memviz",
		module+"/cmd/memviz-gen")
	if out, err := build.CombinedOutput(); err != nil {
		p.remove()
		return nil, fmt.Errorf("cannot build memviz here: %w\n%s", err, out)
	}
	return p, nil
}

func (p *programs) remove() { os.RemoveAll(p.dir) }

// generate makes the file of an input.
func (p *programs) generate(ctx context.Context, in *input) error {
	if in.ranks > 0 {
		return p.generateJob(ctx, in)
	}
	if in.steps > 0 {
		return p.generateSizes(ctx, in)
	}
	in.path = filepath.Join(p.dir, in.name+".pickle")
	_, err := runProgram(ctx, p.gen, "-o", in.path, "--events", strconv.Itoa(in.events), "--live",
		strconv.Itoa(in.live), in.shape)
	if err != nil {
		return err
	}
	in.bytes, err = sizeOf(in.path)
	return err
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// usage is the resources that one run of a program took.
type usage struct {
	wall, cpu float64 // seconds; cpu is user and system time
	peak      float64 // highest resident bytes, unknown where the system does not say
	output    int64   // bytes written to standard output
}

// runProgram runs a program to its end.
func runProgram(ctx context.Context, name string, args ...string) (usage, error) {
	command := exec.CommandContext(ctx, name, args...)
	var stdout counter
	var stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	began := time.Now()
	err := command.Run()
	wall := time.Since(began)
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, stderr.Bytes())
	}
	state := command.ProcessState
	return usage{wall.Seconds(), (state.UserTime() + state.SystemTime()).Seconds(), peakOf(state), int64(stdout)}, nil
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// findPython returns the path of the real python3, not of a version manager's shim, or
// "" if there is none.
func findPython(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
