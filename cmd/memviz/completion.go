package main

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// completions are the scripts that ask the program itself what may follow, by
// shell.
//
//go:embed completions
var completions embed.FS

// shells are the ones with a completion script.
var shells = []string{"bash", "zsh", "fish"}

func completionCommand(t *terminal) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script for completion in a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: "In bash, for this session or for good:\n\n" +
			"    source <(memviz completion bash)\n" +
			"    memviz completion bash >> ~/.bashrc\n\n" +
			"In zsh the file goes into a folder of $fpath, in fish there is one for it:\n\n" +
			"    memviz completion zsh > _memviz\n" +
			"    memviz completion fish > ~/.config/fish/completions/memviz.fish",
		Action: action(t, func(args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return misuse("name a shell: %s", strings.Join(shells, ", "))
			}
			script, err := completions.ReadFile("completions/memviz." + args[0])
			if err != nil {
				return err
			}
			_, err = t.stdout.Write(script)
			return err
		}),
	}
}

// completeCommand is how the scripts call the program: with the words after it, the last of
// which is still being typed and may be empty. The completion of urfave/cli v2 knows neither
// values of flags nor flags behind arguments, and reads the words from os.Args.
const completeCommand = "__complete"

// complete prints the candidates for the last word, one per line, some with a tab and a
// description. It prints nothing where a file name is expected.
func complete(app *cli.App, words []string, w io.Writer) {
	for _, candidate := range candidates(app, words) {
		fmt.Fprintln(w, candidate)
	}
}

func candidates(app *cli.App, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	current := words[len(words)-1]
	before := slices.DeleteFunc(slices.Clone(words[:len(words)-1]), func(word string) bool { return word == "=" })
	if current == "=" { // bash makes a word of it
		current = ""
	}
	var list []string
	if len(before) == 0 {
		for _, command := range app.Commands {
			list = append(list, command.Name+"\t"+command.Usage)
		}
		return beginningWith(current, list)
	}
	command := app.Command(before[0])
	if command == nil {
		return nil
	}
	last := before[len(before)-1]
	if flag := findFlag(command, last); isFlag(last) && takesValue(flag, last) {
		return beginningWith(strings.TrimLeft(current, `'"`), choicesOf(flag)) // bash hands over an open quote
	}
	if name, value, ok := strings.Cut(current, "="); ok && isFlag(current) {
		for _, choice := range beginningWith(value, choicesOf(findFlag(command, name))) {
			list = append(list, name+"="+choice)
		}
		return list
	}
	if strings.HasPrefix(current, "-") {
		for _, flag := range command.Flags {
			_, usage, _ := strings.Cut(flag.String(), "\t")
			list = append(list, "--"+flag.Names()[0]+"\t"+usage)
		}
		return beginningWith(current, list)
	}
	switch command.Name {
	case "completion":
		list = shells
	case "snippet":
		list = snippetNames()
	case "schema":
		list = answer.Schemas()
	case "help":
		return candidates(app, []string{current})
	}
	return beginningWith(current, list)
}

// choicesOf returns the possible values of a flag.
func choicesOf(flag cli.Flag) []string {
	if option, ok := flag.(*optionFlag); ok {
		return option.choices()
	}
	return nil
}

func beginningWith(begin string, list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(word string) bool { return !strings.HasPrefix(word, begin) })
}
