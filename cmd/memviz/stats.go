package main

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/urfave/cli/v2"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name:      "stats",
		Usage:     "print the totals of each device, and whether they add up",
		ArgsUsage: "SNAPSHOT...",
		Description: "A snapshot named - comes from standard input.\n\n" +
			"    memviz stats snap.pickle\n" +
			"    memviz stats --format json snap.pickle\n" +
			"    zcat snap.pickle.gz | memviz stats -",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "text", Usage: "print as `FORMAT`: text or json"},
			quietFlag,
		},
		Action: stats,
	}
}

func stats(c *cli.Context) error {
	format := c.String("format")
	if format != "text" && format != "json" {
		return &usageError{what: fmt.Sprintf("the format %q is not text or json", format), command: c.Command.Name}
	}
	p := newProgress(c)
	in, err := inputs(c, p, answer.Replay)
	p.end()
	if err != nil {
		return err
	}
	totals := answer.NewStats(in)
	if format == "json" {
		return totals.WriteJSON(c.App.Writer)
	}
	return totals.WriteText(c.App.Writer)
}
