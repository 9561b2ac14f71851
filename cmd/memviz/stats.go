package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
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
		Flags:  answerFlags(),
		Action: stats,
	}
}

func stats(c *cli.Context) error {
	return answered(c, func(p *progress) (*answer.Sheet, error) {
		in, err := inputs(c, p, answer.Replay)
		if err != nil {
			return nil, err
		}
		return answer.Stats(in), nil
	})
}
