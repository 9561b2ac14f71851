// Package testkit finds the files that tests share, and compares golden files. It imports
// nothing of memviz, so that the tests of every package can use it.
package testkit

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Update makes tests rewrite their golden files.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares a text with testdata/name, or rewrites that file.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	GoldenFile(t, filepath.Join("testdata", name), got)
}

// GoldenFile compares a text with a file, or rewrites it.
func GoldenFile(t *testing.T, path string, got []byte) {
	t.Helper()
	if *Update {
		WriteFile(t, path, got)
		return
	}
	want := ReadFile(t, path)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run the test with -update and look at the change. Got:\n%s", path, got)
	}
}

func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// WriteFile writes a file and makes its folders. A new file is not executable.
func WriteFile[T []byte | string](t testing.TB, path string, data T) {
	t.Helper()
	writeFile(t, path, []byte(data), 0o644)
}

// WriteProgram writes an executable file, such as a script.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	writeFile(t, path, []byte(text), 0o755)
}

func writeFile(t testing.TB, path string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
}

// corpusVariable names a folder of real snapshots.
const corpusVariable = "MEMVIZ_CORPUS"

// CorpusDir returns the folder of real snapshots; without one it skips the test.
func CorpusDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(corpusVariable)
	if dir == "" {
		t.Skip(corpusVariable + " does not name a folder of real snapshots")
	}
	return dir
}

// Corpus returns the real snapshots; without them it skips the test.
func Corpus(t testing.TB) []string {
	t.Helper()
	return glob(t, CorpusDir(t), "*.pickle")
}

// Root returns the folder of go.mod, relative to the folder in which tests run.
func Root(t testing.TB) string {
	t.Helper()
	for dir, up := ".", 0; up < 8; dir, up = filepath.Join("..", dir), up+1 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the tests")
	return ""
}

// Examples returns the committed snapshots.
func Examples(t testing.TB) []string {
	t.Helper()
	return glob(t, Root(t), "examples", "*", "snapshot.pickle.gz")
}

// Encodings returns one story in every encoding, and small snapshots of other
// producers.
func Encodings(t testing.TB) []string {
	t.Helper()
	dir := filepath.Join(Root(t), "pkg", "snapshot", "testdata", "encodings")
	return slices.DeleteFunc(glob(t, dir, "*.*"), func(path string) bool { return filepath.Ext(path) == ".py" })
}

// Snapshots returns the examples and any real snapshots.
func Snapshots(t testing.TB) []string {
	t.Helper()
	paths := Examples(t)
	if os.Getenv(corpusVariable) != "" {
		paths = append(paths, Corpus(t)...)
	}
	return paths
}

// glob fails if nothing matches, because a test without data proves nothing.
func glob(t testing.TB, parts ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(parts...))
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing matches %s: %v", filepath.Join(parts...), err)
	}
	return paths
}

// SQLite checks a database with this machine's sqlite3 and returns the output of a query.
// Without sqlite3 it skips the test; CI installs it.
func SQLite(t testing.TB, path, sql string) string {
	t.Helper()
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("sqlite3 is not installed; make install-tools does that")
	}
	out, err := exec.Command(program, "-batch", "-readonly", path,
		"PRAGMA integrity_check; PRAGMA foreign_key_check; "+sql).CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3 %s: %v: %s", sql, err, out)
	}
	answer, ok := strings.CutPrefix(string(out), "ok\n")
	if !ok {
		t.Fatalf("the database is broken: %s", out)
	}
	return strings.TrimSuffix(answer, "\n")
}
