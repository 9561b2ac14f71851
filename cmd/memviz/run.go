package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
	"github.com/urfave/cli/v2"
)

// What the process says with its exit status.
const (
	exitDone  = 0
	exitError = 1 // it could not
	exitUsage = 2 // it was called wrongly
	exitHolds = 3 // a condition of --fail-if holds
)

const version = "0.1.0"

// program names this version in the reports it writes.
const program = "memviz " + version

// run is the whole program. Results go to stdout and what is said to a person
// to stderr: an error in one line that begins with "memviz: ", has no capital
// and no full stop.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app := newApp(stdin, stdout, stderr)
	err := app.Run(append([]string{app.Name}, permute(app, args)...))
	var usage *usageError
	var failed failedError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &failed):
		for _, line := range failed {
			complain(stderr, "failed: "+line)
		}
		return exitHolds
	case errors.As(err, &usage):
		complain(stderr, err.Error())
		fmt.Fprintf(stderr, "memviz: see %q\n", strings.TrimSpace("memviz "+usage.command)+" --help")
		return exitUsage
	}
	complain(stderr, err.Error())
	return exitError
}

// complain says what went wrong. Names of files are in it, which may hold what a
// terminal obeys.
func complain(stderr io.Writer, what string) {
	fmt.Fprintf(stderr, "memviz: %s\n", units.Printable(what))
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                  "memviz",
		Usage:                 "see what PyTorch kept in GPU memory, and when, and why",
		Version:               version,
		HideHelpCommand:       true,
		EnableBashCompletion:  true,
		CustomAppHelpTemplate: appHelp,
		Description: "Record a snapshot in the training script, then run memviz on it:\n\n" +
			"    torch.cuda.memory._record_memory_history()\n" +
			"    ...\n" +
			"    torch.cuda.memory._dump_snapshot(\"snap.pickle\")\n\n" +
			"The exit status is 0 for done, 1 for could not, 2 for wrong usage, and 3 if a\n" +
			"condition of --fail-if holds.",
		Commands: []*cli.Command{
			traceCommand(), statsCommand(), topCommand(), leaksCommand(), oomCommand(), whatifCommand(),
			diffCommand(), ranksCommand(), eventsCommand(), segmentsCommand(), foldedCommand(), inspectCommand(),
			snippetCommand(), schemaCommand(), completionCommand(), manCommand(),
		},
		Reader:    stdin,
		Writer:    stdout,
		ErrWriter: stderr,
		// Errors come back to run, which alone prints and decides the status.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   onUsageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return &usageError{what: fmt.Sprintf("there is no command %q", c.Args().First()) +
					didYouMean(c.Args().First(), cli.SuggestCommand(c.App.Commands, c.Args().First()))}
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, command := range app.Commands {
		command.OnUsageError = onUsageError
		command.HideHelpCommand = true
		command.CustomHelpTemplate = commandHelp
	}
	return app
}

// usageError is a mistake in how the program was called.
type usageError struct{ what, command string }

func (e *usageError) Error() string { return e.what }

// undefinedFlag is what the flag package says of a flag that it does not know.
var undefinedFlag = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)

func onUsageError(c *cli.Context, err error, isSubcommand bool) error {
	usage := &usageError{what: err.Error()}
	flags := c.App.Flags
	if c.Command != nil && c.Command.Name != c.App.Name {
		usage.command, flags = c.Command.Name, c.Command.Flags
	}
	if undefined := undefinedFlag.FindStringSubmatch(usage.what); undefined != nil {
		dashes := "--"
		if len(undefined[1]) == 1 {
			dashes = "-"
		}
		usage.what = "there is no flag " + dashes + undefined[1] +
			didYouMean(undefined[1], cli.SuggestFlag(flags, undefined[1], false))
	}
	return usage
}

func init() {
	cli.SuggestDidYouMeanTemplate = "%s" // the words around it are didYouMean's
}

// didYouMean asks whether a suggestion, which may be empty, was meant. The
// library always has one; it is of use where the words begin alike.
func didYouMean(word, suggestion string) string {
	if name := strings.TrimLeft(suggestion, "-"); len(name) < 2 || word == "" || name[0] != word[0] {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", suggestion)
}
