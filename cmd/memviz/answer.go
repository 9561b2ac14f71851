package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// answerFlags are the flags of every command that answers a question about
// snapshots, its own in front. The condition is an example.
func answerFlags(condition string, own ...cli.Flag) []cli.Flag {
	return readFlags(printFlags(condition, own...)...)
}

// printFlags say how an answer is printed, and what is made of it.
func printFlags(condition string, own ...cli.Flag) []cli.Flag {
	return append(own,
		&cli.StringFlag{Name: "format", Category: printing, Value: string(answer.Text),
			Usage: "print as `FORMAT`: text, markdown or json"},
		&cli.StringFlag{Name: "color", Category: printing, Value: "auto",
			Usage: "colour text `WHEN`: auto, always or never; NO_COLOR is respected"},
		&cli.StringSliceFlag{Name: "fail-if", Category: printing,
			Usage: "exit with status 3 if `CONDITION` holds, such as '" + condition +
				"'; any number or list of the JSON; may be repeated"},
		quietFlag,
	)
}

// answered checks a command's flags, makes its answer and prints it.
func answered(c *cli.Context, find func(p *progress) (*answer.Sheet, error)) error {
	format := answer.Format(c.String("format"))
	if !slices.Contains(answer.Formats, format) {
		return misused(c, "the format %q is not text, markdown or json", format)
	}
	if c.IsSet("rows") && c.Int("rows") < 1 {
		return misused(c, "--rows %d shows nothing; 1 is the least", c.Int("rows"))
	}
	color, err := wantsColor(c)
	if err != nil {
		return err
	}
	var conditions []answer.Condition
	for _, text := range c.StringSlice("fail-if") {
		condition, err := answer.ParseCondition(text)
		if err != nil {
			return misused(c, "--fail-if: %v", err)
		}
		conditions = append(conditions, condition)
	}
	p := newProgress(c)
	sheet, err := find(p)
	p.end()
	if err != nil {
		return err
	}
	if err := sheet.Write(c.App.Writer, format, answer.Look{Color: color}); err != nil {
		return err
	}
	return judged(c, sheet, conditions)
}

// answeredOf is answered for a question about the snapshots that were named.
func answeredOf(c *cli.Context, find func(in []answer.Input) (*answer.Sheet, error)) error {
	return answered(c, func(p *progress) (*answer.Sheet, error) {
		in, err := inputs(c, p)
		if err != nil {
			return nil, err
		}
		sheet, err := find(in)
		if err != nil {
			return nil, err
		}
		sheet.Redacted(redactionOf(in))
		sheet.Salvaged(in)
		return sheet, nil
	})
}

// judged is a *failedError if a condition holds.
func judged(c *cli.Context, sheet *answer.Sheet, conditions []answer.Condition) error {
	var failed failedError
	for _, condition := range conditions {
		line, holds, err := condition.Holds(sheet)
		if err != nil {
			return misused(c, "--fail-if: %v; all are in \"memviz schema %s\"", err, c.Command.Name)
		} else if holds {
			failed = append(failed, line)
		}
	}
	if len(failed) > 0 {
		return failed
	}
	return nil
}

// failedError says which conditions of --fail-if hold.
type failedError []string

func (e failedError) Error() string { return "failed: " + strings.Join(e, "; ") }

// misused is a mistake in how a command was called.
func misused(c *cli.Context, format string, args ...any) error {
	return &usageError{what: fmt.Sprintf(format, args...), command: c.Command.Name}
}

func wantsColor(c *cli.Context) (bool, error) {
	switch when := c.String("color"); when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		f, ok := c.App.Writer.(*os.File)
		return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(f.Fd()), nil
	default:
		return false, misused(c, "--color %q is not auto, always or never", when)
	}
}
