package main

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// completions are the scripts that ask the program itself what may follow, by
// shell.
//
//go:embed completions
var completions embed.FS

// shells are those that can complete memviz.
var shells = []string{"bash", "zsh", "fish"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands and flags in a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: "In bash, for this session or for good:\n\n" +
			"    source <(memviz completion bash)\n" +
			"    memviz completion bash >> ~/.bashrc\n\n" +
			"In zsh the file goes into a folder of $fpath, in fish there is one for it:\n\n" +
			"    memviz completion zsh > _memviz\n" +
			"    memviz completion fish > ~/.config/fish/completions/memviz.fish",
		Action: completion,
	}
}

func completion(c *cli.Context) error {
	shell := c.Args().First()
	if c.NArg() != 1 || !slices.Contains(shells, shell) {
		return misused(c, "name a shell: %s", strings.Join(shells, ", "))
	}
	script, err := completionScript(c.App, shell)
	if err != nil {
		return fmt.Errorf("cannot write the completion: %w", err)
	}
	_, err = io.WriteString(c.App.Writer, script)
	return err
}

// completionScript is the script for a shell. The one for fish holds all
// commands and flags; the others ask for them.
func completionScript(app *cli.App, shell string) (string, error) {
	if shell == "fish" {
		return app.ToFishCompletion()
	}
	text, err := completions.ReadFile("completions/memviz." + shell)
	return string(text), err
}

// completionFlag is what the scripts add to what was typed.
const completionFlag = "--generate-bash-completion"
