package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func foldedCommand() *cli.Command {
	return &cli.Command{
		Name:      "folded",
		Usage:     "print stacks for flamegraph.pl, inferno or speedscope",
		ArgsUsage: "SNAPSHOT",
		Description: "A line is the names of a stack, outermost first, and bytes. By active it is what\n" +
			"is live at a moment; by segments what the allocator holds at the end, with what\n" +
			"rounding adds (<gaps>) and what is free.\n\n" +
			"    memviz folded snap.pickle > snap.folded\n" +
			"    memviz folded --at end snap.pickle | flamegraph.pl > snap.svg\n" +
			"    memviz folded --by segments snap.pickle > segments.folded",
		Flags: readFlags(
			atFlag,
			&cli.StringFlag{Name: "by", Value: "active", Usage: "print `WHAT`: active or segments"},
			deviceFlag,
			quietFlag,
		),
		Action: folded,
	}
}

func folded(c *cli.Context) error {
	at, err := moment(c)
	if err != nil {
		return err
	}
	by := c.String("by")
	switch {
	case by != "active" && by != "segments":
		return misused(c, "--by %q is neither active nor segments", by)
	case by == "segments" && c.IsSet(atFlag.Name) && c.String(atFlag.Name) != "end":
		return misused(c, "--by segments shows the end, and cannot go with --at %s", c.String(atFlag.Name))
	case c.NArg() > 1:
		return misused(c, "folded reads one snapshot, and %d were named", c.NArg())
	}
	p := newProgress(c)
	in, err := inputs(c, p)
	p.end()
	if err != nil {
		return err
	} else if len(in) > 1 {
		return misused(c, "folded reads one snapshot, and %d were named", len(in))
	}
	if by == "segments" {
		return answer.FoldedSegments(c.App.Writer, &in[0])
	}
	return answer.Folded(c.App.Writer, &in[0], at)
}
