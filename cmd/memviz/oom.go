package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/units"
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
		Flags: answerFlags(capacityFlag, rowsFlag),
		Action: func(c *cli.Context) error {
			capacity, err := capacity(c)
			if err != nil {
				return err
			}
			return answered(c, func(p *progress) (*answer.Sheet, error) {
				in, err := inputs(c, p)
				if err != nil {
					return nil, err
				}
				return answer.OOM(in, answer.OOMOptions{Capacity: capacity, Rows: c.Int("rows")})
			})
		},
	}
}

// capacityFlag says what no file says.
var capacityFlag = &cli.StringFlag{Name: "capacity", Usage: "the device has `BYTES` of memory, such as 80GiB"}

// capacity is the value of --capacity in bytes, 0 if it is not given.
func capacity(c *cli.Context) (int64, error) {
	text := c.String("capacity")
	if text == "" {
		return 0, nil
	}
	bytes, err := units.ParseBytes(text)
	if err == nil && bytes <= 0 {
		err = fmt.Errorf("%q is no size of a device", text)
	}
	if err != nil {
		return 0, misused(c, "--capacity: %v", err)
	}
	return bytes, nil
}
