package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestWalkThrough runs every command of examples/README.md and ci.md, and of the README of
// each story, in its folder, and compares the output with the text there. -update
// regenerates it.
func TestWalkThrough(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash to run the commands, or one of another system")
	}
	examples := filepath.Join("..", "..", "examples")
	stories, err := filepath.Glob(filepath.Join(examples, "*", "README.md"))
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories (%v)", err)
	}
	for _, path := range append(stories, filepath.Join(examples, "README.md"), filepath.Join(examples, "ci.md")) {
		t.Run(strings.TrimSuffix(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), "/README.md"),
			func(t *testing.T) {
				t.Parallel()
				walkThrough(t, path)
			})
	}
}

func walkThrough(t *testing.T, path string) {
	text := testkit.ReadFile(t, path)
	const begin, end = "```console\n$ ", "\n```"
	var written strings.Builder
	commands := 0
	for rest := string(text); ; commands++ {
		before, block, found := strings.Cut(rest, begin)
		written.WriteString(before)
		if !found {
			break
		}
		block, rest, _ = strings.Cut(block, end)
		command, want, _ := strings.Cut(block, "\n")
		got := walked(t, filepath.Dir(path), command)
		if strings.TrimSpace(got) != strings.TrimSpace(want) && !*testkit.Update {
			t.Errorf("$ %s\n%s\nin the file, but printed is:\n%s", command, want, got)
		}
		written.WriteString(begin + strings.TrimSuffix(command+"\n"+got, "\n") + end)
	}
	if commands == 0 && filepath.Dir(path) == filepath.Join("..", "..", "examples") {
		t.Fatal("there are no commands")
	}
	if *testkit.Update {
		testkit.WriteFile(t, path, []byte(written.String()))
	}
}

// walked returns the output of a command, without the last newline.
func walked(t *testing.T, dir, command string) string {
	t.Helper()
	c := exec.Command("bash", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Errorf("$ %s: %v\n%s", command, err, &stderr)
	}
	return strings.TrimSuffix(stdout.String(), "\n")
}
