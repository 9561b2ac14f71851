package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
)

func topCommand() *cli.Command {
	return &cli.Command{
		Name:      "top",
		Usage:     "print what holds memory at a moment, the largest first",
		ArgsUsage: "SNAPSHOT...",
		Description: "A moment is peak, start, end, oom (the last one), oom=1 (the first), state=7212\n" +
			"or time=1.5s after the first event. Change is since the peak before: the top of\n" +
			"the last hill that memory climbed and left before the moment; in a training loop\n" +
			"that is the peak of the step before.\n\n" +
			"    memviz top snap.pickle\n" +
			"    memviz top --at end --by family snap.pickle\n" +
			"    memviz top --at state=400 --by site --depth 3 snap.pickle",
		Flags: answerFlags("active>70GiB",
			atFlag,
			&cli.StringFlag{Name: "by", Value: holders.BySite.String(), Usage: "make a row of each `KIND`: " +
				byNames()},
			&cli.IntFlag{Name: "depth", Value: 1, Usage: "with --by site, tell `N` callers in the user's code apart"},
			rowsFlag,
			deviceFlag,
			familiesFlag,
		),
		Action: top,
	}
}

// rowsFlag bounds tables for people.
var rowsFlag = &cli.IntFlag{Name: "rows", Value: 20, Usage: "show at most `N` rows; JSON has all"}

func byNames() string {
	names := make([]string, holders.ByCount)
	for i := range names {
		names[i] = holders.By(i).String()
	}
	return strings.Join(names, ", ")
}

func top(c *cli.Context) error {
	at, err := moment(c)
	if err != nil {
		return err
	}
	by, ok := holders.ParseBy(c.String("by"))
	if !ok {
		return misused(c, "--by %q is none of %s", c.String("by"), byNames())
	}
	if depth := c.Int("depth"); depth < 1 || depth > 1 && by != holders.BySite {
		return misused(c, "--depth is at least 1, and goes with --by site")
	}
	return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
		return answer.Top(in, answer.TopOptions{
			At: at, Grouping: holders.Grouping{By: by, Depth: c.Int("depth")}, Rows: c.Int("rows"),
		})
	})
}
