package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func diffCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		diff answer.DiffOptions
	}
	o.needsEach = true
	return &cli.Command{
		Name:      "diff",
		Usage:     "print which call sites hold more or less in a second snapshot",
		ArgsUsage: "BEFORE AFTER",
		Description: "Each snapshot is looked at in a moment of its own. Call sites match although\n" +
			"lines moved.\n\n" +
			"    memviz diff before.pickle after.pickle\n" +
			"    memviz diff --at end before.pickle after.pickle",
		Flags: o.flags(t, "diff", "reserved_peak_delta>1GiB", momentFlag(&o.diff.At, "peak"), rowsFlag(&o.diff.Rows, 20),
			o.deviceFlag(), o.familiesFlag()),
		Action: action(t, func(args []string) error {
			number := func(n int) error { return misuse("diff compares two snapshots, and %d were named", n) }
			if n := len(args); n == 0 || n > 2 { // one may be a directory or a pattern
				return number(n)
			}
			return o.answer(t, args, func(in []answer.Input) (*answer.Sheet, error) {
				if len(in) != 2 {
					return nil, number(len(in))
				}
				return answer.Diff(&in[0], &in[1], o.diff)
			})
		}),
	}
}
