package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompareTotals(t *testing.T) {
	a := map[string]totals{"0": {3, 2, 1}, "1": {}}
	for _, c := range []struct {
		name   string
		theirs map[string]totals
		agree  bool
	}{
		{"same", map[string]totals{"0": {3, 2, 1}, "1": {}}, true},
		{"another peak", map[string]totals{"0": {4, 2, 1}, "1": {}}, false},
		{"another end", map[string]totals{"0": {3, 1, 1}, "1": {}}, false},
		{"one allocation more", map[string]totals{"0": {3, 2, 2}, "1": {}}, false},
		{"a device less", map[string]totals{"0": {3, 2, 1}}, false},
		{"another device", map[string]totals{"0": {3, 2, 1}, "2": {}}, false},
	} {
		if err := compareTotals(a, c.theirs); (err == nil) != c.agree {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestVerifyExamples replays the examples in Python.
func TestVerifyExamples(t *testing.T) {
	if _, ok := findPython(t.Context()); !ok {
		t.Skip("there is no python3")
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

// TestPlainValuesOnly: Python may not call what a snapshot names.
func TestPlainValuesOnly(t *testing.T) {
	py, ok := findPython(t.Context())
	if !ok {
		t.Skip("there is no python3")
	}
	path := filepath.Join(t.TempDir(), "evil.pickle")
	if err := os.WriteFile(path, []byte("cbuiltins\nprint\n(S'called'\ntR."), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := totalsByPython(t.Context(), py, path); err == nil ||
		!strings.Contains(err.Error(), "builtins.print is not a plain value") {
		t.Errorf("a pickle that calls print gives %v", err)
	}
}
