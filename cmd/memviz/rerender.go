package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/report"
)

// isReport reports whether a file is a report of memviz, by its first bytes.
func isReport(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, report.Head)
	n, _ := io.ReadFull(f, head)
	return report.IsReport(head[:n])
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
			return nil, misused(c, "--%s needs the snapshot, and %s is a report of memviz; run it on what the report was made from", flag, path)
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
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return document, nil
}
