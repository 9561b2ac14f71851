package main

import (
	"regexp"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func eventsCommand() *cli.Command {
	return &cli.Command{
		Name:      "events",
		Usage:     "print what happened, an event a line, with a running total",
		ArgsUsage: "SNAPSHOT...",
		Description: "Allocations are t0, t1, ..., segments s0, s1, ...; t3 = s1[512 B:1.00 MiB] puts\n" +
			"1 MiB at byte 512 of s1. Active is what is in use after the event. Between the\n" +
			"events stand ranges, metadata and compiled code that the script recorded.\n\n" +
			"    memviz events snap.pickle\n" +
			"    memviz events --from 100 --to 120 snap.pickle\n" +
			"    memviz events --from 1ms --to 5ms --format json snap.pickle\n" +
			"    memviz events --grep 'OOM|cudaMalloc' snap.pickle\n" +
			"    memviz events --grep OOM --fail-if 'events>1' snap.pickle",
		Flags: answerFlags("events>0",
			&cli.StringFlag{Name: "from", Usage: "begin with event or time `N`, such as 7212 or 500ms"},
			&cli.StringFlag{Name: "to", Usage: "end with event or time `N`"},
			&cli.StringFlag{Name: "grep",
				Usage: "only what matches `REGEX` in words, site, action, address or metadata"},
			deviceFlag,
		),
		Action: events,
	}
}

func events(c *cli.Context) error {
	var o answer.EventOptions
	var err error
	if o.From, err = answer.ParseMark(c.String("from")); err != nil {
		return misused(c, "--from: %v", err)
	}
	if o.To, err = answer.ParseMark(c.String("to")); err != nil {
		return misused(c, "--to: %v", err)
	}
	if text := c.String("grep"); text != "" {
		if o.Grep, err = regexp.Compile(text); err != nil {
			return misused(c, "--grep: %v", err)
		}
	}
	return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
		return answer.Events(in, o)
	})
}
