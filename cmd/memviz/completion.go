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
		Description: "For this session:\n\n" +
			"    source <(memviz completion bash)\n\n" +
			"For good, in a folder where the shell looks for them:\n\n" +
			"    memviz completion bash > ~/.local/share/bash-completion/completions/memviz\n" +
			"    memviz completion zsh > \"${fpath[1]}/_memviz\"\n" +
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
