package main

import (
	"embed"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// snippets are pieces of Python to copy, by what they record.
//
//go:embed snippets/*.py
var snippets embed.FS

// usualSnippet is printed unless another is named.
const usualSnippet = "record"

func snippetCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "snippet",
		Usage:     "print Python code that records steps, leaks, out-of-memory errors or ranks",
		ArgsUsage: "[record|steps|leak|oom|ranks]",
		Description: "record is a good general recording; steps names the steps and their parts; leak\n" +
			"holds enough steps to tell a leak; oom writes the file when memory runs out;\n" +
			"ranks writes a file for each process of a job.\n\n" +
			"    memviz snippet\n" +
			"    memviz snippet oom",
		Action: action(t, func(args []string) error {
			if len(args) == 0 {
				args = []string{usualSnippet}
			}
			text, err := snippets.ReadFile("snippets/" + args[0] + ".py")
			if err != nil || len(args) > 1 {
				return misuse("there is no snippet %q; there are %s", strings.Join(args, " "),
					strings.Join(snippetNames(), ", "))
			}
			_, err = t.stdout.Write(text)
			return err
		}),
	}
}

func snippetNames() []string {
	entries, _ := snippets.ReadDir("snippets")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".py")
	}
	return names
}

func schemaCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of what a command prints with --format json",
		ArgsUsage: "[COMMAND]",
		Description: "Without a command it lists those that have a schema.\n\n" +
			"    memviz schema\n" +
			"    memviz schema stats",
		Action: action(t, func(args []string) error {
			text := []byte(strings.Join(answer.Schemas(), "\n") + "\n")
			if len(args) > 1 {
				return misuse("schema takes one command")
			} else if len(args) == 1 {
				var ok bool
				if text, ok = answer.Schema(args[0]); !ok {
					return misuse("%q has no schema; %s have", args[0], strings.Join(answer.Schemas(), ", "))
				}
			}
			_, err := t.stdout.Write(text)
			return err
		}),
	}
}
