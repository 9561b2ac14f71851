package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestExitStatus(t *testing.T) {
	example := filepath.Join("..", "..", "examples", "training-loop", "snapshot.pickle.gz")
	for _, tt := range []struct {
		args string
		want int
	}{
		{"stats " + example, exitDone},
		{"stats nothing.pickle", exitError},
		{"stats", exitUsage},
		{"draw", exitUsage},
		{"stats --format yaml " + example, exitUsage},
		{"stats " + example + " --bogus", exitUsage},
		{"--help", exitDone},
		{"stats --help", exitDone},
		{"stats " + example + " --help", exitDone},
		{"trace " + example + " -o", exitUsage},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(strings.Fields(tt.args), nil, &stdout, &stderr); got != tt.want {
			t.Errorf("memviz %s: status %d, want %d; %s", tt.args, got, tt.want, &stderr)
		}
		if tt.want != exitDone && (stderr.Len() == 0 || stdout.Len() > 0) {
			t.Errorf("memviz %s: stdout %q, stderr %q", tt.args, &stdout, &stderr)
		}
	}
}

// TestExampleStats holds the first examples against the totals beside them.
func TestExampleStats(t *testing.T) {
	totals, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "stats.txt"))
	if err != nil || len(totals) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, text := range totals {
		path := filepath.Join(filepath.Dir(text), "snapshot.pickle.gz")
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			for _, format := range []string{"text", "json"} {
				var stdout, stderr bytes.Buffer
				if run([]string{"stats", "--format", format, path}, nil, &stdout, &stderr) != exitDone {
					t.Fatal(&stderr)
				}
				golden := filepath.Join(filepath.Dir(path),
					map[string]string{"text": "stats.txt", "json": "stats.json"}[format])
				if *testkit.Update {
					if err := os.WriteFile(golden, stdout.Bytes(), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(stdout.Bytes(), want) {
					t.Errorf("memviz stats says\n%s\n%s has\n%s", &stdout, golden, want)
				}
				for i, line := range strings.Split(stdout.String(), "\n") {
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

// TestCapacityFlag gives --capacity what cannot be read and what the recording
// refutes.
func TestCapacityFlag(t *testing.T) {
	for _, test := range []struct {
		value string
		exit  int
		says  string
	}{
		{"80GiB", exitDone, ""},
		{"NVIDIA A100-SXM4-80GB", exitDone, ""},
		{"1GiB", exitDone, "--capacity 1.00 GiB is ignored for cuda:0: the recording shows that it has 4.00 " +
			"GiB or more"},
		{"A100", exitUsage, "A100-80GB"},
		{"-5", exitUsage, "is not a size such as 80GiB"},
		{"toaster", exitUsage, "is not a size such as 80GiB, nor one of"},
	} {
		var stdout, stderr bytes.Buffer
		args := []string{"trace", "-q", "-o", filepath.Join(t.TempDir(), "out.html"), "--capacity", test.value,
			example("out-of-memory")}
		if exit := run(args, nil, &stdout, &stderr); exit != test.exit ||
			!strings.Contains(stderr.String(), test.says) || (test.says == "") != (stderr.Len() == 0) {
			t.Errorf("%s exits with %d and says %q", test.value, exit, stderr.String())
		}
	}
}
