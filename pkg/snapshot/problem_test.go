package snapshot

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/container"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// TestProblems has one row at least for each row of the table, and demands that
// what is said names the file, what was found, and the next step.
func TestProblems(t *testing.T) {
	whole := write(t, small(), 4)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range []string{"a.pickle", "b.pickle"} {
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[Problem]bool{ProblemOther: true}
	for _, tt := range []struct {
		name    string
		data    string
		problem Problem
		says    string
	}{
		{"empty", "", ProblemEmpty, "the file is empty; the job may have died"},
		{"empty.gz", gzipped(t, ""), ProblemEmpty, "an empty file in a gzip; the job may have died"},
		{"pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n", ProblemGitLFS,
			"Git LFS pointer to a file that was not downloaded; fetch the file with git lfs pull"},
		{"report.sqlite", "SQLite format 3\x00", ProblemSQLite, "SQLite database"},
		{"timeline.json", "[[1, 2], [[0, 1], [0, 2]]]", ProblemMemoryTimeline,
			"export_memory_timeline, which has neither tensors nor stacks; record with"},
		{"timeline.json.gz", gzipped(t, "[[1, 0, 512, 2]]"), ProblemMemoryTimeline, "in a gzip; record with"},
		{"timeline.html", "<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory Timeline HTML</title></head>",
			ProblemMemoryTimeline, "export_memory_timeline"},
		{"trace.json", `{"schemaVersion": 1, "traceEvents": []}`, ProblemChromeTrace, "Chrome trace"},
		{"model.pt", "\x80\x02}q\x00X\x01\x00\x00\x00wq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X",
			ProblemCheckpoint, "checkpoint with tensors; expected what"},
		{"storage.pt", "\x80\x02ctorch\nFloatStorage\n.", ProblemCheckpoint,
			`looks like a checkpoint with tensors: at byte 2 it asks for "torch.FloatStorage"`},
		{"snap.html", `<!doctype html><meta name="generator" content="memviz 0.1.0">`, ProblemReport,
			"this is a memviz report; commands of memviz read it once it is unpacked"},
		{"page.html", "<!doctype html>", ProblemPage, "HTML page without a snapshot in it; name the snapshot"},
		{"two.zip", archive.String(), ProblemArchive, "a zip of 2 files; unpack it"},
		{"snap.xz", "\xfd7zXZ\x00", ProblemCompression, "unpack it first"},
		{"snap.json", "\xff\xfe{\x00}\x00", ProblemUTF16, "text in UTF-16; a redirection in PowerShell"},
		{"notes.txt", "Dear diary", ProblemNotPickle, `text, and begins with "Dear diary"; expected what`},
		{"PK", "PK is how zips begin", ProblemNotPickle, `text, and begins with "PK is how zips b"`},
		{"picture", "\x89PNG\r\n\x1a\n", ProblemNotPickle, "this is an image; expected what"},
		{"old", "(dear diary", ProblemNotPickle, `not a pickle: it begins with "(dear diary"; expected what`},
		{"cut.old", "(dp0\nS'segments'\np1\n(lp2\nsS'device_traces'\np3\n", ProblemTruncated, "no STOP"},
		{"number", "\x80\x04K\x05.", ProblemNotSnapshot,
			"its top level is not a dict of segments and traces; expected what"},
		{"config.json", `{"model": {}, "optimizer": {}}`, ProblemNotSnapshot,
			`it has "model", "optimizer"; expected what`},
		{"cut", string(whole[:len(whole)-2]), ProblemTruncated, "(7 events had been read); copy or dump it again"},
		{"cut.gz", gzipped(t, string(whole))[:500], ProblemTruncated, "the file ends in the middle at byte"},
		{"cut.pt", "PK\x03\x04", ProblemTruncated, "the zip ends in the middle (0 events had been read); copy"},
		{"cut.json", `{"device_traces": [[{"action": "alloc", "addr": 1},`, ProblemTruncated,
			"(1 events had been read); copy"},
		{"broken", "\x80\x02\xff", ProblemDamaged, "damaged pickle at byte 2 (opcode 0xff): no such opcode; copy"},
		{"broken.json", `{"segments": nil}`, ProblemDamaged, `damaged JSON at byte 16: "nil" is not a value; copy`},
		{"broken.gz", "\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00", ProblemDamaged, "the gzip cannot be unpacked"},
		{"evil", "\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93.", ProblemForbidden, `"os.system"`},
		{"deep", "\x80\x02" + strings.Repeat("](", 300), ProblemLimit,
			"inside one another; raise the limit if you trust the file"},
		{"deep.json", strings.Repeat("[{\"a\":", 300), ProblemLimit,
			"inside one another; raise the limit if you trust the file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.name)
			if err := os.WriteFile(path, []byte(tt.data), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			seen[tt.problem] = true
			requireProblem(t, err, tt.problem, path, tt.says)
			if tt.problem >= ProblemEmpty && tt.problem <= ProblemNotSnapshot != IsSomethingElse(err) {
				t.Errorf("something else: %t", IsSomethingElse(err))
			}
		})
	}
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		_, err := Open(dir)
		seen[ProblemDirectory] = true
		requireProblem(t, err, ProblemDirectory, dir, " is a directory; name the snapshot files in it")
	})
	t.Run("pipe", func(t *testing.T) {
		seen[ProblemPipe] = true
		ordered := "\x80\x04" + strings.Repeat("\x95\x00\x00\x00\x00\x00\x00\x00\x00", keptBytes/9+1) +
			"ccollections\nOrderedDict\n)R."
		_, err := ReadPipe(bytes.NewBufferString(ordered), Options{})
		requireProblem(t, err, ProblemPipe, "",
			"needs a second reading, which a pipe allows for its first 32 MiB only; save it to a file")
		_, err = ReadPipe(bytes.NewReader(archive.Bytes()), Options{Container: container.Limits{HeldBytes: 10}})
		requireProblem(t, err, ProblemPipe, "", "a zip is read from its end")
	})
	t.Run("permission", func(t *testing.T) {
		seen[ProblemPermission] = true
		err := explain(&os.PathError{Op: "open", Path: "x",
			Err: os.ErrPermission}) // a test may run as root, who may read everything
		requireProblem(t, err, ProblemPermission, "", "permission denied; see who may read it")
	})
	for p := range numProblems {
		if !seen[p] || p > 0 && problems[p].advice == "" {
			t.Errorf("problem %d has no test or no advice", p)
		}
	}
}

func requireProblem(t *testing.T, err error, want Problem, path, says string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Problem != want {
		t.Errorf("%v is not problem %d", err, want)
	} else if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), says) ||
		!strings.HasSuffix(err.Error(), problems[want].advice) {
		t.Errorf("%q does not say %q of %s", err, says, path)
	} else if n := len(err.Error()) - len(path); n > 200 {
		t.Errorf("%d characters are too many to read: %v", n, err)
	}
}

func gzipped(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBadText: invalid UTF-8 is shown as far as possible, and counted.
func TestBadText(t *testing.T) {
	data := pickled(t, dict{"segments", list{}, "device_traces", list{list{
		dict{"action", "alloc", "addr", 1, "frames",
			list{frame("caf\xe9.py", 1, "f"), frame("caf\xe9.py", 2, "\xff\xfe")}}}}})
	s, err := Read(bytes.NewReader(data), int64(len(data)), pickle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if file := s.String(s.Frames[0].File); file != "caf\uFFFD.py" || s.Oddity.BadText != 2 {
		t.Errorf("%q, %d texts", file, s.Oddity.BadText)
	}
}
