package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/report"
)

func inspectCommand(t *terminal) *cli.Command {
	var o struct {
		printOptions
		rows int
	}
	return &cli.Command{
		Name:      "inspect",
		Usage:     "list the paths, names, users and secrets that a report holds",
		ArgsUsage: "REPORT",
		Description: "It reads the report as the page does, and the HTML around the data. What looks like a\n" +
			"user, a host or a secret is found by its form, so look at the lists too.\n\n" +
			"    memviz inspect report.html\n" +
			"    memviz inspect report.html --format json\n" +
			"    memviz inspect redacted.html --fail-if 'paths>0' --fail-if 'secrets>0'",
		Flags: o.flags(t, "inspect", "secrets>0",
			option("rows", "3", "print at most `N` examples of each kind; JSON has all", &o.rows, atLeastOne)),
		Action: action(t, func(args []string) error {
			args, err := expandPatterns(args)
			if err != nil {
				return err
			} else if len(args) != 1 {
				return misuse("inspect reads one report, and %d were named", len(args))
			}
			t.bytes("reading")(0, 0)
			in, err := inspected(args[0])
			if err != nil {
				return err
			}
			return o.print(t, answer.Inspect(in, o.rows))
		}),
	}
}

// inspected is what there is to say of the report at path.
func inspected(path string) (*answer.Inspected, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	if !info.IsDir() && !isReport(path) {
		return nil, fmt.Errorf("%s is not a report of memviz; inspect reads what memviz trace writes", path)
	}
	document, err := openReport(path)
	if err != nil {
		return nil, err
	}
	in := &answer.Inspected{
		Name: filepath.Base(path), Bytes: info.Size(), Program: document.Report().Program,
		Redacted: document.Report().Redacted,
		Census:   census(document), Foreign: document.Foreign(), FirstTime: firstTime(document.Report()),
	}
	in.Addresses, in.Times = document.Numbers()
	return in, nil
}

// census looks at every text of a report.
func census(document *report.Document) *redact.Census {
	c := redact.NewCensus()
	document.Texts(func(t report.Text) {
		switch t.Kind {
		case report.TextFile:
			c.File(t.Text)
		case report.TextFunction:
			c.Function(t.File, t.Text)
		case report.TextOperator:
			c.Operator(t.Text)
		case report.TextSetting:
			c.Setting(t.Key, t.Text)
		case report.TextAnnotation, report.TextNote:
			c.Text(t.Text)
		default:
			c.Prose(t.Text)
		}
	})
	return c
}

// firstTime is when the earliest recording began.
func firstTime(r *report.Report) string {
	first := ""
	for i := range r.Files {
		for _, d := range r.Files[i].Devices {
			if d.FirstTime != "" && (first == "" || d.FirstTime < first) {
				first = d.FirstTime
			}
		}
	}
	return first
}
