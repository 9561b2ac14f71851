package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memviz-go/memviz/pkg/units"
)

// TestProgress: on a terminal a long run shows its progress in one line, and removes it
// before anything else is written.
func TestProgress(t *testing.T) {
	var screen bytes.Buffer
	term := newTerminal(nil, io.Discard, &screen)
	term.screen, term.began = &screen, time.Now().Add(-progressDelay)
	lineSays := func(want ...string) {
		t.Helper()
		line := term.bar.String()
		for _, text := range want {
			if !strings.Contains(line, text) {
				t.Errorf("the line says %q, want %q in it", line, text)
			}
		}
	}
	reading := term.bytes("reading")
	reading(1_000_000, 4_000_000)
	lineSays("reading [", "25.00%", "1.00 MB")
	events := term.events("encoding")
	events(30, 40)
	reading(4_000_000, 4_000_000) // too late
	lineSays("encoding [", "75.00%", "30 events")
	term.bytes("reading")(5, 0) // without an end
	lineSays("reading 5 B")
	term.clear()
	if text := screen.String(); text == "" || strings.Contains(text, "\n") || !strings.HasSuffix(text, " \r") &&
		!strings.HasSuffix(text, "\x1b[0m\r") {
		t.Errorf("the line stays: %q", text)
	}
	screen.Reset()
	events(40, 40)
	term.clear()
	term.warn("%s", "over")
	if got := screen.String(); got != "memviz: over\n" {
		t.Errorf("after the end %q is written", got)
	}
	again := term.bytes("reading")
	again(1, 2)
	lineSays("reading [", "50.00%")
	term.quiet = true
	term.confirm("done")
	screen.Reset()
	term.bytes("writing")(1, 2)
	if term.bar != nil || screen.Len() > 0 {
		t.Errorf("--quiet shows %q", &screen)
	}
}

// TestNoProgress: a short run shows nothing, nor does one whose stderr is a file.
func TestNoProgress(t *testing.T) {
	var screen bytes.Buffer
	short := newTerminal(nil, io.Discard, &screen)
	short.screen, short.began = &screen, time.Now().Add(time.Hour) // however slow this machine is
	short.bytes("reading")(1, 2)
	short.clear()
	if screen.Len() > 0 || short.bar != nil {
		t.Errorf("a short run shows %q", &screen)
	}
	file, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, stderr := range []io.Writer{&screen, file} {
		if term := newTerminal(nil, nil, stderr); term.screen != nil {
			t.Errorf("progress goes to %T, which is not a terminal", stderr)
		}
	}
}

func TestAttachable(t *testing.T) {
	for _, test := range []struct {
		size int64
		want string
	}{
		{0, "fits GitHub, Jira and mail"},
		{10 * units.MB, "fits GitHub, Jira and mail"},
		{10*units.MB + 1, "fits GitHub and mail, not Jira (10 MB)"},
		{18 * units.MB, "fits GitHub and mail, not Jira (10 MB)"},
		{18*units.MB + 1, "fits GitHub, not mail (18 MB) or Jira (10 MB)"},
		{25 * units.MB, "fits GitHub, not mail (18 MB) or Jira (10 MB)"},
		{25*units.MB + 1, "too large for GitHub (25 MB), mail (18 MB) and Jira (10 MB)"},
	} {
		if got := attachable(test.size); got != test.want {
			t.Errorf("%d bytes: %s, want %s", test.size, got, test.want)
		}
	}
}
