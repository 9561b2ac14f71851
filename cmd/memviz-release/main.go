// Command memviz-release writes all files of a release of memviz: archives with binaries, the
// source, a bill of materials, a Homebrew formula, a conda-forge recipe and SHA256SUMS. It
// needs git, Go and a filled module cache, no network. The same commit, version and release of
// Go give the same bytes.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/cmd/internal/components"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "memviz-release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("memviz-release", flag.ContinueOnError)
	version := flags.String("version", "", "the `VERSION` to release, such as v0.1.0")
	out := flags.String("o", "", "write into this `FOLDER`, which may not have files")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return errors.New("use: memviz-release -version v0.1.0 -o FOLDER")
	}
	source, err := build.Open(ctx, ".", *version)
	if err != nil {
		return err
	}
	if source.Dirty {
		return errors.New("files differ from the last commit; commit them, or release from a fresh clone")
	}
	if err := release(ctx, source, source.Binary, build.Targets, *out); err != nil {
		return err
	}
	return list(stdout, *out)
}

// compiler writes the program for a target into a file.
type compiler func(ctx context.Context, t build.Target, file string) error

// release writes the files of a release for some targets into dir.
func release(ctx context.Context, source *build.Source, compile compiler, targets []build.Target, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err != nil {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	memviz, others, err := components.Find(ctx, source, targets)
	if err != nil {
		return err
	}
	files := &folder{dir: dir, sums: map[string]string{}}
	if err := writeArchives(ctx, source, compile, targets, components.Notices(others), files); err != nil {
		return err
	}
	if err := files.write(sourceName(source), func(w io.Writer) error {
		return writeSource(ctx, source, w)
	}); err != nil {
		return err
	}
	if err := files.write(stemOf(source)+".cdx.json", func(w io.Writer) error {
		return writeBillOfMaterials(w, source, memviz, others)
	}); err != nil {
		return err
	}
	if err := writePackages(source, targets, files); err != nil {
		return err
	}
	return files.writeSums()
}

// folder is the output folder, with the SHA-256 sums of its files in hexadecimal, by name.
type folder struct {
	dir  string
	sums map[string]string
}

func (f *folder) write(name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(f.dir, name))
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := errors.Join(write(io.MultiWriter(file, sum)), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.sums[name] = fmt.Sprintf("%x", sum.Sum(nil))
	return nil
}

// writeSums writes SHA256SUMS, for sha256sum -c.
func (f *folder) writeSums() error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.sums)) {
		fmt.Fprintf(&text, "%s  %s\n", f.sums[name], name)
	}
	return os.WriteFile(filepath.Join(f.dir, "SHA256SUMS"), []byte(text.String()), 0o666)
}

// list prints the files of a release and their sizes.
func list(w io.Writer, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%10d  %s\n", info.Size(), filepath.Join(dir, entry.Name()))
	}
	return nil
}
