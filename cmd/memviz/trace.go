package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/browser"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
)

func traceCommand() *cli.Command {
	return &cli.Command{
		Name:      "trace",
		Usage:     "write a report of every allocation as one HTML file",
		ArgsUsage: "SNAPSHOT...",
		Description: "The report opens in any browser, offline, and holds all snapshots that are named.\n" +
			"A snapshot named - comes from standard input; a directory stands for all in it.\n\n" +
			"    memviz trace snap.pickle\n" +
			"    memviz trace rank0.pickle rank1.pickle -o ranks.html --open\n" +
			"    memviz trace --capacity H100 snap.pickle\n" +
			"    memviz trace --redact all --omit addresses,times snap.pickle\n" +
			"    memviz trace old.html -o new.html\n" +
			"    zcat snap.pickle.gz | memviz trace - -o snap.html\n\n" +
			"A report of an older memviz is written anew, with the page of this one. It takes\n" +
			"--omit and --max-size; all else needs the snapshot.\n\n" +
			"A report beyond --max-size loses, until it fits: addresses, fine times, stack frames\n" +
			"below the user's code, stacks of frees. The report and this program say what was left\n" +
			"out. Sizes, lifetimes, call sites and all totals stay exact; no allocation is dropped.\n\n" +
			"A line of a --families file is a family, a colon, what to look at in a stack, and a\n" +
			"pattern with * and ?, or =~ and a regular expression. The first line that fits wins:\n\n" +
			"    cache: function =~ kv_cache\n" +
			"    activation: file */model.py\n" +
			"    optimizer: frame =~ shampoo.py:[0-9]+:.*root\n" +
			"    communication: operator c10d::*",
		Flags: readFlags(
			&cli.StringFlag{Name: "output", Aliases: []string{"o"},
				Usage: "write the report to `FILE`; - is standard output (default: the first snapshot's or " +
					"directory's name with .html, or redacted.html)"},
			&cli.StringFlag{Name: "max-size", Value: defaultMaxSize,
				Usage: "keep the HTML within `SIZE`, such as 10MB or 9MiB; none lifts the limit"},
			omitFlag,
			familiesFlag,
			capacityFlag,
			&cli.BoolFlag{Name: "zip", Usage: "write a .zip with the HTML in it, for filters that refuse .html"},
			&cli.BoolFlag{Name: "open", Usage: "open the report in a browser"},
			quietFlag,
		),
		Action: trace,
	}
}

// defaultMaxSize stays below the 25 MB that GitHub takes.
const defaultMaxSize = "24MB"

func trace(c *cli.Context) error {
	limit, err := maxSize(c)
	if err != nil {
		return err
	}
	capacity, err := givenCapacity(c)
	if err != nil {
		return err
	}
	omission, err := omission(c)
	if err != nil {
		return err
	}
	if _, err := redaction(c); err != nil {
		return err
	}
	toStdout := c.String("output") == "-"
	switch {
	case toStdout && c.Bool("open"):
		return &usageError{what: "--open needs a file, and -o - writes none", command: c.Command.Name}
	case c.Bool("zip") && c.Bool("open"):
		return &usageError{what: "--open needs a page, and --zip writes an archive", command: c.Command.Name}
	}
	if !toStdout && c.Args().Present() {
		if err := refuseFolder(outputName(c)); err != nil {
			return err
		}
	}
	files, err := sourcesOf(c)
	if err != nil {
		return err
	}
	p := newProgress(c)
	defer p.end()
	path := outputName(c)
	document, err := makeDocument(c, p, files, capacity)
	if err != nil {
		return err
	}
	document.Omit(omission)
	if limit > 0 {
		if err := fit(document, limit); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
	}
	write := func(w io.Writer) error { _, err := document.WriteTo(w); return err }
	if c.Bool("zip") {
		write = func(w io.Writer) error { return writeZip(w, htmlName(c), document) }
	}
	if toStdout {
		counted := &countingWriter{w: c.App.Writer}
		if err := write(counted); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
		p.end()
		conclude(c, "the report", counted.n, document)
		return nil
	}
	size, err := writeFile(path, pathsOf(files.sources), write)
	if err != nil {
		return err
	}
	p.end()
	conclude(c, path, size, document)
	if c.Bool("open") {
		return openBrowser(path)
	}
	return nil
}

// makeDocument makes the report of the snapshots that were named, or reads the
// report that was.
func makeDocument(c *cli.Context, p *progress, files *search, capacity report.GivenCapacity) (*report.Document, error) {
	if slices.ContainsFunc(files.sources, isReport) {
		return readDocument(c, p)
	}
	in, err := readSources(c, p, files)
	if err != nil {
		return nil, err
	}
	document := report.Encode(program, in, p.events("encoding"))
	drawCapacity(c, document, capacity)
	return document, nil
}

// maxSize is the value of --max-size in bytes, 0 for none.
func maxSize(c *cli.Context) (int64, error) {
	text := c.String("max-size")
	if text == "none" {
		return 0, nil
	}
	limit, err := units.ParseFileSize(text)
	if err == nil && limit <= 0 {
		err = fmt.Errorf("%q is no size for a file", text)
	}
	if err != nil {
		return 0, &usageError{what: fmt.Sprintf("--max-size: %v; write it like 24MB, or none", err),
			command: c.Command.Name}
	}
	return limit, nil
}

// fit makes the report fit, and says what to do when it cannot.
func fit(document *report.Document, limit int64) error {
	err := document.Fit(limit)
	var tooLarge *report.TooLargeError
	if errors.As(err, &tooLarge) {
		return fmt.Errorf("%w; --max-size none lifts it", err)
	}
	return err
}

// outputName is where the report goes. A zip ends in .zip, whatever was asked for.
func outputName(c *cli.Context) string {
	path := c.String("output")
	switch {
	case path == "-":
		return "the report"
	case path == "":
		path = chosenOutput(c)
	}
	if c.Bool("zip") && filepath.Ext(path) != ".zip" {
		path = strings.TrimSuffix(path, ".html") + ".zip"
	}
	return path
}

// htmlName is the name of the report inside a zip.
func htmlName(c *cli.Context) string {
	path := outputName(c)
	if c.String("output") == "-" {
		path = chosenOutput(c)
	}
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name)) + ".html"
}

// chosenOutput is where the report goes if nobody says so. The name of a file is
// passed on with it, so one whose paths are redacted has a name of its own.
func chosenOutput(c *cli.Context) string {
	input := c.Args().First()
	if o, err := redaction(c); err == nil && o.Paths {
		return filepath.Join(filepath.Dir(input), "redacted.html")
	}
	return defaultOutput(input)
}

// defaultOutput is the snapshot's name with .html in place of its extensions, or
// a directory's with .html behind it.
func defaultOutput(input string) string {
	if input == stdinName {
		return "snapshot.html"
	}
	if info, err := os.Stat(input); err == nil && info.IsDir() {
		if name := filepath.Clean(input); strings.Trim(filepath.Base(name), "./\\") != "" {
			return name + ".html"
		}
		return "snapshots.html"
	}
	dir, name := filepath.Split(input)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	if stem := strings.TrimSuffix(name, filepath.Ext(name)); stem != "" {
		name = stem
	}
	return filepath.Join(dir, name+".html")
}

func openBrowser(path string) error {
	browser.Stdout = io.Discard // the opener's own words are of no use to anyone
	browser.Stderr = io.Discard
	if err := browser.OpenFile(path); err != nil {
		return fmt.Errorf("cannot open a browser (%w); open %s by hand", err, path)
	}
	return nil
}
