package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
)

// output is the file that a command writes.
type output struct{ path string } // "" and "-" for standard output

// flag is --output.
func (o *output) flag(usage string) cli.Flag {
	f := option("output", "", usage, &o.path, asText)
	f.Aliases = []string{"o"}
	return f
}

func (o *output) toFile() bool { return o.path != "" && o.path != stdinName }

// check returns an error if the output cannot be written, before anything is read.
func (o *output) check(t *terminal, inputs ...string) error {
	if o.toFile() {
		return checkOutput(o.path, inputInfos(t, inputs...))
	}
	return checkStdout(t, inputs...)
}

// write writes the output; to a file, completely or not at all.
func (o *output) write(t *terminal, write func(io.Writer) error) (size int64, err error) {
	if o.toFile() {
		size, err = writeFile(o.path, write)
	} else {
		counted := &countingWriter{w: t.stdout}
		err = write(counted)
		size = counted.n
	}
	if err != nil {
		return size, fmt.Errorf("cannot write %s: %w", o, err)
	}
	return size, nil
}

// String returns the name of the output in messages.
func (o *output) String() string {
	if o.toFile() {
		return o.path
	}
	return "standard output"
}

// page is an HTML file that a command writes.
type page struct {
	output
	maxSize int64 // of the HTML in bytes; 0 is no limit
	open    bool
	zip     bool // in an archive, under the name inZip
	inZip   string
}

// sizeFlag has a default below the 25 MB that GitHub takes.
func (p *page) sizeFlag(usage string) cli.Flag {
	return option("max-size", "24MB", usage, &p.maxSize, parseMaxSize)
}

func (p *page) openFlag() cli.Flag {
	return &cli.BoolFlag{Name: "open", Usage: "open the page in a browser", Destination: &p.open}
}

// parseMaxSize reads the size of a file in bytes, or none.
func parseMaxSize(text string) (int64, error) {
	if text == "none" {
		return 0, nil
	}
	limit, err := units.ParseFileSize(text)
	if err == nil && limit <= 0 {
		err = fmt.Errorf("%q is not the size of a file", text)
	}
	if err != nil {
		return 0, fmt.Errorf("%w; write it like 24MB, or none", err)
	}
	return limit, nil
}

// checkFlags returns an error for flags that cannot be combined.
func (p *page) checkFlags() error {
	switch {
	case p.path == stdinName && p.open:
		return misuse("--open needs a file, and -o - writes none")
	case p.zip && p.open:
		return misuse("--open needs a page, and --zip writes an archive")
	}
	return nil
}

// save writes a document of at most the allowed size, and confirms it.
func (p *page) save(t *terminal, document *report.Document) error {
	if p.maxSize > 0 {
		err := document.Fit(p.maxSize)
		if tooLarge := new(report.TooLargeError); errors.As(err, &tooLarge) {
			return fmt.Errorf("cannot write %s: %w; --max-size none lifts it", p, err)
		} else if err != nil {
			return err
		}
	}
	size, err := p.write(t, func(w io.Writer) error {
		if p.zip {
			return writeZip(w, p.inZip, document)
		}
		_, err := document.WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	if left := document.LeftOut(); len(left) > 0 {
		t.warn("left out to stay within --max-size %s: %s", units.FileSize(p.maxSize), strings.Join(left, ", "))
	}
	t.confirm("%s", closingLine(p.String(), size, document))
	return p.show(t)
}

func (p *page) String() string {
	if p.toFile() {
		return p.path
	}
	return "the page"
}

// show opens the page in a browser, if that was asked for.
func (p *page) show(t *terminal) error {
	if !p.open {
		return nil
	}
	return openBrowser(t, p.path)
}

// writeZip writes an archive that holds the report and nothing else. It has no
// times, so that the same report gives the same bytes.
func writeZip(w io.Writer, name string, document *report.Document) error {
	archive := zip.NewWriter(w)
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	if _, err := document.WriteTo(entry); err != nil {
		return err
	}
	return archive.Close()
}

// closingLine describes what was written and where it can be attached. If a report has several
// devices, the peak is the highest.
func closingLine(what string, size int64, document *report.Document) string {
	wrote := fmt.Sprintf("wrote %s: %s", what, units.FileSize(size))
	if before, after, compared := document.Peaks(); compared {
		return fmt.Sprintf("%s, peak %s → %s; %s", wrote, units.Bytes(before), units.Bytes(after), attachable(size))
	}
	allocations, devices, peak := 0, 0, int64(0)
	for _, file := range document.Report().Files {
		for i := range file.Devices {
			allocations += file.Devices[i].Allocations
			peak = max(peak, file.Devices[i].PeakBytes)
			devices++
		}
	}
	word := "peak"
	if devices > 1 {
		word = fmt.Sprintf("highest peak of %d devices", devices)
	}
	return fmt.Sprintf("%s, %s, %s %s; %s", wrote, units.Plural(allocations, "allocation", "allocations"), word,
		units.Bytes(peak), attachable(size))
}

// attachable says where a file can be attached: GitHub takes 25 MB, Jira's own servers
// take 10 MB unless configured otherwise, and mail of 25 MB has room for 18 MB before they
// are encoded.
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
