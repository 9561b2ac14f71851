package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/browser"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
)

type traceOptions struct {
	inputOptions
	page     page // without a path: with a name like the first input's
	omit     codec.Omission
	capacity recording.GivenCapacity
}

func traceCommand(t *terminal) *cli.Command {
	var o traceOptions
	return &cli.Command{
		Name:      "trace",
		Usage:     "write a report of every allocation as one HTML file",
		ArgsUsage: "SNAPSHOT...",
		Description: "The report opens in any browser, offline, and contains all the snapshots.\n" +
			"A snapshot named - is read from standard input; a directory stands for all in it.\n\n" +
			"    memviz trace snap.pickle\n" +
			"    memviz trace rank0.pickle rank1.pickle -o ranks.html --open\n" +
			"    memviz trace --capacity H100 snap.pickle\n" +
			"    memviz trace --redact all --omit addresses,times snap.pickle\n" +
			"    memviz trace old.html -o new.html\n" +
			"    zcat snap.pickle.gz | memviz trace - -o snap.html\n\n" +
			"A report stands for the snapshots in it. A report without them, because it was made\n" +
			"smaller or by an older memviz, gets the page of this version; only --omit and --max-size\n" +
			"can be applied to it. An output replaces an older report, but no other file.\n\n" +
			"A report larger than --max-size loses, until it fits: addresses, fine times, stack\n" +
			"frames below the user's code, stacks of frees. The report and this program name what was\n" +
			"left out. Sizes, lifetimes, call sites and totals stay exact; no allocation is dropped.\n\n" +
			"A line of a --families file is a family, a colon, the part of a stack to match, and a\n" +
			"pattern with * and ?, or =~ and a regular expression. The first line that matches wins:\n\n" +
			"    cache: function =~ kv_cache\n" +
			"    activation: file */model.py\n" +
			"    optimizer: frame =~ shampoo.py:[0-9]+:.*root\n" +
			"    communication: operator c10d::*",
		Flags: o.flags(
			o.page.flag("write the report to `FILE`; - is standard output (default: the first snapshot's or "+
				"directory's name with .html, or redacted.html)"),
			o.page.sizeFlag("keep the HTML within `SIZE`, such as 10MB or 9MiB; none lifts the limit"),
			option("omit", "", "leave `WHAT` out of the report: addresses, times or both, as addresses,times", &o.omit,
				parseOmission, "addresses", "times", "addresses,times"),
			o.familiesFlag(),
			capacityFlag(t, &o.capacity),
			&cli.BoolFlag{Name: "zip", Usage: "write a .zip with the HTML in it, for filters that refuse .html",
				Destination: &o.page.zip},
			o.page.openFlag(),
			t.quietFlag(),
		),
		Action: action(t, func(args []string) error { return o.trace(t, args) }),
	}
}

// parseOmission parses the value of --omit.
func parseOmission(text string) (o codec.Omission, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word {
		case "addresses":
			o.Addresses = true
		case "times":
			o.Times = true
		default:
			return o, fmt.Errorf("%q is neither addresses nor times", word)
		}
	}
	return o, nil
}

// trace writes the report.
func (o *traceOptions) trace(t *terminal, args []string) error {
	if err := o.page.checkFlags(); err != nil {
		return err
	}
	files, err := o.find(t, args, &output{})
	if err != nil {
		return err
	}
	path := o.path(files.first)
	o.page.inZip = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".html"
	if o.page.path != stdinName {
		o.page.path = path
	}
	if err := o.page.output.check(t, append(files.paths(), o.families)...); err != nil {
		return err
	}
	document, err := o.document(t, files)
	if err != nil {
		return err
	}
	document.Omit(o.omit)
	return o.page.save(t, document)
}

// document makes the report, or takes over the one that was named.
func (o *traceOptions) document(t *terminal, files *sources) (*report.Document, error) {
	o.needsAll, o.needsEach = true, true
	o.opened = o.watchSize()
	in, err := o.openAll(t, files)
	if incomplete := new(report.IncompleteError); errors.As(err, &incomplete) && len(files.files) == 1 {
		return o.regenerated(displayNames(files.paths())[0], incomplete)
	} else if err != nil {
		return nil, err
	}
	document := report.Encode(program, in, t.events("encoding"))
	if o.capacity.Bytes == 0 && o.reportCapacity != nil {
		document.Capacity(*o.reportCapacity) // what is wrong with it was said when the report was written
		return document, nil
	}
	for _, r := range document.Capacity(o.capacity) {
		label, least := r.Snapshot.DeviceLabel(r.Device.ID), units.Bytes(oom.CapacityOf(r.Device, 0).AtLeast)
		if r.Device.Totals.OOMEvents > 0 {
			t.warn("--capacity %s is ignored for %s: the recording shows that it has %s or more",
				units.Bytes(o.capacity.Bytes), label, least)
		} else {
			t.warn("--capacity %s is less than the %s that %s had reserved: it only says which changes of the "+
				"training would fit", units.Bytes(o.capacity.Bytes), least, label)
		}
	}
	return document, nil
}

// A small file adds at least several kB to the page, a large one between a thousandth and a fifth
// of its size, depending on how well it is compressed.
const (
	leastInPage = 8 << 10
	mostPacked  = 4
)

// watchSize stops reading as soon as the files read so far cannot fit, so that nobody waits for
// the others. It encodes each file once more to find out, which is only worth it where the sizes
// of the files make a fit unlikely.
func (o *traceOptions) watchSize() func(files *sources, in []answer.Input) error {
	var bytes, least int64
	done := 0
	return func(files *sources, in []answer.Input) error {
		if bytes == 0 {
			for _, file := range files.files {
				bytes += max(fileSize(file.path), leastInPage*mostPacked)
			}
		}
		done++
		if o.page.maxSize == 0 || len(files.files) < 2 || bytes/mostPacked <= o.page.maxSize {
			return nil
		}
		size, err := report.Least(program, in, o.omit)
		if err != nil {
			return err
		}
		if least += size; least <= o.page.maxSize {
			return nil
		}
		return fmt.Errorf("cannot write %s: %w", &o.page, &tooManyError{done, len(files.files), least, o.page.maxSize})
	}
}

// tooManyError reports that files do not fit together, before all of them are read.
type tooManyError struct {
	read, files int
	least       int64 // bytes that those read take at least
	limit       int64
}

func (e *tooManyError) Error() string {
	read, take := "the first file", "takes"
	if e.read > 1 {
		read, take = fmt.Sprintf("the first %d files", e.read), "take"
	}
	return fmt.Sprintf("%s of %d %s at least %s, whatever is left out; the limit is %s; name fewer files, or write "+
		"a report of each; --max-size none lifts it", read, e.files, take, units.FileSize(e.least),
		units.FileSize(e.limit))
}

// regenerated returns a report that lacks its snapshots, with the page of this version.
func (o *traceOptions) regenerated(name string, incomplete *report.IncompleteError) (*report.Document, error) {
	for _, needs := range []struct {
		flag  string
		given bool
	}{
		{"families", o.families != ""}, {"capacity", o.capacity.Bytes > 0}, {"redact", o.redact.Paths ||
			o.redact.Names},
		{"strip-prefix", len(o.redact.Strip) > 0},
	} {
		if needs.given {
			return nil, fmt.Errorf("--%s needs the snapshot that %s was made of: %w", needs.flag, name, incomplete)
		}
	}
	incomplete.Document.Rewritten(program)
	return incomplete.Document, nil
}

// path returns the path of the report on input. It always ends in .zip with --zip.
func (o *traceOptions) path(input string) string {
	path := o.page.path
	switch {
	case path != "" && path != stdinName:
	case o.redact.Paths: // the name of a file is passed on with it
		path = filepath.Join(filepath.Dir(input), "redacted.html")
	default:
		path = defaultOutput(input)
	}
	if o.page.zip && filepath.Ext(path) != ".zip" {
		path = strings.TrimSuffix(path, ".html") + ".zip"
	}
	return path
}

// defaultOutput replaces the extensions of a snapshot by .html, and appends .html to a directory.
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

// openBrowser opens a page, or explains how to view it from another machine.
func openBrowser(t *terminal, path string) error {
	if !hasDisplay() {
		host, err := os.Hostname()
		if err != nil {
			host = "HOST"
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		t.warn("there is no display here; copy the report to your machine: scp '%s:%s' .", host, absolute)
		t.warn("or serve its folder, then open http://%s:8000/%s: python3 -m http.server -d '%s'", host,
			filepath.Base(path), filepath.Dir(absolute))
		return nil
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard // the opener's own words are of no use to anyone
	if err := browser.OpenFile(path); err != nil {
		return fmt.Errorf("cannot open a browser (%w); open %s by hand", err, path)
	}
	return nil
}
