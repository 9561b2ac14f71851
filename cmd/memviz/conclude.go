package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
)

// conclude says what was written, and what is not in it.
func conclude(c *cli.Context, what string, size int64, document *report.Document) {
	if left := document.LeftOut(); len(left) > 0 {
		fmt.Fprintf(c.App.ErrWriter, "memviz: left out to stay within --max-size %s: %s\n", c.String("max-size"),
			strings.Join(left, ", "))
	}
	if !c.Bool("quiet") {
		fmt.Fprintln(c.App.ErrWriter, closingLine(what, size, document.Report()))
	}
}

// closingLine says what was written and where it can go. With several devices
// it names the highest peak.
func closingLine(what string, size int64, r *report.Report) string {
	allocations, devices, peak := 0, 0, int64(0)
	for i := range r.Files {
		for _, d := range r.Files[i].Devices {
			allocations += d.Allocations
			peak = max(peak, d.PeakBytes)
			devices++
		}
	}
	word := "peak"
	if devices > 1 {
		word = fmt.Sprintf("highest peak of %d devices", devices)
	}
	return fmt.Sprintf("wrote %s: %s, %s, %s %s; %s", what, units.FileSize(size),
		units.Plural(allocations, "allocation", "allocations"), word, units.Bytes(peak), attachable(size))
}

// attachable says where a file of a size can be attached: GitHub takes 25 MB,
// Jira's own servers take 10 MB unless told otherwise, and mail of 25 MB has
// room for 18 MB once they are encoded.
func attachable(size int64) string {
	switch {
	case size <= 10*units.MB:
		return "fits GitHub, Jira and mail"
	case size <= 18*units.MB:
		return "fits GitHub and mail, not Jira (10 MB)"
	case size <= 25*units.MB:
		return "fits GitHub, not mail (18 MB) or Jira (10 MB)"
	}
	return "too large for GitHub (25 MB), mail (18 MB) and Jira (10 MB)"
}

// countingWriter counts what passes through it.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
