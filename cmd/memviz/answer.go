package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

// answerOptions are the options of every command that answers a question about snapshots.
type answerOptions struct {
	inputOptions
	printOptions
}

// flags returns the flags of such a command, its own first. The condition is an example for
// --fail-if.
func (o *answerOptions) flags(t *terminal, command, condition string, own ...cli.Flag) []cli.Flag {
	return o.inputOptions.flags(o.printOptions.flags(t, command, condition, own...)...)
}

// asks is the action of a command that asks about all snapshots alike.
func (o *answerOptions) asks(t *terminal, ask func([]answer.Input) (*sheet.Sheet, error)) cli.ActionFunc {
	return action(t, func(args []string) error { return o.answer(t, args, ask) })
}

// answer reads the snapshots that args stand for, asks about them, and prints the
// answer.
func (o *answerOptions) answer(t *terminal, args []string, ask func([]answer.Input) (*sheet.Sheet, error)) error {
	in, err := o.read(t, args)
	if err != nil {
		return err
	}
	said, err := ask(in)
	if err != nil {
		return err
	}
	answer.MarkRedacted(said, answer.RedactionOf(in))
	answer.MarkPredicted(said, in)
	answer.MarkSalvaged(said, in)
	if err := o.print(t, said); err != nil {
		return err
	}
	return errUnread(o.unread, o.named)
}

// printOptions say how an answer is printed, and which conditions make it a failure.
type printOptions struct {
	format     sheet.Format
	conditions []answer.Condition
}

func (o *printOptions) flags(t *terminal, command, condition string, own ...cli.Flag) []cli.Flag {
	conditions := listOption("fail-if", "exit with status 3 if `CONDITION` holds, such as '"+condition+
		"'; takes any number or list of the JSON, and bytes of GPUs unless there are none", &o.conditions,
		func(text string) (answer.Condition, error) { return answer.ParseCondition(command, text) }).in(printingOptions)
	conditions.choices = func() []string { return answer.ConditionKeys(command) }
	return append(own,
		formatFlag(&o.format),
		t.colorFlag(),
		conditions,
		t.quietFlag(),
	)
}

func formatFlag(format *sheet.Format) cli.Flag {
	formats := make([]string, len(sheet.Formats))
	for i, format := range sheet.Formats {
		formats[i] = string(format)
	}
	return option("format", string(sheet.Text), "print as `FORMAT`: text, markdown or json", format,
		func(text string) (sheet.Format, error) {
			word, err := oneOf(text, formats)
			return sheet.Format(word), err
		}, formats...).in(printingOptions)
}

// print writes an answer. The error is a failedError if conditions hold.
func (o *printOptions) print(t *terminal, said *sheet.Sheet) error {
	t.clear()
	if t.keep != nil {
		t.keep(said)
	} else if err := said.Write(t.stdout, o.format, t.look); err != nil {
		return err
	}
	var failed failedError
	for _, condition := range o.conditions {
		line, holds, err := condition.Holds(said)
		if err != nil {
			return fmt.Errorf("--fail-if: %w", err)
		} else if holds {
			failed = append(failed, line)
		}
	}
	if len(failed) > 0 {
		return failed
	}
	return nil
}

// failedError lists the conditions of --fail-if that hold.
type failedError []string

func (e failedError) Error() string { return "failed: " + strings.Join(e, "; ") }
