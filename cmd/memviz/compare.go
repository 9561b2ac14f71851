package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
)

// comparePage is a page that is written to a file: that of diff, which stands in place of
// an answer in the terminal, or that of predict.
type comparePage struct {
	output  string // "" for none
	maxSize int64  // of the HTML in bytes; 0 is no limit
	open    bool
}

func (o *comparePage) outputFlag() cli.Flag {
	f := option("output", "",
		"write a page that compares the two to `FILE`, in place of an answer; - is standard output",
		&o.output, asText)
	f.Aliases = []string{"o"}
	return f
}

func (o *comparePage) sizeFlag() cli.Flag {
	return option("max-size", "24MB", "keep the page within `SIZE`, such as 10MB or 9MiB; none lifts the limit",
		&o.maxSize, parseMaxSize)
}

func (o *comparePage) openFlag() cli.Flag {
	return &cli.BoolFlag{Name: "open", Usage: "open the page in a browser", Destination: &o.open}
}

// write writes the page of two snapshots that input reads.
func (o *comparePage) write(t *terminal, input *inputOptions, args []string) error {
	if o.output == stdinName && o.open {
		return misuse("--open needs a file, and -o - writes none")
	}
	if o.output != stdinName {
		if err := checkOutput(o.output, inputInfos(t, append(args, input.families)...)); err != nil {
			return err
		}
	}
	input.needsAll = true
	in, err := input.read(t, args)
	if err != nil {
		return err
	}
	if len(in) != 2 {
		return misuse("diff compares two snapshots, and %d were named", len(in))
	}
	document, err := report.EncodeCompare(program, in[0], in[1], t.events("encoding"))
	if err != nil {
		return err
	}
	return o.save(t, document)
}

// save writes a page within its size, and says what was written.
func (o *comparePage) save(t *terminal, document *report.Document) (err error) {
	toStdout := o.output == stdinName
	written := o.output
	if toStdout {
		written = "the page"
	}
	if o.maxSize > 0 {
		err = document.Fit(o.maxSize)
	}
	if tooLarge := new(report.TooLargeError); errors.As(err, &tooLarge) {
		return fmt.Errorf("cannot write %s: %w; --max-size none lifts it", written, err)
	} else if err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := document.WriteTo(w); return err }
	var size int64
	if toStdout {
		counted := &countingWriter{w: t.stdout}
		err = write(counted)
		size = counted.n
	} else {
		size, err = writeFile(o.output, write)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", written, err)
	}
	if left := document.LeftOut(); len(left) > 0 {
		t.warn("left out to stay within --max-size %s: %s", units.FileSize(o.maxSize), strings.Join(left, ", "))
	}
	if before, after, compared := document.Peaks(); compared {
		t.confirm("wrote %s: %s, peak %s → %s; %s", written, units.FileSize(size), units.Bytes(before),
			units.Bytes(after), attachable(size))
	} else {
		t.confirm("%s", closingLine(written, size, document.Report()))
	}
	if o.open {
		return openBrowser(t, o.output)
	}
	return nil
}
