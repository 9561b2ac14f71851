package main

import (
	"embed"
	"strings"

	"github.com/urfave/cli/v2"
)

// snippets are pieces of Python to copy, by what they record.
//
//go:embed snippets/*.py
var snippets embed.FS

// usualSnippet is printed unless another is named.
const usualSnippet = "record"

func snippetCommand() *cli.Command {
	return &cli.Command{
		Name:      "snippet",
		Usage:     "print the Python that records what you are after",
		ArgsUsage: "[record|steps|leak|oom|ranks]",
		Description: "record is a good general recording; steps names the steps and their parts; leak\n" +
			"holds enough steps to tell a leak; oom writes the file when memory runs out;\n" +
			"ranks writes a file for each process of a job.\n\n" +
			"    memviz snippet\n" +
			"    memviz snippet oom",
		Action: snippet,
	}
}

func snippet(c *cli.Context) error {
	name := usualSnippet
	if c.NArg() > 0 {
		name = c.Args().First()
	}
	text, err := snippets.ReadFile("snippets/" + name + ".py")
	if err != nil || c.NArg() > 1 {
		return misused(c, "there is no snippet %q; there are %s", strings.Join(c.Args().Slice(), " "),
			strings.Join(snippetNames(), ", "))
	}
	_, err = c.App.Writer.Write(text)
	return err
}

func snippetNames() []string {
	entries, _ := snippets.ReadDir("snippets")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".py")
	}
	return names
}
