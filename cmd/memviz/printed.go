package main

import (
	"embed"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/memviz"
)

// snippets are files to copy: Python that records, and recipes that compare the ranks of
// a job where it runs.
//
//go:embed snippets/*
var snippets embed.FS

// usualSnippet is the default.
const usualSnippet = "record"

func snippetCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "snippet",
		Usage:     "print code to record, or to compare ranks on Slurm, Kubernetes or Ray",
		ArgsUsage: "[record|steps|leak|oom|ranks|notebook|slurm|k8s|ray]",
		Description: "record is a good general recording; steps names the steps and their parts; leak\n" +
			"holds enough steps to tell a leak; oom writes the file when memory runs out;\n" +
			"ranks writes a file for each process of a job; notebook records with the Python package\n" +
			"torch-memviz, which does all of these.\n\n" +
			"slurm, k8s and ray are recipes for jobs of many machines: they run memviz digest on each,\n" +
			"even if training fails, and write a page that compares all ranks.\n\n" +
			"    memviz snippet\n" +
			"    memviz snippet oom\n" +
			"    memviz snippet slurm > train.sh",
		Action: action(t, func(args []string) error {
			if len(args) == 0 {
				args = []string{usualSnippet}
			}
			text, ok := snippetText(args[0])
			if !ok || len(args) > 1 {
				return misuse("there is no snippet %q; there are %s", strings.Join(args, " "),
					strings.Join(snippetNames(), ", "))
			}
			_, err := t.stdout.Write(text)
			return err
		}),
	}
}

// snippetText returns the snippet with a name, which is its file's without the extension.
func snippetText(name string) (text []byte, ok bool) {
	i := slices.Index(snippetNames(), name)
	if i < 0 {
		return nil, false
	}
	entries, _ := snippets.ReadDir("snippets")
	text, err := snippets.ReadFile("snippets/" + entries[i].Name())
	return text, err == nil
}

func snippetNames() []string {
	entries, _ := snippets.ReadDir("snippets")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
	}
	return names
}

func schemaCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of a command's --format json",
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

func versionCommand(t *terminal) *cli.Command {
	var format sheet.Format
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, commit and system",
		Description: "    memviz version\n" +
			"    memviz version --format json",
		Flags: []cli.Flag{formatFlag(&format), t.colorFlag()},
		Action: action(t, func(args []string) error {
			if len(args) > 0 {
				return misuse("version takes no arguments")
			}
			return answer.Version(memviz.Version(), memviz.Commit()).Write(t.stdout, format, t.look)
		}),
	}
}
