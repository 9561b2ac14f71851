package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func diffCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		diff answer.DiffOptions
		page comparePage
	}
	o.needsEach = true
	return &cli.Command{
		Name:      "diff",
		Aliases:   []string{"compare"},
		Usage:     "print which call sites hold more or less in a second snapshot",
		ArgsUsage: "BEFORE AFTER",
		Description: "Each side is a snapshot or a report of one. Source lines match although they moved.\n" +
			"The four answers are about the peaks, families and rows about the moment of --at.\n\n" +
			"    memviz diff before.pickle after.pickle\n" +
			"    memviz diff --at backward before.pickle after.pickle\n" +
			"    memviz diff before.pickle after.pickle -o compare.html --open\n" +
			"    memviz diff --at peak,end --by file before.pickle after.pickle",
		Flags: o.flags(t, "diff", "reserved_peak_delta>1GiB",
			option("at", "peak", "compare at `MOMENT`: "+answer.MomentForms+", "+answer.DiffMomentForms, &o.diff.At,
				answer.ParseDiffMoment, "peak", "start", "end", "forward", "backward", "optimizer", "load", "step:",
				"oom", "oom=", "step=", "annotation=", "state=", "time="),
			option("by", "site", "make a row of each `KIND`: site, file or function", &o.diff.By, answer.ParseDiffBy,
				answer.DiffBys()...),
			rowsFlag(&o.diff.Rows, 20),
			o.deviceFlag(), o.familiesFlag(), o.page.outputFlag(), o.page.sizeFlag(), o.page.openFlag()),
		Action: action(t, func(args []string) error {
			number := func(n int) error { return misuse("diff compares two snapshots, and %d were named", n) }
			if n := len(args); n == 0 || n > 2 { // one may be a directory or a pattern
				return number(n)
			}
			if o.page.output != "" {
				return o.page.write(t, &o.inputOptions, args)
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
