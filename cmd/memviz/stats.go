package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name:      "stats",
		Usage:     "print the totals of each device, and whether they add up",
		ArgsUsage: "SNAPSHOT...",
		Description: "    memviz stats snap.pickle\n" +
			"    memviz stats --format json snap.pickle",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "text", Usage: "print as `FORMAT`: text or json"},
		},
		Action: stats,
	}
}

func stats(c *cli.Context) error {
	format := c.String("format")
	if format != "text" && format != "json" {
		return &usageError{what: fmt.Sprintf("the format %q is not text or json", format), command: c.Command.Name}
	}
	in, err := inputs(c, report.Replay)
	if err != nil {
		return err
	}
	totals := report.NewStats(in)
	if format == "json" {
		return totals.WriteJSON(c.App.Writer)
	}
	return totals.WriteText(c.App.Writer)
}
