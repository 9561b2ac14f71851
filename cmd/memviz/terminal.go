package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

// terminal is where memviz reads and writes. It has the rules for every command:
//
//   - Results go to stdout, everything else to stderr.
//   - A warning or an error is one line that begins with "memviz: ".
//   - Lines fit the terminal, see [lookOf].
//   - --quiet silences progress, hints and confirmations, but not warnings.
//   - On a terminal, a run of more than a second shows its progress in one line,
//     which disappears before anything else is written.
type terminal struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	look           sheet.Look // of what stdout shows
	quiet          bool
	hints          []string // found while options were read, to be shown when all are

	fence *fence               // around the files that commands may use; nil: none
	keep  func(s *sheet.Sheet) // takes answers, which are then not printed; nil: they are

	screen io.Writer // stderr, if that is a terminal, for progress
	began  time.Time
	mu     sync.Mutex // guards what follows, because progress comes from any goroutine
	stage  string     // the current one; progress of another one comes too late
	bar    *pb.ProgressBar
}

func newTerminal(stdin io.Reader, stdout, stderr io.Writer) *terminal {
	t := &terminal{stdin: stdin, stdout: stdout, stderr: stderr, look: lookOf(stdout), began: time.Now()}
	if f, ok := terminalFile(stderr); ok {
		t.screen = f
	}
	return t
}

// lookOf returns how text is written to w. If w is a terminal, lines are as wide as it is, within
// bounds, and text has colours unless NO_COLOR is set or the terminal is dumb. In the locales C
// and POSIX, text is ASCII.
func lookOf(w io.Writer) sheet.Look {
	look := sheet.Look{Width: sheet.DefaultWidth}
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	look.ASCII = locale == "C" || locale == "POSIX"
	if f, ok := terminalFile(w); ok {
		look.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			look.Width = min(max(columns, minWidth), maxWidth)
		}
	}
	return look
}

// Bounds of the width of text in columns: tables need some room, and long lines are hard to read.
const (
	minWidth = 40
	maxWidth = 160
)

// terminalFile returns w as a file, if it is a terminal.
func terminalFile(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

func (t *terminal) quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Category: printingOptions, Aliases: []string{"q"}, Destination: &t.quiet,
		Usage: "print nothing but results, warnings and errors"}
}

func (t *terminal) colorFlag() cli.Flag {
	when := []string{"auto", "always", "never"}
	return option("color", "auto", "colour text `WHEN`: auto, always or never; auto respects NO_COLOR", &t.look.Color,
		func(text string) (bool, error) {
			word, err := oneOf(text, when)
			return word == "always" || word == "auto" && t.look.Color, err
		}, when...).in(printingOptions)
}

// warn writes a warning or an error. Names of files in it may contain control characters.
func (t *terminal) warn(format string, args ...any) {
	t.clear()
	fmt.Fprintf(t.stderr, "memviz: %s\n", t.look.Show(units.Printable(fmt.Sprintf(format, args...))))
}

// confirm writes what was done, unless --quiet is given.
func (t *terminal) confirm(format string, args ...any) {
	t.clear()
	if !t.quiet {
		fmt.Fprintln(t.stderr, units.Printable(fmt.Sprintf(format, args...)))
	}
}

// hint keeps advice about an option until all flags are parsed, because --quiet may follow.
func (t *terminal) hint(text string) {
	if !slices.Contains(t.hints, text) {
		t.hints = append(t.hints, text)
	}
}

func (t *terminal) showHints() {
	for _, text := range t.hints {
		if !t.quiet {
			t.warn("%s", text)
		}
	}
}

// hasDisplay reports whether the user can see a browser opened on this machine.
func hasDisplay() bool {
	if os.Getenv("SSH_CONNECTION") != "" {
		return false
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin" ||
		os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// progressDelay is how long a run takes before it shows progress.
const progressDelay = time.Second

// progressLine is a template, with a bar if the total is known.
const progressLine = `{{string . "stage"}} {{if gt .Total 0}}{{bar . "[" "=" ">" " " "]"}} {{percent .}} {{end}}{{string . "done"}}`

// bytes starts a stage with progress in bytes.
func (t *terminal) bytes(stage string) func(done, total int64) {
	return t.progress(stage, units.FileSize)
}

// events starts a stage with progress in events.
func (t *terminal) events(stage string) func(done, total int64) {
	return t.progress(stage, func(n int64) string { return units.Plural(n, "event", "events") })
}

// progress starts a stage. The function that it returns may be called at any time from any
// goroutine; a total of 0 means unknown.
func (t *terminal) progress(stage string, text func(done int64) string) func(done, total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stage = stage
	return func(done, total int64) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.screen != nil && !t.quiet && t.stage == stage && time.Since(t.began) >= progressDelay {
			t.draw(text(done), done, total)
		}
	}
}

func (t *terminal) draw(text string, done, total int64) {
	if t.bar == nil {
		t.bar = pb.New64(0).SetTemplateString(progressLine).
			Set(pb.Terminal, true).Set(pb.Color, true).Set(pb.CleanOnFinish, true).SetWriter(t.screen)
	}
	t.bar.Set("stage", t.stage).Set("done", text).SetTotal(total).SetCurrent(done).Start()
}

// clear ends the stage and removes its line.
func (t *terminal) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stage = ""
	if t.bar != nil {
		t.bar.Finish()
		t.bar = nil
	}
}
