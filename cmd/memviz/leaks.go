package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func leaksCommand() *cli.Command {
	return &cli.Command{
		Name:      "leaks",
		Usage:     "print what survives the steps of training, again and again",
		ArgsUsage: "SNAPSHOT...",
		Description: "Steps are read from annotations of the optimizer, the profiler or the script, such as\n" +
			"record_function(\"step 3\"), or found from stacks. Record 8 or more. Memory that\n" +
			"Python's cycle collector freed is named too.\n\n" +
			"    memviz leaks snap.pickle\n" +
			"    memviz leaks --fail-if 'suspects>0' snap.pickle",
		Flags: answerFlags("suspects>0", rowsFlag, deviceFlag, familiesFlag),
		Action: func(c *cli.Context) error {
			return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
				return answer.Leaks(in, c.Int("rows"))
			})
		},
	}
}
