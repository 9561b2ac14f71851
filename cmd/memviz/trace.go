package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pkg/browser"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
)

func traceCommand() *cli.Command {
	return &cli.Command{
		Name:      "trace",
		Usage:     "write a report of every allocation, with its stack, as one HTML file",
		ArgsUsage: "SNAPSHOT...",
		Description: "The report opens in any browser, offline, and holds all snapshots that are named.\n\n" +
			"    memviz trace snap.pickle\n" +
			"    memviz trace rank0.pickle rank1.pickle -o ranks.html --open",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the report to `FILE`; - is standard output (default: the first snapshot's name with .html)"},
			&cli.BoolFlag{Name: "open", Usage: "open the report in a browser"},
		},
		Action: trace,
	}
}

func trace(c *cli.Context) error {
	toStdout := c.String("output") == "-"
	if toStdout && c.Bool("open") {
		return &usageError{what: "--open needs a file, and -o - writes none", command: c.Command.Name}
	}
	in, err := inputs(c, report.Analyse)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return report.WriteHTML(w, program, in) }
	if toStdout {
		counted := &countingWriter{w: c.App.Writer}
		if err := write(counted); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
		fmt.Fprintln(c.App.ErrWriter, closingLine("the report", counted.n, in))
		return nil
	}
	path := c.String("output")
	if path == "" {
		path = defaultOutput(c.Args().First())
	}
	size, err := writeFile(path, c.Args().Slice(), write)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.App.ErrWriter, closingLine(path, size, in))
	if c.Bool("open") {
		return openBrowser(path)
	}
	return nil
}

// defaultOutput is the snapshot's name with .html in place of its extensions.
func defaultOutput(input string) string {
	dir, name := filepath.Split(input)
	name = strings.TrimSuffix(name, ".gz")
	if stem := strings.TrimSuffix(name, filepath.Ext(name)); stem != "" {
		name = stem
	}
	return filepath.Join(dir, name+".html")
}

// closingLine says what was written. With several devices it names the highest peak.
func closingLine(what string, size int64, in []report.Input) string {
	allocations, devices, peak := 0, 0, int64(0)
	for i := range in {
		for _, d := range in[i].Devices {
			allocations += len(d.Allocations)
			peak = max(peak, d.Totals.PeakBytes)
			devices++
		}
	}
	word := "peak"
	if devices > 1 {
		word = fmt.Sprintf("highest peak of %d devices", devices)
	}
	return fmt.Sprintf("wrote %s: %s, %s allocations, %s %s", what, units.Bytes(size), units.Count(allocations), word, units.Bytes(peak))
}

func openBrowser(path string) error {
	browser.Stdout = io.Discard // the opener's own words are of no use to anyone
	browser.Stderr = io.Discard
	if err := browser.OpenFile(path); err != nil {
		return fmt.Errorf("cannot open a browser (%w); open %s by hand", err, path)
	}
	return nil
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
