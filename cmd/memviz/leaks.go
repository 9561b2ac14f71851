package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

func leaksCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		rows     int
		capacity recording.GivenCapacity
	}
	return &cli.Command{
		Name:      "leaks",
		Usage:     "print what survives step after step of the training",
		ArgsUsage: "SNAPSHOT...",
		Description: "Steps are found in annotations of the optimizer, the profiler or the script, such as\n" +
			"record_function(\"step 3\"), or in stacks. Record 8 or more. Memory freed by Python's\n" +
			"cycle collector is listed, too.\n\n" +
			"Growth can be judged from 4 steps on, and growth without a suspect (unexplained_per_step)\n" +
			"from 6 on. With fewer steps, --fail-if on it is an error.\n\n" +
			"    memviz leaks snap.pickle\n" +
			"    memviz leaks --capacity 80GiB snap.pickle\n" +
			"    memviz leaks --fail-if 'suspects>0' snap.pickle",
		Flags: o.flags(t, "leaks", "suspects>0", capacityFlag(t, &o.capacity), rowsFlag(&o.rows, 20), o.deviceFlag(),
			o.familiesFlag()),
		Action: o.asks(t, func(in []answer.Input) (*sheet.Sheet, error) {
			return leaks.Answer(in, leaks.Options{Capacity: o.capacity.Bytes, Rows: o.rows})
		}),
	}
}
