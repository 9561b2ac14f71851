package main

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
)

func statsCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		stats    stats.Options
		capacity recording.GivenCapacity
	}
	o.needsAddresses = true
	return &cli.Command{
		Name:      "stats",
		Usage:     "print the totals of each device, and whether they add up",
		ArgsUsage: "SNAPSHOT...",
		Description: "A snapshot named - is read from standard input; a directory stands for all in it.\n\n" +
			"    memviz stats snap.pickle\n" +
			"    memviz stats --every 1000 snap.pickle\n" +
			"    memviz stats --every 500ms --capacity 80GiB snap.pickle\n" +
			"    memviz stats --one-line snap.pickle\n" +
			"    memviz stats --summary snap.pickle\n" +
			"    memviz stats --format json snap.pickle\n" +
			"    memviz stats --fail-if 'peak>70GiB' snap.pickle\n" +
			"    zcat snap.pickle.gz | memviz stats -",
		Flags: o.flags(t, "stats", "peak>70GiB",
			option("every", "", "print the peak of each stretch of `LENGTH` in place of steps: events such as 1000, "+
				"or time such as 500ms", &o.stats.Every, parseEvery),
			capacityFlag(t, &o.capacity),
			&cli.BoolFlag{Name: "one-line", Usage: "print one line per device, for logs",
				Destination: &o.stats.OneLine},
			&cli.BoolFlag{Name: "summary", Destination: &o.stats.Summary,
				Usage: "print the table of torch.cuda.memory_summary(), as far as the recording has it"},
			rowsFlag(&o.stats.Rows, 8),
			o.deviceFlag(),
		),
		Action: action(t, func(args []string) error {
			if o.stats.Summary && o.stats.OneLine {
				return misuse("--summary is a table and --one-line a line: name one of them")
			}
			o.stats.Capacity = o.capacity.Bytes
			o.needsTimes = o.stats.Every.Micros > 0
			return o.answer(t, args, func(in []answer.Input) (*sheet.Sheet, error) {
				return stats.Answer(in, o.stats), nil
			})
		}),
	}
}

// parseEvery parses a number of events or a duration.
func parseEvery(text string) (stats.Every, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return stats.Every{Events: n}, nil
	}
	micros, err := units.ParseDuration(text)
	if err != nil || micros < 1 {
		return stats.Every{}, fmt.Errorf("%q is neither a number of events nor a time such as 500ms", text)
	}
	return stats.Every{Micros: micros}, nil
}
