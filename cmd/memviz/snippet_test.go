package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
)

// Snippets are whole programs that fit a terminal.
func TestSnippets(t *testing.T) {
	names := snippetNames()
	if len(names) == 0 {
		t.Fatal("there are no snippets")
	}
	python, err := exec.LookPath("python3")
	for _, name := range names {
		text, readErr := snippets.ReadFile("snippets/" + name + ".py")
		if readErr != nil {
			t.Fatal(readErr)
		}
		for line := range strings.Lines(string(text)) {
			if len(strings.TrimSuffix(line, "\n")) > answer.DefaultWidth {
				t.Errorf("%s: a line of %d columns: %s", name, len(line)-1, line)
			}
		}
		t.Run(name, func(t *testing.T) {
			if err != nil {
				t.Skip("python3 is not installed")
			}
			path := filepath.Join(t.TempDir(), name+".py")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(python, "-m", "py_compile", path).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
