package main

import (
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/units"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name:      "stats",
		Usage:     "print the totals of each device, and whether they add up",
		ArgsUsage: "SNAPSHOT...",
		Description: "A snapshot named - comes from standard input; a directory stands for all in it.\n\n" +
			"    memviz stats snap.pickle\n" +
			"    memviz stats --every 1000 snap.pickle\n" +
			"    memviz stats --every 500ms --capacity 80GiB snap.pickle\n" +
			"    memviz stats --one-line snap.pickle\n" +
			"    memviz stats --format json snap.pickle\n" +
			"    memviz stats --fail-if 'peak>70GiB' snap.pickle\n" +
			"    zcat snap.pickle.gz | memviz stats -",
		Flags: answerFlags("peak>70GiB",
			&cli.StringFlag{Name: "every",
				Usage: "print the peak of each stretch of `LENGTH` in place of steps: events such as 1000, or time " +
					"such as 500ms"},
			capacityFlag,
			&cli.BoolFlag{Name: "one-line", Usage: "print a line a device, for logs"},
			&cli.IntFlag{Name: "rows", Value: 8, Usage: "show at most `N` rows; JSON has all"},
			deviceFlag,
		),
		Action: stats,
	}
}

func stats(c *cli.Context) error {
	every, err := every(c)
	if err != nil {
		return err
	}
	capacity, err := capacity(c)
	if err != nil {
		return err
	}
	return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
		return answer.Stats(in, answer.StatsOptions{
			Every: every, Capacity: capacity, Rows: c.Int("rows"), OneLine: c.Bool("one-line"),
		}), nil
	})
}

// every is the value of --every: a plain number counts events.
func every(c *cli.Context) (answer.Every, error) {
	text := c.String("every")
	if text == "" {
		return answer.Every{}, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return answer.Every{Events: n}, nil
	}
	micros, err := units.ParseDuration(text)
	if err != nil || micros < 1 {
		return answer.Every{}, misused(c, "--every %q is neither a number of events nor a time such as 500ms", text)
	}
	return answer.Every{Micros: micros}, nil
}
