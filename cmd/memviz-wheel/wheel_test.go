package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"io"
	"net/mail"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

var someTime = time.Date(2026, 11, 22, 13, 0, 1, 0, time.UTC)

// testContents reads the contents for this system only, which takes less time.
func testContents(t *testing.T) *contents {
	t.Helper()
	dir, err := filepath.Abs(testkit.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	source := &build.Source{Dir: dir, Version: "0.2.0-rc.1", Time: someTime}
	c, err := readContents(t.Context(), source, []build.Target{{OS: runtime.GOOS, Arch: runtime.GOARCH}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWheel reads wheels as the format tells installers to.
func TestWheel(t *testing.T) {
	shared := testContents(t)
	names := map[string]bool{}
	for _, p := range platforms {
		w := wheel{shared, p.tags, p.target.Executable(), []byte("a program for " + p.target.String())}
		names[w.fileName()] = true
		first, err := w.archive()
		if err != nil {
			t.Fatal(err)
		}
		if second, _ := w.archive(); !bytes.Equal(first, second) {
			t.Errorf("%s: two runs differ", w.fileName())
		}
		files, modes := unpack(t, first)
		checkRecord(t, files, "torch_memviz-0.2.0rc1.dist-info/RECORD")
		script := "torch_memviz-0.2.0rc1.data/scripts/memviz"
		if p.target.OS == "windows" {
			script += ".exe"
		}
		if got := string(files[script]); got != string(w.binary) || modes[script] != 0o755 {
			t.Errorf("%s: %s has mode %o and holds %q", w.fileName(), script, modes[script], got)
		}
		// The tags in the name match the tags in the file.
		var tags []string
		for line := range strings.Lines(string(files["torch_memviz-0.2.0rc1.dist-info/WHEEL"])) {
			if tag, ok := strings.CutPrefix(strings.TrimSpace(line), "Tag: py3-none-"); ok {
				tags = append(tags, tag)
			}
		}
		want := "torch_memviz-0.2.0rc1-py3-none-" + strings.Join(tags, ".") + ".whl"
		if w.fileName() != want || len(tags) == 0 {
			t.Errorf("its name is %s, and its tags say %s", w.fileName(), want)
		}
	}
	if len(names) != 8 {
		t.Errorf("wheels of %d names", len(names))
	}
}

func TestContents(t *testing.T) {
	w := wheel{testContents(t), platforms[0].tags, "memviz", nil}
	files := w.files()
	for _, name := range []string{"torch_memviz/__init__.py", "torch_memviz/py.typed"} {
		if _, ok := files[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	metadata, err := mail.ReadMessage(bytes.NewReader(files["torch_memviz-0.2.0rc1.dist-info/METADATA"]))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"Name": "torch-memviz", "Version": "0.2.0rc1", "Requires-Python": ">=3.9",
		"License-Expression": "0BSD AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND MIT",
	} {
		if got := metadata.Header.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if readme, err := io.ReadAll(metadata.Body); err != nil || !bytes.HasPrefix(readme, []byte("# torch-memviz\n")) {
		t.Errorf("it is described as %.40q, %v", readme, err)
	}
	for _, name := range metadata.Header["License-File"] {
		if len(files["torch_memviz-0.2.0rc1.dist-info/licenses/"+name]) == 0 {
			t.Errorf("the licence %s is missing", name)
		}
	}
	for name := range files {
		if base := path.Base(name); strings.HasPrefix(base, ".") || path.Ext(base) == ".pyc" {
			t.Errorf("it holds %s", name)
		}
	}
}

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0": "0.1.0", "12.0.3": "12.0.3", "0.2.0-rc.1": "0.2.0rc1", "0.2.0-alpha.12": "0.2.0a12",
		"0.2.0-beta2": "0.2.0b2", "0.2.0-nightly": "", "0.2.0+dirty": "", "0.2": "", "": "",
	} {
		if got, err := pythonVersion(version); got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v, want %q", version, got, err, want)
		}
	}
}

// unpack returns the files of an archive and their modes. It checks that all have the time of
// the commit, and that dist-info comes last.
func unpack(t *testing.T, archive []byte) (files map[string][]byte, modes map[string]int) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files, modes = map[string][]byte{}, map[string]int{}
	var isInfo []bool
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		modes[f.Name] = int(f.Mode().Perm())
		isInfo = append(isInfo, strings.Contains(f.Name, ".dist-info/"))
		if !f.Modified.Equal(someTime) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
	if len(files) != len(r.File) {
		t.Error("a file is there twice")
	}
	if i := slices.Index(isInfo, true); slices.Contains(isInfo[i:], false) {
		t.Error("a file comes after dist-info")
	}
	return files, modes
}

func checkRecord(t *testing.T, files map[string][]byte, name string) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(files[name])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(files) {
		t.Errorf("RECORD has %d rows for %d files", len(rows), len(files))
	}
	for _, row := range rows {
		text, ok := files[row[0]]
		hash := sha256.Sum256(text)
		want := []string{row[0], "sha256=" + strings.TrimRight(base64.URLEncoding.EncodeToString(hash[:]), "="),
			strconv.Itoa(len(text))}
		if row[0] == name {
			want = []string{name, "", ""}
		}
		if !ok || !slices.Equal(row, want) {
			t.Errorf("RECORD says %v, want %v", row, want)
		}
	}
}
