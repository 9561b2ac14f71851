package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

func oomCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		rows     int
		capacity recording.GivenCapacity
	}
	o.needsAddresses = true
	return &cli.Command{
		Name:      "oom",
		Usage:     "explain why a request ran out of memory, and what held it",
		ArgsUsage: "SNAPSHOT...",
		Description: "Memory used outside PyTorch is only visible with --capacity.\n\n" +
			"    memviz oom oom.pickle\n" +
			"    memviz oom --capacity 80GiB oom.pickle\n" +
			"    memviz oom --format markdown oom.pickle",
		Flags: o.flags(t, "oom", "ooms>0", capacityFlag(t, &o.capacity), rowsFlag(&o.rows, 20), o.deviceFlag()),
		Action: o.asks(t, func(in []answer.Input) (*sheet.Sheet, error) {
			return oom.Answer(in, oom.Options{Capacity: o.capacity.Bytes, Rows: o.rows})
		}),
	}
}
