package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// maxStoryBytes bounds the size of a snapshot among the examples.
const maxStoryBytes = 400 << 10

// story is a folder of examples.
type story struct {
	name, dir string
	snapshots []string   // paths
	says      *torchSays // nil: simulated
}

// stories returns all folders of examples that have a train.py.
func stories(t *testing.T) (all []story) {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "train.py"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no stories (%v)", err)
	}
	for _, script := range scripts {
		dir := filepath.Dir(script)
		s := story{name: filepath.Base(dir), dir: dir, says: readTorchSays(t, filepath.Join(dir, "torch_says.json"))}
		for _, pattern := range []string{"*.pickle.gz", "*.pt"} {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			s.snapshots = append(s.snapshots, found...)
		}
		all = append(all, s)
	}
	return all
}

// loaded reads a snapshot of a story.
func (s *story) loaded(t *testing.T, path string) *snapshot.Snapshot {
	t.Helper()
	loaded, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestStories checks every folder: it is complete and small enough, its snapshots add up,
// their frames are lines of its Python, and memviz answers as expected.
func TestStories(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			s.checkFiles(t)
			for _, path := range s.snapshots {
				t.Run(filepath.Base(path), func(t *testing.T) {
					loaded := s.loaded(t, path)
					checkAddsUp(t, loaded)
					s.checkFrames(t, loaded)
				})
			}
			t.Run("expect.txt", s.checkExpectations)
		})
	}
}

func (s *story) checkFiles(t *testing.T) {
	readme := s.read(t, "README.md")
	if want := "Recorded: " + s.says.recorded() + "."; *testkit.Update {
		s.write(t, "README.md", regexp.MustCompile(`(?m)^Recorded: .*$`).ReplaceAllLiteralString(readme, want))
	} else if n := strings.Count(readme, "\nRecorded: "); n != 1 || !strings.Contains(readme, "\n"+want+"\n") {
		t.Errorf("README.md has %d lines that begin with Recorded:, and not one that is %q", n, want)
	}
	if len(s.snapshots) == 0 {
		t.Error("there is no snapshot")
	}
	for _, path := range s.snapshots {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > maxStoryBytes {
			t.Errorf("%s has %d bytes, more than %d", path, info.Size(), maxStoryBytes)
		}
	}
}

func (s *story) read(t *testing.T, name string) string {
	t.Helper()
	return string(testkit.ReadFile(t, filepath.Join(s.dir, name)))
}

func (s *story) write(t *testing.T, name, text string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(s.dir, name), text)
}

func checkAddsUp(t *testing.T, s *snapshot.Snapshot) {
	for _, device := range s.Devices() {
		if d := replay.Replay(s, device); d.Contradicted() || d.HasHistory() && !d.AddsUp() {
			t.Errorf("cuda:%d does not add up: %+v %+v", device, d.Anomalies, d.Reconciliation)
		}
	}
}

// checkFrames looks for the line of every frame of our own Python, in the function that
// the frame names.
func (s *story) checkFrames(t *testing.T, loaded *snapshot.Snapshot) {
	found := 0
	for _, f := range loaded.Frames {
		file := s.source(loaded.String(f.File))
		if file == "" {
			continue
		}
		found++
		text := testkit.ReadFile(t, file)
		function := loaded.String(f.Name)
		function = function[strings.LastIndexByte(function, '.')+1:] // of a class, if there is one
		if lines := strings.Split(string(text), "\n"); !slices.Contains(functionsAt(lines, int(f.Line)), function) {
			t.Errorf("%s:%d is not in a function %s", file, f.Line, function)
		}
	}
	if found == 0 {
		t.Error("no frame is in the story's own Python")
	}
}

// source returns our file that a frame is in, or "".
func (s *story) source(frame string) string {
	folder, base := filepath.Base(filepath.Dir(frame)), filepath.Base(frame)
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "..", "gpt"), filepath.Join(s.dir, "..")} {
		path := filepath.Join(dir, base)
		if _, err := os.Stat(path); err == nil && slices.Contains([]string{s.name, "gpt", "examples"}, folder) {
			return path
		}
	}
	return ""
}

var definition = regexp.MustCompile(`^\s*(?:async )?def (\w+)`)

// functionsAt returns the functions around a line, counted from 1, innermost first.
// The module is the outermost.
func functionsAt(lines []string, line int) (names []string) {
	if line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" {
		return nil
	}
	within := indentation(lines[line-1])
	for i := line - 2; i >= 0; i-- {
		indent := indentation(lines[i])
		if strings.TrimSpace(lines[i]) == "" || indent >= within {
			continue
		}
		within = indent
		if m := definition.FindStringSubmatch(lines[i]); m != nil {
			names = append(names, m[1])
		}
	}
	return append(names, "<module>")
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// ask runs a memviz command in the story's folder.
func (s *story) ask(t *testing.T, command string) string {
	t.Helper()
	t.Chdir(s.dir)
	args, ours := strings.CutPrefix(command, "memviz ")
	if !ours {
		t.Fatalf("%q is not a memviz command", command)
	}
	return stdoutOf(t, strings.Fields(args)...)
}

func TestFunctionsAt(t *testing.T) {
	lines := strings.Split("import x\n\nclass A:\n    def f(self):\n        def g():\n            pass\n\n        "+
		"return g\n\nf()", "\n")
	for line, want := range map[int]string{1: "[<module>]", 2: "[]", 5: "[f <module>]", 6: "[g f <module>]",
		8: "[f <module>]", 10: "[<module>]", 11: "[]"} {
		if got := fmt.Sprint(functionsAt(lines, line)); got != want {
			t.Errorf("line %d is in %s, want %s", line, got, want)
		}
	}
}
