package testkit

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Vector is a program run on the real allocator of torch 2.6: its operations, and the events
// recorded during each. pkg/allocator/testdata/README.md explains both.
type Vector struct {
	Kind   string
	Ops    []string
	Events [][]string
}

// Vectors returns the lines of the file that this README describes.
func Vectors(t testing.TB) (list []Vector) {
	t.Helper()
	dir := filepath.Join(Root(t), "pkg", "allocator", "testdata")
	zipped, err := os.ReadFile(filepath.Join(dir, "vectors.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(zipped)); !bytes.Contains(readme, []byte(sum)) {
		t.Fatalf("vectors.jsonl.gz is not the file that testdata/README.md describes: sha256 %s", sum)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(unzipped); lines.More(); {
		var v Vector
		if err := lines.Decode(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}
