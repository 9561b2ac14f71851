package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestVerifyExamples replays the examples in Python.
func TestVerifyExamples(t *testing.T) {
	if findPython(t.Context()) == "" {
		t.Skip("no python3 found")
	}
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "snapshot.pickle.gz"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), append([]string{"memviz-bench", "verify"}, examples...), &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(stdout.String(), "agree on"); n != len(examples) {
		t.Errorf("%d of %d examples were verified:\n%s", n, len(examples), stdout.String())
	}
}

// TestDisagreement replays an example in Python, beside a memviz that sees no devices.
func TestDisagreement(t *testing.T) {
	python := findPython(t.Context())
	if python == "" {
		t.Skip("no python3 found")
	}
	example := filepath.Join("..", "..", "examples", "training-loop", "snapshot.pickle.gz")
	t.Setenv("MEMVIZ_BENCH_CHILD", "no devices")
	err := verify(t.Context(), os.Args[0], python, example, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "memviz says map[] by device, python3 map[0:{") {
		t.Errorf("two answers that differ give %v", err)
	}
}

// TestPlainValuesOnly: Python may not call what a snapshot names.
func TestPlainValuesOnly(t *testing.T) {
	python := findPython(t.Context())
	if python == "" {
		t.Skip("no python3 found")
	}
	path := filepath.Join(t.TempDir(), "evil.pickle")
	testkit.WriteFile(t, path, "cbuiltins\nprint\n(S'called'\ntR.")
	if _, err := totalsByPython(t.Context(), python, path); err == nil ||
		!strings.Contains(err.Error(), "builtins.print is not a plain value") {
		t.Errorf("a pickle that calls print gives %v", err)
	}
}
