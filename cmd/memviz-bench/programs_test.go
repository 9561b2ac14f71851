package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test binary usable as a measured program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == gopickle {
		main() // files starts itself for this
		return
	}
	switch os.Getenv("MEMVIZ_BENCH_CHILD") {
	case "":
		os.Unsetenv("GOGC") // of the programs that are measured
		os.Exit(m.Run())
	case "fail":
		os.Stderr.WriteString("the child is unwell\n")
		os.Exit(3)
	case "no devices":
		os.Stdout.WriteString("{}")
	case "hog":
		hog := bytes.Repeat([]byte("x"), 256<<20)
		os.Stdout.Write(hog[:1000])
		time.Sleep(50 * time.Millisecond)
	}
}

func TestRunProgram(t *testing.T) {
	t.Setenv("MEMVIZ_BENCH_CHILD", "hog")
	used, err := runProgram(t.Context(), os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if used.output != 1000 || used.wall < 0.05 || used.cpu <= 0 || used.cpu > 120 {
		t.Errorf("measured %+v", used)
	}
	if runtime.GOOS == "linux" && !(used.peak >= 256<<20 && used.peak < 1<<30) {
		t.Errorf("a child with 256 MiB had a peak of %f bytes", used.peak)
	}
	t.Setenv("MEMVIZ_BENCH_CHILD", "fail")
	if _, err := runProgram(t.Context(), os.Args[0]); err == nil || !strings.Contains(err.Error(), "the child is unwell") {
		t.Errorf("a child that fails gives %v", err)
	}
}

// TestFiles measures a small file for real.
func TestFiles(t *testing.T) {
	got := benchmarked(t, "files", "1MB")
	for _, want := range []string{"5,300 events", sha256sum, stats, digest, trace, "Budgets"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	if findPython(t.Context()) != "" && !strings.Contains(got, "agree on 1MB.pickle, device 0") {
		t.Errorf("nothing was verified:\n%s", got)
	}
}

// TestJob measures a small job.
func TestJob(t *testing.T) {
	got := benchmarked(t, "job", "6")
	for _, want := range []string{"6 ranks, digests of ", ranksText, ranksPage, "page, 1,024 ranks: CPU"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

// TestPredict measures a small prediction.
func TestPredict(t *testing.T) {
	got := benchmarked(t, "predict", "1k")
	for _, want := range []string{"two of 1,000 events, ", stats, predictText, "predict from two, 1k events: wall / stats"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

// benchmarked returns the output of a benchmark of one size, which must leave no files.
func benchmarked(t *testing.T, kind, size string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds and runs memviz")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir) // where temporary folders go: TMP on Windows
	t.Setenv("TMP", dir)
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), []string{"memviz-bench", kind, "--runs", "1", size}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "memviz-bench-*")); err != nil || len(left) > 0 {
		t.Errorf("files left: %v (%v)", left, err)
	}
	return stdout.String()
}
