package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The built binaries are tested in cmd/memviz-release.
func TestOpen(t *testing.T) {
	if err := exec.Command("git", "rev-parse", "--show-toplevel").Run(); err != nil {
		t.Skip("this is not a git checkout")
	}
	for _, version := range []string{"", "v", "1", "v1.2", "1.2.3.4", "v1.2.3+metadata", "v1.2.3 -w", "latest"} {
		if _, err := Open(t.Context(), ".", version); err == nil {
			t.Errorf("%q was taken as a version", version)
		}
	}
	for _, version := range []string{"v1.2.3-rc.1", "1.2.3-rc.1"} {
		s, err := Open(t.Context(), ".", version)
		if err != nil {
			t.Fatal(err)
		}
		if s.Version != "1.2.3-rc.1" || len(s.Commit) != 40 || s.Time.Year() < 2025 {
			t.Errorf("opened %+v", s)
		}
		if _, err := os.Stat(filepath.Join(s.Dir, "go.mod")); err != nil {
			t.Error(err)
		}
	}
}
