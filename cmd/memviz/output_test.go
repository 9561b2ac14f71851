package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestInputsStay: memviz never writes to a file that it reads, whether named by an
// argument, standard input, a flag, a link, or a shell's > and >>.
func TestInputsStay(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if status := run([]string{"trace", "-q", example("training-loop"), "-o", at("a.html")}, nil, io.Discard,
		os.Stderr); status != exitDone {
		t.Fatalf("status %d", status)
	}
	testkit.WriteFile(t, at("families"), "cache: function =~ kv_cache\n")
	if err := os.Link(at("a.html"), at("hard.html")); err != nil {
		t.Skipf("this file system has no links: %v", err)
	}
	if err := os.Symlink("a.html", at("soft.html")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args          []string
		stdin, stdout string // files; the second is appended to
		input, says   string
	}{
		{args: []string{"trace", at("a.html"), "-o", at("a.html")}, input: "a.html", says: "it is an input"},
		{args: []string{"trace", at("a.html"), "-o", at("hard.html")}, input: "a.html", says: "it is an input"},
		{args: []string{"trace", at("a.html"), "-o", at("soft.html")}, input: "a.html", says: "it is an input"},
		{args: []string{"trace", "-", "-o", at("a.html")}, stdin: "a.html", input: "a.html", says: "it is an input"},
		{args: []string{"trace", "-", "-o", at("soft.html")}, stdin: "a.html", input: "a.html", says: "it is an input"},
		{args: []string{"trace", example("training-loop"), "--families", at("families"), "-o", at("families")},
			input: "families", says: "it is an input"},
		{args: []string{"trace", at("a.html"), "-o", "-"}, stdout: "a.html", input: "a.html",
			says: "standard output goes to"},
		{args: []string{"stats", at("a.html")}, stdout: "a.html", input: "a.html", says: "standard output goes to"},
		{args: []string{"stats", "-"}, stdin: "a.html", stdout: "a.html", input: "a.html",
			says: "standard output goes to"},
		{args: []string{"inspect", at("a.html")}, stdout: "a.html", input: "a.html", says: "standard output goes to"},
		{args: []string{"ranks", at("a.html"), example("training-loop")}, stdout: "a.html", input: "a.html",
			says: "standard output goes to"},
	} {
		before := testkit.ReadFile(t, at(tt.input))
		var stdin io.Reader
		var stdout io.Writer = io.Discard
		if tt.stdin != "" {
			f, err := os.Open(at(tt.stdin))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			stdin = f
		}
		if tt.stdout != "" {
			f, err := os.OpenFile(at(tt.stdout), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			stdout = f
		}
		var stderr bytes.Buffer
		status := run(tt.args, stdin, stdout, &stderr)
		if status == exitDone || !strings.Contains(stderr.String(), tt.says) {
			t.Errorf("%q: status %d, %s", tt.args, status, stderr.String())
		}
		if after, err := os.ReadFile(at(tt.input)); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("%q changed its input (%v)", tt.args, err)
		}
	}
}
