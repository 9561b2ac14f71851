package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// stdoutOf returns the output of memviz with args.
func stdoutOf(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(args, nil, &stdout, &stderr); status != exitDone {
		t.Fatalf("memviz %s: status %d; %s", strings.Join(args, " "), status, &stderr)
	}
	return stdout.String()
}

// TestExitStatus checks exit status and stderr of valid and invalid command lines.
func TestExitStatus(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.html")
	trace := func(capacity string) []string {
		return []string{"trace", "-q", "-o", name, example("out-of-memory"), "--capacity", capacity}
	}
	stats := func(args ...string) []string { return append([]string{"stats", example("training-loop")}, args...) }
	for _, tt := range []struct {
		args []string
		want int
		says string
	}{
		{stats(), exitDone, ""},
		{[]string{"stats", "nothing.pickle"}, exitError, "nothing.pickle: no such file"},
		{[]string{"stats"}, exitUsage, "no snapshot was named"},
		{[]string{"draw"}, exitUsage, `there is no command "draw"`},
		{stats("--format", "yaml"), exitUsage, "is not one of text, markdown, json"},
		{stats("--bogus"), exitUsage, "there is no flag --bogus"},
		{[]string{"--help"}, exitDone, ""},
		{[]string{"stats", "--help"}, exitDone, ""},
		{stats("--help"), exitDone, ""},
		{[]string{"trace", example("training-loop"), "-o"}, exitUsage, "flag needs an argument: -o"},
		{trace("80GiB"), exitDone, ""},
		{trace("NVIDIA A100-SXM4-80GB"), exitDone, ""},
		{trace("1GiB"), exitDone, "--capacity 1.00 GiB is ignored for cuda:0: the recording shows that it has 4.00 GiB " +
			"or more"},
		{trace("A100"), exitUsage, "A100-80GB"},
		{trace("-5"), exitUsage, "is not a size such as 80GiB"},
		{trace("toaster"), exitUsage, "is not a size such as 80GiB, nor one of"},
		{[]string{"mcp"}, exitUsage, "--root is missing"},
		{[]string{"mcp", "--root", ".", "snap.pickle"}, exitUsage, "mcp takes no arguments"},
		{[]string{"mcp", "--root", "nothing"}, exitError, "--root: nothing: no such file"},
		{[]string{"mcp", "--root", "mcp.go"}, exitError, "--root: mcp.go is not a folder"},
		{[]string{"mcp", "--root", ".", "--max-result", "1KiB"}, exitUsage, "--max-result is below 4.00 KiB"},
		{[]string{"mcp", "--root", ".", "--keep-prefix", "x"}, exitUsage, "--keep-prefix is an exception from --redact"},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(tt.args, strings.NewReader(""), &stdout, &stderr); got != tt.want {
			t.Errorf("memviz %s: status %d, want %d; %s", tt.args, got, tt.want, &stderr)
		}
		if !strings.Contains(stderr.String(), tt.says) || (tt.says == "") != (stderr.Len() == 0) ||
			tt.want != exitDone && stdout.Len() > 0 {
			t.Errorf("memviz %s: stdout %q, stderr %q, want %q", tt.args, &stdout, &stderr, tt.says)
		}
	}
}

// TestExampleStats compares the first examples with the totals beside them.
func TestExampleStats(t *testing.T) {
	totals, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "stats.txt"))
	if err != nil || len(totals) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, text := range totals {
		path := filepath.Join(filepath.Dir(text), "snapshot.pickle.gz")
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			for _, format := range []string{"text", "json"} {
				text := stdoutOf(t, "stats", "--format", format, path)
				golden := filepath.Join(filepath.Dir(path),
					map[string]string{"text": "stats.txt", "json": "stats.json"}[format])
				testkit.GoldenFile(t, golden, []byte(text))
				for i, line := range strings.Split(text, "\n") {
					if n := len([]rune(line)); format == "text" && n > 80 {
						t.Errorf("line %d has %d columns", i+1, n)
					}
				}
			}
		})
	}
}

func TestFlagsFirst(t *testing.T) {
	app := newApp(newTerminal(nil, nil, nil))
	for _, tt := range []struct{ args, want string }{
		{"trace a b -o c", "trace -o c -- a b"},
		{"trace a --output=c b", "trace --output=c -- a b"},
		{"trace a --open b", "trace --open -- a b"},
		{"trace a -o -", "trace -o - -- a"},
		{"trace -o c -- -a", "trace -o c -- -a"},
		{"trace - -o c", "trace -o c -- -"},
		{"trace a -o", "trace -o"},
		{"trace a --help", "trace --help"},
		{"draw a -o c", "draw a -o c"},
		{"--help", "--help"},
	} {
		if got := flagsFirst(app, strings.Fields(tt.args)); !reflect.DeepEqual(got, strings.Fields(tt.want)) {
			t.Errorf("%s becomes %q, want %s", tt.args, got, tt.want)
		}
	}
}

func TestDisplayNames(t *testing.T) {
	for _, tt := range []struct{ paths, want string }{
		{"/home/ada/run/snap.pickle", "snap.pickle"},
		{"/x/a/snap.pickle /x/b/snap.pickle other.pickle", "a/snap.pickle b/snap.pickle other.pickle"},
		{"/x/r0/step/snap.pickle /x/r1/step/snap.pickle", "r0/step/snap.pickle r1/step/snap.pickle"},
		{"snap.pickle snap.pickle", "snap.pickle snap.pickle"},
		{"../snap.pickle snap.pickle", "snap.pickle snap.pickle"},
	} {
		if got := strings.Join(displayNames(strings.Fields(tt.paths)), " "); got != tt.want {
			t.Errorf("%s are shown as %s, want %s", tt.paths, got, tt.want)
		}
	}
}

func TestDefaultOutput(t *testing.T) {
	for input, want := range map[string]string{
		"snap.pickle":          "snap.html",
		"dir.d/snap.pickle.gz": "dir.d/snap.html",
		"snap":                 "snap.html",
		"/x/.pickle":           "/x/.pickle.html",
		"rank0.step3.pkl":      "rank0.step3.html",
	} {
		if got := filepath.ToSlash(defaultOutput(input)); got != want {
			t.Errorf("%s becomes %s, want %s", input, got, want)
		}
	}
}
