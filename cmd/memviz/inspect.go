package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer/inspect"
	"github.com/memviz-go/memviz/pkg/report"
)

func inspectCommand(t *terminal) *cli.Command {
	var o struct {
		printOptions
		rows int
	}
	return &cli.Command{
		Name:      "inspect",
		Usage:     "list the paths, names, users and secrets in a report",
		ArgsUsage: "REPORT",
		Description: "It reads the report as the page does, and the HTML around the data. Users, hosts and\n" +
			"secrets are recognised by their form, so read the lists, too.\n\n" +
			"    memviz inspect report.html\n" +
			"    memviz inspect report.html --format json\n" +
			"    memviz inspect redacted.html --fail-if 'paths>0' --fail-if 'secrets>0'",
		Flags: o.flags(t, "inspect", "secrets>0",
			option("rows", "3", "print at most `N` examples of each kind; JSON has all", &o.rows, atLeastOne)),
		Action: action(t, func(args []string) error {
			args, err := expandPatterns(t.fence, args)
			if err != nil {
				return err
			} else if len(args) != 1 {
				return misuse("inspect reads one report, and %d were named", len(args))
			}
			t.bytes("reading")(0, 0)
			in, err := inspected(t, args[0])
			if err != nil {
				return err
			}
			return o.print(t, inspect.Answer(in, o.rows))
		}),
	}
}

// inspected inspects the report at path.
func inspected(t *terminal, path string) (*inspect.Report, error) {
	if err := checkStdout(t, path); err != nil {
		return nil, err
	}
	in, name := t.stdin, stdinShown
	if path != stdinName {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, bare(err))
		}
		defer f.Close()
		in, name = f, filepath.Base(path)
	}
	document, err := report.Read(in)
	if path == stdinName {
		path = stdinShown
	}
	if errors.Is(err, report.ErrNotReport) {
		return nil, fmt.Errorf("%s is not a report of memviz; inspect reads what memviz trace writes, unpacked", path)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	return document.Inspect(name), nil
}
