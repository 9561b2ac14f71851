package assets

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestViewer runs the viewer's own tests, which need node.
func TestViewer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, so the viewer's JavaScript tests cannot run")
	}
	tests, err := filepath.Glob("viewer/test/*.test.js")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests found (%v)", err)
	}
	for i := range tests {
		tests[i] = filepath.Join("test", filepath.Base(tests[i]))
	}
	cmd := exec.Command(node, append([]string{"--test", "--test-reporter=tap"}, tests...)...)
	cmd.Dir = "viewer"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
	if n := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindSubmatch(out); n == nil || string(n[1]) == "0" {
		t.Errorf("no test ran:\n%s", out)
	}
}
