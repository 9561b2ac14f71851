//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestInterrupt interrupts the program in several ways, while it reads and while it
// replaces the report of an earlier run. The file afterwards is the earlier report or
// a whole new one. SIGKILL cannot be handled, so it may leave the temporary file too.
func TestInterrupt(t *testing.T) {
	s, err := snapshot.Open(example("out-of-memory"))
	if err != nil {
		t.Fatal(err)
	}
	var pickled bytes.Buffer
	if err := snapshot.Write(&pickled, s, 4); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.html")
	if status := run([]string{"trace", "-q", example("training-loop"), "-o", other}, nil, os.Stdout,
		os.Stderr); status != exitDone {
		t.Fatalf("status %d", status)
	}
	earlier := testkit.ReadFile(t, other)
	undisturbed := startTrace(t, earlier)
	undisturbed.feed(pickled.Bytes())
	undisturbed.stdin.Close()
	if err := undisturbed.wait(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(undisturbed.report)
	if err != nil || !bytes.HasSuffix(bytes.TrimSpace(whole), []byte("</html>")) {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGKILL} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(s) {
				t.Skip("the tests run under nohup, so child processes ignore it, too")
			}
			for _, tenths := range []int{0, 1, 5, 9} {
				run := startTrace(t, earlier)
				run.feed(pickled.Bytes()[:pickled.Len()*tenths/10])
				run.Process.Signal(s)
				if err := run.wait(); err == nil {
					t.Errorf("interrupted after %d tenths of the input, it ends as if nothing had happened", tenths)
				}
				run.check(s, earlier)
			}
			for _, tenths := range []int{0, 1, 5, 9} { // of the output
				run := startTrace(t, earlier)
				run.feed(pickled.Bytes())
				run.stdin.Close()
				run.awaitWriting(int64(len(whole) * tenths / 10))
				run.Process.Signal(s) // may come too late
				run.wait()
				run.check(s, earlier, whole)
			}
		})
	}
}

// traceRun is a run of the program that makes a report of its standard input.
type traceRun struct {
	*exec.Cmd
	t      *testing.T
	report string // its path
	stdin  io.WriteCloser
	stderr bytes.Buffer
	ended  chan struct{}
	err    error // of the run, once it has ended
}

// startTrace starts the program with an earlier report at its output path.
func startTrace(t *testing.T, earlier []byte) *traceRun {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.html")
	testkit.WriteFile(t, report, earlier)
	r := &traceRun{Cmd: exec.Command("memviz", "trace", "-q", "-", "-o", report), t: t, report: report,
		ended: make(chan struct{})}
	r.Stderr = &r.stderr
	var err error
	if r.stdin, err = r.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r.err = r.Wait()
		close(r.ended)
	}()
	return r
}

// wait waits for the program to end.
func (r *traceRun) wait() error {
	<-r.ended
	return r.err
}

// feed gives the program input, and returns when it has read all but the pipe's
// buffer.
func (r *traceRun) feed(input []byte) {
	r.t.Helper()
	if _, err := r.stdin.Write(input); err != nil {
		r.wait()
		r.t.Fatalf("%v; it says %s", err, &r.stderr)
	}
}

// awaitWriting waits until the temporary file has size bytes, or the program has
// ended.
func (r *traceRun) awaitWriting(size int64) {
	r.t.Helper()
	for {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(r.report), ".memviz-*"))
		if err != nil {
			r.t.Fatal(err)
		}
		if len(found) > 0 {
			if info, err := os.Stat(found[0]); err == nil && info.Size() >= size {
				return
			}
		}
		select {
		case <-r.ended:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// check requires that one of some reports is left, and nothing else.
func (r *traceRun) check(signal os.Signal, reports ...[]byte) {
	r.t.Helper()
	left, err := os.ReadDir(filepath.Dir(r.report))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, entry := range left {
		if name := entry.Name(); name != filepath.Base(r.report) &&
			(signal != syscall.SIGKILL || !strings.HasPrefix(name, ".memviz-")) {
			r.t.Errorf("%v leaves %s", signal, name)
		}
	}
	text, err := os.ReadFile(r.report)
	if err != nil || !slices.ContainsFunc(reports, func(report []byte) bool { return bytes.Equal(report, text) }) {
		r.t.Errorf("%v leaves %d bytes, which are not a whole report (%v)", signal, len(text), err)
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
