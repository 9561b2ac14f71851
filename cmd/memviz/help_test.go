package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestHelpFits: no line of help is wider than the terminal, unless it is meant to be
// copied or is one word.
func TestHelpFits(t *testing.T) {
	defer func(print func(io.Writer, string, any)) { cli.HelpPrinter = print }(cli.HelpPrinter)
	for _, width := range []int{40, 60, 80, 100, 160} {
		cli.HelpPrinter = func(w io.Writer, template string, data any) {
			writeHelp(w, sheet.Look{Width: width}, template, data)
		}
		helps := []string{stdoutOf(t)}
		for _, command := range newApp(newTerminal(nil, nil, nil)).Commands {
			helps = append(helps, stdoutOf(t, command.Name, "--help"))
		}
		for _, help := range helps {
			_, usage, _ := strings.Cut(help, "USAGE:\n")
			usage, _, _ = strings.Cut(usage, "\n")
			for line := range strings.Lines(help) {
				line = strings.TrimRight(line, "\n")
				toCopy := strings.HasPrefix(line, "       ") &&
					!strings.HasPrefix(line, strings.Repeat(" ", meaningColumn))
				oneWord := !strings.Contains(strings.TrimSpace(line), " ")
				if n := len([]rune(line)); n > width && (width == 80 || !toCopy && !oneWord && line != usage) {
					t.Errorf("a line of %d columns, of %d: %s", n, width, line)
				}
			}
		}
	}
}

// TestHelpGroups checks that help lists the flags of a command before those that many have, and
// every flag once.
func TestHelpGroups(t *testing.T) {
	for _, tt := range []struct{ command, headings string }{
		{"stats", "OPTIONS PRINTING PSEUDONYMS READING"},
		{"trace", "OPTIONS PRINTING PSEUDONYMS READING"},
		{"inspect", "OPTIONS PRINTING"},
		{"snippet", "OPTIONS"},
	} {
		help := stdoutOf(t, tt.command, "--help")
		help = help[strings.Index(help, "\nOPTIONS:"):]
		var headings []string
		for line := range strings.Lines(help) {
			if heading, is := strings.CutSuffix(line, ":\n"); is && !strings.HasPrefix(line, " ") {
				headings = append(headings, heading)
			}
		}
		if got := strings.Join(headings, " "); got != tt.headings {
			t.Errorf("%s has %s, want %s", tt.command, got, tt.headings)
		}
		for _, flag := range newApp(newTerminal(nil, nil, nil)).Command(tt.command).Flags {
			if n := strings.Count(help, "\n   --"+flag.Names()[0]+" ") +
				strings.Count(help, "\n   --"+flag.Names()[0]+","); n != 1 {
				t.Errorf("%s lists --%s %d times", tt.command, flag.Names()[0], n)
			}
		}
	}
}

// The manual page and the completions hold every command and flag.
func TestEverythingIsDocumented(t *testing.T) {
	page := strings.ReplaceAll(stdoutOf(t, "man"), `\-`, "-")
	app := newApp(newTerminal(nil, nil, nil))
	for _, command := range app.Commands {
		if command.Hidden || command.Usage == "" {
			t.Errorf("%s is hidden or has no usage", command.Name)
		}
		if !strings.Contains(page, ".SH "+strings.Join(command.Names(), ", ")+"\n") ||
			!strings.Contains(page, command.Usage) {
			t.Errorf("the manual page has no %s", command.Name)
		}
		if got := candidates(app, []string{command.Name}); len(got) == 0 || got[0] != command.Name+"\t"+command.Usage {
			t.Errorf("%s completes to %q", command.Name, got)
		}
		for _, flag := range command.Flags {
			for _, name := range flag.Names() {
				dashes := "--"
				if len(name) == 1 {
					dashes = "-"
				}
				if !strings.Contains(page, dashes+name) {
					t.Errorf("the manual page has no %s%s of %s", dashes, name, command.Name)
				}
			}
			name := "--" + flag.Names()[0]
			if got := candidates(app, []string{command.Name, "snap.pickle", name}); len(got) == 0 ||
				!strings.HasPrefix(got[0], name) {
				t.Errorf("%s of %s completes to %q", name, command.Name, got)
			}
		}
	}
}

// TestExamples runs every example of the help of every command, and every command of memviz in
// the README.
func TestExamples(t *testing.T) {
	examples := map[string][]string{"readme": readmeExamples(t)}
	for _, command := range newApp(newTerminal(nil, nil, nil)).Commands {
		examples[command.Name] = examplesOf(command)
	}
	scripts, folder := t.TempDir(), exampleFolder(t)
	for name, commands := range examples {
		if len(commands) == 0 {
			t.Errorf("%s has no examples", name)
		}
		for i, command := range commands {
			script := "[windows] skip 'bash is of another system'\n[!exec:bash] skip 'bash is not installed'\n" +
				"exec bash -ec 'set -o pipefail; " + strings.ReplaceAll(command, "'", "''") + "'\n"
			testkit.WriteFile(t, filepath.Join(scripts, fmt.Sprintf("%s-%d.txtar", name, i+1)), script)
		}
	}
	testscript.Run(t, testscript.Params{Dir: scripts, Setup: func(env *testscript.Env) error {
		env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+string(filepath.ListSeparator)+env.Getenv("PATH"))
		env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
		return os.CopyFS(env.WorkDir, os.DirFS(folder))
	}})
}

func readmeExamples(t *testing.T) (examples []string) {
	text := testkit.ReadFile(t, filepath.Join("..", "..", "README.md"))
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			continue // between two blocks of code
		}
		for line := range strings.Lines(block) {
			if command, _, _ := strings.Cut(line, " #"); strings.Contains(command, "memviz ") &&
				!strings.HasPrefix(command, "make ") && !strings.HasPrefix(command, "./") { // which TestRelease runs
				examples = append(examples, strings.TrimSpace(command))
			}
		}
	}
	return examples
}

// examplesOf returns the indented lines of a command's description that call memviz.
func examplesOf(command *cli.Command) []string {
	var examples []string
	for line := range strings.Lines(command.Description) {
		if line := strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "    ") &&
			strings.Contains(line, "memviz ") {
			examples = append(examples, strings.TrimSpace(line))
		}
	}
	return examples
}

// exampleFolder makes a folder with the files that examples name, and programs in place of
// some that are not on every machine.
func exampleFolder(t *testing.T) string {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	for name, story := range map[string]string{
		"snap.pickle": "training-loop", "snap.pickle.gz": "training-loop", "oom.pickle": "out-of-memory",
		"before.pickle": "training-loop", "after.pickle": "leaking-loss",
		"rank0.pickle": "training-loop", "rank1.pickle": "leaking-loss",
		"128.pickle": "what-fits/128.pickle.gz", "256.pickle": "what-fits/256.pickle.gz",
		"snapshots/rank0.pickle": "training-loop", "snapshots/rank1.pickle": "leaking-loss",
	} {
		if !strings.Contains(story, "/") {
			story += "/snapshot.pickle.gz"
		}
		data := testkit.ReadFile(t, filepath.Join("..", "..", "examples", filepath.FromSlash(story)))
		testkit.WriteFile(t, in(name), data)
	}
	for _, args := range [][]string{
		{"trace", "-o", in("report.html"), in("snap.pickle")}, {"trace", "-o", in("old.html"), in("snap.pickle")},
		{"trace", "--redact", "all", "-o", in("redacted.html"), in("snap.pickle")},
		{"digest", "-o", in("job.jsonl.gz"), in("snapshots")},
	} {
		if status := run(args, nil, io.Discard, io.Discard); status != exitDone {
			t.Fatalf("%v: status %d", args, status)
		}
	}
	for _, program := range []string{"flamegraph.pl", "man", "xdg-open", "x-www-browser", "www-browser"} {
		testkit.WriteProgram(t, in("bin/"+program), "#!/bin/sh\nexec cat > /dev/null\n")
	}
	if err := os.MkdirAll(in("home/.config/fish/completions"), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}
