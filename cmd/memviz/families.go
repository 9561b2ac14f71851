package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/units"
)

// familiesFlag names a person's own rules. It goes with every command whose
// answer depends on families: trace, top, diff and leaks.
var familiesFlag = &cli.StringFlag{Name: "families",
	Usage: "say in `FILE` what tensors are for, before all built-in rules; a line is like 'cache: function " +
		"=~ kv_cache'"}

// override has the rules file of --families, if there is one, decide first.
func override(c *cli.Context, in []answer.Input) error {
	path := c.String("families")
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--families: %w", err)
	}
	defer f.Close()
	// Reports are passed on, so they do not say where the file lay.
	rules, err := families.ParseOverrides(units.Printable(filepath.Base(path)), f)
	if err != nil {
		return fmt.Errorf("--families: %w", err)
	}
	if redactionOf(in).Any() {
		rules.HideText()
	}
	for i := range in {
		in[i].Override(rules)
	}
	return nil
}
