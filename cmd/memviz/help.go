package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

// urfave/cli wraps help to a width that a program gives it, but neither fills paragraphs nor
// wraps what a flag means beside its names: the functions here do the first and make room for
// the second.
func init() { cli.HelpPrinter = printHelp }

// printHelp writes help as wide as the terminal behind w.
func printHelp(w io.Writer, template string, data any) { writeHelp(w, lookOf(w), template, data) }

func writeHelp(w io.Writer, look sheet.Look, template string, data any) {
	var text strings.Builder
	cli.HelpPrinterCustom(&text, template+descriptionHelp+flagsHelp, data, map[string]any{
		"wrapAt":     func() int { return look.Width },
		"paragraphs": paragraphs,
		"example":    func(paragraph string) bool { return strings.HasPrefix(paragraph, " ") },
		"names":      flagNames,
		"meaning":    flagMeaning,
	})
	io.WriteString(w, look.Show(text.String()))
}

const appHelp = `{{.Name}} - {{wrap .Usage (offset .Name 3)}}

USAGE:
   {{.HelpName}} COMMAND [options] ARGUMENTS
{{range .VisibleCategories}}
{{.Name}}:{{template "visibleCommandTemplate" .}}
{{end}}{{template "description" .}}
{{template "flags" .VisibleFlags}}
{{wrap (printf "Read more about a command with: %s COMMAND --help" .HelpName) 0}}
`

const commandHelp = `{{.HelpName}} - {{wrap .Usage (offset .HelpName 3)}}

USAGE:
   {{.HelpName}}{{if gt (len .VisibleFlags) 1}} [options]{{end}}{{with .ArgsUsage}} {{.}}{{end}}
{{template "description" .}}
{{range .VisibleFlagCategories}}{{with .Name}}
{{.}}:
{{else}}OPTIONS:
{{end}}{{range .Flags}}{{template "flag" .}}{{end}}{{else}}{{template "flags" .VisibleFlags}}{{end}}`

const descriptionHelp = `{{define "description"}}{{range paragraphs .Description}}
{{if example .}}{{indent 3 .}}{{else}}   {{wrap . 3}}{{end}}
{{end}}{{end}}`

const flagsHelp = `{{define "flag"}}{{names .}}{{wrap (meaning .) 24}}
{{end}}{{define "flags"}}OPTIONS:
{{range .}}{{template "flag" .}}{{end}}{{end}}`

// paragraphs of a description are separated by empty lines. All but examples become one line.
func paragraphs(text string) []string {
	list := strings.Split(text, "\n\n")
	for i, paragraph := range list {
		if !strings.HasPrefix(paragraph, " ") {
			list[i] = strings.ReplaceAll(paragraph, "\n", " ")
		}
	}
	return list
}

// meaningColumn is where the meaning of a flag begins.
const meaningColumn = 24

// flagNames fills the columns before the meaning of a flag.
func flagNames(flag cli.Flag) string {
	names, _, _ := strings.Cut(flag.String(), "\t")
	if len(names)+5 > meaningColumn {
		return "   " + names + "\n" + strings.Repeat(" ", meaningColumn)
	}
	return fmt.Sprintf("   %-*s", meaningColumn-3, names)
}

func flagMeaning(flag cli.Flag) string {
	_, meaning, _ := strings.Cut(flag.String(), "\t")
	return strings.TrimSuffix(meaning, " (default: false)")
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

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: "    memviz man | man -l -\n" +
			"    memviz man > memviz.1",
		Action: man,
	}
}

// manIndent is how far a manual page indents preformatted text.
const manIndent = 7

// man prints the manual page of urfave/cli, which leaves out the descriptions of commands: they
// become part of the usage, which is preformatted.
func man(c *cli.Context) error {
	for _, command := range c.App.Commands {
		var text strings.Builder
		writeHelp(&text, sheet.Look{Width: sheet.DefaultWidth - manIndent}, `{{template "description" .}}`, command)
		command.UsageText = strings.TrimSpace(c.App.Name+" "+command.Name+" "+command.ArgsUsage) + "\n" + text.String()
	}
	page, err := c.App.ToManWithSection(1)
	if err != nil {
		return fmt.Errorf("cannot write the manual page: %w", err)
	}
	_, err = io.WriteString(c.App.Writer, page)
	return err
}
