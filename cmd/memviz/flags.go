package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
)

// Categories of flags that many commands have. Help lists them after the flags of the command
// itself.
const (
	printingOptions  = "PRINTING"
	pseudonymOptions = "PSEUDONYMS"
	readingOptions   = "READING"
)

// optionFlag is a flag whose value is parsed together with the command line, so that all options
// are checked before a command begins.
type optionFlag struct {
	*cli.GenericFlag
	choices func() []string // what a shell completes
	whole   bool            // the value is a whole number
	repeats bool            // the flag may be given several times
}

// option returns a flag that is parsed into *to. The initial text, unless empty, is the default.
func option[T any](name, initial, usage string, to *T, parse func(string) (T, error), choices ...string) *optionFlag {
	v := &optionValue{text: initial, set: func(text string) (err error) {
		*to, err = parse(text)
		return err
	}}
	if initial != "" {
		if err := v.set(initial); err != nil {
			panic(fmt.Sprintf("--%s=%s: %v", name, initial, err))
		}
	}
	f := &optionFlag{GenericFlag: &cli.GenericFlag{Name: name, Usage: usage, Value: v},
		choices: func() []string { return choices }}
	switch any(to).(type) {
	case *int:
		f.whole = true
	}
	return f
}

// repeatable ends the usage of a flag that may be given several times.
const repeatable = "; may be repeated"

// listOption returns a flag that may be repeated; each value is appended to *to.
func listOption[T any](name, usage string, to *[]T, parse func(string) (T, error), choices ...string) *optionFlag {
	f := option(name, "", usage+repeatable, to, func(text string) ([]T, error) {
		item, err := parse(text)
		return append(*to, item), err
	}, choices...)
	f.repeats = true
	return f
}

// in puts the flag into a category.
func (f *optionFlag) in(category string) *optionFlag {
	f.Category = category
	return f
}

type optionValue struct {
	text string
	set  func(string) error
}

func (v *optionValue) Set(text string) error {
	v.text = text
	return v.set(text)
}

func (v *optionValue) String() string { return v.text }

// asText accepts any text.
func asText(text string) (string, error) { return text, nil }

// oneOf accepts one of the words.
func oneOf(text string, words []string) (string, error) {
	if !slices.Contains(words, text) {
		return "", fmt.Errorf("%q is not one of %s", text, strings.Join(words, ", "))
	}
	return text, nil
}

// atLeastOne parses a positive whole number.
func atLeastOne(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a whole number above zero", text)
	}
	return n, nil
}

func rowsFlag(to *int, initial int) cli.Flag {
	return option("rows", strconv.Itoa(initial), "print at most `N` rows of a table; JSON has all", to, atLeastOne)
}

func momentFlag(to *answer.Moment, initial string) *optionFlag {
	return option("at", initial, "look at `MOMENT`: "+answer.MomentForms, to, answer.ParseMoment, momentChoices...)
}

// momentChoices complete the value of --at.
var momentChoices = []string{"peak", "start", "end", "oom", "oom=", "step=", "annotation=", "state=", "time="}

// capacityFlag asks for what no snapshot has: the total memory of the device.
func capacityFlag(t *terminal, to *recording.GivenCapacity) cli.Flag {
	const usage = "the total memory of the device: a `SIZE` such as 80GiB, or a card such as H100"
	return option("capacity", "", usage, to, func(text string) (recording.GivenCapacity, error) {
		c, err := parseCapacity(text)
		if _, binary := units.ParseBytes(text); err == nil && c.GPU == "" && binary != nil {
			number := text[:strings.LastIndexAny(text, "0123456789.")+1]
			t.hint(fmt.Sprintf("--capacity %s is %s; GPU memory is sold in GiB, so a card of %s GB is %sGiB", text,
				units.Bytes(c.Bytes), number, number))
		}
		return c, err
	}, oom.GPUNames()...)
}

// parseCapacity reads a size, or the name of a card.
func parseCapacity(text string) (recording.GivenCapacity, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 {
		return recording.GivenCapacity{}, fmt.Errorf("%q has no unit; write it like 80GiB", text)
	}
	for _, parse := range []func(string) (int64, error){units.ParseBytes, units.ParseFileSize} {
		if bytes, err := parse(text); err == nil && bytes > 0 {
			return recording.GivenCapacity{Bytes: bytes}, nil
		}
	}
	if gpu, ok := oom.FindGPU(text); ok {
		return recording.GivenCapacity{Bytes: gpu.Bytes, GPU: gpu.Name}, nil
	}
	return recording.GivenCapacity{}, fmt.Errorf("%q is not a size such as 80GiB, nor one of %s", text,
		strings.Join(oom.GPUNames(), ", "))
}

// flagsFirst moves the flags of a command in front of its arguments. People write
// "memviz trace snap.pickle -o out.html", and urfave/cli v2 parses no flags behind the first
// argument; nor does it show the help of a command that has arguments.
func flagsFirst(app *cli.App, args []string) []string {
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
		case takesValue(findFlag(command, arg), arg) && len(args) == 1:
			return append(flags, arg) // urfave/cli says that its value is missing
		default:
			flags = append(flags, arg)
			if takesValue(findFlag(command, arg), arg) {
				args = args[1:]
				flags = append(flags, args[0])
			}
		}
	}
	return append(append(flags, "--"), rest...)
}

// isFlag reports whether arg begins like a flag. A lone "-" is standard input or output.
func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") && arg != "-" }

// findFlag returns the flag that an argument names, or nil.
func findFlag(command *cli.Command, arg string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	i := slices.IndexFunc(command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return command.Flags[i]
}

// takesValue reports whether the argument after arg is the value of the flag.
func takesValue(flag cli.Flag, arg string) bool {
	doc, ok := flag.(cli.DocGenerationFlag)
	return ok && doc.TakesValue() && !strings.Contains(arg, "=")
}
