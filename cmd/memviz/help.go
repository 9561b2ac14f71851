package main

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// Help fits a terminal: urfave/cli sets every flag in one line, however long.
func init() { cli.HelpPrinter = printHelp }

func printHelp(w io.Writer, template string, data any) {
	cli.HelpPrinterCustom(w, template, data, map[string]any{
		"wrapAt": func() int { return answer.Width }, "title": title, "options": options,
		"paragraphs": func(text string) string { return paragraphs(text, helpIndent, answer.Width) },
	})
}

const appHelp = `{{title .Name .Usage}}

USAGE:
   {{.HelpName}} COMMAND [options] ARGUMENTS

{{paragraphs .Description}}

COMMANDS:{{template "visibleCommandTemplate" .}}

{{options .VisibleFlags}}
Read more of a command with: {{.HelpName}} COMMAND --help
`

const commandHelp = `{{title .HelpName .Usage}}

USAGE:
   {{.HelpName}}{{if gt (len .VisibleFlags) 1}} [options]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{paragraphs .Description}}

{{options .VisibleFlags}}`

// Categories of flags that many commands have. Help lists them below a command's
// own.
const (
	printing   = "PRINTING"
	pseudonyms = "PSEUDONYMS"
	reading    = "READING"
)

// title says what a command is for.
func title(name, usage string) string {
	return name + " - " + fill(usage, strings.Repeat(" ", len(name)+3), answer.Width)
}

// helpIndent stands before all but headings.
const helpIndent = "   "

// paragraphs fills the lines of a description up to a width, each behind an
// indent. Lines that are indented already are to be copied, and stay.
func paragraphs(text, indent string, width int) string {
	var b strings.Builder
	var open []string
	for _, line := range append(strings.Split(text, "\n"), "") {
		if line != "" && !strings.HasPrefix(line, " ") {
			open = append(open, line)
			continue
		}
		if len(open) > 0 {
			b.WriteString(indent + fill(strings.Join(open, " "), indent, width) + "\n")
			open = nil
		}
		if line != "" {
			line = indent + line
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// optionColumn is where the meaning of a flag begins.
const optionColumn = 24

// options are flags and what they mean, the command's own first, then those of
// each category. One flag alone needs no heading.
func options(flags []cli.Flag) string {
	const own = ""
	categories := []string{own}
	members := map[string]int{}
	category := func(flag cli.Flag) string {
		if of, ok := flag.(cli.CategorizableFlag); ok {
			return of.GetCategory()
		}
		return own
	}
	for _, flag := range flags {
		if members[category(flag)]++; members[category(flag)] == 2 && category(flag) != own {
			categories = append(categories, category(flag))
		}
	}
	var b strings.Builder
	for _, c := range categories {
		heading := c
		if c == own {
			heading = "OPTIONS"
		} else {
			b.WriteString("\n")
		}
		b.WriteString(heading + ":\n")
		for _, flag := range flags {
			if of := category(flag); of == c || c == own && members[of] == 1 {
				b.WriteString(option(flag))
			}
		}
	}
	return b.String()
}

// option is a flag and what it means, in two columns.
func option(flag cli.Flag) string {
	names, usage, _ := strings.Cut(flag.String(), "\t")
	names, _, _ = strings.Cut(names, " [ ") // the flag once more: it may be repeated
	names = helpIndent + names
	if len(names)+2 > optionColumn {
		names += "\n"
	}
	pad := optionColumn - len(names[strings.LastIndexByte(names, '\n')+1:])
	usage = strings.TrimSuffix(usage, " (default: false)")
	return names + strings.Repeat(" ", pad) + fill(usage, strings.Repeat(" ", optionColumn), answer.Width) + "\n"
}

// fill breaks a text between words, so that it fits behind an indent.
func fill(text, indent string, width int) string {
	var b strings.Builder
	column := len(indent)
	for i, word := range strings.Fields(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+length > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += length
	}
	return b.String()
}
