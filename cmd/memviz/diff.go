package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/report"
)

func diffCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		diff diff.Options
		page page
	}
	o.needsEach = true
	return &cli.Command{
		Name:      "diff",
		Aliases:   []string{"compare"},
		Usage:     "compare two snapshots: which call sites hold more or less",
		ArgsUsage: "BEFORE AFTER",
		Description: "Each side is a snapshot or a report of one. Source lines match although they moved.\n" +
			"The four answers are about the peaks, families and rows about the moment of --at.\n\n" +
			"    memviz diff before.pickle after.pickle\n" +
			"    memviz diff --at backward before.pickle after.pickle\n" +
			"    memviz diff before.pickle after.pickle -o compare.html --open\n" +
			"    memviz diff --at peak,end --by file before.pickle after.pickle",
		Flags: o.flags(t, "diff", "reserved_peak_delta>1GiB",
			option("at", "peak", "compare at `MOMENT`: "+answer.MomentForms+", "+diff.MomentForms, &o.diff.At,
				diff.ParseMoment, "peak", "start", "end", "forward", "backward", "optimizer", "load", "step:",
				"oom", "oom=", "step=", "annotation=", "state=", "time="),
			option("by", "site", "make a row of each `KIND`: site, file or function", &o.diff.By, diff.ParseBy,
				diff.Bys()...),
			rowsFlag(&o.diff.Rows, 20),
			o.deviceFlag(), o.familiesFlag(),
			o.page.flag("write a page that compares the two to `FILE`, in place of an answer; - is standard output"),
			o.page.sizeFlag("keep the page within `SIZE`, such as 10MB or 9MiB; none lifts the limit"), o.page.openFlag()),
		Action: action(t, func(args []string) error {
			if n := len(args); n == 0 || n > 2 { // one may be a directory or a pattern
				return notTwo(n)
			}
			if o.page.path != "" {
				return o.page.compare(t, &o.inputOptions, args)
			}
			return o.answer(t, args, func(in []answer.Input) (*sheet.Sheet, error) {
				if len(in) != 2 {
					return nil, notTwo(len(in))
				}
				return diff.Answer(&in[0], &in[1], o.diff)
			})
		}),
	}
}

func notTwo(n int) error { return misuse("diff compares two snapshots, and %d were named", n) }

// compare writes the page that compares the two snapshots in args.
func (p *page) compare(t *terminal, input *inputOptions, args []string) error {
	if err := p.checkFlags(); err != nil {
		return err
	}
	files, err := input.find(t, args, &p.output)
	if err != nil {
		return err
	}
	input.needsAll = true
	in, err := input.openAll(t, files)
	if err != nil {
		return err
	}
	if len(in) != 2 {
		return notTwo(len(in))
	}
	document, err := report.EncodeCompare(program, in[0], in[1], t.events("encoding"))
	if err != nil {
		return err
	}
	return p.save(t, document)
}
