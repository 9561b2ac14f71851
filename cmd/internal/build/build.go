// Package build compiles the memviz command for other systems such that a commit and a version
// always give the same bytes: on any machine, in any directory, with the same release of Go.
package build

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Import paths.
const (
	Module  = "github.com/memviz-go/memviz"
	Command = Module + "/cmd/memviz"
)

// Target is a system that memviz is built for, in Go's names.
type Target struct{ OS, Arch string }

// Targets are the systems that a release has binaries for.
var Targets = []Target{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// String formats the target as go tool dist list does.
func (t Target) String() string { return t.OS + "/" + t.Arch }

// Executable returns the file name of memviz on the target.
func (t Target) Executable() string {
	if t.OS == "windows" {
		return "memviz.exe"
	}
	return "memviz"
}

// Source is a checkout of memviz, and the version it becomes.
type Source struct {
	Dir     string    // the root of the checkout
	Version string    // without "v", such as 0.1.0
	Commit  string    // the full hash of HEAD
	Time    time.Time // when HEAD was committed, in UTC; archives give it to all their files
	Dirty   bool      // files differ from HEAD
	Flags   []string  // of go build, besides those of a release
}

// Open reads the state of the git checkout around dir. The version is a semantic version that
// may begin with "v".
func Open(ctx context.Context, dir, version string) (*Source, error) {
	s := &Source{Version: strings.TrimPrefix(version, "v")}
	if v := "v" + s.Version; !semver.IsValid(v) || semver.Canonical(v) != v {
		return nil, fmt.Errorf("%q is not a release version such as v0.1.0 or v0.2.0-rc.1", version)
	}
	var err error
	git := func(args ...string) string {
		if err != nil {
			return ""
		}
		var out string
		out, err = output(ctx, dir, nil, "git", args...)
		return strings.TrimSpace(out)
	}
	s.Dir = git("rev-parse", "--show-toplevel")
	s.Commit = git("rev-parse", "HEAD")
	seconds := git("log", "-1", "--format=%ct")
	s.Dirty = git("status", "--porcelain") != ""
	if err != nil {
		return nil, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of the commit: %w", err)
	}
	s.Time = time.Unix(unix, 0).UTC()
	return s, nil
}

// Binary builds memviz for a target into a file. It needs no network if the module cache is
// filled, and is static: no C code is linked.
func (s *Source) Binary(ctx context.Context, t Target, file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	// Without -buildvcs=false Go adds whatever tags the checkout has.
	args := []string{"build", "-trimpath", "-mod=readonly", "-buildvcs=false", "-ldflags", s.LinkerFlags()}
	_, err = s.Go(ctx, t, append(append(args, s.Flags...), "-o", file, Command)...)
	return err
}

// LinkerFlags stamp the version and the commit, and strip debugging information.
func (s *Source) LinkerFlags() string {
	commit := s.Commit
	if s.Dirty {
		commit += "-dirty"
	}
	const stamp = " -X " + Module + "/pkg/memviz."
	return "-s -w" + stamp + "stampedVersion=" + s.Version + stamp + "stampedCommit=" + commit
}

// Go returns what the go command prints, run in the checkout as for Binary.
func (s *Source) Go(ctx context.Context, t Target, args ...string) (string, error) {
	// Settings in go env and the environment may change the binary, so all are set here.
	out, err := output(ctx, s.Dir, []string{"CGO_ENABLED=0", "GOOS=" + t.OS, "GOARCH=" + t.Arch, "GOAMD64=v1",
		"GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOFLAGS=", "GOWORK=off", "GOPROXY=off"}, "go", args...)
	if err != nil {
		return "", fmt.Errorf("for %s: %w", t, err)
	}
	return out, nil
}

// output runs a program in dir with additional environment and returns its stdout.
func output(ctx context.Context, dir string, environment []string, name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stderr = dir, &stderr
	c.Env = append(os.Environ(), environment...)
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
