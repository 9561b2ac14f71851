package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// Help fits a terminal: urfave/cli sets every flag in one line, however long.
func init() { cli.HelpPrinter = printHelp }

// printHelp writes help as wide as the terminal behind w.
func printHelp(w io.Writer, template string, data any) { writeHelp(w, lookOf(w), template, data) }

func writeHelp(w io.Writer, look answer.Look, template string, data any) {
	var text strings.Builder
	cli.HelpPrinterCustom(&text, template, data, map[string]any{
		"wrapAt":     func() int { return look.Width },
		"title":      func(name, usage string) string { return title(name, usage, look.Width) },
		"options":    func(flags []cli.Flag) string { return options(flags, look.Width) },
		"paragraphs": func(text string) string { return paragraphs(text, helpIndent, look.Width) },
	})
	io.WriteString(w, look.Show(text.String()))
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name:        "help",
		Usage:       "print the help of a command",
		ArgsUsage:   "[COMMAND]",
		Description: "    memviz help\n    memviz help trace",
		// run takes help for --help, so that both print the same.
	}
}

const appHelp = `{{title .Name .Usage}}

USAGE:
   {{.HelpName}} COMMAND [options] ARGUMENTS

{{paragraphs .Description}}

COMMANDS:{{template "visibleCommandTemplate" .}}

{{options .VisibleFlags}}
{{wrap (printf "Read more of a command with: %s COMMAND --help" .HelpName) 0}}
`

const commandHelp = `{{title .HelpName .Usage}}

USAGE:
   {{.HelpName}}{{if gt (len .VisibleFlags) 1}} [options]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{paragraphs .Description}}

{{options .VisibleFlags}}`

// title says what a command is for.
func title(name, usage string, width int) string {
	return name + " - " + fill(usage, strings.Repeat(" ", len(name)+3), width)
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
func options(flags []cli.Flag, width int) string {
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
				b.WriteString(describe(flag, width))
			}
		}
	}
	return b.String()
}

// describe is a flag and what it means, in two columns.
func describe(flag cli.Flag, width int) string {
	names, usage, _ := strings.Cut(flag.String(), "\t")
	names = helpIndent + names
	if len(names)+2 > optionColumn {
		names += "\n"
	}
	pad := optionColumn - len(names[strings.LastIndexByte(names, '\n')+1:])
	usage = strings.TrimSuffix(usage, " (default: false)")
	return names + strings.Repeat(" ", pad) + fill(usage, strings.Repeat(" ", optionColumn), width) + "\n"
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

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: "    memviz man | man -l -\n" +
			"    memviz man > memviz.1",
		Action: man,
	}
}

// manIndent is how far a manual page indents what it shows as it is.
const manIndent = 7

// man has urfave/cli write the page. Of a command it takes only the usage text,
// so that is made to hold the description.
func man(c *cli.Context) error {
	for _, command := range c.App.Commands {
		usage := strings.TrimSpace(c.App.Name + " " + command.Name + " " + command.ArgsUsage)
		command.UsageText = usage + "\n\n" + paragraphs(command.Description, "", answer.DefaultWidth-manIndent)
	}
	page, err := c.App.ToManWithSection(1)
	if err != nil {
		return fmt.Errorf("cannot write the manual page: %w", err)
	}
	_, err = io.WriteString(c.App.Writer, page)
	return err
}
