// Package testkit holds what the tests of all packages share: where their files
// are, and golden files.
package testkit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// Update is whether golden files are to be rewritten.
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
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run the test with -update and look at the change. Got:\n%s", path, got)
	}
}
