// Command memviz turns PyTorch GPU memory snapshots into reports.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/memviz"
)

func main() {
	var ballast []byte
	if os.Getenv("GOGC") == "" {
		// Nearly all memory is columns without pointers, so the collector has next to nothing to
		// scan and can run often, which lowers the peak by a third. The ballast counts as live
		// memory but takes none, because nothing touches it. Without it, a small heap would be
		// collected after every 200 KB.
		debug.SetGCPercent(5)
		ballast = make([]byte, 128<<20)
	}
	removeUnfinishedOnInterrupt()
	status := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(ballast)
	os.Exit(status)
}

// Exit statuses.
const (
	exitDone  = 0
	exitError = 1 // something could not be read, written or told
	exitUsage = 2 // the command line is wrong
	exitHolds = 3 // a condition of --fail-if holds
)

// program names this version in the reports it writes.
var program = memviz.Program()

// run is the whole program. Errors start with a small letter and have no full stop.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := newTerminal(stdin, stdout, stderr)
	app := newApp(t)
	if len(args) > 0 && args[0] == completeCommand {
		complete(app, args[1:], stdout)
		return exitDone
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	err := app.Run(append([]string{app.Name}, flagsFirst(app, args)...))
	t.clear()
	var usage *usageError
	var failed failedError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &failed):
		for _, line := range failed {
			t.warn("failed: %s", line)
		}
		return exitHolds
	case errors.As(err, &usage):
		t.warn("%v", err)
		t.warn("see %q", strings.TrimSpace("memviz "+usage.command)+" --help")
		return exitUsage
	}
	t.warn("%v", err)
	return exitError
}

func newApp(t *terminal) *cli.App {
	return &cli.App{
		Name:                  "memviz",
		Usage:                 "see what PyTorch kept in GPU memory, and when, and why",
		Version:               memviz.Version(),
		Flags:                 []cli.Flag{cli.HelpFlag}, // which urfave/cli leaves out beside a help command
		HideHelpCommand:       true,
		CustomAppHelpTemplate: appHelp,
		Description:           description(),
		Commands: slices.Concat(
			group("EXPLORE", traceCommand(t), statsCommand(t), topCommand(t), eventsCommand(t), segmentsCommand(t),
				foldedCommand(t)),
			group("FIND CAUSES", oomCommand(t), leaksCommand(t), diffCommand(t), ranksCommand(t)),
			group("PREDICT", whatifCommand(t), predictCommand(t)),
			group("SHARE", exportCommand(t), inspectCommand(t), digestCommand(t)),
			group("TOOLS", snippetCommand(t), mcpCommand(t), completionCommand(t), manCommand(), schemaCommand(t),
				versionCommand(t), helpCommand()),
		),
		Reader:    t.stdin,
		Writer:    t.stdout,
		ErrWriter: t.stderr,
		// Errors come back to run, which alone prints and decides the status.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   onUsageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return errNoCommand(c.App, c.Args().Slice())
			}
			return cli.ShowAppHelp(c)
		},
	}
}

// group puts commands under a heading of the help. Headings are sorted.
func group(heading string, commands ...*cli.Command) []*cli.Command {
	for _, command := range commands {
		command.Category = heading
		command.Flags = append(command.Flags, cli.HelpFlag) // which urfave/cli leaves out beside categories
		command.OnUsageError = onUsageError
		command.HideHelpCommand = true
		command.CustomHelpTemplate = commandHelp
	}
	return commands
}

// howToRecord is for people and agents who have no snapshot yet.
const howToRecord = "Record a snapshot in the training script, then run memviz on it. Because of finally, it is\n" +
	"written even when the job runs out of memory:\n\n" +
	"    torch.cuda.memory._record_memory_history(max_entries=1_000_000)\n" +
	"    try:\n" +
	"        train()  # some steps\n" +
	"    finally:\n" +
	"        torch.cuda.memory._dump_snapshot(\"snap.pickle\")"

func description() string {
	return howToRecord + "\n\n" +
		"Files may be named by quoted patterns such as 'rank*.pickle'. A directory stands for\n" +
		"all snapshots in it, - for standard input, and a report for the snapshots it was made\n" +
		"from.\n\n" +
		"Of several files, those that can be read are used and the others are listed, with exit\n" +
		"status 1. trace, predict, diff, folded and export need every file.\n\n" +
		"Exit status: 0 success, 1 error, 2 wrong usage, 3 a condition of --fail-if holds.\n\n" +
		"Commands of python -m torch.cuda._memory_viz have other names here: " + upstreamNames() + "."
}

// action turns a function of the arguments into the action of a command. Flags have been parsed
// into the options of the command before.
func action(t *terminal, do func(args []string) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		t.showHints()
		err := do(c.Args().Slice())
		if usage := new(usageError); errors.As(err, &usage) {
			usage.command = c.Command.Name
		}
		return err
	}
}

// usageError is a mistake in the command line.
type usageError struct{ what, command string }

func (e *usageError) Error() string { return e.what }

// misuse returns a usageError.
func misuse(format string, args ...any) error { return &usageError{what: fmt.Sprintf(format, args...)} }

// Errors of the flag package about a flag that does not exist and a value that cannot be parsed.
var (
	undefinedFlag = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	invalidValue  = regexp.MustCompile(
		`(?s)^(?:invalid value|invalid boolean value|could not parse) "(?:[^"\\]|\\.)*" ` +
			`(?:for|for flag|from environment variable "\w+" as value for flag) -?([\w-]+): (.*)$`)
)

func onUsageError(c *cli.Context, err error, isSubcommand bool) error {
	usage := &usageError{what: err.Error()}
	flags := c.App.Flags
	if c.Command != nil && c.Command.Name != c.App.Name {
		usage.command, flags = c.Command.Name, c.Command.Flags
	}
	dashed := func(name string) string { return "--"[:min(len(name), 2)] + name }
	if undefined := undefinedFlag.FindStringSubmatch(usage.what); undefined != nil {
		usage.what = "there is no flag " + dashed(undefined[1]) +
			didYouMean(undefined[1], cli.SuggestFlag(flags, undefined[1], false))
	} else if invalid := invalidValue.FindStringSubmatch(usage.what); invalid != nil {
		usage.what = dashed(invalid[1]) + ": " + invalid[2]
	}
	return usage
}

func init() {
	cli.SuggestDidYouMeanTemplate = "%s" // the words around it are didYouMean's
}

// didYouMean asks whether a suggestion, which may be empty, was meant. The library always finds
// one; only those with the same first letter are useful.
func didYouMean(word, suggestion string) string {
	if name := strings.TrimLeft(suggestion, "-"); len(name) < 2 || word == "" || name[0] != word[0] {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", suggestion)
}

// upstream maps commands of torch's own _memory_viz to their equivalents here. Its stats, segments
// and trace have the same names here.
var upstream = []struct{ theirs, ours string }{
	{"trace_plot", "trace"}, {"segment_plot", "segments"}, {"segsum", "segments"}, {"memory", "top"},
}

func upstreamNames() string {
	names := make([]string, len(upstream))
	for i, command := range upstream {
		names[i] = command.theirs + " is " + command.ours
	}
	return strings.Join(names, ", ")
}

// errNoCommand is the error for args that do not begin with a command. They may begin with a file,
// or with a command of _memory_viz.
func errNoCommand(app *cli.App, args []string) error {
	name := args[0]
	for _, command := range upstream {
		if name == command.theirs {
			return misuse("%s is a command of torch's _memory_viz; here it is memviz %s", name,
				strings.Join(append([]string{command.ours}, args[1:]...), " "))
		}
	}
	if looksLikeFile(name) {
		return misuse("%s is not a command; did you mean memviz trace %s?", name, strings.Join(args, " "))
	}
	return misuse("there is no command %q%s", name, didYouMean(name, cli.SuggestCommand(app.Commands, name)))
}

// looksLikeFile reports whether a word is a file, or could be the name of one.
func looksLikeFile(word string) bool {
	extensions := []string{".pickle", ".pkl", ".gz", ".zst", ".pt", ".pth", ".json", ".html", ".zip"}
	_, err := os.Stat(word)
	return err == nil || word == stdinName || strings.ContainsAny(word, `/\*`) ||
		slices.Contains(extensions, strings.ToLower(filepath.Ext(word)))
}
