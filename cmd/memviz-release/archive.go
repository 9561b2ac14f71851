package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/memviz-go/memviz/cmd/internal/build"
)

// entry is a file in an archive.
type entry struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// writeArchives compiles for each target and packs the program with the licences.
func writeArchives(ctx context.Context, source *build.Source, compile compiler, targets []build.Target,
	notices []byte, files *folder) error {
	licence, err := os.ReadFile(filepath.Join(source.Dir, "LICENSE"))
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "memviz-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	for _, t := range targets {
		file := filepath.Join(temporary, t.Executable())
		if err := compile(ctx, t, file); err != nil {
			return err
		}
		binary, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		top := archiveStem(source, t) + "/"
		entries := []entry{{top + "LICENSE", 0o644, licence}, {top + "NOTICES", 0o644, notices},
			{top + t.Executable(), 0o755, binary}}
		write := writeTar
		if t.OS == "windows" {
			write = writeZip
		}
		err = files.write(archiveName(source, t), func(w io.Writer) error { return write(w, entries, source.Time) })
		if err != nil {
			return err
		}
	}
	return nil
}

// stemOf returns the prefix of file names.
func stemOf(source *build.Source) string { return "memviz-" + source.Version }

func sourceName(source *build.Source) string { return stemOf(source) + "-source.tar.gz" }

// archiveStem returns the name of the archive, without its extension, and of the folder in it.
func archiveStem(source *build.Source, t build.Target) string {
	return stemOf(source) + "-" + t.OS + "-" + t.Arch
}

func archiveName(source *build.Source, t build.Target) string {
	if t.OS == "windows" {
		return archiveStem(source, t) + ".zip"
	}
	return archiveStem(source, t) + ".tar.gz"
}

// writeTar writes entries as tar.gz, all with the same time and without an owner.
func writeTar(w io.Writer, entries []entry, modified time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: int64(e.mode), Size: int64(len(e.content)),
			ModTime: modified, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func writeZip(w io.Writer, entries []entry, modified time.Time) error {
	archive := zip.NewWriter(w)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(e.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeSource writes the committed files as tar.gz, for the conda-forge recipe to build from. The
// archives that hosting services make of a tag may change their bytes.
func writeSource(ctx context.Context, source *build.Source, w io.Writer) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	// tar.umask is a setting of git that would change modes.
	git := exec.CommandContext(ctx, "git", "-c", "tar.umask=0022", "archive", "--format=tar",
		"--prefix="+stemOf(source)+"/", source.Commit)
	git.Dir, git.Stdout, git.Stderr = source.Dir, packed, &stderr
	if err := git.Run(); err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(stderr.String())))
	}
	return packed.Close()
}
