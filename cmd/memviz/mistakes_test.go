package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestMistakes runs memviz on typical inputs that are not a whole snapshot of a whole
// recording, and checks the message for each. More files that are something else are
// in package snapshot's table of problems.
func TestMistakes(t *testing.T) {
	example, err := filepath.Abs(example("training-loop"))
	if err != nil {
		t.Fatal(err)
	}
	packed := testkit.ReadFile(t, example)
	t.Chdir(t.TempDir())
	for name, data := range map[string]string{
		"empty": "", "cut": string(packed[:len(packed)/2]), "copy": string(packed), "utf16": "\xff\xfe{\x00}\x00",
		"lfs":      "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n",
		"nsys":     "SQLite format 3\x00",
		"timeline": "[[1, 2], [[0, 1], [0, 2]]]",
		"model":    "\x80\x02}q\x00X\x01\x00\x00\x00wq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X",
		"dir/a":    "Dear diary", "dir/b": "<html>",
	} {
		testkit.WriteFile(t, name, data)
	}
	if err := os.WriteFile("locked", packed, 0); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, says string }{
		{"trace empty", "empty: the file is empty; the job may have died before it wrote the snapshot"},
		{"trace cut", "cut: the file ends in the middle at byte "},
		{"trace lfs", "lfs: this is a Git LFS pointer to a file that was not downloaded; fetch the " +
			"file with git lfs pull"},
		{"trace nsys", "nsys: this is an SQLite database, such as Nsight Systems exports; dump the snapshot with"},
		{"trace timeline", "timeline: this is a timeline of torch.profiler's export_memory_timeline, which has " +
			"neither tensors nor stacks; record with"},
		{"trace model", "model: this is a checkpoint with tensors; expected what"},
		{"trace utf16", "utf16: this is text in UTF-16; "},
		{"trace dir", "dir holds no snapshots, but dir/a (text), dir/b (an HTML page without a snapshot in it)"},
		{"trace gone", "gone: "},
		{"trace locked", "locked: permission denied; see who may read it with ls -l"},
		{"trace copy -o /dev/full",
			"cannot write /dev/full: no space left on device; make room, or write to another place with -o"},
		{"trace copy -o copy", "cannot write copy: it is an input; choose another name with -o"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			if f, err := os.Open("locked"); err == nil && strings.Contains(tt.args, "locked") {
				f.Close()
				t.Skip("this user may read what nobody may")
			}
			if _, err := os.Stat("/dev/full"); err != nil && strings.Contains(tt.args, "/dev/full") {
				t.Skip("this system has no /dev/full")
			}
			var stdout, stderr bytes.Buffer
			status := run(strings.Fields(tt.args), nil, &stdout, &stderr)
			if status != exitError || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "memviz: "+tt.says) ||
				strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("status %d, stdout %q, stderr %q; want %q", status, &stdout, &stderr, tt.says)
			}
			if left, err := filepath.Glob("*.html"); err != nil || len(left) > 0 {
				t.Errorf("it left %v (%v)", left, err)
			}
		})
	}
}

// TestPoorRecordings: both stats and the model of the report say what a recording lacks.
func TestPoorRecordings(t *testing.T) {
	t.Chdir(t.TempDir())
	nothing := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	nothing.Trace(0)
	for _, tt := range []struct {
		name     string
		snapshot *snapshot.Snapshot
		says     string
		devices  int // in the report
	}{
		{"no history", testsnap.StateOnly(), "No history was recorded.", 1},
		{"one event", testsnap.OneEvent(), "Only one event was recorded.", 1},
		{"no stacks", testsnap.Cut(), "No stacks were recorded.", 1},
		{"cut by the ring", testsnap.Cut(), "The oldest events are missing: ", 1},
		{"no device with anything", nothing.Snapshot(), "No device has events or segments.", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := os.Create("snap.pickle")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := snapshot.Write(f, tt.snapshot, 4); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			if run([]string{"stats", "snap.pickle"}, nil, &stdout, &stderr) != exitDone ||
				!strings.Contains(stdout.String(), tt.says) {
				t.Errorf("%s%s; want %q", &stderr, &stdout, tt.says)
			}
			devices := recording.New(program, []answer.Input{answer.NewInput("snap.pickle", tt.snapshot)},
				true).Files[0].Devices
			if len(devices) != tt.devices {
				t.Fatalf("%d devices in the report", len(devices))
			}
			says := func(w trust.Warning) bool { return strings.HasPrefix(w.Fact, tt.says) && w.Code != "" }
			for _, d := range devices {
				if !slices.ContainsFunc(d.Warnings, says) {
					t.Errorf("the report warns of %+v, want %q", d.Warnings, tt.says)
				}
			}
		})
	}
}
