package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/units"
)

// On a terminal a long run says what it does and how far it is, and takes that
// away again.
func TestProgress(t *testing.T) {
	var screen bytes.Buffer
	p := &progress{w: &screen, began: time.Now().Add(-patience)}
	reading := p.bytes("reading")
	reading(1_000_000, 4_000_000)
	lineSays(t, p, "reading [", "25.00%", "1.00 MB")
	events := p.events("encoding")
	events(30, 40)
	reading(4_000_000, 4_000_000) // too late
	lineSays(t, p, "encoding [", "75.00%", "30 events")
	p.bytes("reading")(5, 0) // without an end
	lineSays(t, p, "reading 5 B")
	p.end()
	events(40, 40)
	p.end()
	if text := screen.String(); text == "" || strings.Contains(text, "\n") || !strings.HasSuffix(text, " \r") &&
		!strings.HasSuffix(text, "\x1b[0m\r") {
		t.Errorf("the line stays: %q", text)
	}
}

// lineSays checks what the line says now.
func lineSays(t *testing.T, p *progress, want ...string) {
	t.Helper()
	line := p.bar.String()
	for _, text := range want {
		if !strings.Contains(line, text) {
			t.Errorf("the line says %q, want %q in it", line, text)
		}
	}
}

// A short run shows nothing, nor does one whose words go to a file.
func TestNoProgress(t *testing.T) {
	var screen bytes.Buffer
	short := &progress{w: &screen, began: time.Now()}
	short.bytes("reading")(1, 2)
	short.end()
	if screen.Len() > 0 || short.bar != nil {
		t.Errorf("a short run shows %q", &screen)
	}
	file, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, stderr := range []io.Writer{&screen, file} {
		c := cli.NewContext(&cli.App{ErrWriter: stderr}, nil, nil)
		if p := newProgress(c); p.w != nil {
			t.Errorf("progress goes to %T, which is no terminal", stderr)
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
