package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "print which call sites hold more or less in a second snapshot",
		ArgsUsage: "BEFORE AFTER",
		Description: "Each snapshot is looked at in a moment of its own. Call sites match although\n" +
			"lines moved.\n\n" +
			"    memviz diff before.pickle after.pickle\n" +
			"    memviz diff --at end before.pickle after.pickle",
		Flags:  answerFlags("reserved_peak_delta>1GiB", atFlag, rowsFlag, deviceFlag, familiesFlag),
		Action: diff,
	}
}

func diff(c *cli.Context) error {
	at, err := answer.ParseMoment(c.String("at"))
	if err != nil {
		return misused(c, "--at: %v", err)
	}
	if n := c.NArg(); n == 0 || n > 2 { // one may be a directory
		return misused(c, "diff compares two snapshots, and %d were named", n)
	}
	return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
		if len(in) != 2 {
			return nil, misused(c, "diff compares two snapshots, and %d were named", len(in))
		}
		return answer.Diff(&in[0], &in[1], answer.DiffOptions{At: at, Rows: c.Int("rows")})
	})
}
