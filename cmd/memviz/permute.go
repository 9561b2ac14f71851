package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// permute moves the flags of a command in front of its arguments, because
// urfave/cli takes everything behind the first argument for arguments and
// people write "memviz trace snap.pickle -o out.html".
func permute(app *cli.App, args []string) []string {
	if len(args) > 0 && args[len(args)-1] == completionFlag {
		return args
	}
	i := slices.IndexFunc(args, func(arg string) bool { return !isFlag(arg) })
	if i < 0 {
		return args
	}
	command := app.Command(args[i])
	if command == nil {
		return args
	}
	flags, rest := slices.Clone(args[:i+1]), []string{}
	for args = args[i+1:]; len(args) > 0; args = args[1:] {
		arg := args[0]
		switch {
		case arg == "--":
			return append(append(append(flags, "--"), rest...), args[1:]...)
		case !isFlag(arg):
			rest = append(rest, arg)
		case arg == "--help" || arg == "-h":
			return append(flags[:i+1], arg)
		case takesValue(command, arg) && len(args) == 1:
			return append(flags, arg) // urfave/cli says that its value is missing
		default:
			flags = append(flags, arg)
			if takesValue(command, arg) {
				args = args[1:]
				flags = append(flags, args[0])
			}
		}
	}
	return append(append(flags, "--"), rest...)
}

// isFlag: a lone "-" stands for standard input or output.
func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") && arg != "-" }

// takesValue reports whether the flag's value is the next argument.
func takesValue(command *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, flag := range command.Flags {
		if slices.Contains(flag.Names(), name) {
			doc, ok := flag.(cli.DocGenerationFlag)
			return ok && doc.TakesValue()
		}
	}
	return false
}
