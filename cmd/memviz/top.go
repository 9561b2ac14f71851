package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/top"
)

func topCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		top top.Options
	}
	kinds := make([]string, holders.ByCount)
	for i := range kinds {
		kinds[i] = holders.By(i).String()
	}
	return &cli.Command{
		Name:      "top",
		Usage:     "print what holds memory at a moment, largest first",
		ArgsUsage: "SNAPSHOT...",
		Description: "A moment is peak, start, end, oom (the last one), oom=1 (the first), state=7212\n" +
			"or time=1.5s after the first event. Change is since the peak before: the top of\n" +
			"the last hill that memory climbed and left before the moment; in a training loop\n" +
			"that is the peak of the step before.\n\n" +
			"    memviz top snap.pickle\n" +
			"    memviz top --at end --by family snap.pickle\n" +
			"    memviz top --at state=400 --by site --depth 3 snap.pickle\n" +
			"    memviz top --by layer snap.pickle\n" +
			"    memviz top --churn --by op snap.pickle\n" +
			"    memviz top --by metadata --key stage snap.pickle\n\n" +
			"Modules are named by the lines that call them, innermost first; a layer is one call of\n" +
			"a block that the forward pass calls repeatedly. Rows by dtype are not possible: a\n" +
			"snapshot only has the bytes of a tensor.",
		Flags: o.flags(t, "top", "active>70GiB",
			momentFlag(&o.top.At, "peak"),
			option("by", holders.BySite.String(), "make a row of each `KIND`: "+strings.Join(kinds, ", "),
				&o.top.Grouping.By, func(text string) (holders.By, error) {
					by, ok := holders.ParseBy(text)
					if !ok {
						return 0, fmt.Errorf("%q is not one of %s", text, strings.Join(kinds, ", "))
					}
					return by, nil
				}, kinds...),
			option("depth", "1", "with --by site, distinguish `N` callers in the user's code", &o.top.Grouping.Depth,
				atLeastOne),
			option("key", "", "with --by metadata, make a row of each value of `KEY`, where the program gave a dict as metadata",
				&o.top.Grouping.Key, asText),
			&cli.BoolFlag{Name: "churn", Destination: &o.top.Churn,
				Usage: "sum what was allocated over the whole recording instead, including temporaries"},
			rowsFlag(&o.top.Rows, 20),
			o.deviceFlag(),
			o.familiesFlag(),
		),
		Action: action(t, func(args []string) error {
			if o.top.Grouping.Depth > 1 && o.top.Grouping.By != holders.BySite {
				return misuse("--depth goes with --by site only")
			}
			if o.top.Grouping.Key != "" && o.top.Grouping.By != holders.ByMetadata {
				return misuse("--key goes with --by metadata only")
			}
			o.needsAddresses = o.top.Grouping.By == holders.ByPool
			return o.answer(t, args, func(in []answer.Input) (*sheet.Sheet, error) { return top.Answer(in, o.top) })
		}),
	}
}
