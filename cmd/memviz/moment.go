package main

import (
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// atFlag names the moment to look at, the peak unless it is given.
var atFlag = momentFlag("peak")

// momentFlag is atFlag with another moment unless it is given.
func momentFlag(usual string) *cli.StringFlag {
	return &cli.StringFlag{Name: "at", Value: usual, Usage: "look at `MOMENT`: " + answer.MomentForms}
}

// moment is what the flag says.
func moment(c *cli.Context) (answer.Moment, error) {
	at, err := answer.ParseMoment(c.String("at"))
	if err != nil {
		return answer.Moment{}, misused(c, "--at: %v", err)
	}
	return at, nil
}
