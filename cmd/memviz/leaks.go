package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
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
		Usage:     "print what survives the steps of training, again and again",
		ArgsUsage: "SNAPSHOT...",
		Description: "Steps are read from annotations of the optimizer, the profiler or the script, such as\n" +
			"record_function(\"step 3\"), or found from stacks. Record 8 or more. Memory that\n" +
			"Python's cycle collector freed is named too.\n\n" +
			"Growth can be judged from 4 steps on, and beside the suspects (unexplained_per_step) from\n" +
			"6 on. Where it cannot, --fail-if on it is an error and not passed.\n\n" +
			"    memviz leaks snap.pickle\n" +
			"    memviz leaks --capacity 80GiB snap.pickle\n" +
			"    memviz leaks --fail-if 'suspects>0' snap.pickle",
		Flags: o.flags(t, "leaks", "suspects>0", capacityFlag(t, &o.capacity), rowsFlag(&o.rows, 20), o.deviceFlag(),
			o.familiesFlag()),
		Action: o.asks(t, func(in []answer.Input) (*answer.Sheet, error) {
			return answer.Leaks(in, answer.LeaksOptions{Capacity: o.capacity.Bytes, Rows: o.rows})
		}),
	}
}
