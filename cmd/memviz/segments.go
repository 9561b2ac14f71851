package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func segmentsCommand() *cli.Command {
	return &cli.Command{
		Name:      "segments",
		Usage:     "print the memory map: what is held, and how full it is",
		ArgsUsage: "SNAPSHOT...",
		Description: "A bar goes from the first byte of a segment to its last: · is free, ░ waits for\n" +
			"another stream, █ is in use.\n\n" +
			"    memviz segments snap.pickle\n" +
			"    memviz segments --at peak snap.pickle\n" +
			"    memviz segments --fail-if 'free>10GiB' snap.pickle",
		Flags:  answerFlags("free>10GiB", momentFlag("end"), deviceFlag),
		Action: segments,
	}
}

func segments(c *cli.Context) error {
	at, err := moment(c)
	if err != nil {
		return err
	}
	return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
		return answer.Segments(in, at)
	})
}
