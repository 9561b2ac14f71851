package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

func segmentsCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		at   answer.Moment
		rows int
	}
	o.needsAddresses = true
	return &cli.Command{
		Name:      "segments",
		Usage:     "print the memory map: all segments and how full they are",
		ArgsUsage: "SNAPSHOT...",
		Description: "A bar goes from the first byte of a segment to its last: · is free, ░ waits for\n" +
			"another stream, █ is in use.\n\n" +
			"    memviz segments snap.pickle\n" +
			"    memviz segments --at peak snap.pickle\n" +
			"    memviz segments --fail-if 'free>10GiB' snap.pickle",
		Flags: o.flags(t, "segments", "free>10GiB", momentFlag(&o.at, "end"), rowsFlag(&o.rows, 2000),
			o.deviceFlag()),
		Action: o.asks(t, func(in []answer.Input) (*sheet.Sheet, error) {
			return segments.Answer(in, o.at, o.rows)
		}),
	}
}
