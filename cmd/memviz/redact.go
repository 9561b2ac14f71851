package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// redactFlags are the flags of every command that reads snapshots.
func redactFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "redact", Category: pseudonyms,
			Usage: "show pseudonyms for `WHAT`: paths, names (functions and texts that people wrote) or all; public " +
				"names, lines and numbers stay"},
		&cli.StringSliceFlag{Name: "keep-prefix", Category: pseudonyms,
			Usage: "leave paths below `PATH`, and the functions there, as they are; may be repeated"},
		&cli.StringSliceFlag{Name: "strip-prefix", Category: pseudonyms,
			Usage: "cut `PATH` from the front of paths, also without --redact; may be repeated"},
		&cli.StringFlag{Name: "salt", Category: pseudonyms, EnvVars: []string{"MEMVIZ_SALT"},
			Usage: "choose the same pseudonyms in every run with this secret `TEXT`; else every run has its own"},
	}
}

// redacted are the words that --redact takes.
var redacted = []string{"paths", "names", "all"}

// redaction is what the flags of this run say. All its files share one salt.
func redaction(c *cli.Context) (*redact.Options, error) {
	const key = "redaction"
	if o, known := c.App.Metadata[key].(*redact.Options); known {
		return o, nil
	}
	o := &redact.Options{Keep: c.StringSlice("keep-prefix"), Strip: c.StringSlice("strip-prefix")}
	if text := c.String("redact"); text != "" {
		for word := range strings.SplitSeq(text, ",") {
			if !slices.Contains(redacted, word) {
				return nil, misused(c, "--redact: %q is not paths, names or all", word)
			}
			o.Paths = o.Paths || word != "names"
			o.Names = o.Names || word != "paths"
		}
	} else if len(o.Keep) > 0 {
		return nil, misused(c, "--keep-prefix says what --redact leaves, and there is no --redact")
	}
	if o.Salt = []byte(c.String("salt")); len(o.Salt) == 0 {
		o.Salt = redact.NewSalt()
	}
	c.App.Metadata[key] = o
	return o, nil
}

// redactInput gives the names in a snapshot that was just read other names, and
// gives the name by which its file is shown.
func redactInput(o *redact.Options, name string, s *snapshot.Snapshot) string {
	o.Snapshot(s)
	if name == stdinShown {
		return name
	}
	return o.FileName(name)
}

// redactionOf is what was redacted in all inputs, which share it.
func redactionOf(in []answer.Input) snapshot.Redaction {
	if len(in) == 0 {
		return snapshot.Redaction{}
	}
	return in[0].Snapshot.Redaction
}
