package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/top"
)

func foldedCommand(t *terminal) *cli.Command {
	var o struct {
		inputOptions
		at answer.Moment
		by string
	}
	kinds := []string{"active", "segments"}
	at := momentFlag(&o.at, "")
	at.DefaultText = "peak" // which the zero moment is
	return &cli.Command{
		Name:      "folded",
		Usage:     "print stacks for flamegraph.pl, inferno or speedscope",
		ArgsUsage: "SNAPSHOT",
		Description: "A line is the names of a stack, outermost first, and bytes. By active it is what\n" +
			"is live at a moment; by segments what the allocator holds at the end, with what\n" +
			"rounding adds (<gaps>) and what is free.\n\n" +
			"    memviz folded snap.pickle > snap.folded\n" +
			"    memviz folded --at end snap.pickle | flamegraph.pl > snap.svg\n" +
			"    memviz folded --by segments snap.pickle > segments.folded\n\n" +
			"memviz export writes stacks for pprof, with what was allocated over the recording.",
		Flags: o.flags(
			at,
			option("by", "active", "print `WHAT`: active or segments", &o.by,
				func(text string) (string, error) { return oneOf(text, kinds) }, kinds...),
			o.deviceFlag(),
			t.quietFlag(),
		),
		Action: action(t, func(args []string) error {
			number := func(n int) error { return misuse("folded reads one snapshot, and %d were named", n) }
			if given := at.Value.String(); o.by == "segments" && given != "" && given != "end" {
				return misuse("--by segments shows the end, and cannot go with --at %s", given)
			}
			if len(args) > 1 {
				return number(len(args))
			}
			o.needsEach = true
			in, err := o.read(t, args)
			if err != nil {
				return err
			} else if len(in) > 1 {
				return number(len(in))
			}
			t.clear()
			if o.by == "segments" {
				return top.FoldedSegments(t.stdout, &in[0])
			}
			return top.Folded(t.stdout, &in[0], o.at)
		}),
	}
}
