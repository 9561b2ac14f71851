package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/container"
	"github.com/memviz-go/memviz/pkg/report"
)

// isReport reports whether a file is a report of memviz.
func isReport(s source) bool {
	kind, err := sniff(s.path)
	return err == nil && kind == container.Report
}

// readDocument reads the report that was named, to write it with the page of
// this program.
func readDocument(c *cli.Context, p *progress) (*report.Document, error) {
	if c.NArg() > 1 {
		return nil, misused(c, "a report is written anew alone; name one report, or snapshots")
	}
	path := c.Args().First()
	for _, flag := range []string{"families", "capacity", "redact", "strip-prefix", "device"} {
		if c.IsSet(flag) {
			return nil, misused(c,
				"--%s needs the snapshot, and %s is a report of memviz; run it on what the report was made from",
				flag, path)
		}
	}
	p.stage("reading")
	document, err := openReport(path)
	if err != nil {
		return nil, err
	}
	document.Rewritten(program)
	return document, nil
}

// openReport reads the report at path.
func openReport(path string) (*report.Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	defer f.Close()
	document, err := report.Read(f)
	if errors.Is(err, report.ErrNotReport) {
		return nil, fmt.Errorf("%s: %w; a report that is packed has to be unpacked first", path, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return document, nil
}
