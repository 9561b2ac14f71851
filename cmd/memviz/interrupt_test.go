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

// TestInterrupt ends the program at random moments of its run, in several ways,
// where a report of an earlier run stands. What it leaves under its name is that
// report or a whole new one. SIGKILL cannot be answered, so it may leave the
// temporary file too.
func TestInterrupt(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "memviz")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	snapshot := filepath.Join("..", "..", "examples", "out-of-memory", "snapshot.pickle.gz")
	other := filepath.Join(t.TempDir(), "other.html")
	if status := run([]string{"trace", "-q", filepath.Join("..", "..", "examples", "training-loop", "snapshot.pickle.gz"), "-o",
		other}, nil, os.Stdout, os.Stderr); status != exitDone {
		t.Fatalf("status %d", status)
	}
	earlier, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	folder := ""
	report := func() string { return filepath.Join(folder, "report.html") }
	start := func() *exec.Cmd {
		folder = t.TempDir()
		if err := os.WriteFile(report(), earlier, 0o600); err != nil {
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

	const enough, most = 10, 200 // on a busy machine few moments lie within a run
	random := rand.New(rand.NewPCG(7, 7))
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGKILL} {
		interrupted := 0
		for runs := 0; interrupted < enough && runs < most; runs++ {
			delay := time.Duration(random.Float64() * float64(run))
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
				if err != nil || entry.Name() != "report.html" || !bytes.Equal(text, earlier) && !bytes.Equal(text, whole) {
					t.Errorf("%v after %v leaves %s, which is no whole report (%v)", signal, delay, entry.Name(), err)
				}
			}
			if len(left) == 0 {
				t.Errorf("%v after %v leaves nothing, not even the earlier report", signal, delay)
			}
		}
		if interrupted < enough {
			t.Errorf("%v interrupted %d runs of %d", signal, interrupted, most)
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
