package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func oomCommand() *cli.Command {
	return &cli.Command{
		Name:      "oom",
		Usage:     "say why a request ran out of memory, and who held it",
		ArgsUsage: "SNAPSHOT...",
		Description: "Memory that is used outside PyTorch is only seen with --capacity.\n\n" +
			"    memviz oom oom.pickle\n" +
			"    memviz oom --capacity 80GiB oom.pickle\n" +
			"    memviz oom --format markdown oom.pickle",
		Flags: answerFlags("ooms>0", capacityFlag, rowsFlag, deviceFlag),
		Action: func(c *cli.Context) error {
			capacity, err := capacity(c)
			if err != nil {
				return err
			}
			return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
				return answer.OOM(in, answer.OOMOptions{Capacity: capacity, Rows: c.Int("rows")})
			})
		},
	}
}
