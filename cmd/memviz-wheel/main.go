// Command memviz-wheel writes the Python wheels of memviz: the package of assets/python with
// memviz itself, one wheel for each platform. A commit and a version always give the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/cmd/internal/build"
)

// platform is a system that has a wheel of its own.
type platform struct {
	target build.Target
	tags   []string // Python's names for it
}

// Go needs Linux 3.2 and macOS 12. A static binary runs with any C library on Linux, but pip
// distinguishes systems with glibc (manylinux) and musl.
var platforms = []platform{
	{build.Target{OS: "linux", Arch: "amd64"}, []string{"manylinux_2_17_x86_64", "manylinux2014_x86_64"}},
	{build.Target{OS: "linux", Arch: "amd64"}, []string{"musllinux_1_1_x86_64"}},
	{build.Target{OS: "linux", Arch: "arm64"}, []string{"manylinux_2_17_aarch64", "manylinux2014_aarch64"}},
	{build.Target{OS: "linux", Arch: "arm64"}, []string{"musllinux_1_1_aarch64"}},
	{build.Target{OS: "darwin", Arch: "amd64"}, []string{"macosx_12_0_x86_64"}},
	{build.Target{OS: "darwin", Arch: "arm64"}, []string{"macosx_12_0_arm64"}},
	{build.Target{OS: "windows", Arch: "amd64"}, []string{"win_amd64"}},
	{build.Target{OS: "windows", Arch: "arm64"}, []string{"win_arm64"}},
}

func main() {
	version := flag.String("version", "", "the `VERSION` of the wheels, such as v0.1.0")
	output := flag.String("o", "bin/wheels", "the `DIRECTORY` to write them to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := writeWheels(ctx, ".", *version, *output, platforms)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "memviz-wheel:", err)
		os.Exit(1)
	}
}

// writeWheels writes the wheels of platforms to a directory, from the checkout around dir.
func writeWheels(ctx context.Context, dir, version, output string, platforms []platform) error {
	source, err := build.Open(ctx, dir, version)
	if err != nil {
		return err
	}
	if source.Dirty {
		return errors.New("files differ from the last commit; commit them, or use a fresh clone")
	}
	var targets []build.Target
	for _, p := range platforms {
		targets = append(targets, p.target)
	}
	slices.SortFunc(targets, func(a, b build.Target) int { return strings.Compare(a.String(), b.String()) })
	shared, err := readContents(ctx, source, slices.Compact(targets))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(output, 0o777); err != nil {
		return err
	}
	binaries, err := os.MkdirTemp("", "memviz-wheel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(binaries)
	for _, p := range platforms {
		binary := filepath.Join(binaries, p.target.OS+"-"+p.target.Arch)
		if _, err := os.Stat(binary); err != nil { // platforms may share a binary
			if err := source.Binary(ctx, p.target, binary); err != nil {
				return err
			}
		}
		w := wheel{contents: shared, tags: p.tags, command: p.target.Executable()}
		if w.binary, err = os.ReadFile(binary); err != nil {
			return err
		}
		archive, err := w.archive()
		if err != nil {
			return err
		}
		path := filepath.Join(output, w.fileName())
		if err := os.WriteFile(path, archive, 0o666); err != nil {
			return err
		}
		fmt.Printf("%5.1f MB  %s\n", float64(len(archive))/1e6, path)
	}
	return nil
}
