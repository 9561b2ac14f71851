//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt ends the program at many moments. What it leaves is a whole
// report or nothing.
func TestInterrupt(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "memviz")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	snapshot := filepath.Join("..", "..", "examples", "out-of-memory", "snapshot.pickle.gz")
	interrupted := 0
	for i, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for delay := time.Duration(i); delay < 90*time.Millisecond; delay += 9 * time.Millisecond {
			folder := t.TempDir()
			c := exec.Command(bin, "trace", snapshot, "-o", filepath.Join(folder, "report.html"))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(delay)
			c.Process.Signal(signal)
			if c.Wait() != nil {
				interrupted++
			}
			left, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range left {
				text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
				if err != nil || entry.Name() != "report.html" || !bytes.HasSuffix(bytes.TrimSpace(text), []byte("</html>")) {
					t.Errorf("%v after %v leaves %s, which is not a whole report (%v)", signal, delay, entry.Name(), err)
				}
			}
		}
	}
	if interrupted == 0 {
		t.Error("nothing was interrupted")
	}
}

func TestFileNamesAreShownSafely(t *testing.T) {
	var stderr strings.Builder
	if status := run([]string{"stats", "\x1b[31mred\n.pickle"}, nil, &stderr, &stderr); status != exitError {
		t.Errorf("status %d", status)
	}
	if text := strings.TrimSuffix(stderr.String(), "\n"); strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("the error holds %q", text)
	}
}
