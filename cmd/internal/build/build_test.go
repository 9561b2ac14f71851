package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	for _, version := range []string{"", "v", "1", "v1.2", "1.2.3.4", "v1.2.3+metadata", "v1.2.3 -w", "latest"} {
		if _, err := Open(t.Context(), ".", version); err == nil {
			t.Errorf("%q was taken as a version", version)
		}
	}
	s := open(t, ".")
	if s.Version != "0.0.0-test" || len(s.Commit) != 40 || s.Time.Year() < 2025 {
		t.Errorf("opened %+v", s)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "go.mod")); err != nil {
		t.Error(err)
	}
}

// TestBinaries builds two clones of one commit, in directories of different names, by people
// whose environments differ.
func TestBinaries(t *testing.T) {
	if testing.Short() {
		t.Skip("links three programs")
	}
	here := Target{runtime.GOOS, runtime.GOARCH}
	other := Target{"windows", "arm64"}
	var built [2]map[Target][]byte
	for i, clone := range []string{"a", "a longer name"} {
		built[i] = map[Target][]byte{}
		dir := filepath.Join(t.TempDir(), clone)
		if out, err := exec.Command("git", "clone", "--quiet", "--no-hardlinks", open(t, ".").Dir, dir).CombinedOutput(); err != nil {
			t.Fatalf("git clone: %v\n%s", err, out)
		}
		if i == 1 {
			t.Setenv("GOFLAGS", "-tags=other")
			t.Setenv("GOAMD64", "v3")
			t.Setenv("CGO_ENABLED", "1")
			t.Setenv("TZ", "Asia/Kathmandu")
		}
		for _, target := range []Target{here, other} {
			file := filepath.Join(t.TempDir(), target.Executable())
			if err := open(t, dir).Binary(t.Context(), target, file); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(content, []byte(filepath.Dir(dir))) {
				t.Errorf("%s names the directory that it was built in", target)
			}
			built[i][target] = content
			if target != here {
				continue
			}
			if out, err := exec.Command(file, "--version").CombinedOutput(); err != nil ||
				!strings.Contains(string(out), "0.0.0-test") {
				t.Errorf("--version: %v, %s", err, out)
			}
		}
	}
	for target, content := range built[0] {
		if !bytes.Equal(content, built[1][target]) {
			t.Errorf("two builds for %s differ", target)
		}
	}
}

func open(t *testing.T, dir string) *Source {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	s, err := Open(t.Context(), dir, "v0.0.0-test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
