package main

import (
	"regexp"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

func eventsCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		events events.Options
	}
	o.needsAddresses = true
	o.needsTimes = true
	return &cli.Command{
		Name:      "events",
		Usage:     "print every event with a running total",
		ArgsUsage: "SNAPSHOT...",
		Description: "Allocations are t0, t1, ..., segments s0, s1, ...; t3 = s1[512 B:1.00 MiB] puts\n" +
			"1 MiB at byte 512 of s1. Active is what is in use after the event. Ranges, metadata\n" +
			"and compiled code that the script recorded stand between the events.\n\n" +
			"    memviz events snap.pickle\n" +
			"    memviz events --from 100 --to 120 snap.pickle\n" +
			"    memviz events --from 1ms --to 5ms --format json snap.pickle\n" +
			"    memviz events --grep 'OOM|cudaMalloc' snap.pickle\n" +
			"    memviz events --grep OOM --fail-if 'events>1' snap.pickle",
		Flags: o.flags(t, "events", "events>0",
			option("from", "", "begin with event or time `N`, such as 7212 or 500ms", &o.events.From,
				answer.ParseBound),
			option("to", "", "end with event or time `N`", &o.events.To, answer.ParseBound),
			option("grep", "", "only what matches `REGEX` in words, site, action, address or metadata", &o.events.Grep,
				regexp.Compile),
			o.deviceFlag(),
		),
		Action: o.asks(t, func(in []answer.Input) (*sheet.Sheet, error) { return events.Answer(in, o.events) }),
	}
}
