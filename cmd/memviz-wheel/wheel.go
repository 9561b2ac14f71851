package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// wheel is the wheel of a platform.
type wheel struct {
	*contents
	tags    []string
	command string // the file name of memviz there
	binary  []byte
}

func (w *wheel) fileName() string {
	return w.stem() + "-py3-none-" + strings.Join(w.tags, ".") + ".whl"
}

func (w *wheel) stem() string { return module + "-" + w.version }

// infoDir holds the metadata of the wheel, scriptDir the commands that pip installs.
func (w *wheel) infoDir() string { return w.stem() + ".dist-info/" }

func (w *wheel) scriptDir() string { return w.stem() + ".data/scripts/" }

// archive returns the wheel: a zip archive that ends with the hashes of all its files.
func (w *wheel) archive() ([]byte, error) {
	var to, record bytes.Buffer
	archive, rows := zip.NewWriter(&to), csv.NewWriter(&record)
	files := w.files()
	for _, name := range slices.SortedFunc(maps.Keys(files), w.compareNames) {
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(name, w.scriptDir()) {
			mode = 0o755
		}
		if err := w.add(archive, name, files[name], mode); err != nil {
			return nil, err
		}
		if err := rows.Write([]string{name, sum(files[name]), strconv.Itoa(len(files[name]))}); err != nil {
			return nil, err
		}
	}
	name := w.infoDir() + "RECORD"
	if err := rows.Write([]string{name, "", ""}); err != nil {
		return nil, err
	}
	rows.Flush()
	if err := w.add(archive, name, record.Bytes(), 0o644); err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return to.Bytes(), nil
}

// files returns the files in the archive by name, except RECORD.
func (w *wheel) files() map[string][]byte {
	files := maps.Clone(w.sources)
	for name, text := range w.info {
		files[w.infoDir()+name] = text
	}
	compatibility := "Wheel-Version: 1.0\nGenerator: memviz-wheel\nRoot-Is-Purelib: false\n"
	for _, tag := range w.tags {
		compatibility += "Tag: py3-none-" + tag + "\n"
	}
	files[w.infoDir()+"WHEEL"] = []byte(compatibility)
	files[w.scriptDir()+w.command] = w.binary
	return files
}

// compareNames sorts infoDir last, as recommended so that tools find it fast.
func (w *wheel) compareNames(a, b string) int {
	late := func(name string) int { return strings.Count(name, ".dist-info/") }
	return cmp.Or(late(a)-late(b), strings.Compare(a, b))
}

func (w *wheel) add(archive *zip.Writer, name string, text []byte, mode fs.FileMode) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.time}
	header.SetMode(mode)
	file, err := archive.CreateHeader(header)
	if err == nil {
		_, err = file.Write(text)
	}
	return err
}

// sum returns a hash in RECORD's notation.
func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return "sha256=" + base64.RawURLEncoding.EncodeToString(hash[:])
}
