package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
)

// omitFlag is for reports only: what an answer prints is seen before it is passed on.
var omitFlag = &cli.StringFlag{Name: "omit",
	Usage: "leave `WHAT` out of the report: addresses, times or both, as addresses,times"}

// omission is the value of --omit.
func omission(c *cli.Context) (report.Omission, error) {
	var o report.Omission
	if text := c.String("omit"); text != "" {
		for word := range strings.SplitSeq(text, ",") {
			switch word {
			case "addresses":
				o.Addresses = true
			case "times":
				o.Times = true
			default:
				return o, misused(c, "--omit: %q is neither addresses nor times", word)
			}
		}
	}
	return o, nil
}
