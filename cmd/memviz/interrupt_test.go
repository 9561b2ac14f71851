//go:build unix

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt ends the program at twenty moments of its run, in three ways,
// where a report of an earlier run stands. What it leaves under its name is that
// report or a whole new one. SIGKILL cannot be answered, so it may leave the
// temporary file too.
func TestInterrupt(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "memviz")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	snapshot := filepath.Join("..", "..", "examples", "out-of-memory", "snapshot.pickle.gz")
	const earlier = "the report of an earlier run"
	folder := ""
	report := func() string { return filepath.Join(folder, "report.html") }
	start := func() *exec.Cmd {
		folder = t.TempDir()
		if err := os.WriteFile(report(), []byte(earlier), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(bin, "trace", snapshot, "-o", report())
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	began := time.Now()
	if err := start().Wait(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(report())
	if err != nil || !bytes.HasSuffix(bytes.TrimSpace(whole), []byte("</html>")) {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	run := time.Since(began)

	const moments = 20
	random := rand.New(rand.NewPCG(7, 7))
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGKILL} {
		interrupted := 0
		for moment := range moments {
			delay := time.Duration((float64(moment) + random.Float64()) * float64(run) / moments)
			c := start()
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
				if signal == syscall.SIGKILL && strings.HasPrefix(entry.Name(), ".memviz-") {
					continue
				}
				text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
				if err != nil || entry.Name() != "report.html" || string(text) != earlier && !bytes.Equal(text, whole) {
					t.Errorf("%v after %v leaves %s, which is no whole report (%v)", signal, delay, entry.Name(), err)
				}
			}
			if len(left) == 0 {
				t.Errorf("%v after %v leaves nothing, not even the earlier report", signal, delay)
			}
		}
		if interrupted < moments/4 {
			t.Errorf("%v interrupted %d runs of %d", signal, interrupted, moments)
		}
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
